"""Digest: merges the log lines of several answers into one, such as a turn's Moves or an election's ballots.

Used next to the board only; the log and the history keep one line an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.asks import Seat
from engine.views import Event
from engine.words import Names


@dataclass(frozen=True)
class Digest:
    joins: Callable[[Sequence[Event], Sequence[Event]], bool]
    """Whether the next answer's events belong to the group."""
    said: Callable[[Sequence[Event], Names], list[str]]
    """Sentences for one group; [] to tell each event. Must cover every event except what `Game.drawn` draws."""
    whose: Callable[[Sequence[Event]], Seat] = lambda _events: ""
    """The seat that a group belongs to; "" for none, or where the first event says it."""
    folds: float = 1
    """Estimated ratio of characters before and after."""
