"""The `curious` player of recorded games: random answers, steered to rare events. It reads secrets, so it is no bot to play
against.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.asks import Answer, Ask
from engine.core.views import Event
from engine.game import AnyState, Game, copy

TRIES = 40
"""Random answers compared at each ask."""


def curious(game: Game, rng: random.Random) -> Callable[[AnyState, Ask], Answer]:
    seen = Counter[str]()

    def answer(state: AnyState, ask: Ask) -> Answer:
        tried = [_tried(game, state, ask, rng) for _ in range(TRIES)]
        best = min(tried, key=lambda one: min(seen[kind] for kind in one[1]))
        seen.update(best[1])
        return best[0]

    return answer


def _tried(game: Game, state: AnyState, ask: Ask, rng: random.Random) -> tuple[Answer, set[str]]:
    found, tried = legal_at_random(state, ask.seat, rng, ask), copy(game, state)
    events: list[Event] = procedure.play(tried, ask.seat, found, trusted=True)
    return found, {*(event.kind for event in events), tried.stack[-1].step if tried.stack else "over"}
