"""Helpers of bots that search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from engine import procedure
from engine.asks import Answer, Ask, Refused, Seat
from engine.chance import Chance
from engine.procedure import AnyState

Thought = Callable[[AnyState, Ask, Chance], Answer | Iterable[Answer]]
"""State as the seat sees it, its ask, the bot's chance -> candidate answers, best first."""


def offers(ask: Ask, option: str) -> bool:
    return any(o.id == option for o in ask.options)


def think(thoughts: Mapping[str, Thought], state: AnyState, seat: Seat, chance: Chance) -> Answer:
    """The first legal candidate for the open ask's kind; the safe default where there is none."""
    ask = procedure.ask_of(state, seat)
    thought = thoughts.get(ask.kind)
    if thought is None:
        return ask.default
    found = thought(state, ask, chance)
    for answer in (found,) if isinstance(found, Answer) else found:
        try:
            return procedure.vet(state, seat, answer, ask)
        except Refused:
            continue
    return ask.default
