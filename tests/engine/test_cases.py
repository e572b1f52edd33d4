"""Case files are read strictly: what says nothing, or was never needed, is told with its line."""

from __future__ import annotations

import pytest

from engine import cases
from engine.asks import Refused

HEAD = "case: X\nrules: OR-BAT-2\ngiven\n"
GIVEN = "seats: a b\na.F1: Palace (Champion) {Land}\na.reserve: K\nb.F1: Palace (-) {}\nb.F2: Castle (-) {Land}\n"
MOVES = "moves\na: attack target=siege:b:F2 lords=[lord:F1] reserve=[Knight]\nexpect\n"


def faults(text: str) -> str:
    try:
        return "; ".join(cases.run_text(text))
    except Refused as refusal:
        return str(refusal)


def test_what_is_right_holds() -> None:
    good = "gone: b.F2\nno event: crowned\nb.reserve:\nb.banners:\nlacks b.discard: Church\ncontains b.discard: Castle, Land\n"
    assert faults(HEAD + GIVEN + MOVES + good) == ""


@pytest.mark.parametrize(
    ("expectation", "fault"),
    [
        ("b.reserv:", "line 13: “b.reserv”: an Earl has no zone “reserv”."),
        ("b.reserv: I", "line 13: “b.reserv”: an Earl has no zone “reserv”."),
        ("reserve:", "line 13: “reserve”: there is no zone “reserve”."),
        ("g.hand:", "line 13: “g.hand”: there is no zone “g.hand”."),
        ("gone: b.F99", "line 13: there never was a b.F99"),
        ("no event: crownd", "line 13: there is no event “crownd”"),
        ("event: crownd", "line 13: nothing told “crownd”"),
        ("lacks b.discard: Churhc", "line 13: “b.discard”: there is no card “Churhc”."),
        ("lacks b.discrd: Church", "line 13: “b.discrd”: an Earl has no zone “discrd”."),
        ("count b.discrd: 0", "line 13: “b.discrd”: an Earl has no zone “discrd”."),
        ("contains b.discrd:", "line 13: “b.discrd”: an Earl has no zone “discrd”."),
        ("choices a tower.card:", "line 13: choices a tower.card: there is no field card."),
        ("wishes", "line 13: “wishes” is nothing to expect."),
    ],
)
def test_an_expectation_that_can_not_fail_is_a_fault(expectation: str, fault: str) -> None:
    assert fault in faults(HEAD + GIVEN + "a.hand: Land\n" + MOVES + expectation)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("chance joust-deck: JoustPrince", "line 9: “joust-deck” was not drawn so often"),
        ("chance battel-deck: AW", "line 9: “battel-deck” was not drawn so often"),
        ("order b SO-01: on", "line 9: nobody looked at the orders of b; write `by order` or `ordered`"),
        ("b.F1: Castle (-) {}", "line 9: “b.F1” is given twice."),
        ("b.F3: Castle (-) {Lnad}", "line 9: there is no card “Lnad”."),
        ("b.M1: Mercenary (Knihgt)", "line 9: there is no Army or Viking card “Knihgt”."),
        ("bhand: Land", "line 9: there is no zone “bhand”."),
        ("drop: b.hand", "line 9: there is no b.hand to drop."),
        ("so it goes", "line 9: “so it goes” is no `key: value`."),
    ],
)
def test_what_is_given_for_nothing_is_a_fault(line: str, fault: str) -> None:
    assert fault in faults(HEAD + GIVEN + line + "\n" + MOVES)


def test_a_variant_may_leave_alone_what_it_has_of_the_one_before() -> None:
    drawn = "b.hand: Vassal\nbattle:\nbattle-discard: AW, NB\nchance battle-deck: NB\n"
    text = HEAD + GIVEN + drawn + MOVES.replace("expect\n", "b: field hand=[Vassal/b]\nexpect\nevent: battle_card\n")
    assert faults(text + "again\nexpect\nasked: a turn\n") == ""
    assert "line 19: “battle-deck”" in faults(text + "again\nchance battle-deck: DW\nexpect\nasked: a turn\n")


def test_what_stands_before_the_position_is_known_too() -> None:
    assert faults(HEAD.replace("rules", "ruels") + GIVEN + MOVES) == "line 2: “ruels” is none of case, game, rules, shows."
    assert "there twice" in faults("case: Y\n" + HEAD + GIVEN + MOVES)


def test_nothing_lies_on_the_table_of_a_match_that_is_set_up_anew() -> None:
    assert "line 5: “a.hand” can't be given" in faults(HEAD + "fresh: a b\na.hand: Land\nexpect\nasked: a deck, b deck\n")


def test_a_mercenary_may_be_garrisoned_in_short() -> None:
    text = "case: X\ngiven\nseats: a b\na.M1: Mercenary (K)\n"
    assert faults(text + "expect\na.M1: Mercenary (Knight)\n") == ""
    assert faults(text + "moves\na: concede sure=yes\nexpect\ngone: a.M1\ncontains army-discard: Knight\n") == ""
