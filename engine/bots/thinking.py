"""What bots that think share: what is on offer, and the first of some answers that is legal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from engine import procedure
from engine.asks import Answer, Ask, Refused, Seat
from engine.chance import Chance
from engine.procedure import AnyState

Thought = Callable[[AnyState, Ask, Chance], Answer | Iterable[Answer]]
"""state as the seat knows it, its ask, own chance -> an answer, or several, the best first."""


def offers(ask: Ask, option: str) -> bool:
    """Whether the ask has that option."""
    return any(o.id == option for o in ask.options)


def think(thoughts: Mapping[str, Thought], state: AnyState, seat: Seat, chance: Chance) -> Answer:
    """The first legal answer of the thought for the kind of ask that is open; the safe default where there is none."""
    ask = procedure.ask_of(state, seat)
    thought = thoughts.get(ask.kind)
    if thought is None:
        return ask.default
    found = thought(state, ask, chance)
    for answer in (found,) if isinstance(found, Answer) else found:
        try:
            return procedure.vet(state, seat, answer)
        except Refused:
            continue
    return ask.default
