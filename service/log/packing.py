"""Packed logs: a finished game's log compressed into one row. Read them through `service.log.entries`.

Database triggers refuse changes to logs, except deletes once the finished game is in `packed_logs`, which is append-only.
"""

from __future__ import annotations

import hashlib
import zlib
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import delete, exists
from sqlmodel import Session, SQLModel, col, select

from service.common.memo import MemoCache
from service.store.models import EntryRow, EventRow, Match, MatchStatus, PackedLog, Submission

ENTRIES = ("n", "at", "actor", "ask", "serial", "mark", "sealed_move", "sealed_via", "prev", "hash", "move", "via")
EVENTS = ("n", "i", "kind", "facts", "only_seats", "but_seats")
"""Columns kept, in this order."""

BYTES_A_ROW = 2000
"""Size of an unpacked row, estimated."""
UNPACKED = MemoCache[list[dict[str, Any]]](64_000_000)


def due(session: Session, limit: datetime, most: int) -> list[str]:
    """Games to pack, oldest first."""
    packed = exists().where(col(PackedLog.match_id) == Match.id)
    ended = (Match.status == MatchStatus.FINISHED, col(Match.finished_at) < limit, ~packed)
    return list(session.exec(select(Match.id).where(*ended).order_by(col(Match.finished_at)).limit(most)))


def pack(session: Session, match_id: str) -> bool:
    """Compress a log and delete its rows. False if the game is unfinished, packed or locked."""
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
        kept.append(packed([tuple(row) for row in rows]))
    session.add(PackedLog(match_id=match_id, entries=kept[0], events=kept[1]))
    session.flush()  # before the deletes: their triggers look for it
    for row in (EntryRow, EventRow, Submission):  # submissions are in the log
        session.execute(delete(row).where(col(row.match_id) == match_id))
    match.snapshot = None  # rebuilt on demand; see `service.seat.state`
    return True


def packed(rows: list[Any]) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(rows), 9)


def count(entries: bytes) -> int:
    return len(msgspec.msgpack.decode(zlib.decompress(entries), type=list[msgspec.Raw]))


def rows_of(data: bytes, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Unpack rows of the columns ENTRIES or EVENTS. Cached: a step of the replay viewer reads it several times."""
    key = hashlib.sha256(data).digest()
    found = UNPACKED.get(key)
    if found is None:
        found = [dict(zip(names, row, strict=True)) for row in msgspec.msgpack.decode(zlib.decompress(data))]
        UNPACKED.keep(key, found, BYTES_A_ROW * len(found))
    return found
