"""How long a game lasts, as an invitation says it: by measured games, at the pace of the table."""

from __future__ import annotations

import dataclasses

import pytest

from engine.game import Game
from engine.games import GAMES
from service.clock.pace import HOUR, PRESETS, Pace, estimate
from tests.tables import complete

MEASURED = {"12": {"3": [6.4, 20.0]}, "24": {"3": [9.6, 34.0]}, "72": {"3": [21.0, 70.0]}}


@pytest.fixture
def game() -> Game:
    first = next(iter(GAMES.values()))
    return dataclasses.replace(first, face=dataclasses.replace(first.face, days=MEASURED))


def told(game: Game, seats: int, hours: float, weekends: str = "own") -> tuple[str, str] | None:
    found = estimate(game, seats, Pace(turn=int(hours * HOUR), weekends=weekends))
    return (str(found.offered), str(found.alone)) if found is not None else None


def test_days_are_told_in_days_or_in_weeks(game: Game) -> None:
    assert told(game, 3, 12) == ("about 6 days", "about 3 weeks")
    assert told(game, 3, 72) == ("about 3 weeks", "about 10 weeks")


def test_between_two_paces_it_is_taken_in_proportion(game: Game) -> None:
    assert told(game, 3, 18) == ("about 8 days", "about 4 weeks")
    assert told(game, 3, 48) == ("about 2 weeks", "about 7 weeks")


def test_a_pace_or_a_table_that_nobody_measured_is_told_nothing_of(game: Game) -> None:
    assert told(game, 3, 1) is None and told(game, 3, 100) is None and told(game, 5, 24) is None
    assert told(dataclasses.replace(game, face=dataclasses.replace(game.face, days={})), 3, 24) is None


def test_week_ends_off_make_it_longer_by_two_days_in_five(game: Game) -> None:
    assert told(game, 3, 24, "off") == ("about 2 weeks", "about 7 weeks")
    assert told(game, 3, 24, "play") == told(game, 3, 24) == ("about 10 days", "about 5 weeks")


@pytest.mark.parametrize("game", [GAMES[name] for name in complete()], ids=complete())
def test_every_game_was_measured_at_every_pace_of_the_house_and_with_all_its_seats(game: Game) -> None:
    for hours in PRESETS.values():
        for seats in game.rules.seats:
            preset, plain = game.face.days[str(hours)][str(seats)]
            assert 2 < preset < plain * 1.2 < 200
