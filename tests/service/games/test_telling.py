"""What a letter tells first of what came of late."""

from __future__ import annotations

import pytest

from engine.core.views import Event
from engine.games import GAMES
from service.log.recent_events import MOST_BRIEF, Fresh, brief, telling


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
    assert game.words.catalogue is not None
    assert game.face.log.dull and all(game.words.catalogue.has("event", kind) for kind in game.face.log.dull)
    assert not game.face.log.dull & {*game.face.log.turning, *game.face.log.hostile}


def fresh(n: int, event: Event, words: str, alone: str = "") -> Fresh:
    return Fresh(n, event, words, alone or words)


def test_a_pronoun_stands_only_behind_the_sentence_that_named_its_seat() -> None:
    placed, drawn = Event("placed", {"seat": "b"}), Event("card_drawn", {"seat": "b"})
    told = [fresh(7, placed, "They placed.", "Bert placed."), fresh(7, drawn, "Bert drew.")]
    assert brief(GAMES["ortus"], told) == ["Bert placed."], "the draw is left out"
    assert brief(GAMES["ortus"], [told[0], fresh(7, placed, "Bert built.")]) == ["Bert built. They placed."]


def test_a_letter_s_list_leaves_out_what_its_story_has_told() -> None:
    placed = Event("placed", {"seat": "b"})
    told = [fresh(7, placed, "They placed.", "Bert placed."), fresh(7, placed, "Bert built."), fresh(6, placed, "Ann built.")]
    assert brief(GAMES["ortus"], told, ["Bert built."]) == ["Ann built.", "Bert placed."], (
        "named where the sentence before is gone"
    )
    assert brief(GAMES["ortus"], told, ["Bert built.", "Bert placed.", "Ann built."]) == []


def test_a_letter_has_a_line_an_answer_without_the_draws_of_others() -> None:
    """What the reader alone was told of a draw is news to the reader."""
    turn, placed = Event("turn", {}), Event("placed", {})
    drawn, own = Event("card_drawn", {}, but=("a",)), Event("card_drawn_own", {}, only=("a",))
    newest_first = [
        *(fresh(9, turn, "five"), fresh(9, own, "four"), fresh(9, placed, "three")),
        *(fresh(8, drawn, "two"), fresh(7, placed, "one")),
    ]
    assert brief(GAMES["ortus"], newest_first) == ["one", "three four"]
    assert brief(GAMES["ortus"], [fresh(9, turn, "two"), fresh(8, drawn, "one")]) == ["one", "two"], "nothing else is told"
    assert brief(GAMES["ortus"], []) == []


def test_a_letter_leaves_out_no_part_of_an_answer() -> None:
    placed = Event("placed", {})
    told = [fresh(n, placed, f"{n}.{i}") for n in range(9, 0, -1) for i in range(5, 0, -1)]
    kept = [" ".join(f"{n}.{i}" for i in range(1, 6)) for n in range(6, 10)]
    assert brief(GAMES["ortus"], told) == ["The history has what happened before.", *kept]
    assert [len(line.split()) for line in brief(GAMES["ortus"], [fresh(1, placed, "so") for _ in range(2 * MOST_BRIEF)])] == [
        2 * MOST_BRIEF
    ]
