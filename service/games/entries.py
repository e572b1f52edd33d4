"""The stored log: its entries and events as the engine has them."""

from __future__ import annotations

from sqlmodel import Session, select

from engine import match as matches
from engine.views import Event
from service.store.models import EntryRow, EventRow


def stored_entries(session: Session, match_id: str) -> list[matches.Entry]:
    """The log of a match, whole."""
    table = EntryRow.__table__  # type: ignore[attr-defined]  # SQLModel's types leave it out
    columns = [table.c[name] for name in matches.Entry.__struct_fields__]
    rows = session.execute(select(*columns).where(table.c.match_id == match_id).order_by(table.c.n))
    return [matches.Entry(*r) for r in rows]


def as_event(row: EventRow) -> Event:
    """A stored event as the engine's."""
    only = tuple(row.only_seats) if row.only_seats is not None else None
    return Event(row.kind, row.facts, only, tuple(row.but_seats))
