"""The steady bot: legal, quick to an end, and better than chance."""

from __future__ import annotations

import random

import pytest

from engine import procedure
from engine.bots.random import legal_at_random
from engine.chance import Chance
from engine.games import GAMES

ORTUS = GAMES["ortus"]


def winner(bots: list[str], seed: int) -> str:
    """The bot that wins a game of these bots."""
    rng, chance = random.Random(seed), Chance(f"bots {seed}")
    seats = "abcdef"[: len(bots)]
    state = ORTUS.setup(list(seats), {}, Chance(f"game {seed}"))
    procedure.begin(state)
    for _ in range(20_000):
        if not state.waiting:
            return bots[seats.index(state.table.outcome.winners[0])]
        seat = state.waiting[0]
        bot = bots[seats.index(seat)]
        if bot == "random":
            answer = legal_at_random(state, seat, rng)
        else:
            answer = ORTUS.bots[bot](ORTUS.redeal(state, seat, chance), seat, chance)
        procedure.play(state, seat, answer)
    raise AssertionError("the game does not end")


def wins(games: int, seats: int) -> int:
    """Games that one steady bot wins against random ones, from changing seats."""
    count = 0
    for i in range(games):
        bots = ["random"] * seats
        bots[i % seats] = "steady"
        count += winner(bots, i) == "steady"
    return count


def test_it_beats_random_play_with_two() -> None:
    assert wins(60, 2) >= 52


def test_it_wins_more_than_its_share_of_six() -> None:
    assert wins(18, 6) >= 9


def test_six_of_them_come_to_an_end() -> None:
    assert winner(["steady"] * 6, 3) == "steady"


@pytest.mark.soak
def test_it_wins_nine_of_ten_over_400_games() -> None:
    assert wins(400, 2) >= 360
    assert wins(120, 6) >= 60
