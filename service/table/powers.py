"""The last word on who may do what at a table.

A host has no more power over a seat than its player, a vote, or a missed deadline gives him, and `notices` tells the table
first. Those who run the service may do more, and everybody at the table gets a letter that they did.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlmodel import Session, select

from engine.asks import NotLegal
from service.clock import pace
from service.ground.phrases import nsentence, sentence
from service.store.models import Absence, Match, SeatRow, now
from service.table import absences, lateness
from service.table.commands import HOST, OPERATOR, TABLE

LEAST_LEFT = timedelta(minutes=10)
"""What remains of a deadline that is made nearer."""
MOST_MOVED = timedelta(days=30)
LONGEST_PAUSE = timedelta(days=30)
HOSTS_PAUSES = timedelta(days=30)
"""For how long in all a host lets one game pause; for more the table votes."""


def check_pause(session: Session, match: Match, until: datetime) -> None:
    """Raises NotLegal for a pause by the host that cuts another short, or is more than a host may give."""
    running = absences.pause_of(session, match)
    if running is not None and running.ends_at >= until:
        raise NotLegal(sentence("The table pauses for longer than that already."))
    rows = session.exec(select(Absence).where(Absence.match_id == match.id, Absence.seat == "", Absence.by == HOST)).all()
    given = sum(((min(row.ends_at, now()) - row.starts_at) for row in rows), timedelta())
    if given + (until - now()) > HOSTS_PAUSES:
        raise NotLegal(
            nsentence(
                "A host lets a game pause for %(num)s day in all; for more the table votes.",
                "A host lets a game pause for %(num)s days in all; for more the table votes.",
                HOSTS_PAUSES.days,
            )
        )


def check_resume(running: Absence | None, actor: str) -> None:
    """Raises NotLegal where there is no pause to end, or where somebody else than the host has given it."""
    if running is None:
        raise NotLegal(sentence("The table doesn't pause."))
    if actor == HOST and running.by in (TABLE, OPERATOR):
        raise NotLegal(sentence("This pause isn't the host's, so it isn't his to end; it ends by itself."))


def check_pace(match: Match, seats: Iterable[SeatRow], new: pace.Pace) -> None:
    """Raises NotLegal for a faster pace while somebody has no vote on it, for a steward keeps the seat."""
    old = pace.of(match.pace)
    faster = new.turn < old.turn or new.reaction < old.reaction or new.grace < old.grace
    kept = next((seat.name for seat in seats if seat.account_id and seat.steward), None)
    if faster and kept is not None:
        raise NotLegal(
            sentence("While a steward keeps the seat of %(name)s, who has no vote, the pace can't be made faster.", name=kept)
        )


def check_extend(actor: str, seat: str, by: timedelta) -> None:
    """Raises NotLegal for who moves a deadline in a direction that isn't his.

    A player gives himself no time, a host takes none from anybody.
    """
    if actor == seat and by > timedelta():
        raise NotLegal(sentence("More time is the host's to give, or an absence; your own deadline you can only make nearer."))
    if actor != seat and actor not in (HOST, OPERATOR):
        raise NotLegal(sentence("A deadline is moved by the host, or made nearer by its own player."))
    if actor == HOST and by < timedelta():
        raise NotLegal(
            sentence("A host can give time, not take it; its own player can make a deadline nearer, under “Clock and votes”.")
        )


def check_absent(session: Session, match: Match, seat: SeatRow, actor: str) -> None:
    """Raises NotLegal where a seat's player can't be replaced: by the host after a missed deadline, by a vote also when
    letters come back."""
    if seat.bot or not seat.account_id:
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
