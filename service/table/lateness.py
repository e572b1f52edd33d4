"""Missed deadlines, as far as they are public."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from engine.play.match import DEFAULT, TABLE
from service.post.ledger import troubled
from service.store.models import EntryRow, Match, SeatRow


def let_pass(session: Session, match: Match) -> set[str]:
    """Seats that missed their last public deadline, by the log: `Seat.missed` counts secret ones, too."""
    seat = col(SeatRow.seat)
    answered = (col(EntryRow.actor) == seat) & (col(EntryRow.ask) != TABLE) & (col(EntryRow.serial) != match.serial)
    # An ignored proposal is no missed deadline.
    answered &= (col(EntryRow.serial) >= 0) | (col(EntryRow.mark) != DEFAULT)
    # An own action or a substitute resets it.
    own = (col(EntryRow.ask) == TABLE) & ((col(EntryRow.actor) == seat) | (col(EntryRow.move) == "replace seat=" + seat))
    newest = select(EntryRow.mark).where(EntryRow.match_id == SeatRow.match_id, answered | own)
    mark = newest.order_by(col(EntryRow.n).desc()).limit(1).correlate(SeatRow).scalar_subquery()
    people = select(SeatRow.seat).where(SeatRow.match_id == match.id, col(SeatRow.account_id).is_not(None))
    return set(session.exec(people.where(mark == DEFAULT)))


def _people(match: Match) -> SelectOfScalar[SeatRow]:
    return select(SeatRow).where(SeatRow.match_id == match.id, col(SeatRow.account_id).is_not(None))


def overdue(session: Session, match: Match) -> set[str]:
    """Seats that others needn't wait for: late, or kept by a steward."""
    return let_pass(session, match) | kept(session.exec(_people(match)))


def kept(seats: Iterable[SeatRow]) -> set[str]:
    return {row.seat for row in seats if row.account_id and row.steward}


def absentees(session: Session, match: Match) -> list[SeatRow]:
    """Players that the table may vote to replace: overdue, or with bouncing letters."""
    seats = session.exec(_people(match).order_by(SeatRow.seat)).all()
    return among(seats, let_pass(session, match), troubled(session, match))


def among(seats: Iterable[SeatRow], late: set[str], troubled: set[str]) -> list[SeatRow]:
    seats = list(seats)
    gone = late | kept(seats) | troubled
    return [row for row in seats if row.account_id and row.seat in gone]


def played_since(session: Session, match: Match, seat: str, serial: int) -> bool:
    """Whether the seat has publicly answered question `serial` or a later one."""
    found = select(EntryRow.n).where(
        EntryRow.match_id == match.id,
        EntryRow.actor == seat,
        EntryRow.ask != TABLE,
        EntryRow.mark == "",
        col(EntryRow.serial) >= max(serial, 1),
        EntryRow.serial != match.serial,
    )
    return session.exec(found.limit(1)).first() is not None
