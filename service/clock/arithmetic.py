"""Working-clock arithmetic. A clock stands still on weekends (if off), in absences and in pauses; no deadline falls in quiet
hours. Days are local (tz database).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import msgspec

from service.common.dates import zone_called

SATURDAY = 5
Span = tuple[datetime, datetime]


class Rhythm(msgspec.Struct, frozen=True):
    zone: str
    weekends_off: bool = False
    quiet_from: str = ""
    quiet_to: str = ""
    """Local, `22:00`; equal or empty: none."""


UTC_ALWAYS = Rhythm("UTC")


@dataclass(frozen=True)
class Rest:
    """When a clock stands still, and when no deadline may fall."""

    rhythm: Rhythm = UTC_ALWAYS
    away: tuple[Span, ...] = ()
    """Half-open spans: absences, pauses, outages."""


def due(start: datetime, seconds: float, rest: Rest) -> datetime:
    """`start` plus `seconds` of this clock, moved out of quiet hours."""
    return put_off(reach(start, seconds, rest), rest)


def reach(start: datetime, seconds: float, rest: Rest) -> datetime:
    """`due` without quiet hours."""
    at, left = start, timedelta(seconds=seconds)
    while left:
        at = _awake(at, rest)
        stop = _next_stop(at, rest)
        if stop is None or at + left <= stop:
            return at + left
        left -= stop - at
        at = stop
    return _awake(at, rest, at_their_start=False)


def put_off(at: datetime, rest: Rest) -> datetime:
    """The first time at or after `at` when a deadline may fall."""
    while True:
        later = _after_quiet(_awake(at, rest, at_their_start=False), rest)
        if later == at:
            return at
        at = later


def worked(start: datetime, end: datetime, rest: Rest) -> int:
    """Whole seconds that this clock ran."""
    return int(elapsed(start, end, rest).total_seconds())


def elapsed(start: datetime, end: datetime, rest: Rest) -> timedelta:
    """Time that this clock ran; never negative."""
    total, at = timedelta(), start
    while at < end:
        at = _awake(at, rest)
        stop = min(_next_stop(at, rest) or end, end)
        total += max(stop - at, timedelta())
        at = max(stop, at)
    return total


def joined(spans: Iterable[Span]) -> list[Span]:
    """Merge overlapping or adjacent spans."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found


def _awake(at: datetime, rest: Rest, at_their_start: bool = True) -> datetime:
    """The first time at or after `at` with the clock running; `at_their_start`: spans include their first moment."""
    while True:
        begun = (span for span in rest.away if span[0] < at or (at_their_start and span[0] == at))
        later = max((end for _, end in begun if at < end), default=at)
        if rest.rhythm.weekends_off:
            local = later.astimezone(zone_called(rest.rhythm.zone))
            if local.weekday() >= SATURDAY:
                later = max(later, _midnight(local.date() + timedelta(days=7 - local.weekday()), rest.rhythm.zone))
        if later == at:
            return at
        at = later


def _next_stop(at: datetime, rest: Rest) -> datetime | None:
    stops = [start for start, end in rest.away if at < start < end]
    if rest.rhythm.weekends_off:
        local = at.astimezone(zone_called(rest.rhythm.zone))
        stops.append(_midnight(local.date() + timedelta(days=SATURDAY - local.weekday()), rest.rhythm.zone))
    return min(stops, default=None)


def _midnight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), zone_called(zone)).astimezone(UTC)


def _after_quiet(at: datetime, rest: Rest) -> datetime:
    start, end = _hour(rest.rhythm.quiet_from), _hour(rest.rhythm.quiet_to)
    if start is None or end is None or start == end:
        return at
    local = at.astimezone(zone_called(rest.rhythm.zone))
    now = local.time()
    quiet = start <= now < end if start < end else now >= start or now < end
    if not quiet:
        return at
    day = local.date() + timedelta(days=1) if now >= end else local.date()
    # An ambiguous hour (DST): its second occurrence may be ahead.
    for fold in (0, 1):
        until = datetime.combine(day, end, zone_called(rest.rhythm.zone)).replace(fold=fold).astimezone(UTC)
        if until > at:
            return until
    return at


def _hour(text: str) -> time | None:
    return time.fromisoformat(text) if text else None
