"""Permanent losses from an answer: holdings (`Face.holds`) before and after, in worlds redealt for the seat. A loss in every
world is certain, in some at risk. The seat's view seeds the worlds, so a reload gives the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from engine.core import procedure
from engine.core.asks import Answer, Seat
from engine.core.chance import Chance
from engine.core.odds import Policy
from engine.core.procedure import AnyState, Procedure
from engine.core.views import UNHEARD

WORLDS = 2
IN_FIGHT = 6
"""Worlds where chance decides."""
CERTAIN = 24
"""Worlds that must agree before something that chance decides is called certain."""
MOST_PLAYS = 60
"""Answers given after the one that is looked at."""


class Loss(NamedTuple):
    key: str
    """Entry in the sections `loss` (certain) and `risk` of the game's words."""
    facts: Mapping[str, Any] = {}
    within: str = ""
    """Id of another holding that takes this one with it; then only that loss is shown."""


Holdings = Mapping[str, Loss]
"""Id of a holding -> message about its loss, gravest first."""


class Cost(NamedTuple):
    certain: tuple[Loss, ...] = ()
    risked: tuple[Loss, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.certain or self.risked)


class Looked(NamedTuple):
    holds: Callable[[AnyState, Seat], Holdings]
    fights: tuple[type[Procedure], ...]
    """Procedures to play to their end, not only to the seat's next question."""
    redeal: Callable[[AnyState, Seat, Chance], AnyState]
    view: Callable[[AnyState, Seat], Any]
    policy: Policy
    """Answers for everybody afterwards."""


Played = Callable[[AnyState], object]
"""Plays a checked answer in a position like the seat's."""


def answering(seat: Seat, answer: Answer) -> Played:
    """An answer to the open question."""
    return lambda world: procedure.play(world, seat, answer, trusted=True)


def cost(game: Looked, state: AnyState, seat: Seat, played: Played) -> Cost:
    """Compare holdings before and after an answer, power, or answer to a proposal."""
    key = hashlib.sha256(msgspec.json.encode(game.view(state, seat))).hexdigest()
    before, gone = game.holds(state, seat), list[frozenset[str]]()
    chancy, wanted = any(isinstance(p, game.fights) for p in state.stack), WORLDS
    while len(gone) < wanted:
        world = game.redeal(state, seat, Chance(f"{key}/{len(gone)}"))
        world.table.news = UNHEARD
        draws = sum(world.table.chance.drawn.values())
        chancy |= _play_on(game, world, played)
        gone.append(frozenset(before.keys() - game.holds(world, seat).keys()))
        chancy |= bool(gone[-1]) and sum(world.table.chance.drawn.values()) > draws
        wanted = WORLDS if not chancy else IN_FIGHT if not frozenset.intersection(*gone) else CERTAIN
    certain, some = frozenset.intersection(*gone), frozenset.union(*gone)
    return Cost(_named(before, certain), _named(before, some - certain))


def _named(before: Holdings, gone: frozenset[str]) -> tuple[Loss, ...]:
    return tuple(loss for id, loss in before.items() if id in gone and loss.within not in gone)


def _play_on(game: Looked, world: AnyState, played: Played) -> bool:
    """Play the answer and what follows; returns whether there was a fight."""
    root = next((p for p in world.stack if isinstance(p, game.fights)), world.stack[-1])
    fought = isinstance(root, game.fights)
    played(world)
    for _ in range(MOST_PLAYS):
        top = world.stack[-1] if world.stack and world.waiting else None
        if top is None or not any(p is root for p in world.stack):
            break
        fought |= any(isinstance(p, game.fights) for p in world.stack)
        if top is root and not isinstance(root, game.fights):
            break
        next_ = world.waiting[0]
        procedure.play(world, next_, game.policy(world, next_, world.table.chance), trusted=True)
    return fought
