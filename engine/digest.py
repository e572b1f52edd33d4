"""What several answers make together, told in one line of the log: the Moves of a turn, an election with all its ballots.

The log itself and the history keep an answer a line; only what lies beside the board of a page is told so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.asks import Seat
from engine.views import Event
from engine.words import Names


@dataclass(frozen=True)
class Digest:
    """How a game does that. All events are those that the reader may see, the oldest first."""

    joins: Callable[[Sequence[Event], Sequence[Event]], bool]
    """Whether what came first and the answer after it are one thing."""
    said: Callable[[Sequence[Event], Names], list[str]]
    """All of one thing in sentences; none where it is told event by event. Nothing that happened may be missing, but what is
    drawn below them (`Game.drawn`)."""
    whose: Callable[[Sequence[Event]], Seat] = lambda _events: ""
    """Whose one thing is that several have a hand in; '' where that is nobody's, or the first event says it."""
    folds: float = 1
    """About how many letters of plain sentences come to one of these."""
