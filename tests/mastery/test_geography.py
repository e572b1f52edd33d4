"""The map: hexes, labels, seats around it (MM-MAP-1 to 4, MM-GEN-1). Its layouts and a host's own: `test_maps`."""

from __future__ import annotations

import pytest

from engine.mastery.rules.maps import geography
from engine.mastery.rules.pieces import lore_of
from tests.mastery.scene import Scene, battle

DRAWN = {
    2: ["1 C 1", "2 2", "3 L 3", "2 2", "1 C 1"],
    3: ["C 1 2", "1 2 3 1", "2 3 L 2 C", "1 2 3 1", "C 1 2"],
    4: ["2", "C 1 1 C", "1 2 3 2 1", "2 L 3 3 L 2", "1 2 3 2 1", "C 1 1 C", "2"],
    5: ["C 1 1", "1 2 2 2 C", "1 2 3 3 1", "C 2 3 L 2", "1 2 3 3 1", "1 2 2 2 C", "C 1 1"],
    6: ["C 1 1 C", "1 2 2 2 1", "1 2 3 3 2 1", "C 2 3 L 3 2 C", "1 2 3 3 2 1", "1 2 2 2 1", "C 1 1 C"],
}
"""The layouts as the rules draw them, row by row."""


def test_slots_are_hexes_that_share_edges() -> None:  # MM-MAP-1, MM-GEN-1
    land = geography("", 2)
    assert land.slots["C2"].kind == "lake" and (land.slots["C2"].q, land.slots["C2"].r) == (0, 0)
    assert land.near["C2"] == ("C3", "B2", "B1", "C1", "D1", "D2"), "(+1,0) (+1,-1) (0,-1) (-1,0) (-1,+1) (0,+1)"
    assert land.near["A2"] == ("A3", "A1", "B1", "B2")
    for n in range(2, 7):
        near = geography("", n).near
        assert all(a in near[b] for a in near for b in near[a])


def test_labels_are_row_letters_and_places_within_the_row() -> None:  # MM-MAP-2
    for n in range(2, 7):
        slots = lore_of("").maps[n]
        rows = sorted({s.r for s in slots})
        for letter, r in zip("ABCDEFG", rows, strict=False):
            row = sorted((s for s in slots if s.r == r), key=lambda s: s.q)
            assert [s.slot for s in row] == [f"{letter}{i}" for i in range(1, len(row) + 1)]


@pytest.mark.parametrize("n", range(2, 7))
def test_the_layouts_are_those_of_the_rules(n: int) -> None:  # MM-MAP-3
    slots = {s.slot: s for s in lore_of("").maps[n]}
    sign = {"castle": "C", "lake": "L"}
    for letter, row in zip("ABCDEFG", DRAWN[n], strict=False):
        drawn = row.split()
        found = [slots[f"{letter}{i}"] for i in range(1, len(drawn) + 1)]
        assert [sign.get(s.kind, str(s.value)) for s in found] == drawn
    assert len(slots) == sum(len(row.split()) for row in DRAWN[n]) == {2: 13, 3: 19, 4: 26, 5: 31, 6: 37}[n]
    counts = [sum(s.value == v for s in slots.values()) for v in (1, 2, 3)]
    assert counts == [2 * n, 2 * n, n]
    assert sum(s.kind == "lake" for s in slots.values()) == {2: 1, 3: 1, 4: 2, 5: 1, 6: 1}[n]


def test_coordinates_are_those_of_the_rules() -> None:  # MM-MAP-3
    at = {n: {s.slot: (s.q, s.r) for s in lore_of("").maps[n]} for n in range(2, 7)}
    assert (at[2]["A2"], at[2]["E2"], at[2]["C3"]) == ((1, -2), (-1, 2), (1, 0))
    assert (at[3]["C5"], at[3]["D3"]) == ((2, 0), (0, 1))
    assert (at[4]["D5"], at[4]["G1"], at[4]["C3"]) == ((2, 0), (-1, 3), (1, -1))
    assert (at[5]["A3"], at[5]["G3"], at[5]["D4"]) == ((3, -3), (0, 3), (0, 0))
    assert (at[6]["D7"], at[6]["F5"]) == ((3, 0), (1, 2))


def test_the_castles_go_clockwise_from_the_first_label() -> None:  # MM-MAP-4
    assert {n: geography("", n).castles for n in range(2, 7)} == {
        2: ("A2", "E2"),
        3: ("A1", "C5", "E1"),
        4: ("B1", "B4", "F4", "F1"),
        5: ("A1", "B5", "F5", "G1", "D1"),
        6: ("A1", "A4", "D7", "G4", "G1", "D1"),
    }
    s = Scene("a: knights=1", "a b c")
    order = []
    for _ in range(4):
        order.append(s.table.active)
        s.play(f"{s.asked[0]}: end")
    assert order == ["a", "b", "c", "a"], "ascending, and around"


def test_words_of_the_rules_on_the_table() -> None:  # MM-GEN-1
    s = Scene("a: knights=4\nB1: Fort b 2\nb: knights=0", "a b c")
    view = s.seen(None)
    kinds = {m["slot"]: m["kind"] for m in view["map"]}
    assert (kinds["A1"], kinds["C3"], kinds["B1"]) == ("castle", "lake", "territory")
    vacant = [m["slot"] for m in view["map"] if m["kind"] == "territory" and m["holder"] is None]
    assert "B1" not in vacant and len(vacant) == 14
    s = battle(seats="a b c")
    assert (s.battle.attacker, s.battle.defender) == ("a", "b")
    assert s.asked == ["a", "b"], "c is a bystander"
    s.play("a: play card=Conflict2", "b: play card=Conflict3")
    played = s.seen(None)["doing"][-1]["in_play"]
    assert played == {"a": ["Conflict2"], "b": ["Conflict3"]}
    assert s.sizes("a")[0] == 6 and s.pile("a") == [], "neither in hand nor in the pile"
