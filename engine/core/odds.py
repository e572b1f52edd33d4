"""Odds of a fight and expected losses, by Monte Carlo simulation with the game's battle code.

Worlds are redealt from the seat's knowledge and seeded by its view, so neither a reload nor hidden facts change the result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from engine.core import procedure
from engine.core.asks import Answer, Seat
from engine.core.chance import Chance
from engine.core.procedure import AnyState, Call, Procedure
from engine.core.views import UNHEARD

WORLDS = 100
"""Fights played for each answer: they are counted in hundredths without rounding."""

Policy = Callable[[AnyState, Seat, Chance], Answer]
"""World, seat, chance -> answer that the seat gives in it."""


class Trial(NamedTuple):
    result: int
    """1: the seat's side has won; 0: nobody; -1: it has lost."""
    cost: float
    """What the seat lost, in the game's unit."""


Deal = Callable[[AnyState, Seat, Chance], AnyState]
Player = Callable[[AnyState], Trial]
"""Plays a fight in a world, which it changes."""


@dataclass(frozen=True)
class Fight:
    """What is certain before any roll or reveal."""

    at: str
    """Id of the place; "" where there is none."""
    own: tuple[Seat, ...]
    against: tuple[Seat, ...]
    strength: int | None = None
    """Of the own side; None where strength doesn't count."""
    rival: int | None = None
    """Of the other side; None if hidden."""
    dice: int | None = None
    rival_dice: int | None = None
    walls: bool = False
    mutual: bool = True
    """Whether the others win what the own side loses; not where each rides for himself."""


@dataclass(frozen=True)
class Stake:
    """A fight to simulate."""

    fight: Fight
    start: AnyState
    """Position that it is fought from; it isn't changed."""
    play: Player
    deal: Deal | None = None
    """A world for the seat, where hands are known better than by the game's `redeal`."""
    prior: int = 0
    """Victories and defeats added for each hundred fights (Laplace's rule of succession). 1 where others' hands are estimated:
    a hundred victories of a hundred aren't certain then.
    """


@dataclass(frozen=True)
class Odds:
    """Percentages, and mean costs of each result; None without one."""

    fight: Fight
    won: int
    drawn: int
    lost: int
    cost_won: float | None
    cost_lost: float | None


def count(stake: Stake, seat: Seat, redeal: Deal, view: Callable[[AnyState, Seat], Any], worlds: int = WORLDS) -> Odds:
    """Play `worlds` redealt fights."""
    key, tried = hashlib.sha256(msgspec.json.encode(view(stake.start, seat))).hexdigest(), list[Trial]()
    for n in range(worlds):
        world = (stake.deal or redeal)(stake.start, seat, Chance(f"{key}/{n}"))
        world.table.news = UNHEARD
        tried.append(stake.play(world))
    won, lost = ([t.cost for t in tried if t.result == result] for result in (1, -1))
    added, drawn = stake.prior * worlds, worlds - len(won) - len(lost)
    shares = hundredths([100 * len(won) + added, 100 * drawn, 100 * len(lost) + added])
    return Odds(stake.fight, shares[0], shares[1], shares[2], _mean(won), _mean(lost))


def hundredths(counts: Sequence[int]) -> list[int]:
    """Whole percentages that add up to 100, by largest remainder."""
    whole = sum(counts)
    found = [n * 100 // whole for n in counts]
    for i in sorted(range(len(counts)), key=lambda i: -(counts[i] * 100 % whole))[: 100 - sum(found)]:
        found[i] += 1
    return found


def _mean(costs: Sequence[float]) -> float | None:
    return sum(costs) / len(costs) if costs else None


# --- playing a fight out ----------------------------------------------------------------------------------------------


def called(world: AnyState, seat: Seat, answer: Answer) -> Procedure:
    """Take the only seat's answer; returns the procedure it calls, not begun."""
    then = procedure.open_step(world).take(world.stack[-1], world.table, {seat: answer})
    assert isinstance(then, Call)
    return then.sub


def alone(world: AnyState, root: Procedure) -> None:
    """Run a procedure alone: the game stops when it is done."""
    world.stack, world.waiting, world.sealed, world.parked = [root], [], {}, []
    procedure.advance(world)


def cut(world: AnyState, kind: type[Procedure]) -> Any:
    """Drop the stack beneath the innermost procedure of this kind; returns that."""
    at = max(i for i, frame in enumerate(world.stack) if isinstance(frame, kind))
    world.stack, world.parked = world.stack[at:], []
    return world.stack[0]


def finish(world: AnyState, policy: Policy) -> None:
    """Answer for all until the stack is empty or the game over."""
    while world.waiting:
        seat = world.waiting[0]
        procedure.play(world, seat, policy(world, seat, world.table.chance), trusted=True)
