"""People who play by mail, simulated: when they read it, and what the clock does when they miss a question.

Three times of their day in three time zones they read what has come, and at night they sleep. The zones stand round the table
by chance, as people sit down as they come. One question in twenty they miss altogether: the clock ends it by the pace. All of
it follows from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.asks import Seat

ZONES = (0, -6, 9)
"""Hours of the time zones; each has as many seats as the others, or one more."""
READS = (7.5, 13.0, 20.0)
"""Hours of a person's day at which mail is read, each half an hour sooner or later."""
QUIET = (22, 8)
"""From when to when no deadline falls."""
SLOW = 0.1
"""Hours from an answer to the letter about it."""


@dataclass(frozen=True)
class Spans:
    """The hours of a pace: for a turn, for a reaction, of grace, and what a time bank holds at most; what share is saved."""

    turn: float = 24.0
    reaction: float = 12.0
    grace: float = 1.0
    bank: float = 24.0
    saved: float = 0.25


def zones_of(seats: Sequence[Seat], seed: str) -> dict[Seat, int]:
    """Who sits in which zone, by chance.

    Which zone comes after which says how soon a turn is taken up: one way round the table has three turns a day, the other six.
    """
    zones = [ZONES[i % len(ZONES)] for i in range(len(seats))]
    random.Random(f"{seed}/zones").shuffle(zones)
    return dict(zip(seats, zones, strict=True))


class People:
    """Those at one table, and its clock in hours."""

    def __init__(self, seats: Sequence[Seat], spans: Spans, missing: float, seed: str) -> None:
        self.now = 0.0
        self.spans, self.missing = spans, missing
        self._rng = random.Random(f"{seed}/people")
        self._zones = zones_of(seats, seed)
        self._banks = dict.fromkeys(seats, 0.0)
        self._sat = dict.fromkeys(seats, -1.0)
        """When each sat down last: as long as nobody else is waited for, it is the same visit."""

    def wait_for(self, seats: Iterable[Seat], turn: bool) -> set[Seat]:
        """Let the clock run until all of the seats have answered; those who have missed it.

        They are asked together, and the table goes on with the last. `turn`: they have the hours of a turn, else of a reaction.
        """
        began, missed = self.now, set()
        for seat in seats:
            if self._sat[seat] == began:
                continue
            span = self.spans.turn if turn else self.spans.reaction
            read = self._next_read(seat, began + SLOW)
            due = self._by_day(seat, began + span)
            falls = self._by_day(seat, due + self.spans.grace + self._banks[seat])
            if self._rng.random() < self.missing or read > falls:
                missed.add(seat)
                self._banks[seat] = 0.0
                self.now = max(self.now, falls)
            else:
                left = max(0.0, began + span - read)
                self._banks[seat] = min(self.spans.bank, self._banks[seat] + self.spans.saved * left)
                self._sat[seat] = read
                self.now = max(self.now, read)
        return missed

    def has_read(self, seat: Seat, since: float) -> bool:
        """Whether the seat has read its mail between that moment and now."""
        return self._next_read(seat, since + SLOW) <= self.now

    def _next_read(self, seat: Seat, at: float) -> float:
        """When the seat reads its mail next after a moment."""
        zone, soonest = self._zones[seat], float("inf")
        midnight = (at + zone) // 24 * 24
        for day in (midnight, midnight + 24):
            for hour in READS:
                read = day + hour + self._rng.uniform(-0.5, 0.5) - zone
                if read >= at:
                    soonest = min(soonest, read)
        return soonest

    def _by_day(self, seat: Seat, at: float) -> float:
        """That moment, or the end of the seat's quiet hours that it lies in."""
        hour = (at + self._zones[seat]) % 24
        ends = QUIET[1] - hour if hour < QUIET[1] else 24 - hour + QUIET[1]
        return at + ends if hour < QUIET[1] or hour >= QUIET[0] else at
