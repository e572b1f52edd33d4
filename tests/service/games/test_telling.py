"""What a letter tells first of what came of late."""

from __future__ import annotations

import pytest

from engine.games import GAMES
from engine.views import Event
from service.games.recent_events import MOST_BRIEF, brief, telling


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


def test_a_letter_has_a_line_an_answer_without_the_draws_of_others() -> None:
    """What the reader alone was told of a draw is news to the reader."""
    turn, placed = Event("turn", {}), Event("placed", {})
    drawn, own = Event("card_drawn", {}, but=("a",)), Event("card_drawn_own", {}, only=("a",))
    newest_first = [(9, turn, "five"), (9, own, "four"), (9, placed, "three"), (8, drawn, "two"), (7, placed, "one")]
    assert brief(GAMES["ortus"], newest_first) == ["one", "three four"]
    assert brief(GAMES["ortus"], [(9, turn, "two"), (8, drawn, "one")]) == ["one", "two"], "nothing else is told"
    assert brief(GAMES["ortus"], []) == []


def test_a_letter_leaves_out_no_part_of_an_answer() -> None:
    placed = Event("placed", {})
    told = [(n, placed, f"{n}.{i}") for n in range(9, 0, -1) for i in range(5, 0, -1)]
    kept = [" ".join(f"{n}.{i}" for i in range(1, 6)) for n in range(6, 10)]
    assert brief(GAMES["ortus"], told) == ["What was before that is in the history.", *kept]
    assert [len(line.split()) for line in brief(GAMES["ortus"], [(1, placed, "so")] * 2 * MOST_BRIEF)] == [2 * MOST_BRIEF]
