"""What a seat may know: events with their audiences, and the piles that views are built from.

A view is made by adding what a seat may know, never by taking away. An event is told either to everyone, `only` to some
seats, or to everyone `but` some seats; a fact with a secret part is told as two events.
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.asks import Seat


class Event(msgspec.Struct, frozen=True, gc=False):
    """Something that happened: a kind that the game's narration knows, and the facts it needs."""

    kind: str
    facts: dict[str, Any] = {}
    only: tuple[Seat, ...] | None = None
    but: tuple[Seat, ...] = ()

    def __post_init__(self) -> None:
        # The facts are the event's from here on, but not the lists in them: they may be a position's, and change with it.
        facts = self.facts
        for name, fact in facts.items():
            kind = type(fact)
            if kind is list or kind is dict:
                facts[name] = fact.copy()

    def seen_by(self, seat: Seat | None) -> bool:
        """Whether `seat` (None for a spectator) may know of it."""
        if self.only is not None:
            return seat in self.only
        return seat is None or seat not in self.but


class _Unheard(list[Event]):
    def append(self, _event: Event, /) -> None:
        pass


UNHEARD: list[Event] = _Unheard()
"""The news of a table that nobody listens to: nothing stays in it, so whoever tells may spare himself making the event."""
