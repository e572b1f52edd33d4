"""A match while it is being adjudicated: the engine's match, its rows, and what happened in this run."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engine import match as matches
from engine.asks import Answer
from engine.asks import Seat as Letter_
from engine.views import Event
from service.models import AskRow, Match, Seat

BOTS_SECONDS = 2.0
"""How long bots play before what they did is committed and the lock is given back for a moment."""

Key = tuple[Letter_, int]
"""An open question: whose, and its number."""


@dataclass(frozen=True)
class Given:
    """An answer and how it came: `via` for its own seat to know, `mark` for all."""

    answer: Answer
    via: str
    mark: str = ""


@dataclass
class Playing:
    """All that one run of the adjudication works on."""

    row: Match
    seats: dict[Letter_, Seat]
    live: matches.Match
    told: list[tuple[int, list[Event]]] = field(default_factory=list)
    """Events by the number of their entry."""
    fresh: bool = False
    """Whether the match was opened in this run."""
    rebuilt: bool = False
    """Whether snapshot or views were gone, and are to be written again."""
    until: float = field(default_factory=lambda: time.monotonic() + BOTS_SECONDS)
    unfinished: bool = False
    """Whether bots are still to play: there was no time for all of them in this transaction."""
    visited: set[Letter_] = field(default_factory=set)
    """Seats whose own answer was played in this run: they are at their page."""
    asks: dict[Key, AskRow] = field(default_factory=dict)
    """The questions that were open before this run."""
    turns: dict[Letter_, str] = field(default_factory=dict)
    """The mark of the own turn that such a question was a step of; empty for a reaction."""
    tried: set[Key] = field(default_factory=set)
    """New questions to which no order had an answer."""
    kept: dict[Key, Given] = field(default_factory=dict)
    """New questions whose answer by order is kept back for a decent pause."""
    bared: set[Key] = field(default_factory=set)
    """Questions whose kept answer no longer fits: their players have to be asked after all."""

    @property
    def names(self) -> dict[Letter_, str]:
        return {s.seat: s.name for s in self.seats.values()}

    def key(self, seat: Letter_) -> Key:
        """The question that is open to a seat."""
        return seat, self.live.state.serial

    def play(self, seat: Letter_, given: Given) -> list[Event]:
        """Play an answer and keep what it led to. Raises Refused if it isn't legal."""
        events = self.live.play(seat, given.answer, self._time_of(seat), given.via, given.mark)
        self.told.append((self.live.entries[-1].n, events))
        return events

    def _time_of(self, seat: Letter_) -> str:
        """When an answer counts as given: one to a window when the window opened, for its time might tell how it came."""
        ask = self.asks.get(self.key(seat))
        if ask is not None and self.live.ask_kind() in self.live.game.windows:
            return in_log(ask.opened_at)
        return time_now()


def time_now() -> str:
    """The time as an entry of the log has it."""
    return in_log(datetime.now(UTC))


def in_log(moment: datetime) -> str:
    """A moment as an entry of the log has it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
