"""What follows from where the knights stand: control, dice, supply, points, capacity (MM-GEN-2, MM-DIC, MM-SUP, MM-CAP)."""

from __future__ import annotations

import json

import pytest

from engine.mastery.rules.maps import own_data
from engine.mastery.rules.table import all_dice, capacity, dice
from tests.mastery.scene import Scene, battle

CUT = "C2: Forest a 2\nC3: City a 1\nD4: City a 2\n"
"""Four lords: C2 beside a's castle, C3 beside C2, D4 beside C3."""


def test_a_lord_controls_what_he_alone_stands_on() -> None:  # MM-GEN-2
    s = Scene("a: knights=6\nB1: City a 1", "a b")
    assert (s.points("a"), s.points("b")) == (3, 0)
    shown = {m["slot"]: m for m in s.seen("a")["map"]}
    assert shown["B1"]["holder"] == "a" and shown["B2"]["holder"] is None
    assert "value" not in shown["C2"] and "value" not in shown["A2"], "lakes and castles have no victory value"
    assert s.refused("a: march target=C2 knights=1") == "C2 is a lake; nobody can hold it."


@pytest.mark.parametrize(("knights", "used"), [(0, 0), (1, 1), (6, 1), (7, 2), (12, 2), (13, 3), (60, 10)])
def test_a_die_counts_six_knights_of_one_place(knights: int, used: int) -> None:  # MM-DIC-1
    assert dice(knights, 6) == used
    assert Scene(f"a: knights={knights}").need("a") == used


def test_need_is_the_sum_over_places() -> None:  # MM-DIC-1
    s = Scene("a: knights=7\nB1: Forest a 1\nB2: Battlefield a 8\nA1: Forest b 6")
    assert (s.need("a"), s.need("b")) == (2 + 1 + 2, 1)
    s.play("a: march in_b2=6")
    assert (s.knights("a"), s.need("a")) == (9, 2 + 1 + 1), "regrouped to the least"


TEN = "".join(f"{slot}: Forest a 1\n" for slot in ("A1", "A3", "B1", "B2", "C1", "C3", "D1")) + "D2: Battlefield a 8\n"


def test_need_never_passes_ten() -> None:  # MM-DIC-2
    s = Scene("a: knights=4\nactive: b\n" + TEN)
    assert s.need("a") == 10 == all_dice(s.table)
    s.play("b: end")
    assert s.need("a") == 10
    assert s.refused("a: march target=E1 knights=5").startswith("That needs 11 dice, and you have 10;")


def test_a_knight_without_a_die_is_lost() -> None:  # MM-DIC-3, MM-AMB-45
    s = Scene("a: knights=4\nactive: b\n" + TEN).play("b: end")
    assert s.knights("a") == 6
    assert s.told("gained")[-1] == {"seat": "a", "count": 2, "lost": 1, "why": "turn"}
    assert "Lord A placed 2 knights in their castle. No die was left for 1 knight more." in s.heard(None)
    s = Scene("a: knights=6\na.hand: CallToArms\n" + TEN).play("a: call")
    assert s.knights("a") == 6 and s.told("gained") == [{"seat": "a", "count": 0, "lost": 2, "why": "card"}], "nor refused"
    assert "Lord A had no die left for new knights." in s.heard(None)


def test_a_move_that_needs_an_eleventh_die_is_illegal() -> None:  # MM-DIC-4, MM-AMB-12
    s = Scene("a: knights=6\n" + TEN)
    said = "That needs 11 dice, and you have 10; send other knights, or gather them in fewer places."
    assert s.refused("a: march target=E1 knights=5") == said
    assert s.refused("a: march target=E1 knights=6") == ""
    said = "That needs 11 dice, and you have 10; gather your knights in fewer places."
    assert s.refused("a: march in_d2=7") == said, "castle 7 is two dice, and 7 in the field are two"
    assert s.refused("a: march in_d2=6") == "", "castle 8, field 6: one die less there"


def test_lost_knights_come_back_as_dice_and_sixty_is_the_ceiling() -> None:  # MM-DIC-5
    s = battle(send=4, there=3).play("a: play card=Conflict5", "b: play card=Conflict3").until("late")
    shown = {lord["seat"]: lord for lord in s.seen(None)["lords"]}
    assert shown["b"]["on_map"] == 0 and shown["b"]["reserve"] == 10, "3 lost, by 9 to 6"
    s = Scene("a: knights=60\nactive: b").play("b: end")
    assert s.knights("a") == 60 and s.told("gained")[-1]["lost"] == 3


# --- supply -----------------------------------------------------------------------------------------------------------


def test_own_territories_and_lakes_form_the_network() -> None:  # MM-SUP-1
    assert Scene("C1: Forest a 1\nE2: Forest a 1", "a b c d").supplied("a") == {"C1", "E2"}, "C1, lake D2, E2"
    s = Scene("C1: Forest b 1\nE2: Forest a 1\nD1: Forest b 1", "a b c d")
    assert s.supplied("a") == set(), "the lake is everybody's, but nothing leads to it"


def test_the_search_goes_from_the_castle_over_own_land_and_lakes() -> None:  # MM-SUP-2, MM-AMB-17
    assert Scene(CUT, "a b c d").supplied("a") == {"C2", "C3", "D4"}
    for between in ("City b 1", "City"):
        s = Scene(CUT.replace("City a 1", between), "a b c d")
        assert s.supplied("a") == {"C2"}, "neither hostile nor vacant land carries supply"
    s = Scene("B2: Forest a 1\nB3: Forest a 1\nC5: Forest a 1", "a b c d")
    assert s.supplied("a") == {"B2", "B3"}, "C5 touches the castle B4 of another, which carries none"


def test_without_supply_no_knights_come_or_go_and_no_advance_starts() -> None:  # MM-SUP-3, MM-AMB-16
    s = Scene("a: knights=3\n" + CUT.replace("City a 1", "City b 1"), "a b c d")
    assert "in_d4" not in s.fields("march") and "in_c2" in s.fields("march")
    assert "E4" not in s.targets("a"), "beside D4 alone"
    assert "E5" not in s.targets("a"), "across lake D5 from D4"
    assert s.refused("a: march target=E4 knights=1") == (
        "D4, which touches E4, has no line of supply; no march starts from it."
    )
    assert s.points("a") == 1 + 3, "it still counts"


def test_supply_is_that_of_the_moment() -> None:  # MM-SUP-4
    s = Scene("a: knights=3\na.hand: TacticalAdvance\nC2: Forest a 2\nD4: City a 2\n", "a b c d")
    assert s.supplied("a") == {"C2"}
    s.play("a: tactical target=C3 knights=2")
    assert s.supplied("a") == {"C2", "C3", "D4"}
    assert "in_d4" in s.fields("march") and "E4" in s.targets("a"), "the unit after it goes by the new position"


def own(slots: str) -> str:
    """The notation's `lore` line of a map for two: `A1 0 0 castle, A2 1 0 1 ...`."""
    rows = []
    for text in slots.split(","):
        label, q, r, kind = text.split()
        value = {"value": int(kind)} if kind.isdigit() else {}
        rows.append({"slot": label, "q": int(q), "r": int(r), "kind": "territory" if value else kind} | value)
    return "lore: " + own_data(json.dumps({"slots": rows}), 2) + "\n"


SHORE = own("A1 2 -1 1, B1 0 0 castle, B2 1 0 lake, B3 2 0 2, B4 3 0 1, B5 4 0 castle, C1 0 1 1")
"""A lake beside the castle B1; B3 and A1 lie across it."""
LAKES = own("A1 0 0 castle, A2 1 0 1, A3 2 0 lake, A4 3 0 lake, A5 4 0 1, A6 5 0 castle")
"""Two lakes side by side between A2 and A5."""


def test_a_castle_beside_a_lake_is_supplied_over_it_but_cannot_advance_over_it() -> None:  # MM-AMB-13
    s = Scene(SHORE + "B3: Forest a 1")
    assert s.supplied("a") == {"B3"}
    assert Scene(SHORE).targets("a") == ["C1"], "B3 and A1 touch the lake, but the castle does not lead over it"


def test_a_castle_beside_a_lake_is_stormed_over_it() -> None:  # MM-OPT-6, MM-ADV-2, MM-AMB-52
    way = SHORE + "active: b\nB3: Fort b 1\nB4: Forest b 1\n"
    assert "B1" in Scene(way + "options: siege").targets("b") and "B1" not in Scene(way).targets("b")
    assert "B1" not in Scene(way.replace("B4: Forest b 1\n", "") + "options: siege").targets("b"), "B3 hangs on nothing"


def test_lakes_carry_supply_to_each_other_but_no_advance() -> None:  # MM-AMB-14
    s = Scene(LAKES + "A2: Forest a 1\nA5: Forest a 1")
    assert s.supplied("a") == {"A2", "A5"}
    assert Scene(LAKES + "A2: Forest a 1").targets("a") == [], "A5 is two lakes away"


def test_points_are_the_values_of_all_that_is_controlled() -> None:  # MM-VIC-1
    s = Scene(CUT.replace("City a 1", "City b 1") + "C4: Fort b 2", "a b c d")
    assert (s.points("a"), s.points("b"), s.points("c")) == (1 + 3, 3 + 2, 0)
    assert s.supplied("a") == {"C2"}, "supplied or not"


# --- capacity ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tile", "most"), [("Forest", 6), ("Cave", 4), ("Battlefield", 8)])
def test_capacity_is_six_but_for_caves_and_battlefields(tile: str, most: int) -> None:  # MM-CAP-1, MM-TER-3
    s = Scene(f"a: knights=20\nB1: {tile}")
    assert capacity(s.table, "B1") == most
    assert s.refused(f"a: march target=B1 knights={most}") == ""
    said = s.refused(f"a: march target=B1 knights={most + 1}")
    assert said == f"B1 takes {most} knights of yours at most; you send {most + 1}."
    s = Scene(f"a: knights=20\nB1: {tile} a 1")
    assert s.refused(f"a: march in_b1={most + 1}") == f"B1 takes {most} knights of yours at most, not {most + 1}."
    assert s.refused(f"a: march in_b1={most}") == "", "and the castle holds any number"


def test_both_sides_may_be_at_capacity_in_a_battle() -> None:  # MM-AMB-61, MM-CAP-1
    s = battle("Cave", send=4, there=4)
    assert s.scores == (4, 4) and s.table.dispute is not None and s.table.dispute.knights == 4


def test_an_artefact_that_nobody_has_is_nobodys() -> None:  # MM-CMP-4
    s = Scene("a.artefacts: Rage")
    assert s.table.owner("Rage") == "a" and s.table.artefact("Rage").up
    for look in (s.table.owner, s.table.artefact):
        with pytest.raises(KeyError, match="Wolf"):
            look("Wolf")
