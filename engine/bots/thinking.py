"""Helpers of bots that search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from engine.core import procedure
from engine.core.asks import Answer, Ask, Seat
from engine.core.chance import Chance
from engine.core.procedure import AnyState

Thought = Callable[[AnyState, Ask, Chance], Answer | Iterable[Answer]]
"""State as the seat sees it, its ask, the bot's chance -> candidate answers, best first."""


def offers(ask: Ask, option: str) -> bool:
    return any(o.id == option for o in ask.options)


def think(thoughts: Mapping[str, Thought], state: AnyState, seat: Seat, chance: Chance) -> Answer:
    """The first legal candidate for the open ask's kind, else the safe default."""
    ask = procedure.ask_of(state, seat)
    thought = thoughts.get(ask.kind)
    if thought is None:
        return ask.default
    found = thought(state, ask, chance)
    for answer in (found,) if isinstance(found, Answer) else found:
        legal = procedure.legal(state, seat, answer, ask)
        if legal is not None:
            return legal
    return ask.default
