"""Private talk that a game bounds: who may write, how often, how much, and until when."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from sqlmodel import select

from engine.core.asks import NotLegal
from engine.core.parleys import Parley
from engine.game import Game
from engine.games import GAMES
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Thread, new_id
from service.table import parleys, talk
from tests.service.conftest import Players, on_sqlite, open_table

BOUND = next(game for game in GAMES.values() if game.rules.parleys is not None)


@pytest.fixture
def house(settings: Settings, sent: list[tuple[str, ...]]) -> Players:
    players = open_table(settings, people=3, game=BOUND.name)
    players.adjudicate()
    return players


def say(house: Players, seat: str, members: str, text: str = "Shall we?") -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.match(session), seat, members, text, new_id())


def have(house: Players, *found: Parley) -> None:
    with transaction(house.settings) as session:
        parleys.follow(session, house.match(session), found)


@on_sqlite
def test_a_parley_is_so_many_messages_of_so_many_characters(house: Players) -> None:  # FF-DIP-10, FF-AMB-74
    bounds = BOUND.rules.parleys
    assert bounds is not None and (bounds.posts, bounds.longest, bounds.least_hours, bounds.most_hours) == (6, 1200, 24, 72)
    say(house, "a", "")  # FF-DIP-1: to everybody, at any time
    with pytest.raises(NotLegal, match="parley"):
        say(house, "a", "b")
    have(house, Parley(["a", "b"]))
    with pytest.raises(NotLegal, match="1200"):
        say(house, "a", "b", "x" * 1201)
    for _ in range(6):
        say(house, "a", "b")
    with pytest.raises(NotLegal, match="prolonged"):
        say(house, "a", "b")
    say(house, "b", "a")
    with pytest.raises(NotLegal, match="parley"):
        say(house, "a", "bc")
    have(house, Parley(["a", "b"], 2))
    say(house, "a", "b")


@on_sqlite
def test_a_parley_ends_with_its_phase_but_neither_too_soon_nor_too_late(house: Players, clock: time_machine.Traveller) -> None:
    have(house, Parley(["a", "b"]), Parley(["a", "c"]))
    have(house, Parley(["a", "b"], 1, False), Parley(["a", "c"]))
    clock.shift(timedelta(hours=23))
    say(house, "a", "b")
    clock.shift(timedelta(hours=2))
    with pytest.raises(NotLegal, match="over"):
        say(house, "b", "a")
    say(house, "a", "c")
    clock.shift(timedelta(hours=48))
    with pytest.raises(NotLegal, match="over"):
        say(house, "c", "a")
    have(house, Parley(["a", "b"], 2), Parley(["a", "c"], 1, False))
    for _ in range(6):
        say(house, "a", "b")
    with pytest.raises(NotLegal, match="prolonged"):
        say(house, "a", "b")


def test_a_parley_that_ended_before_anybody_heard_of_it_opens_nothing(house: Players) -> None:
    have(house, Parley(["a", "b"], 1, False))
    with transaction(house.settings) as session:
        assert session.exec(select(Thread).where(Thread.members != "")).all() == []


@pytest.mark.parametrize("game", [g for g in GAMES.values() if g.rules.parleys is None], ids=lambda g: g.name)
def test_other_games_bound_nothing(game: Game, settings: Settings, sent: list[tuple[str, ...]]) -> None:
    players = open_table(settings, people=game.rules.seats[0], game=game.name)
    players.adjudicate()
    say(players, "a", "b")
