"""Simulated e-mail players, by seed: three readings a day in three random time zones; one question in twenty is missed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.core.asks import Seat

ZONES = (0, -6, 9)
"""UTC offsets, used equally often."""
READS = (7.5, 13.0, 20.0)
"""Local hours of reading mail, give or take half an hour."""
QUIET = (22, 8)
"""Local hours without deadlines."""
SLOW = 0.1
"""Hours until a letter arrives."""


@dataclass(frozen=True)
class Spans:
    """A pace in hours; `saved` is the share of unused time added to the bank."""

    turn: float = 24.0
    reaction: float = 12.0
    grace: float = 1.0
    bank: float = 24.0
    saved: float = 0.25


def zones_of(seats: Sequence[Seat], seed: str) -> dict[Seat, int]:
    """Random time zones; their order decides how fast turns pass, three or six a day."""
    zones = [ZONES[i % len(ZONES)] for i in range(len(seats))]
    random.Random(f"{seed}/zones").shuffle(zones)
    return dict(zip(seats, zones, strict=True))


class People:
    """Players of one table and its clock in hours."""

    def __init__(self, seats: Sequence[Seat], spans: Spans, missing: float, seed: str) -> None:
        self.now = 0.0
        self.spans, self.missing = spans, missing
        self._rng = random.Random(f"{seed}/people")
        self._zones = zones_of(seats, seed)
        self._banks = dict.fromkeys(seats, 0.0)
        self._sat = dict.fromkeys(seats, -1.0)
        """Time of each seat's last visit, which lasts while nobody else is waited for."""

    def wait_for(self, seats: Iterable[Seat], turn: bool) -> set[Seat]:
        """Advance the clock until all, asked together, have answered; returns those that missed the deadline. `turn`: they have
        a turn's hours, not a reaction's.
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
        return self._next_read(seat, since + SLOW) <= self.now

    def _next_read(self, seat: Seat, at: float) -> float:
        zone, soonest = self._zones[seat], float("inf")
        midnight = (at + zone) // 24 * 24
        for day in (midnight, midnight + 24):
            for hour in READS:
                read = day + hour + self._rng.uniform(-0.5, 0.5) - zone
                if read >= at:
                    soonest = min(soonest, read)
        return soonest

    def _by_day(self, seat: Seat, at: float) -> float:
        hour = (at + self._zones[seat]) % 24
        ends = QUIET[1] - hour if hour < QUIET[1] else 24 - hour + QUIET[1]
        return at + ends if hour < QUIET[1] or hour >= QUIET[0] else at
