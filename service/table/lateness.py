"""Who lets deadlines pass, as everybody at the table may know it."""

from __future__ import annotations

from sqlmodel import Session, col, select

from engine.match import DEFAULT, TABLE
from service.store.models import Account, EntryRow, Match, SeatRow


def let_pass(session: Session, match: Match) -> set[str]:
    """The seats of people whose last deadline has passed, as everybody may know it.

    `Seat.missed` counts defaults that only their seat may know of, and an answer that still lies sealed ends its
    count; so this reads the public side of the log, but for the step that is open.
    """
    people = select(SeatRow.seat).where(SeatRow.match_id == match.id, col(SeatRow.account_id).is_not(None))
    return {seat for seat in session.exec(people).all() if _last_mark(session, match, seat) == DEFAULT}


def _last_mark(session: Session, match: Match, seat: str) -> str | None:
    answered = (col(EntryRow.actor) == seat) & (col(EntryRow.ask) != TABLE) & (col(EntryRow.serial) != match.serial)
    # Whoever has done something about the seat since, its owner or a substitute, begins anew.
    own = (col(EntryRow.ask) == TABLE) & ((col(EntryRow.actor) == seat) | (col(EntryRow.move) == f"replace seat={seat}"))
    found = select(EntryRow.mark).where(EntryRow.match_id == match.id, answered | own)
    return session.exec(found.order_by(col(EntryRow.n).desc()).limit(1)).first()


def overdue(session: Session, match: Match) -> set[str]:
    """The seats that the pace gives the others a reason to wait no longer for: a deadline passed, or a steward keeps them."""
    kept = select(SeatRow.seat).where(SeatRow.match_id == match.id, col(SeatRow.account_id).is_not(None), SeatRow.steward != "")
    return let_pass(session, match) | set(session.exec(kept))


def absentees(session: Session, match: Match) -> list[SeatRow]:
    """The people whom the table may vote to replace: they are overdue, or letters to them come back."""
    late = overdue(session, match)
    found = (
        select(SeatRow, Account)
        .join(Account, col(Account.id) == SeatRow.account_id)
        .where(SeatRow.match_id == match.id)
        .order_by(SeatRow.seat)
    )
    return [s for s, account in session.exec(found) if s.seat in late or account.bounced_at is not None]


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
