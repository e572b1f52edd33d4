"""Every game: whom it waits for, who passes unasked, and by which clock, tells nobody what isn't theirs to know."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping

import pytest

from engine.core import procedure
from engine.core.asks import Answer, Seat
from engine.core.chance import Chance
from engine.fief import FIEF
from engine.game import AnyState, Game
from engine.play import orders
from tests.contract.walk import fresh, readers, walk, walk_with

Seen = tuple[str, str, bool, list[bool]]


def asked(state: AnyState) -> set[Seat]:
    """Who is shown as asked: who has answered a hidden step is a secret."""
    return {*state.waiting, *state.sealed}


def open_to_others(game: Game, state: AnyState, seat: Seat) -> Seen:
    """What the table can notice of a seat's open ask: its kind, the turn and the window that its deadline follows, and whether
    the seat is asked, by letter, or its orders answer at once: the defaults that all seats share, and the recommended ones.
    """
    kind, chance = procedure.ask_of(state, seat).kind, Chance("guess")
    given: tuple[Mapping[str, str], ...] = ({}, orders.preset(game, state))
    answered = [orders.answer(game, state, seat, some, chance) is not None for some in given]
    return kind, game.rules.turn_of(state, seat), kind in game.rules.windows, answered


def check_reactions(game: Game, state: AnyState, chance: Chance) -> int:
    """The same in a position where all that a reader can't know is dealt anew; returns how many asks were compared."""
    here, compared = {seat: open_to_others(game, state, seat) for seat in state.waiting}, 0
    for reader in readers(state):
        other = game.rules.redeal(state, reader, chance)
        told = f"{game.name}: {reader or 'a spectator'} can tell by whom the game waits for what not all may know"
        assert asked(other) - {reader} == asked(state) - {reader}, told
        for seat in state.waiting:
            if seat != reader:
                told = f"{game.name}: {reader or 'a spectator'} can tell by how {seat} is asked, or passes, what is hidden"
                assert open_to_others(game, other, seat) == here[seat], told
                compared += 1
    return compared


def positions(game: Game, numbers: range, stop: int) -> Iterator[AnyState]:
    """Positions of games at random and of bots, between which the waiting seats or the step have changed."""
    for number in numbers:
        match = fresh(game, game.rules.seats[number % len(game.rules.seats)], number)
        bots = [*game.bots.players]
        played = walk(match, random.Random(number), stop=stop)
        if number % 2 and bots:
            played = walk_with(match, bots[-1], random.Random(number), stop=stop)
        last = -1
        for _ in played:
            if match.state.waiting and match.state.serial != last:
                last = match.state.serial
                yield match.state


def test_whom_a_game_waits_for_and_who_passes_unasked_tells_nobody_more(game: Game) -> None:
    chance, compared = Chance("reactions"), 0
    for n, state in enumerate(positions(game, range(70, 74), 260)):
        if n % 5 == 0:
            compared += check_reactions(game, state, chance)
    assert compared > 20


def peeking(state: AnyState, seat: Seat, given: Mapping[str, Answer], late: bool) -> Answer | None:
    """An automatic pass for all but those who hold an Uprising, so that the pass itself tells."""
    holds = "uprising" in state.table.families[seat].hand
    return None if holds else FIEF.orders.answer(state, seat, given, late) or procedure.ask_of(state, seat).default


def test_a_pass_that_reads_a_hand_is_found() -> None:
    told = dataclasses.replace(FIEF, orders=dataclasses.replace(FIEF.orders, answer=peeking))
    chance, caught = Chance("reactions"), 0
    for state in positions(told, range(70, 71), 120):
        try:
            check_reactions(told, state, chance)
        except AssertionError:
            caught += 1
    assert caught


@pytest.mark.soak
def test_many_matches_wait_and_pass_alike(game: Game) -> None:
    chance = Chance("soak")
    for state in positions(game, range(300, 330), 2000):
        check_reactions(game, state, chance)
