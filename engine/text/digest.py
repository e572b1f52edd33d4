"""Digest: merges log lines of several answers into one, such as a turn's Moves, for the log next to the board only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.core.asks import Seat
from engine.core.views import Event
from engine.core.words import Names


@dataclass(frozen=True)
class Digest:
    joins: Callable[[Sequence[Event], Sequence[Event]], bool]
    """Whether the next answer's events belong to the group."""
    said: Callable[[Sequence[Event], Names], list[str]]
    """Sentences for one group; [] to tell each event. Must cover every event except what `Log.drawn` draws."""
    whose: Callable[[Sequence[Event]], Seat] = lambda _events: ""
    """The seat that a group belongs to; "" for none, or where the first event says it."""
    folds: float = 1
    """Estimated ratio of characters before and after."""
