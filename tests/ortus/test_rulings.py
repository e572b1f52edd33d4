"""What the rulings of Ortus Regni decide, each of their alternatives."""

from __future__ import annotations

import pytest

from tests.ortus.scene import Scene
from tests.ortus.test_standing_orders import given

HIRED = """
a.F1: Palace (Prince) {2 Land}
a.reserve: K, I
b.F1: Palace (-) {Land}
b.M1: Mercenary (Infantry)
b.M2: Mercenary (Infantry)
c.F1: Palace (-) {}
battle: AW
"""


def hit(text: str) -> list[str]:
    """The cards that are hit by default where Mercenary 1 is fielded with its garrison, Mercenary 2 without."""
    s = Scene(HIRED + text)
    s.play("a: attack target=siege:b:F1 reserve=[Knight]")
    s.play("b: field others=[mercenary:1,mercenary:2,garrison:1]")
    assert s.asked == ["b"] and s.step == "defender_hits"
    return s.ask("b").default.some("cards")


def test_the_mercenary_with_a_living_garrison_is_spared() -> None:
    # DEF-2: the garrison of 1 is hit first, so that of 2, which stayed home, is the living one
    assert hit("") == ["garrison:1", "mercenary:1"]
    assert hit("rulings: DEF-2=living") == ["garrison:1", "mercenary:1"]


def test_games_from_before_the_mend_spare_the_one_that_was_fielded_with_its_garrison() -> None:
    # DEF-2, as it was played before there was the ruling
    assert hit("rulings: DEF-2=fielded") == ["garrison:1", "mercenary:2"]


RAIDED = """
a.F1: Palace (Prince) {2 Land}
a.F2: Castle (-) {}
a.reserve: 2 K
b.F1: Palace (-) {Land, Church}
c.F1: Palace (-) {}
"""
UNSEIZED = "a: take seize=[Church/b] attach={Land/b>F2}"


def raided(text: str = "") -> Scene:
    s = Scene(RAIDED + text)
    return s.play("a: attack target=raid:b:F1 lords=[lord:F1] reserve=[Knight]").until("spoils")


def test_a_spoil_is_not_given_a_place_without_being_seized() -> None:
    # D-48: it was accepted, and the spoil was lost
    for text in ("", "rulings: D-48=refused"):
        s = raided(text)
        assert s.refused(UNSEIZED) == "You say where the Land goes, but don't seize it; seize it too, or leave its place open."
        s.play("a: take seize=[Land/b] attach={Land/b>F2}")
        assert s.fiefs("a")[1] == "2: Castle/a (-) {Land/b}"


def test_of_two_like_spoils_only_those_seized_have_a_place() -> None:
    # D-48
    s = Scene(RAIDED.replace("{Land, Church}", "{2 Land}"))
    s.play("a: attack target=raid:b:F1 lords=[lord:F1] reserve=[Knight]").until("spoils")
    assert "don't seize it" in s.refused("a: take seize=[Land/b] attach={Land/b>F2,Land/b+2>F2}")
    s.play("a: take seize=[Land/b] attach={Land/b+2>F2}")
    assert s.fiefs("a")[1] == "2: Castle/a (-) {Land/b}"


def test_games_from_before_lose_such_a_spoil() -> None:
    # D-48, as it was played before there was the ruling
    s = raided("rulings: D-48=lost")
    assert s.refused(UNSEIZED) == ""
    s.play(UNSEIZED)
    assert s.fiefs("a")[0] == "1: Palace/a (Prince/a) {Land/a, Land/a, Church/b}" and "Land/b" in s.pile("b")


CAPTURED = """
a.F1: Palace (Prince) {2 Land}
a.reserve: K, I
b.F1: Palace (Champion) {Land}
b.F2: Castle (Vassal) {Church, Market Town/c}
c.F1: Palace (-) {}
battle: AW
"""


def paid(text: str) -> Scene:
    """b fields the Lord of his Palace, who is captured, and pays his Castle as ransom."""
    s = Scene(CAPTURED + text)
    s.play("a: attack target=siege:b:F1 lords=[lord:F1] reserve=[Infantry]", "b: field lords=[lord:F1]")
    s.play("b: pay payments={lord:F1>F2}")
    s.until("turn")
    return s


def test_an_anchor_travels_alone() -> None:
    # OR-AMB-68, OR-DEST-6
    for text in ("", "rulings: OR-AMB-68=alone"):
        s = paid(text)
        assert s.fiefs("a")[1] == "2: Castle/b (-) {}"
        assert "Church/b" in s.pile("b") and "MarketTown/c" in s.pile("c")


def test_by_the_other_ruling_its_properties_travel_with_it() -> None:
    # OR-AMB-68
    s = paid("rulings: OR-AMB-68=loaded")
    assert s.fiefs("a")[1] == "2: Castle/b (-) {Church/b, MarketTown/c}"
    assert "Church/b" not in s.pile("b") and "MarketTown/c" not in s.pile("c")
    assert "Vassal/b" in s.pile("b"), "a Lord never travels"


LIKE_RAID = """
a.F1: Palace (Prince) {2 Land}
a.reserve: 2 K
b.F1: Palace (-) {Land, Church, Church/a}
c.F1: Palace (-) {}
"""
LIKE_CASTLES = """
start: b
a.F1: Palace (-) {}
a.F2: Castle (Prince) {}
a.F3: Castle (-) {}
b.F1: Palace (Champion) {}
c.F1: Palace (-) {}
"""
LIKE_MERCENARIES = """
a.F1: Palace (-) {}
a.M1: Mercenary (K)
a.M2: Mercenary (-)
b.F1: Palace (Monk) {}
b.hand: Vassal
c.F1: Palace (-) {}
battle: NB
"""


@pytest.mark.parametrize(
    ("text", "moves", "order", "usual", "listed"),
    [
        (
            LIKE_RAID,
            ["a: attack target=raid:b:F1 lords=[lord:F1]"],
            {"SO_09": "on towers=oldest armies=Infantry"},
            "lose properties=[Church/a]",
            "lose properties=[Church/b]",
        ),
        (
            LIKE_CASTLES + "canterbury: a\na.role: archbishop\nb.role: earl\nc.role: earl",
            ["b: attack target=canterbury:a lords=[lord:F1]", "a: stand_down"],
            {"SO_18": "on toll_order=[Castle,Church,MarketTown,Land,Cathedral,Palace]"},
            "pay holding=F3",
            "pay holding=F2",
        ),
        (
            LIKE_CASTLES + "b.hand: Banner",
            ["b: joust", "c: stand_aside"],
            {"SO_13": "on opt_out=never tilt=never last_anchor=never"},
            "ante ante=F3",
            "ante ante=F2",
        ),
        (
            LIKE_CASTLES.replace("a.F1: Palace (-)", "a.F1: Palace (Vassal)") + "battle: AW",
            ["b: attack target=siege:a:F1 lords=[lord:F1]", "a: field lords=[lord:F1]"],
            {"SO_07": "on save_vassal=always"},
            "pay payments={lord:F1>F3}",
            "pay payments={lord:F1>F2}",
        ),
        (
            LIKE_MERCENARIES,
            ["a: attack target=siege:b:F1 others=[mercenary:1,mercenary:2]", "b: field hand=[Vassal/b]"],
            {"SO_06": "on damage=own hit_order=[mercenary,king,hand,lord,Infantry,Knight,garrison,force]"},
            "hit cards=[mercenary:2]",
            "hit cards=[mercenary:1]",
        ),
    ],
)
def test_what_an_own_order_ranks_alike_goes_by_the_usual_order(
    text: str, moves: list[str], order: dict[str, str], usual: str, listed: str
) -> None:
    # DEF-1, DEF-2, SO-06, SO-07, SO-09, SO-13, SO-18: by an own order a Prince's Castle was given where an empty one was there
    for ruling, answer in (("", usual), ("rulings: DEF-1=usual", usual), ("rulings: DEF-1=listed", listed)):
        s = Scene(f"{text}\n{ruling}").play(*moves)
        assert given(s, s.asked[0], late=False, **order) == answer
