"""Reads a match's log and events, from rows or the packed log."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import tuple_
from sqlmodel import Session, col, select

from engine import match as matches
from engine.views import Event
from service.games import packing
from service.store.models import EntryRow, EventRow, Match, MatchStatus, PackedLog


def stored_entries(session: Session, match_id: str, first: int = 1, last: int | None = None) -> list[matches.Entry]:
    """Entries with numbers from `first` to `last` (None: the newest), oldest first."""
    table = EntryRow.__table__  # type: ignore[attr-defined]  # SQLModel's types leave it out
    columns = [table.c[name] for name in matches.Entry.__struct_fields__]
    query = select(*columns).where(table.c.match_id == match_id, table.c.n >= first)
    if last is not None:
        query = query.where(table.c.n <= last)
    found = [matches.Entry(*r) for r in session.execute(query.order_by(table.c.n))]
    packed = session.get(PackedLog, match_id) if not found else None
    return found if packed is None else [matches.Entry(**row) for row in packing.entries_of(packed)[max(0, first - 1) : last]]


Place = tuple[int, int]
"""(entry number, event number)."""


def stored_events(
    session: Session, match: Match, begin: Place = (0, 0), end: Place | None = None, kinds: Collection[str] = ()
) -> Sequence[EventRow]:
    """Events in [begin, end) of these kinds (none: all), oldest first."""
    place = tuple_(col(EventRow.n), col(EventRow.i))
    found = select(EventRow).where(EventRow.match_id == match.id, place >= begin)
    if end is not None:
        found = found.where(place < end)
    if kinds:
        found = found.where(col(EventRow.kind).in_(kinds))
    rows = session.exec(found.order_by(col(EventRow.n), col(EventRow.i))).all()
    packed = session.get(PackedLog, match.id) if not rows and match.status == MatchStatus.FINISHED else None
    if packed is None:
        return rows
    return [
        EventRow(match_id=match.id, **row)
        for row in packing.events_of(packed)
        if begin <= (row["n"], row["i"]) and (end is None or (row["n"], row["i"]) < end) and (not kinds or row["kind"] in kinds)
    ]


class Told(NamedTuple):
    """A light event row, for bulk reads."""

    n: int
    kind: str
    facts: dict[str, Any]
    only_seats: list[str] | None
    but_seats: list[str]
    at: str = ""
    """Time of its entry; empty if not read."""


OF_EVENT = Told._fields[:-1]
"""Columns of the event's own row."""


def as_event(row: EventRow | Told) -> Event:
    only = tuple(row.only_seats) if row.only_seats is not None else None
    return Event(row.kind, row.facts, only, tuple(row.but_seats))
