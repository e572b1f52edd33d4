"""What a letter tells first of what came of late."""

from __future__ import annotations

import pytest

from engine.games import GAMES
from service.games.seen import telling


@pytest.mark.parametrize(
    ("game", "kinds", "chosen"),
    [
        ("ortus", "removed placed attack round turn", "removed attack"),
        ("ortus", "castle placed card_drawn round turn", "castle placed"),
        ("ortus", "castle card_drawn round turn", "castle turn"),
        ("ortus", "round turn", "round turn"),
        ("ortus", "placed", "placed"),
        ("ortus", "", ""),
        ("mastery", "conquered attacked score turn drew drew_own", "conquered attacked"),
        ("mastery", "attacked stormed won", "stormed won"),
        ("fief", "elected stands battle_over drawn round", "elected battle_over"),
    ],
)
def test_what_a_match_turns_on_is_told_before_what_comes_with_every_turn(game: str, kinds: str, chosen: str) -> None:
    assert telling(GAMES[game], kinds.split(), kinds.split()) == chosen.split()


def test_of_like_events_the_last_are_told() -> None:
    assert telling(GAMES["ortus"], ["placed"] * 3, ["one", "two", "three"]) == ["two", "three"]


@pytest.mark.parametrize("name", ["ortus", "mastery", "fief"])
def test_a_kind_that_is_passed_over_is_one_that_is_told(name: str) -> None:
    game = GAMES[name]
    assert game.words is not None
    assert game.dull and all(game.words.has("event", kind) for kind in game.dull)
    assert not game.dull & {*game.turning, *game.hostile}
