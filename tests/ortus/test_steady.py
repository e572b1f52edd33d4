"""The steady bot: legal, lively, and better than chance and than the idle bot that it is measured by."""

from __future__ import annotations

import random
import statistics

import pytest

from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.chance import Chance
from engine.games import GAMES
from engine.tools import playout, tempo
from service.games import lobby
from tests.cpu import cpu_seconds
from tests.ortus.idle import measured

ORTUS = GAMES["ortus"]


def winner(bots: list[str], seed: int) -> str:
    """The bot that wins a game of these bots."""
    rng, chance = random.Random(seed), Chance(f"bots {seed}")
    seats = "abcdef"[: len(bots)]
    state = ORTUS.rules.setup(list(seats), {}, Chance(f"game {seed}"))
    procedure.begin(state)
    for _ in range(20_000):
        if not state.waiting:
            return bots[seats.index(state.table.outcome.winners[0])]
        seat = state.waiting[0]
        bot = bots[seats.index(seat)]
        if bot == "random":
            answer = legal_at_random(state, seat, rng)
        else:
            answer = ORTUS.bots.players[bot](ORTUS.rules.redeal(state, seat, chance), seat, chance)
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


def share(games: int, seats: int) -> float:
    """What one steady bot wins of games against idle ones, from changing seats."""
    tally = playout.run(measured(ORTUS), seats, games, "steady", ["steady", *["idle"] * (seats - 1)])
    assert not tally.faults
    return tally.wins.get("steady", 0) / games


def test_it_beats_random_play_with_two() -> None:
    assert wins(60, 2) >= 52


def test_it_wins_more_than_its_share_of_six() -> None:
    assert wins(18, 6) >= 9


def test_six_of_them_come_to_an_end() -> None:
    assert winner(["steady"] * 6, 3) == "steady"


def test_it_beats_the_idle_bot_with_two_and_alone_among_five() -> None:
    assert share(30, 2) >= 0.65
    assert share(9, 6) >= 2 / 6


def test_six_of_them_play_a_lively_game_of_a_decks_life() -> None:
    found = tempo.run(ORTUS, 6, 5, "lively").plain
    assert statistics.median(found.rounds) <= 25
    assert found.a_turn(found.hostile) >= 0.15


def test_a_move_takes_the_time_of_some_thousand_squares() -> None:
    tally = playout.Tally()
    least = cpu_seconds(lambda: playout.play_one(ORTUS, 6, ["steady"], "speed", tally))
    assert least / (tally.moves / 3) < cpu_seconds(lambda: sum(n * n for n in range(20_000)))


def test_the_same_chance_plays_the_same_game() -> None:
    one, other = (playout.play_one(ORTUS, 4, ["steady"], "alike", playout.Tally()) for _ in range(2))
    assert ORTUS.rules.encode(one) == ORTUS.rules.encode(other)


def test_the_idle_bot_is_there_to_be_measured_by_and_no_host_is_offered_it() -> None:
    assert "idle" not in ORTUS.bots.players and "idle" not in lobby.bots_of(ORTUS)
    assert playout.run(measured(ORTUS), 2, 1, "idle", ["idle"]).wins == {"idle": 1}


@pytest.mark.soak
def test_it_wins_nine_of_ten_over_400_games() -> None:
    assert wins(400, 2) >= 360
    assert wins(120, 6) >= 60


@pytest.mark.soak
def test_it_beats_the_idle_bot_over_400_games() -> None:
    assert share(400, 2) >= 0.65
    assert share(120, 6) >= 2 / 6


@pytest.mark.soak
def test_tables_of_six_of_them_are_lively_over_60_games() -> None:
    found = tempo.run(ORTUS, 6, 60, "soak").plain
    assert statistics.median(found.rounds) <= 25
    assert found.a_turn(found.hostile) >= 0.15
