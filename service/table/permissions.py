"""Permissions at a table: a host has power over a seat only with its player's consent, a vote, or a missed deadline. Operators
may do more; the table is notified.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlmodel import Session, func, select

from engine.core.asks import NotLegal, NotUnderstood
from service.clock import pace
from service.common.messages import nsentence, sentence
from service.store.models import Absence, AskRow, Match, SeatRow, now
from service.table import absences, lateness
from service.table.commands import HOST, OPERATOR, TABLE

LEAST_LEFT = timedelta(minutes=10)
"""Minimum left of a shortened deadline."""
MOST_MOVED = timedelta(days=30)
LONGEST_PAUSE = timedelta(days=30)
HOSTS_TIME = timedelta(days=30)
"""Total of a host's pauses and extensions in a game; more needs a vote."""


def read_days(text: str) -> int:
    """Parse the days of a pause. Raises NotUnderstood."""
    days = int(text) if re.fullmatch("[0-9]{1,4}", text) else 0
    if not 1 <= days <= LONGEST_PAUSE.days:
        raise NotUnderstood(
            nsentence(
                "A pause has an end: give it 1 to %(num)s day.",
                "A pause has an end: give it 1 to %(num)s days.",
                LONGEST_PAUSE.days,
            )
        )
    return days


def check_pause(session: Session, match: Match, until: datetime, actor: str) -> None:
    """Raise NotLegal for a pause that is over or too long; for a host's that shortens another, replaces one by the table or an
    operator, or exceeds HOSTS_TIME.
    """
    if not now() < until <= now() + LONGEST_PAUSE:
        raise NotLegal(
            nsentence("A pause must end within %(num)s day.", "A pause must end within %(num)s days.", LONGEST_PAUSE.days)
        )
    if actor != HOST:
        return
    running = absences.pause_of(session, match)
    if running is not None and running.by in (TABLE, OPERATOR):
        raise NotLegal(sentence("This pause isn't yours to change; once it is over, you can let the table pause again."))
    if running is not None and running.ends_at >= until:
        raise NotLegal(sentence("The table pauses for longer than that already."))
    # It replaces a running pause.
    if given_by_host(session, match, now()) + (until - now()) > HOSTS_TIME:
        raise _too_much()


def given_by_host(session: Session, match: Match, until: datetime) -> timedelta:
    """Time given by the host: pauses up to `until`, and extensions."""
    rows = session.exec(select(Absence).where(Absence.match_id == match.id, Absence.seat == "", Absence.by == HOST)).all()
    paused = sum(((max(min(row.ends_at, until), row.starts_at) - row.starts_at) for row in rows), timedelta())
    moved = session.exec(select(func.sum(AskRow.given)).where(AskRow.match_id == match.id)).one()
    return paused + timedelta(seconds=int(moved or 0))


def _too_much() -> NotLegal:
    return NotLegal(
        nsentence(
            "A host gives one game %(num)s day in all; for more the table votes.",
            "A host gives one game %(num)s days in all; for more the table votes.",
            HOSTS_TIME.days,
        )
    )


def check_resume(running: Absence | None, actor: str) -> None:
    """Raise NotLegal without a pause, or for a host if it is another's."""
    if running is None:
        raise NotLegal(sentence("The table doesn't pause."))
    if actor == HOST and running.by in (TABLE, OPERATOR):
        raise NotLegal(sentence("This pause isn't the host's, so it isn't his to end; it ends by itself."))


def check_pace(match: Match, seats: Iterable[SeatRow], new: pace.Pace) -> None:
    """Raise NotLegal for a faster pace while a steward, who has no vote, keeps a seat."""
    old = pace.of(match.pace)
    faster = new.turn < old.turn or new.reaction < old.reaction or new.grace < old.grace
    kept = next((seat.name for seat in seats if seat.account_id and seat.steward), None)
    if faster and kept is not None:
        raise NotLegal(
            sentence("While a steward keeps the seat of %(name)s, who has no vote, the pace can't be made faster.", name=kept)
        )


def check_extend(session: Session, match: Match, actor: str, seat: SeatRow, by: timedelta) -> None:
    """Raise NotLegal for an extension out of range, a player's that gives time, or a host's that takes it or exceeds
    HOSTS_TIME.
    """
    if not by or abs(by) > MOST_MOVED:
        raise NotLegal(
            nsentence(
                "A deadline is moved by up to %(num)s day, in either direction.",
                "A deadline is moved by up to %(num)s days, in either direction.",
                MOST_MOVED.days,
            )
        )
    if actor == seat.seat and by > timedelta():
        raise NotLegal(sentence("More time is the host's to give, or an absence; your own deadline you can only make nearer."))
    if actor != seat.seat and actor not in (HOST, OPERATOR):
        raise NotLegal(sentence("A deadline is moved by the host, or made nearer by its own player."))
    if actor == HOST and by < timedelta():
        raise NotLegal(
            sentence("A host can give time, not take it; its own player can make a deadline nearer, under “Clock and votes”.")
        )
    if actor == HOST and seat.account_id == match.host_id:
        raise NotLegal(
            sentence("You can't give your own seat more time. Announce an absence, or ask the table to vote for a pause.")
        )
    # A running pause counts in full.
    if actor == HOST and given_by_host(session, match, now() + LONGEST_PAUSE) + by > HOSTS_TIME:
        raise _too_much()


def check_absent(session: Session, match: Match, seat: SeatRow | None, actor: str) -> None:
    """Raise NotLegal unless the player is absent: missed deadline, or, for votes, bouncing letters."""
    if seat is None or seat.bot or not seat.account_id:
        raise NotLegal(sentence("There is nobody in that seat who could be replaced."))
    absent = lateness.overdue(session, match) if actor == HOST else {s.seat for s in lateness.absentees(session, match)}
    if seat.seat not in absent:
        raise NotLegal(
            sentence(
                "%(name)s has not missed a deadline; a seat is given to somebody else when its player gives it up, "
                "or is absent.",
                name=seat.name,
            )
        )
