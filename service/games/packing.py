"""Packed logs: what a finished game has come to, kept in one compressed row in place of hundreds.

The database refuses to change or delete rows of a log, but for one case that its own triggers know: the game is finished, and
its log lies packed in `packed_logs`, which is append-only itself. Whoever reads a log reads it through `service.games.entries`,
which knows both forms.
"""

from __future__ import annotations

import zlib
from datetime import datetime
from typing import Any, Protocol

import msgspec
from sqlalchemy import delete, exists
from sqlmodel import Session, SQLModel, col, select

from service.store.models import EntryRow, EventRow, Match, MatchStatus, PackedLog, Submission

ENTRIES = ("n", "at", "actor", "ask", "serial", "mark", "sealed_move", "sealed_via", "prev", "hash", "move", "via")
EVENTS = ("n", "i", "kind", "facts", "only_seats", "but_seats")
"""What is kept of each row, in this order; the match is that of the packed row."""


def due(session: Session, limit: datetime, most: int) -> list[str]:
    """Games that ended before the limit and whose logs aren't packed, the oldest first."""
    packed = exists().where(col(PackedLog.match_id) == Match.id)
    ended = (Match.status == MatchStatus.FINISHED, col(Match.finished_at) < limit, ~packed)
    return list(session.exec(select(Match.id).where(*ended).order_by(col(Match.finished_at)).limit(most)))


def pack(session: Session, match_id: str) -> bool:
    """Pack a log, and take its rows away; whether that was to be done: the game is finished, and nobody is at it."""
    free = select(Match).where(Match.id == match_id, Match.status == MatchStatus.FINISHED)
    match = session.exec(free.with_for_update(skip_locked=True)).first()
    if match is None or session.get(PackedLog, match_id) is not None:
        return False
    kept = []
    for table, names, order in (("entries", ENTRIES, ("n",)), ("events", EVENTS, ("n", "i"))):
        columns = SQLModel.metadata.tables[table].c
        rows = session.execute(
            select(*[columns[name] for name in names])
            .where(columns.match_id == match_id)
            .order_by(*[columns[name] for name in order])
        )
        kept.append(zlib.compress(msgspec.msgpack.encode([tuple(row) for row in rows]), 9))
    session.add(PackedLog(match_id=match_id, entries=kept[0], events=kept[1]))
    session.flush()  # first the packed log: the triggers look for it
    for row in (EntryRow, EventRow, Submission):  # what was on its way has long arrived: its moves stand in the log
        session.execute(delete(row).where(col(row.match_id) == match_id))
    match.snapshot = None  # made again from the log by whoever looks; see `service.games.state`
    session.add(match)
    return True


class Packed(Protocol):
    """A packed log, as a model or as a plain row."""

    @property
    def entries(self) -> bytes: ...
    @property
    def events(self) -> bytes: ...


def entries_of(packed: Packed) -> list[dict[str, Any]]:
    """The rows of `entries` that were packed, without the match."""
    return _rows(packed.entries, ENTRIES)


def events_of(packed: Packed) -> list[dict[str, Any]]:
    """The rows of `events` that were packed, without the match."""
    return _rows(packed.events, EVENTS)


def _rows(data: bytes, names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in msgspec.msgpack.decode(zlib.decompress(data))]
