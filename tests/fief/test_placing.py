"""Where a freed or played Lord may stand: the tiers of FF-LRD-2, guests, and who stays where he is."""

from __future__ import annotations

import pytest

from engine.fief import FIEF
from engine.fief.rules.realm.control import let_go, settle
from engine.fief.rules.realm.placing import Placing, put_lord, tier
from engine.fief.rules.realm.table import Table

SEATS = "fief: 1\nseats: a b c d\nrulings: {}\nphase: 4b\n"
PLACES = list(FIEF.rules.notation.read("fief: 1\nseats: a b c\n").table.villages)
TAKEN = "".join(f"{place}: b\n" for place in PLACES)
FREED = "Arthur: a bourg captor=b\nbourg.b: 1 maa\n"
"""A Lord of a who has nothing else."""


def table(text: str, rulings: str = "FF-AMB-39=tiers") -> Table:
    found: Table = FIEF.rules.notation.read(SEATS.format(rulings) + text).table
    return found


@pytest.mark.parametrize(
    ("text", "n", "places"),
    [
        ("sigy: a stronghold\nblaye: a\nHenri: a bourg\n", 1, ["sigy"]),
        ("sigy: a\nHenri: a bourg\n", 2, ["bourg"]),
        ("sigy: a\nblaye: a\n", 3, ["blaye", "sigy"]),
        (
            TAKEN.replace("sigy: b", "sigy: c") + "Henri: a bourg captor=b spouse=Jeanne\nJeanne: c sigy spouse=Henri\n",
            4,
            ["sigy"],
        ),
        (TAKEN.replace("sigy: b\n", "").replace("tournus: b\n", "tournus.b: 1 maa\n"), 4, ["sigy"]),
        (TAKEN, 5, PLACES),
    ],
    ids=["walls", "with a Lord", "own", "an ally's", "empty", "a host's"],
)
def test_a_lord_comes_to_the_first_tier_that_there_is(text: str, n: int, places: list[str]) -> None:  # FF-LRD-2
    found = table(text)
    assert tier(found, "a", ["Arthur"]) == (n, places)


def test_who_has_nothing_left_may_choose_any_village_that_nobody_crowds() -> None:  # FF-LRD-2, FF-AMB-39
    free = table(f"{FREED}tournus.b: 1 maa\ntournus: -\n", "FF-AMB-39=free")
    n, places = tier(free, "a")
    assert n == 6 and places == [place for place in PLACES if place != "tournus"]
    assert tier(table("sigy: a\n", "FF-AMB-39=free"), "a")[0] == 6
    assert tier(table("sigy: a\nblaye.a: 1 maa on charolles\nblaye: b\n", "FF-AMB-39=free"), "a") == (3, ["sigy"])


def test_a_lord_is_a_guest_where_the_holder_of_the_title_has_no_counter() -> None:  # FF-CTL-3, FF-MOV-2
    found = table("Charles: b bourg fief=sigy\nHenri: a blaye\n", "FF-MOV-2=anew")
    henri = found.lords["Henri"]
    henri.moves, henri.halted, henri.company = 2, True, False
    put_lord(found, henri, "sigy", freed=True)
    assert found.villages["sigy"].guests == {"a": "b"}
    assert (henri.at, henri.moves, henri.halted, henri.company) == ("sigy", 0, False, True)


@pytest.mark.parametrize(("ruled", "moves", "company"), [("made", 2, False), ("anew", 0, True)])
def test_who_moved_and_is_freed_has_made_his_moves_or_has_them_again(ruled: str, moves: int, company: bool) -> None:
    found = table(FREED, f"FF-MOV-2={ruled}")  # FF-MOV-2
    arthur = found.lords["Arthur"]
    arthur.moves, arthur.company = 2, False
    let_go(found, arthur)
    assert (arthur.moves, arthur.company, arthur.captor) == (moves, company, "")


def test_a_lord_whom_nobody_hosts_may_stay() -> None:  # FF-RAN-5
    found = table(f"{TAKEN}{FREED}")
    placing = Placing(lords=["Arthur"])
    placing.begin(found)
    ask = placing.ask_place(found, "a")
    assert [option.id for option in ask.options] == ["place", "stay"] and ask.default.option == "stay"
    assert placing.take_place(found, {"a": ask.default}) == "stay"
    assert placing.stay(found) == "begin" and (found.lords["Arthur"].at, placing.lords) == ("bourg", [])


def test_by_house_ruling_the_end_of_one_siege_ends_each_once() -> None:  # FF-SIE-4
    sieged = "blaye: d stronghold engine=a/1 engine=b/1 engine=c/1\nblaye.a: 1 maa\nblaye.b: 1 maa\nblaye.c: 1 maa\n"
    found = table(sieged, "FF-SIE-4=all")
    settle(found)
    assert [event.facts["seat"] for event in found.news if event.kind == "siege_over"] == ["a", "b", "c"]
    assert not found.villages["blaye"].engines
