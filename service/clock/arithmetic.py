"""The arithmetic of a person's clock: when so many seconds of it have passed, leaving out the time in which it stands still.

A clock stands still over week-ends (where they are off) and while its owner is away or the table pauses. It goes on in quiet
hours, but no deadline falls in them. Zones are tz database names; days and hours are those of the local calendar, so a day on
which the clocks change is an hour shorter or longer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from service.common.dates import zone_called

SATURDAY = 5
Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Rest:
    """When somebody's clock stands still, and when no deadline may fall for them."""

    zone: str = "UTC"
    weekends_off: bool = False
    quiet_from: str = ""
    quiet_to: str = ""
    """Local hours, `22:00` and `08:00`; equal or empty: none."""
    away: tuple[Span, ...] = ()
    """Absences, pauses and outages, each from (included) to (left out)."""


def due(start: datetime, seconds: float, rest: Rest) -> datetime:
    """The moment at which `seconds` of this clock have passed since `start`, put off to where a deadline may fall."""
    return put_off(reach(start, seconds, rest), rest)


def reach(start: datetime, seconds: float, rest: Rest) -> datetime:
    """The moment at which `seconds` of this clock have passed since `start`, in quiet hours or not."""
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
    """The first moment from `at` on at which a deadline may fall: the clock runs, and it is no quiet hour."""
    while True:
        later = _after_quiet(_awake(at, rest, at_their_start=False), rest)
        if later == at:
            return at
        at = later


def worked(start: datetime, end: datetime, rest: Rest) -> int:
    """Whole seconds of this clock from `start` to `end`; 0 when that lies behind."""
    return int(elapsed(start, end, rest).total_seconds())


def elapsed(start: datetime, end: datetime, rest: Rest) -> timedelta:
    """Time of this clock from `start` to `end`; none when that lies behind."""
    total, at = timedelta(), start
    while at < end:
        at = _awake(at, rest)
        stop = min(_next_stop(at, rest) or end, end)
        total += max(stop - at, timedelta())
        at = max(stop, at)
    return total


def joined(spans: Iterable[Span]) -> list[Span]:
    """Spans of time, those that overlap or touch joined into one, the earliest first."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found


def _awake(at: datetime, rest: Rest, at_their_start: bool = True) -> datetime:
    """The first moment from `at` on at which the clock goes; `at_their_start`: it doesn't at the first moment of an absence."""
    while True:
        begun = (span for span in rest.away if span[0] < at or (at_their_start and span[0] == at))
        later = max((end for _, end in begun if at < end), default=at)
        if rest.weekends_off:
            local = later.astimezone(zone_called(rest.zone))
            if local.weekday() >= SATURDAY:
                later = max(later, _midnight(local.date() + timedelta(days=7 - local.weekday()), rest.zone))
        if later == at:
            return at
        at = later


def _next_stop(at: datetime, rest: Rest) -> datetime | None:
    """When the clock, which goes at `at`, will stand still next; None: never."""
    stops = [start for start, end in rest.away if at < start < end]
    if rest.weekends_off:
        local = at.astimezone(zone_called(rest.zone))
        stops.append(_midnight(local.date() + timedelta(days=SATURDAY - local.weekday()), rest.zone))
    return min(stops, default=None)


def _midnight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), zone_called(zone)).astimezone(UTC)


def _after_quiet(at: datetime, rest: Rest) -> datetime:
    """`at`, or the end of the quiet hours that it lies in."""
    start, end = _hour(rest.quiet_from), _hour(rest.quiet_to)
    if start is None or end is None or start == end:
        return at
    local = at.astimezone(zone_called(rest.zone))
    now = local.time()
    quiet = start <= now < end if start < end else now >= start or now < end
    if not quiet:
        return at
    day = local.date() + timedelta(days=1) if now >= end else local.date()
    # An hour that the clocks go through twice: its second time lies ahead, the first may not.
    for fold in (0, 1):
        until = datetime.combine(day, end, zone_called(rest.zone)).replace(fold=fold).astimezone(UTC)
        if until > at:
            return until
    return at


def _hour(text: str) -> time | None:
    return time.fromisoformat(text) if text else None
