"""Mute rules: what a seat sees of talk, and of free text in votes and announcements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, and_, func
from sqlmodel import Session, col, select

from engine.core.views import Event
from service.log.chronicle import PREFIX, SAID
from service.log.entries import EventRecord
from service.store.models import EventRow, Message, Mute, ReadMark, Thread

WRITER = "writer"
"""Fact that holds the writing seat."""
UNHEARD = {PREFIX + kind: f"{PREFIX}{kind}_unheard" for kind in ("announce_end", "ended_table")}
"""Events that quote free text, and the kinds that replace them without it."""
Row = TypeVar("Row", EventRow, EventRecord)


def muted_by(session: Session, match_id: str, seat: str) -> set[str]:
    return set(session.exec(select(Mute.muted).where(Mute.match_id == match_id, Mute.seat == seat)))


def quotes(kind: str, facts: dict[str, object]) -> bool:
    return kind in UNHEARD and bool(facts.get(WRITER))


def heard(session: Session, match_id: str, seat: str | None, rows: Sequence[Row]) -> Sequence[Row]:
    """Events as a seat reads them: without free text and bots' lines of muted seats. Queries only if there are any."""
    if not seat or not any(row.kind == SAID or quotes(row.kind, row.facts) for row in rows):
        return rows
    muted = muted_by(session, match_id, seat)
    rows = [row for row in rows if row.kind != SAID or row.facts["seat"] not in muted]
    return [_unheard(row) if quotes(row.kind, row.facts) and row.facts[WRITER] in muted else row for row in rows]


def as_heard(session: Session, match_id: str, seat: str, event: Event) -> Event:
    (row,) = heard(session, match_id, seat, [EventRecord(0, event.kind, event.facts, None, [])])
    return Event(row.kind, row.facts, event.only, event.but)


def _unheard(row: Row) -> Row:
    kind, facts = UNHEARD[row.kind], {name: fact for name, fact in row.facts.items() if name != "why"}
    if isinstance(row, EventRow):
        return EventRow(**row.model_dump() | {"kind": kind, "facts": facts})
    return row._replace(kind=kind, facts=facts)


def may_hear(match_id: Any, seat: Any) -> ColumnElement[bool]:
    """SQL condition: messages that a seat may read and hasn't muted."""
    members = col(Thread.members)
    shares = (members == "") | (func.replace(members, seat, "") != members)
    muted = select(Mute.muted).where(Mute.match_id == match_id, Mute.seat == seat)
    return and_(col(Thread.match_id) == match_id, shares, col(Message.seat).not_in(muted))


def not_read(query: Any, match_id: Any, seat: Any) -> Any:
    """Restrict a query to a seat's unread messages."""
    mark = (col(ReadMark.thread_id) == Message.thread_id) & (col(ReadMark.seat) == seat)
    query = query.join(Thread, col(Thread.id) == Message.thread_id).outerjoin(ReadMark, mark)
    new = col(ReadMark.at).is_(None) | (col(Message.at) > ReadMark.at)
    return query.where(may_hear(match_id, seat), Message.seat != seat, new)


def unread_number(match_id: Any, seat: Any) -> Any:
    """Scalar subquery: number of a seat's unread messages."""
    return not_read(select(func.count(col(Message.id))), match_id, seat).scalar_subquery()
