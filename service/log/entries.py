"""Reads a match's log and events, from rows or the packed log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, tuple_
from sqlmodel import Session, col, func, select

from engine.core.views import Event
from engine.play import match as matches
from service.common.messages import sentence
from service.errors import NotFound
from service.log import packing
from service.store import bulk
from service.store.models import EntryRow, EventRow, Match, MatchStatus, PackedLog

TABLE = bulk.table_of(EntryRow)
ENTRIES = select(*(TABLE.c[name] for name in matches.Entry.__struct_fields__)).order_by(TABLE.c.n)
"""Without the ORM."""


def header_of(match: Match) -> matches.Header:
    """The log's header. Raises NotFound before the start."""
    if match.header is None:
        raise NotFound(sentence("The game has not started; there is no log yet."))
    return msgspec.json.decode(match.header, type=matches.Header)


def _rows(session: Session, match_id: str, which: ColumnElement[bool]) -> list[matches.Entry]:
    return [matches.Entry(*row) for row in session.execute(ENTRIES.where(TABLE.c.match_id == match_id, which))]


def stored_entries(session: Session, match_id: str, first: int = 1, last: int | None = None) -> list[matches.Entry]:
    """Entries `first` to `last` (None: the newest), oldest first."""
    found = _rows(session, match_id, TABLE.c.n >= first if last is None else TABLE.c.n.between(first, last))
    packed = session.get(PackedLog, match_id) if not found else None
    if packed is None:
        return found
    return [matches.Entry(**row) for row in packing.rows_of(packed.entries, packing.ENTRIES)[max(0, first - 1) : last]]


def times(session: Session, match_id: str, numbers: Collection[int]) -> dict[int, str]:
    """When entries were logged, by number."""
    columns = select(EntryRow.n, EntryRow.at).where(EntryRow.match_id == match_id, col(EntryRow.n).in_(numbers))
    return dict(session.exec(columns).all()) or {e.n: e.at for e in stored_entries(session, match_id) if e.n in numbers}


def undone(session: Session, match: Match) -> set[int]:
    """Numbers of entries that don't count: answers taken back, and the take-backs."""
    if not match.take_back:
        return set()
    backs = _rows(session, match.id, TABLE.c.ask == matches.TAKE_BACK)
    if not backs and session.get(PackedLog, match.id) is not None:
        backs = stored_entries(session, match.id)
    return undone_by(backs)


def undone_by(entries: Iterable[matches.Entry]) -> set[int]:
    """Numbers of these take-backs and of the entries undone."""
    backs = (e for e in entries if e.ask == matches.TAKE_BACK)
    return {n for e in backs for n in range(matches.returns_to(e) + 1, e.n + 1)}


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
        for row in packing.rows_of(packed.events, packing.EVENTS)
        if begin <= (row["n"], row["i"]) and (end is None or (row["n"], row["i"]) < end) and (not kinds or row["kind"] in kinds)
    ]


class EventRecord(NamedTuple):
    """A lean event row for bulk reads."""

    n: int
    kind: str
    facts: dict[str, Any]
    only_seats: list[str] | None
    but_seats: list[str]
    at: str = ""
    """Time of its entry; empty if not read."""


OF_EVENT = EventRecord._fields[:-1]
"""Columns of the event's own row."""


def event_values(match_id: str, n: int, i: int, event: Event) -> dict[str, Any]:
    only = list(event.only) if event.only is not None else None
    facts, but = dict(event.facts), list(event.but)
    return {"match_id": match_id, "n": n, "i": i, "kind": event.kind, "facts": facts, "only_seats": only, "but_seats": but}


def store(
    session: Session,
    match_id: str,
    before: int,
    entries: Sequence[matches.Entry],
    told: Iterable[tuple[int, Sequence[Event]]],
    whispered: Sequence[Event],
) -> None:
    """Append entries after `before` others, with their events; `whispered` ones follow the last's."""
    bulk.add_values(session, EntryRow, [{"match_id": match_id, **msgspec.structs.asdict(e)} for e in entries])
    numbered = [(n, i, event) for n, events in told for i, event in enumerate(events)]
    if whispered:
        n = before + len(entries)
        first = max([next_event(session, match_id, n), *(i + 1 for m, i, _ in numbered if m == n)])
        numbered += [(n, first + i, event) for i, event in enumerate(whispered)]
    bulk.add_values(session, EventRow, [event_values(match_id, *one) for one in numbered])


def next_event(session: Session, match_id: str, n: int) -> int:
    last = session.exec(select(func.max(EventRow.i)).where(EventRow.match_id == match_id, EventRow.n == n)).one()
    return 0 if last is None else last + 1


def as_event(row: EventRow | EventRecord) -> Event:
    only = tuple(row.only_seats) if row.only_seats is not None else None
    return Event(row.kind, row.facts, only, tuple(row.but_seats))
