"""Standing orders (rules 14.2): SO-05, "just enough"."""

from __future__ import annotations

import pytest

from engine.core.asks import Answer, write
from engine.ortus.orders.defence import cards_needed, just_enough
from engine.ortus.rules.combat import Battle, Fielded
from tests.ortus.scene import Scene

ATTACKER = "a.F1: Palace (Champion) {3 Land}\na.F2: Castle (Vassal) {}\na.reserve: K, I\n"


def defence(text: str, attack: str = "siege:b:F2 lords=[lord:F1] reserve=[Knight,Infantry]") -> tuple[Scene, Battle]:
    """The position in which b is asked for his defence. The attack given by default sends 5 points."""
    s = Scene(ATTACKER + text, "a b").play(f"a: attack target={attack}")
    assert s.asked == ["b"] and s.step == "defend"
    battle = s.state.stack[-1]
    assert isinstance(battle, Battle)
    return s, battle


def answer(text: str, attack: str = "siege:b:F2 lords=[lord:F1] reserve=[Knight,Infantry]") -> str:
    s, battle = defence(text, attack)
    found = just_enough(s.table, battle, s.earl("b"))
    if found is None:
        return "ask"
    assert s.refused(f"b: {write(found)}") == ""
    return write(found)


CASTLE = "b.F1: Palace (-) {}\nb.F2: Castle (Vassal) {Land}\nb.towers: Monk\n"


def test_the_worked_example() -> None:
    # OR-EX-87, SO-05: 5 - 1 - 1 = 3 cards; the Castle holds in a Normal Battle.
    s, battle = defence(CASTLE + "b.M1: Mercenary (Infantry)\nb.reserve: I, K\nbattle: NB")
    before = s.table.chance, s.state.serial
    found = just_enough(s.table, battle, s.earl("b"))
    assert found == Answer("field", {"lords": ["lord:F2"], "reserve": ["Infantry"], "others": ["garrison:1"]})
    assert (s.table.chance, s.state.serial, s.asked) == (*before, ["b"]), "an order changes nothing"
    s.play(f"b: {write(found)}").default()
    assert s.told("held") and not s.told("fell")


@pytest.mark.parametrize(
    ("text", "attack", "needed"),
    [
        ("b.F2: Castle (Vassal) {Land}", "siege:b:F2 lords=[lord:F1]", 1),  # a Castle withstands 1 point
        ("b.F2: Palace (Vassal) {Land}", "siege:b:F2 lords=[lord:F1]", 0),  # a Palace 2
        ("b.F2: Castle (Vassal) {Land}\nb.towers: 2 Monk", "siege:b:F2 lords=[lord:F1,lord:F2] reserve=[Knight]", 2),
        ("b.F2: Castle (Vassal) {Land}\nb.towers: Monk", "raid:b:F2 lords=[lord:F1,lord:F2]", 2),  # a Raid: none but Towers
        ("b.F2: Castle (Vassal) {Land}\nb.towers: 2 Monk", "tower:b lords=[lord:F1,lord:F2]", 3),  # Towers absorb nothing
        ("b.F2: Castle (Vassal) {Land}\nb.towers: 3 Monk", "siege:b:F2 lords=[lord:F1]", 0),
    ],
)
def test_how_many_cards_are_needed(text: str, attack: str, needed: int) -> None:
    # SO-05
    s, battle = defence("b.F1: Castle (-) {}\n" + text, attack)
    assert cards_needed(battle, s.earl("b")) == needed
    if not needed:
        assert just_enough(s.table, battle, s.earl("b")) == Answer("stand_down")


def test_if_not_that_many_exist_the_order_leaves_the_decision_to_its_owner() -> None:
    # SO-05, OR-DEC-4
    assert answer(CASTLE) == "ask"
    assert answer(CASTLE + "b.hand: 2 Banquet, Land") == "ask"


def test_the_order_of_forces() -> None:
    # SO-05: King Card, Lords, Royal Army, garrisons, Infantry, Knights, Mercenaries, Monk, Vassal, Champion, Prince
    rich = (
        CASTLE + "king: b [Knight]\nb.M1: Mercenary (Infantry)\nb.reserve: K, I\nb.F3: Castle (-) {Land}\n"
        "b.hand: Prince, Champion, Vassal, Monk"
    )
    s, battle = defence(rich)
    battle.what = "tower"  # so that as many cards are needed as points come
    point = Fielded("reserve:Infantry", "Infantry", "reserve")
    order: list[str] = []
    for points in range(1, 12):
        battle.attacking = [point] * points
        found = just_enough(s.table, battle, s.earl("b"))
        assert found is not None and s.refused(f"b: {write(found)}") == ""
        picks = [id for name in found.values for id in found.some(name)]
        order += [id for id in picks if id not in order]
        assert len(picks) == len(order) == points
    assert order == [
        *("king", "lord:F2", "royal:Knight", "garrison:1", "Infantry", "Knight", "mercenary:1"),
        *("Monk/b", "Vassal/b", "Champion/b", "Prince/b"),
    ]
    battle.attacking = [point] * 12
    assert just_enough(s.table, battle, s.earl("b")) is None


def test_the_capacity_of_the_lands_is_kept() -> None:
    # OR-FLD-3: one Land, so one Reserve card; the Mercenary comes after it.
    text = "b.F1: Palace (-) {}\nb.F2: Castle (-) {Land}\nb.reserve: 2 I, 2 K\nb.M1: Mercenary (-)\nb.towers: 2 Monk"
    assert answer(text) == "field reserve=[Infantry] others=[mercenary:1]"


def test_hand_cards_come_last_and_one_prince_at_most() -> None:
    # OR-FLD-1
    text = "b.F1: Palace (-) {}\nb.F2: Castle (-) {Land}\nb.hand: 2 Prince, Champion, Monk, Vassal\n"
    assert answer(text) == "field hand=[Monk/b,Vassal/b,Champion/b,Prince/b]"
    assert answer(text + "b.towers: Land") == "field hand=[Monk/b,Vassal/b,Champion/b]"
    assert answer(text.replace("(-) {}", "(Prince) {}") + "b.towers: Land") == "field lords=[lord:F1] hand=[Monk/b,Vassal/b]"
