"""The seats of a table, for whatever room asks."""

from __future__ import annotations

from sqlmodel import Session, select

from service.store.models import SeatRow


def names_of(session: Session, match_id: str) -> dict[str, str]:
    """The names at a table now, by their seats: a seat may have changed hands since the header was written."""
    return {s.seat: s.name for s in session.exec(select(SeatRow).where(SeatRow.match_id == match_id))}
