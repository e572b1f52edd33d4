"""What the rulings of Ortus Regni decide, each of their alternatives."""

from __future__ import annotations

from tests.ortus.scene import Scene

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
