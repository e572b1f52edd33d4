"""Recipe of a deadline: everything that a question's deadline is computed from, and the one function that computes it.

A question stores when it was opened, the seconds it allows (`AskRow.opened_at`, `allowed`, `extended`) and this recipe: its
player's rhythm as it was then, grace, time bank, interruptions. Time in which clocks stand still is stored once for the whole
game: absences and pauses (`Absence`), outages and other standstills (`Standstill`). `reckon` computes `due_at`, `falls_at`,
`remind_at` and `kept_at` from these and from nothing else, so computing them again changes nothing, in whatever order an
import, a retry, an interruption, an outage, a pause and an absence came.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

import msgspec

from service.clock import reminders
from service.clock.arithmetic import Rest, Span, elapsed, joined, put_off, reach
from service.clock.pace import HOUR, Pace
from service.store.models import Absence, Account, AskRow, Standstill, now

HALF_A_DAY = 12 * HOUR
"""Seconds that an outage of more than half a day leaves at least; also the most that pauses add to a question."""
LONGEST_QUIET = timedelta(hours=12)
"""Quiet hours that are longer, which only old accounts have, count for so long from their beginning."""
OUTAGES = frozenset(("service", "mail"))
"""Kinds of standstills after which a question is left at least its grace, or half a day."""


class Rhythm(msgspec.Struct, frozen=True):
    """When somebody's clock stands still by its owner's own settings."""

    zone: str
    weekends_off: bool = False
    quiet_from: str = ""
    quiet_to: str = ""


class Recipe(msgspec.Struct, frozen=True, omit_defaults=True):
    """The recipe of a deadline, stored with its question: everything that the row's own columns don't hold."""

    rhythm: Rhythm
    """Its player's when it was asked; later changes of the account don't move it."""
    grace: int
    """Seconds, by the pace of then."""
    bank: int = 0
    """Seconds in the seat's time bank; none for a proposal."""
    from_pauses: int = 0
    """Seconds of `extended` that pauses gave by ending early."""
    parked: tuple[Span, ...] = ()
    """Interruptions that are over."""
    parked_at: datetime | None = None
    """Since when it is interrupted; None: it isn't."""
    least: tuple[tuple[datetime, int], ...] = ()
    """Moments at which it was asked again, each with the seconds that were left at least."""
    not_before: datetime | None = None
    """The deadline that it had before recipes were stored."""
    absorbed_at: datetime | None = None
    """What outages before this moment left at least is contained in `extended`."""
    kept_from: datetime | None = None
    """When the kept answer's pause began; None: a kept answer is given at the deadline."""
    kept_for: float = 0.0
    """Seconds of that pause."""


@dataclass(frozen=True)
class Stops:
    """All the time in which clocks at a table stand still, for whatever reason."""

    absences: Sequence[Absence] = ()
    standstills: Sequence[Standstill] = ()
    ongoing: Span | None = None
    """An outage that isn't over, or not stored yet, up to now."""

    @property
    def stored(self) -> Stops:
        """Without the outage that isn't over."""
        return Stops(self.absences, self.standstills)

    def of(self, seat: str) -> tuple[Span, ...]:
        """Absences of a seat, pauses and standstills of the table."""
        away = ((a.starts_at, a.ends_at) for a in self.absences if a.seat in ("", seat) and a.starts_at < a.ends_at)
        return (*away, *self.of_all)

    @property
    def of_all(self) -> tuple[Span, ...]:
        """Those that nobody at the table chose."""
        spans = tuple((s.starts_at, s.ends_at) for s in self.standstills if s.starts_at < s.ends_at)
        return (*spans, self.ongoing) if self.ongoing is not None else spans

    @property
    def outages(self) -> list[Span]:
        """Outages that are over; those that overlap or touch count as one."""
        return joined((s.starts_at, s.ends_at) for s in self.standstills if s.kind in OUTAGES)


def rhythm_of(account: Account | None, pace: Pace) -> Rhythm:
    """The rhythm of an account at a pace, its quiet hours capped."""
    if account is None:
        return Rhythm("UTC")
    off = pace.weekends == "off" or (pace.weekends == "own" and account.weekends_off)
    quiet_to = account.quiet_to
    if not account.zone_chosen:  # nobody knows when it is night there
        return Rhythm("UTC", off)
    if quiet_span(account.quiet_from, quiet_to) > LONGEST_QUIET:
        quiet_to = f"{_on_a_day(account.quiet_from) + LONGEST_QUIET:%H:%M}"
    return Rhythm(account.zone, off, account.quiet_from, quiet_to)


def quiet_span(quiet_from: str, quiet_to: str) -> timedelta:
    """How long quiet hours last, by the clock on the wall; nothing where one is empty or both are the same."""
    if not quiet_from or not quiet_to:
        return timedelta()
    return (_on_a_day(quiet_to) - _on_a_day(quiet_from)) % timedelta(days=1)


def _on_a_day(hour: str) -> datetime:
    return datetime.combine(date(2000, 1, 1), time.fromisoformat(hour))


def of(ask: AskRow) -> Recipe:
    """The recipe of a question."""
    return msgspec.convert(ask.recipe, Recipe)


def store(ask: AskRow, recipe: Recipe) -> None:
    """Put a recipe into a question's row."""
    found: dict[str, Any] = msgspec.to_builtins(recipe)
    ask.recipe = found


def changed(ask: AskRow, **changes: object) -> None:
    """Change some of a question's recipe."""
    store(ask, msgspec.structs.replace(of(ask), **changes))


# --- computing --------------------------------------------------------------------------------------------------------


def rest(ask: AskRow, stops: Stops) -> Rest:
    """When the clock of a question stands still."""
    recipe = of(ask)
    own = recipe.rhythm
    away = (*stops.of(ask.seat), *recipe.parked)
    return Rest(own.zone, own.weekends_off, own.quiet_from, own.quiet_to, away)


def end_of_time(ask: AskRow, stops: Stops) -> datetime:
    """When the time of a question is over, before it is put off to where a deadline may fall."""
    recipe, clock = of(ask), rest(ask, stops)
    until = reach(ask.opened_at, max(0, ask.allowed + ask.extended), clock)
    least = [*recipe.least, *left_by_outages(stops, max(ask.opened_at, recipe.absorbed_at or ask.opened_at), recipe.grace)]
    until = max([until, *(reach(at, seconds, clock) for at, seconds in least)])
    return max(until, recipe.not_before) if recipe.not_before is not None else until


def left_by_outages(stops: Stops, since: datetime, grace: int) -> list[tuple[datetime, int]]:
    """The ends of outages since a moment, each with the seconds that are left then at least: the grace, or half a day."""
    return [
        (end, max(grace, HALF_A_DAY) if end - start > timedelta(seconds=HALF_A_DAY) else grace)
        for start, end in stops.outages
        if end > since
    ]


def reckon(ask: AskRow, stops: Stops, ladder: Iterable[str] | None) -> None:
    """Compute the deadline of a question and what follows from it: its only writer. `ladder` has its reader's reminders.

    An outage that isn't over moves nothing yet, but nothing falls while it lasts.
    """
    stops = stops.stored
    recipe, clock = of(ask), rest(ask, stops)
    due = put_off(end_of_time(ask, stops), clock)
    parked = recipe.parked_at is not None
    ask.due_at = due
    ask.falls_at = None if parked else put_off(reach(due, recipe.grace + recipe.bank, clock), clock)
    ask.remind_at = None
    if ladder is not None and ask.answered_at is None and not parked:
        ask.remind_at = reminders.next_at(ladder, ask.opened_at, due, now())
    if ask.kept_at is not None:
        kept_from = recipe.kept_from
        ask.kept_at = due if kept_from is None else reach(kept_from, recipe.kept_for, Rest(away=stops.of_all))


def left(ask: AskRow, stops: Stops, at: datetime) -> float:
    """Seconds of its own clock that a question has left at a moment."""
    return elapsed(at, end_of_time(ask, stops), rest(ask, stops)).total_seconds()


def allow(ask: AskRow, seconds: float) -> None:
    """Let a question have so many seconds in all from its opening on, whatever it was left at least before."""
    ask.extended = math.ceil(seconds) - ask.allowed
    changed(ask, least=(), not_before=None, absorbed_at=now())


def spent(ask: AskRow, stops: Stops, at: datetime) -> float:
    """Seconds of its own clock from its opening to a moment."""
    return elapsed(ask.opened_at, at, rest(ask, stops)).total_seconds()


def with_stops(clock: Rhythm, away: Iterable[Span]) -> Rest:
    """A rhythm with the time in which its clock stands still."""
    return Rest(clock.zone, clock.weekends_off, clock.quiet_from, clock.quiet_to, tuple(away))
