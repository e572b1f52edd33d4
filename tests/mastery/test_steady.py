"""The steady bot: legal, quick to an end, and better than chance."""

from __future__ import annotations

import pytest

from engine.mastery import MASTERY
from engine.tools.playout import run


def wins(seats: int, games: int, bots: list[str]) -> int:
    """Games that steady bots win against random ones, from changing seats."""
    tally = run(MASTERY, seats, games, "steady", bots)
    assert not tally.errors and not tally.stalls
    return tally.wins.get("steady", 0)


def test_it_beats_random_play_with_two() -> None:
    assert wins(2, 60, ["steady", "random"]) >= 54


def test_it_wins_more_than_its_share_of_six() -> None:
    assert wins(6, 18, ["steady", *["random"] * 5]) >= 9


@pytest.mark.parametrize("n", range(2, 7))
def test_between_its_like_a_game_ends(n: int) -> None:
    tally = run(MASTERY, n, 12, "alike", ["steady"])
    assert not tally.errors and not tally.stalls
    assert tally.moves < 12 * 600, "no war of positions for ever"


@pytest.mark.soak
def test_it_wins_nine_of_ten_over_400_games() -> None:
    assert wins(2, 400, ["steady", "random"]) >= 360
