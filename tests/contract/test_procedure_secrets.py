"""Every game: what is under way (procedures on the stack) holds nothing back from a re-deal.

Two answers that a reader can't tell apart must leave the same procedures in the position that is re-dealt for that reader:
search bots think with it, and must not read a rival's plan from it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from engine.bots.random import answer_at_random, legal_at_random
from engine.core import procedure
from engine.core.asks import Answer, Ask, Refused, Seat, are_rows
from engine.core.chance import Chance
from engine.core.views import Event
from engine.core.visibility import known_of, plans, procedures
from engine.game import AnyState, Game, copy
from engine.play.match import Match, audience
from tests.contract.walk import form, fresh, readers, standing, walk, walk_with

TRIES = 6
WITH_BOTS = {"fief": (92, 90)}
"""A match of bots in which leave is asked for a march, and how many answers of it: matches at random seldom come to that."""


def variations(state: AnyState, seat: Seat, ask: Ask, rng: random.Random) -> Iterator[tuple[Answer, Answer]]:
    """Pairs of legal answers, some of which differ in one value or in one value of their last row."""
    for _ in range(TRIES):
        one, other = legal_at_random(state, seat, rng, ask), answer_at_random(ask, rng)
        for changed in (other, *_mixed(one, other)):
            try:
                yield one, procedure.vet(state, seat, changed, ask)
            except Refused:
                continue


def _mixed(one: Answer, other: Answer) -> Iterator[Answer]:
    if one.option != other.option:
        return
    for name, value in other.values.items():
        mine = one.values.get(name)
        if isinstance(mine, list) and isinstance(value, list) and are_rows(mine) and are_rows(value):
            yield Answer(one.option, {**one.values, name: [*mine, value[-1]]})
            for field, part in value[-1].items():
                yield Answer(one.option, {**one.values, name: [*mine[:-1], {**mine[-1], field: part}]})
                yield Answer(one.option, {**one.values, name: [{**mine[0], field: part}, *mine[1:]]})
        elif mine is not None:
            yield Answer(one.option, {**one.values, name: value})


def played(game: Game, state: AnyState, seat: Seat, answer: Answer) -> tuple[AnyState, list[Event]]:
    """The position after the answer, and after the safe defaults of all who are asked together with its seat."""
    after, serial = copy(game, state), state.serial
    events = procedure.play(after, seat, answer)
    for other in state.waiting:
        if other != seat and after.serial == serial and other in after.waiting:
            events += procedure.play(after, other, procedure.ask_of(after, other).default)
    return after, events


def same_to(game: Game, reader: Seat | None, one: tuple[AnyState, list[Event]], other: tuple[AnyState, list[Event]]) -> bool:
    """Whether the reader can't tell the two apart by what is shown, asked, and told."""
    (a, told_a), (b, told_b) = one, other
    if (a.serial, a.waiting) != (b.serial, b.waiting) or game.rules.view(a, reader) != game.rules.view(b, reader):
        return False
    if [e for e in told_a if e.seen_by(reader)] != [e for e in told_b if e.seen_by(reader)]:
        return False
    if reader is None:
        return True
    if reader in a.waiting and form(game, a, reader) != form(game, b, reader):
        return False
    return standing(game, a, reader) == standing(game, b, reader)


def kept(stack: list[Any]) -> list[Any]:
    return [msgspec.to_builtins(frame) for frame in stack]


def check_plans(game: Game, match: Match, rng: random.Random) -> int:
    """Compare what is re-dealt after answers that a reader can't tell apart; how many pairs there were."""
    state, found = match.state, 0
    for seat in state.waiting:
        ask = procedure.ask_of(state, seat)
        for one, other in variations(state, seat, ask, rng):
            if one == other:
                continue
            first, second = played(game, state, seat, one), played(game, state, seat, other)
            if not first[0].stack:
                continue
            told = [audience(game, state.table.seats, seat, ask.kind, answer, 0) for answer in (one, other)]
            for reader in readers(state):
                if reader == seat or any(circle is None or reader in circle for circle in told):
                    continue
                if not same_to(game, reader, first, second):
                    continue
                found += 1
                a, b = (game.rules.redeal(after, reader, Chance("guess")) for after, _ in (first, second))
                why = f"{ask.kind} of {seat}: a re-deal for {reader or 'a spectator'} keeps it; make the field a Plan"
                assert kept(a.stack) == kept(b.stack), f"{game.name}: {why}"
    return found


def test_a_plan_is_forgotten_in_every_redeal_but_its_owners(game: Game) -> None:
    chance = Chance("guess")
    for n in (game.rules.seats[0], game.rules.seats[-1]):
        match = fresh(game, n, 82)
        for _ in walk(match, random.Random(82), stop=400):
            check_forgotten(game, match.state, chance)


def check_forgotten(game: Game, state: AnyState, chance: Chance) -> None:
    for reader in readers(state):
        other = game.rules.redeal(state, reader, chance)
        for frame, dealt in zip(state.stack, other.stack, strict=True):
            kind: Any = type(frame)
            for name in plans(kind):
                value, left = getattr(frame, name), getattr(dealt, name)
                if isinstance(value, dict) and value:
                    assert left == {s: planned for s, planned in value.items() if s == reader}
                elif reader is not None and getattr(frame, "seat", "") == reader:
                    assert left == value
                else:
                    assert left == known_of(dealt, name, other.table, reader), f"{kind.__name__}.{name} of {reader}"


PLANS = {
    "fief": {"Movement.orders", "Cavalcade.guest", "Ransoms.sum", "Purchases.sum"},
    "mastery": {"Battle.plans"},
    "ortus": {"Struggle.ahead"},
}
"""Fields of procedures that hold what only their owner knows, and that no re-deal of pieces covers."""


def test_plans_of_procedures_are_declared(game: Game) -> None:
    assert {f"{kind.__name__}.{name}" for kind in procedures(game.rules.state) for name in plans(kind)} == PLANS.get(
        game.name, set()
    )


def test_a_redeal_keeps_nothing_of_a_plan_that_its_reader_cannot_know(game: Game) -> None:
    for n in sorted({game.rules.seats[0], game.rules.seats[-1]}):
        match, rng = fresh(game, n, 81), random.Random(81)
        for i, _ in enumerate(walk(match, rng, stop=150)):
            if match.state.waiting and i % 3 == 0:
                check_plans(game, match, rng)
        number, stop = WITH_BOTS.get(game.name, (81, 60))
        match, rng = fresh(game, n, number), random.Random(number)
        for i, _ in enumerate(walk_with(match, game.bots.steward, rng, stop=stop)):
            if match.state.waiting and i % 3 == 0:
                check_plans(game, match, rng)


@pytest.mark.soak
def test_many_redeals_keep_nothing_of_a_plan(game: Game) -> None:
    for n in game.rules.seats:
        for number in range(300, 304):
            match, rng = fresh(game, n, number), random.Random(number)
            for _ in walk(match, rng, stop=3000):
                if match.state.waiting:
                    check_plans(game, match, rng)
