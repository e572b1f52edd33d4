"""Who lets deadlines pass, as everybody at the table may know it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from engine.match import DEFAULT, TABLE
from service.post.ledger import troubled
from service.store.models import EntryRow, Match, SeatRow


def let_pass(session: Session, match: Match) -> set[str]:
    """The seats of people whose last deadline has passed, as everybody may know it.

    `Seat.missed` counts defaults that only their seat may know of, and an answer that still lies sealed ends its
    count; so this reads the public side of the log, but for the step that is open.
    """
    seat = col(SeatRow.seat)
    answered = (col(EntryRow.actor) == seat) & (col(EntryRow.ask) != TABLE) & (col(EntryRow.serial) != match.serial)
    # A proposal that is left alone until its time is over is no deadline missed.
    answered &= (col(EntryRow.serial) >= 0) | (col(EntryRow.mark) != DEFAULT)
    # Whoever has done something about the seat since, its owner or a substitute, begins anew.
    own = (col(EntryRow.ask) == TABLE) & ((col(EntryRow.actor) == seat) | (col(EntryRow.move) == "replace seat=" + seat))
    newest = select(EntryRow.mark).where(EntryRow.match_id == SeatRow.match_id, answered | own)
    mark = newest.order_by(col(EntryRow.n).desc()).limit(1).correlate(SeatRow).scalar_subquery()
    people = select(SeatRow.seat).where(SeatRow.match_id == match.id, col(SeatRow.account_id).is_not(None))
    return set(session.exec(people.where(mark == DEFAULT)))


def _people(match: Match) -> SelectOfScalar[SeatRow]:
    return select(SeatRow).where(SeatRow.match_id == match.id, col(SeatRow.account_id).is_not(None))


def overdue(session: Session, match: Match) -> set[str]:
    """The seats that the pace gives the others a reason to wait no longer for: a deadline passed, or a steward keeps them."""
    return let_pass(session, match) | kept(session.exec(_people(match)))


def kept(seats: Iterable[SeatRow]) -> set[str]:
    """Those of the seats that a steward keeps for their player."""
    return {row.seat for row in seats if row.account_id and row.steward}


def absentees(session: Session, match: Match) -> list[SeatRow]:
    """The people whom the table may vote to replace: they are overdue, or letters to them come back."""
    seats = session.exec(_people(match).order_by(SeatRow.seat)).all()
    return among(seats, let_pass(session, match), troubled(session, match))


def among(seats: Iterable[SeatRow], late: set[str], troubled: set[str]) -> list[SeatRow]:
    """The same out of the table's seats, those that let deadlines pass, and those to which letters come back."""
    seats = list(seats)
    gone = late | kept(seats) | troubled
    return [row for row in seats if row.account_id and row.seat in gone]


def played_since(session: Session, match: Match, seat: str, serial: int) -> bool:
    """Whether the seat has answered the question no. `serial` or a later one, as everybody may know it."""
    found = select(EntryRow.n).where(
        EntryRow.match_id == match.id,
        EntryRow.actor == seat,
        EntryRow.ask != TABLE,
        EntryRow.mark == "",
        col(EntryRow.serial) >= max(serial, 1),
        EntryRow.serial != match.serial,
    )
    return session.exec(found.limit(1)).first() is not None
