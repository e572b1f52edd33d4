"""The steady bot: legal, quick to an end, and better than chance."""

from __future__ import annotations

import pytest

from engine.core.chance import Chance
from engine.mastery import MASTERY
from engine.mastery.steady import steady
from engine.tools.playout import run
from tests.mastery.scene import Scene

RICH = "A1: City a 1\nC1: City a 1\nD1: Fortress a 1\nB2: Cave a 1\nA3: Village a 1\n"
"""Lord a has 12 of 13 points."""
POOR = "A1: Fort b 6\nA3: Fort b 6\n"


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


@pytest.mark.parametrize(
    ("rulings", "lands", "goes"),
    [
        ("MM-AMB-44=lost", POOR, False),
        ("MM-AMB-44=spared", POOR, True),
        ("MM-AMB-41=first", RICH, True),
        ("MM-AMB-41=after", RICH, False),
        ("MM-AMB-41=after MM-AMB-44=spared", RICH, True),
    ],
)
def test_a_last_knight_goes_into_marshlands_where_he_stays_or_wins(rulings: str, lands: str, goes: bool) -> None:
    # MM-AMB-41, MM-AMB-44, MM-TER-7
    s = Scene(f"rulings: {rulings}\na: knights=1\nB1: Marshlands\n{lands}")
    answer = steady(s.state, "a", Chance("bot"))
    assert (answer.values.get("target") == "B1") is goes


@pytest.mark.soak
def test_it_wins_nine_of_ten_over_400_games() -> None:
    assert wins(2, 400, ["steady", "random"]) >= 360
