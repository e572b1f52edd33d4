"""Recipe of a deadline: all its inputs, and the only function that computes it.

`reckon` is pure: the recipe, three columns of the question (`opened_at`, `allowed`, `extended`) and the game's standstills;
hence idempotent, in whatever order imports, outages, pauses and absences happen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

import msgspec

from service.clock.arithmetic import Rest, Rhythm, Span, elapsed, joined, put_off, reach
from service.clock.pace import HOUR, Pace
from service.store.models import Absence, Account, AskRow, Standstill, now

HALF_A_DAY = 12 * HOUR
"""Seconds left at least after an outage longer than this; also the most that pauses add to a question."""
LONGEST_QUIET = timedelta(hours=12)
"""Limit of quiet hours."""
OUTAGES = frozenset(("service", "mail"))
"""Standstills that leave at least the grace, or half a day."""
STEP = re.compile(r"([1-9][0-9]{0,4})([smhd])")
"""A reminder's span before the deadline: `6h`, `90m`, `2d`; the other step is `half` of the time."""
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Recipe(msgspec.Struct, frozen=True, omit_defaults=True):
    """Inputs of a deadline that aren't columns of its question."""

    rhythm: Rhythm
    """Fixed when asked."""
    grace: int
    """Seconds, fixed when asked."""
    bank: int = 0
    """Seconds; none for a proposal."""
    from_pauses: int = 0
    """Seconds of `extended` from pauses that ended early."""
    parked: tuple[Span, ...] = ()
    """Past interruptions."""
    parked_at: datetime | None = None
    """Start of the present interruption."""
    least: tuple[tuple[datetime, int], ...] = ()
    """When it was asked again, and the seconds left at least."""
    not_before: datetime | None = None
    """The deadline that it had when its player left."""
    absorbed_at: datetime | None = None
    """Minimum times of earlier outages are part of `extended`."""
    kept_from: datetime | None = None
    """Start of the kept answer's delay; None: it is given at the deadline."""
    kept_for: float = 0.0
    """Seconds of that delay."""


@dataclass(frozen=True)
class Stops:
    """All standstills at a table."""

    absences: Sequence[Absence] = ()
    standstills: Sequence[Standstill] = ()
    ongoing: Span | None = None
    """A present outage, up to now."""

    @property
    def stored(self) -> Stops:
        """Without a present outage."""
        return Stops(self.absences, self.standstills)

    def of(self, seat: str) -> tuple[Span, ...]:
        """Stops of one seat: absences, pauses and standstills."""
        away = ((a.starts_at, a.ends_at) for a in self.absences if a.seat in ("", seat) and a.starts_at < a.ends_at)
        return (*away, *self.of_all)

    @property
    def of_all(self) -> tuple[Span, ...]:
        """Involuntary ones only."""
        spans = tuple((s.starts_at, s.ends_at) for s in self.standstills if s.starts_at < s.ends_at)
        return (*spans, self.ongoing) if self.ongoing is not None else spans

    @property
    def outages(self) -> list[Span]:
        """Past outages, merged."""
        return joined((s.starts_at, s.ends_at) for s in self.standstills if s.kind in OUTAGES)


def rhythm_of(account: Account | None, pace: Pace) -> Rhythm:
    """An account's rhythm at a pace, with capped quiet hours."""
    if account is None:
        return Rhythm("UTC")
    off = pace.weekends == "off" or (pace.weekends == "own" and account.weekends_off)
    quiet_to = account.quiet_to
    if not account.zone_chosen:  # unknown when it is night there
        return Rhythm("UTC", off)
    if quiet_span(account.quiet_from, quiet_to) > LONGEST_QUIET:
        quiet_to = f"{_on_a_day(account.quiet_from) + LONGEST_QUIET:%H:%M}"
    return Rhythm(account.zone, off, account.quiet_from, quiet_to)


def quiet_span(quiet_from: str, quiet_to: str) -> timedelta:
    if not quiet_from or not quiet_to:
        return timedelta()
    return (_on_a_day(quiet_to) - _on_a_day(quiet_from)) % timedelta(days=1)


def _on_a_day(hour: str) -> datetime:
    return datetime.combine(date(2000, 1, 1), time.fromisoformat(hour))


def of(ask: AskRow) -> Recipe:
    return msgspec.convert(ask.recipe, Recipe)


def store(ask: AskRow, recipe: Recipe) -> None:
    found: dict[str, Any] = msgspec.to_builtins(recipe)
    ask.recipe = found


def changed(ask: AskRow, **changes: object) -> None:
    store(ask, msgspec.structs.replace(of(ask), **changes))


# --- computing --------------------------------------------------------------------------------------------------------


def rest(ask: AskRow, stops: Stops) -> Rest:
    recipe = of(ask)
    return Rest(recipe.rhythm, (*stops.of(ask.seat), *recipe.parked))


def end_of_time(ask: AskRow, stops: Stops) -> datetime:
    """End of a question's time, before `put_off`."""
    recipe, clock = of(ask), rest(ask, stops)
    until = reach(ask.opened_at, max(0, ask.allowed + ask.extended), clock)
    least = [*recipe.least, *left_by_outages(stops, max(ask.opened_at, recipe.absorbed_at or ask.opened_at), recipe.grace)]
    until = max([until, *(reach(at, seconds, clock) for at, seconds in least)])
    return max(until, recipe.not_before) if recipe.not_before is not None else until


def left_by_outages(stops: Stops, since: datetime, grace: int) -> list[tuple[datetime, int]]:
    """Ends of outages, with the seconds left at least then."""
    return [
        (end, max(grace, HALF_A_DAY) if end - start > timedelta(seconds=HALF_A_DAY) else grace)
        for start, end in stops.outages
        if end > since
    ]


def reckon(ask: AskRow, stops: Stops, ladder: Iterable[str] | None) -> None:
    """Compute `due_at` and dependent columns; their only writer. A present outage moves nothing yet. `ladder`: the reader's
    reminders.
    """
    stops = stops.stored
    recipe, clock = of(ask), rest(ask, stops)
    due = put_off(end_of_time(ask, stops), clock)
    parked = recipe.parked_at is not None
    ask.due_at = due
    ask.falls_at = None if parked else put_off(reach(due, recipe.grace + recipe.bank, clock), clock)
    ask.remind_at = None
    if ladder is not None and ask.answered_at is None and not parked:
        ask.remind_at = next_reminder(ladder, ask.opened_at, due, now())
    if ask.kept_at is not None:
        kept_from = recipe.kept_from
        ask.kept_at = due if kept_from is None else reach(kept_from, recipe.kept_for, Rest(away=stops.of_all))


def left(ask: AskRow, stops: Stops, at: datetime) -> float:
    """Seconds left of a question's own clock."""
    return elapsed(at, end_of_time(ask, stops), rest(ask, stops)).total_seconds()


def allow(ask: AskRow, seconds: float) -> None:
    """Set the total seconds from the opening, overriding earlier minimums."""
    ask.extended = math.ceil(seconds) - ask.allowed
    changed(ask, least=(), not_before=None, absorbed_at=now())


def spent(ask: AskRow, stops: Stops, at: datetime) -> float:
    return elapsed(ask.opened_at, at, rest(ask, stops)).total_seconds()


# --- reminders --------------------------------------------------------------------------------------------------------


def reminder_at(step: str, opened: datetime, due: datetime) -> datetime | None:
    """When a step is due, unless the time is too short."""
    if step == "half":
        return opened + (due - opened) / 2
    found = STEP.fullmatch(step)
    if found is None:
        return None
    moment = due - timedelta(seconds=int(found[1]) * UNITS[found[2]])
    return moment if moment > opened else None


def reminders(ladder: Iterable[str], opened: datetime, due: datetime) -> list[tuple[datetime, str]]:
    return sorted((moment, step) for step in ladder if (moment := reminder_at(step, opened, due)) is not None)


def next_reminder(ladder: Iterable[str], opened: datetime, due: datetime, after: datetime) -> datetime | None:
    return min((moment for moment, _ in reminders(ladder, opened, due) if moment > after), default=None)
