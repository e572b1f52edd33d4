"""Views compared and merged: what differs by name, and what several readers know together."""

from __future__ import annotations

from engine.core.views import changed, merged


def test_what_changed_is_named_by_keys_items_and_texts() -> None:
    before = {
        "round": 1,
        "map": [{"slot": "B3", "knights": 1}, {"slot": "C1", "knights": 2}],
        "own": {"hand": ["Ambush", "Feint"]},
    }
    after = {"round": 1, "map": [{"slot": "B3", "knights": 4}, {"slot": "C1", "knights": 2}], "own": {"hand": ["Feint"]}}
    assert set(changed(before, after)) == {"map", "B3", "knights", "own", "hand", "Ambush"}
    assert list(changed(before, before)) == []
    assert set(changed({"at": "bourg"}, {"at": "sigy"})) == {"at"}
    assert "weather" in set(changed({"weather": [["rain", 1]]}, {"weather": [["rain", 2]]}))


def test_several_readers_know_together_the_most_detailed_of_each() -> None:
    public = {"seat": None, "families": {"a": {"hand": 2}, "b": {"hand": 1}}, "troops": [["", 3]], "deck": None}
    a = {
        "seat": "a",
        "own": {"x": 1},
        "families": {"a": {"hand": ["x", "y"]}, "b": {"hand": 1}},
        "troops": [["", 1, 2]],
        "deck": 9,
    }
    b = {"seat": "b", "own": {"x": 2}, "families": {"a": {"hand": 2}, "b": {"hand": ["z"]}}, "troops": [["", 3]], "deck": None}
    assert merged([public, a, b]) == {
        "seat": None,
        "families": {"a": {"hand": ["x", "y"]}, "b": {"hand": ["z"]}},
        "troops": [["", 1, 2]],
        "deck": 9,
    }
