"""Conquest: abilities of territories, and winning (MM-GEN-3, MM-TER, MM-VIC, MM-DEC-20)."""

from __future__ import annotations

import json

import pytest

from engine.core.asks import Answer
from engine.mastery.rules.pieces import TEXT
from engine.mastery.rules.table import Land
from tests.mastery.scene import Scene, battle, rolls

TWELVE = "C1: City a 1\nC3: City a 1\nB2: Fortress a 1\nD1: Fortress a 1\n"
"""Two Cities and two Fortresses of a: twelve points."""


def test_conquering_is_gaining_control_by_an_advance() -> None:  # MM-GEN-3
    s = Scene("a: knights=2\nB1: Fort").play("a: march target=B1 knights=2")
    assert s.told("conquered") == [{"seat": "a", "slot": "B1", "tile": "Fort", "count": 2, "points": 2}]
    s = battle().play("a: play card=Conflict5", "b: play card=Conflict2").until("late")
    assert s.told("conquered") == [{"seat": "a", "slot": "B1", "tile": "Forest", "count": 4, "points": 1}]


@pytest.mark.parametrize("tile", ["Village", "Shrine", "City"])
def test_a_knight_for_the_castle(tile: str) -> None:  # MM-TER-6
    s = Scene(f"a: knights=3\na.hand: CallToArms\nB1: {tile}").play("a: march target=B1 knights=2")
    assert s.knights("a") == 2 and s.told("gained") == [{"seat": "a", "count": 1, "lost": 0, "why": "tile"}]


def test_marshlands_swallow_a_knight() -> None:  # MM-TER-7
    s = Scene("a: knights=3\nB1: Marshlands").play("a: march target=B1 knights=3")
    assert s.land("B1") == "Marshlands a 2" and s.points("a") == 1
    assert "One knight sank into the Marshlands at B1." in s.heard(None)


def other_marshlands(*abilities: str) -> str:
    """A position's first lines for a game whose host gives the Marshlands other abilities."""
    data = json.loads(TEXT)
    for tile in data["tiles"]["territories"]:
        if tile["type"] == "MARSHLANDS":
            tile["on_conquer"] = list(abilities)
    return f"lore: {json.dumps(data)}\na.hand: Ambush\n"


@pytest.mark.parametrize(("ruling", "left"), [("none", 0), ("below", -1)])
def test_a_tile_that_takes_two_knights_takes_no_more_than_there_are(ruling: str, left: int) -> None:  # MM-TER-7, MM-GEN-2
    zones = other_marshlands("LOSE_1_KNIGHT_HERE", "LOSE_1_KNIGHT_HERE") + f"B1: Marshlands\nrulings: MM-TER-7={ruling}\n"
    s = Scene(zones + "a: knights=3").play("a: march target=B1 knights=1")
    assert s.table.lands["B1"] == Land("Marshlands", "", left), "games begun before count one too few"
    s = Scene(zones + "a: knights=3").play("a: march target=B1 knights=3")
    assert s.land("B1") == "Marshlands a 1"


def test_abilities_of_a_tile_apply_in_the_order_of_the_file() -> None:  # MM-TER-6, MM-TER-8, MM-DAT-2
    for abilities, gained in (
        (("MAY_DISCARD_1", "PLACE_1_KNIGHT_IN_CASTLE"), 0),
        (("PLACE_1_KNIGHT_IN_CASTLE", "MAY_DISCARD_1"), 1),
    ):
        s = Scene(other_marshlands(*abilities) + "B1: Marshlands\na: knights=3").play("a: march target=B1 knights=3")
        assert s.step == "discard" and s.knights("a") == gained
        s.play("a: keep")
        assert s.knights("a") == 1


def test_marshlands_taken_with_one_knight_are_vacant_again() -> None:  # MM-AMB-44, MM-TER-7
    s = Scene("a: knights=3\nB1: Marshlands").play("a: march target=B1 knights=1")
    assert s.land("B1") == "Marshlands" and s.points("a") == 0 and s.knights("a") == 2
    assert s.told("swallowed") == [{"seat": "a", "slot": "B1", "tile": "Marshlands", "left": 0}]
    assert s.table.lands["B1"] == Land("Marshlands"), "as if nobody had come"


@pytest.mark.parametrize("tile", ["Ruins", "Abbey", "Fortress"])
def test_a_card_may_be_discarded(tile: str) -> None:  # MM-TER-8, MM-DEC-20
    text = f"a: knights=3\na.hand: Conflict2, CallToArms\nB1: {tile}"
    s = Scene(text).play("a: march target=B1 knights=2")
    assert s.ask().rule == "MM-DEC-20" and s.ask().default == Answer("keep")
    assert s.ids("discard", "card") == {"Conflict2", "CallToArms"}
    s.play("a: discard card=Conflict2")
    assert s.stamps("a") == [("Conflict2", 1)]
    assert Scene(text).play("a: march target=B1 knights=2", "a: keep").hand("a") == ["CallToArms", "Conflict2"]
    bare = Scene(f"a: knights=3\na.hand: \nB1: {tile}").play("a: march target=B1 knights=2")
    assert "kept_all" not in bare.kinds() and bare.table.active == "b"


@pytest.mark.parametrize("tile", ["Forest", "Homelands", "Cave", "Battlefield", "Fort", "Mountains", "Grasslands", "Arena"])
def test_the_others_give_nothing_when_conquered(tile: str) -> None:  # MM-TER-10
    s = Scene(f"a: knights=3\na.hand: CallToArms\nB1: {tile}").play("a: march target=B1 knights=2")
    assert s.kinds() == ["advanced", "conquered"] and s.knights("a") == 1 and s.land("B1") == f"{tile} a 2"


def test_abilities_apply_on_vacant_land_and_on_reconquest() -> None:  # MM-AMB-43
    s = Scene("a: knights=3\nB1: Village").play("a: march target=B1 knights=1")
    assert s.told("gained")[0]["why"] == "tile"
    again = battle("Village", 4, 1).play("a: play card=Conflict5", "b: play card=Conflict2").until("late")
    assert again.told("gained") == [{"seat": "a", "count": 1, "lost": 0, "why": "tile"}]


# --- victory ----------------------------------------------------------------------------------------------------------


def test_thirteen_points_win_at_once() -> None:  # MM-VIC-2
    s = Scene("a: knights=3\n" + TWELVE + "A1: Village").play("a: march target=A1 knights=1")
    assert s.winners == ["a"] and s.asked == [] and s.table.outcome is not None and s.table.outcome.how == "points"
    assert s.told("won") == [{"seats": ["a"], "how": "points", "points": 13}]
    assert "Lord A won with 13 points." in s.heard(None)
    twelve = Scene("a: knights=3\nC1: City a 1\nC3: City a 1\nB2: Fortress a 1\nD1: Fort a 1\nA1: Village")
    assert twelve.play("a: march target=A1 knights=1").winners == [], "twelve are not enough"


def test_the_win_comes_before_the_ability() -> None:  # MM-AMB-41, MM-VIC-2
    s = Scene("a: knights=3\n" + TWELVE + "A1: Marshlands").play("a: march target=A1 knights=1")
    assert s.winners == ["a"] and s.land("A1") == "Marshlands a 1" and "swallowed" not in s.kinds()


def test_a_win_in_the_middle_of_a_turn() -> None:  # MM-AMB-42
    s = Scene("a: knights=3\na.hand: TacticalAdvance, CallToArms\n" + TWELVE + "A1: Forest")
    s.play("a: tactical target=A1 knights=1")
    assert s.winners == ["a"] and s.table.active == "a" and "restored" not in s.kinds()


def test_nothing_is_resolved_after_the_win() -> None:  # MM-VIC-3
    s = battle(text=TWELVE + "a.artefacts: Rage@0", send=4, there=1).play("a: play card=Conflict5", "b: play card=Conflict2")
    s.play("b: pass", "a: pass")
    assert s.winners == ["a"] and s.asked == []
    assert s.kinds()[-2:] == ["conquered", "won"] and s.pile("a") == [] and s.pile("b") == [], "cards in play are dropped"
    assert not s.up("Rage") and s.whole("a") == 18


def test_only_the_active_lord_gains_control() -> None:  # MM-VIC-4
    s = battle("Arena", 2, 1, TWELVE + "A1: Forest", chance={"arena": rolls(5, 3)})
    assert s.winners == ["a"] and s.points("a") == 14, "left alone by the roll"
    s = battle("Arena", 1, 2, TWELVE.replace(" a 1", " b 1"), chance={"arena": rolls(3, 5)})
    assert s.winners == [] and s.points("b") == 14, "who defends gains nothing, so there is nothing to check"


def test_there_is_no_draw_and_no_limit_of_turns() -> None:  # MM-VIC-5, MM-AMB-56
    s = Scene("a: knights=0\nturn: 999999", "a b c")
    for _ in range(30):
        s.play(f"{s.asked[0]}: end")
    assert s.table.turn == 1_000_029 and s.winners == []
