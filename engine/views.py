"""Events with their audiences.

Views are allow-lists. An event is public, `only` for some seats, or for everyone `but` some; partly secret facts are two
events.
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.asks import Seat


class Event(msgspec.Struct, frozen=True, gc=False):
    """An event: kind, and facts for its sentence."""

    kind: str
    facts: dict[str, Any] = {}
    only: tuple[Seat, ...] | None = None
    but: tuple[Seat, ...] = ()

    def __post_init__(self) -> None:
        # Copy lists, which may belong to the position and change later.
        facts = self.facts
        for name, fact in facts.items():
            kind = type(fact)
            if kind is list or kind is dict:
                facts[name] = fact.copy()

    def seen_by(self, seat: Seat | None) -> bool:
        if self.only is not None:
            return seat in self.only
        return seat is None or seat not in self.but


class _Unheard(list[Event]):
    def append(self, _event: Event, /) -> None:
        pass


UNHEARD: list[Event] = _Unheard()
"""A null sink for playouts; rules may skip building events for it."""
