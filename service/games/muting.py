"""Mute rules for free text outside of talk: votes and announcements arrive without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlmodel import Session, select

from engine.views import Event
from service.games.chronicle import PREFIX
from service.games.entries import Told
from service.store.models import EventRow, Mute

WRITER = "writer"
"""Fact with the writing seat."""
UNHEARD = {PREFIX + kind: f"{PREFIX}{kind}_unheard" for kind in ("announce_end", "ended_table")}
"""Events that quote free text, and the kinds without it."""
Row = TypeVar("Row", EventRow, Told)


def muted_by(session: Session, match_id: str, seat: str) -> set[str]:
    return set(session.exec(select(Mute.muted).where(Mute.match_id == match_id, Mute.seat == seat)))


def quotes(kind: str, facts: dict[str, object]) -> bool:
    """Whether an event quotes a player's free text."""
    return kind in UNHEARD and bool(facts.get(WRITER))


def heard(session: Session, match_id: str, seat: str | None, rows: Sequence[Row]) -> Sequence[Row]:
    """Events as a seat reads them. Queries only if one quotes somebody."""
    if not seat or not any(quotes(row.kind, row.facts) for row in rows):
        return rows
    muted = muted_by(session, match_id, seat)
    return [_unheard(row) if quotes(row.kind, row.facts) and row.facts[WRITER] in muted else row for row in rows]


def as_heard(session: Session, match_id: str, seat: str, event: Event) -> Event:
    (row,) = heard(session, match_id, seat, [Told(0, event.kind, event.facts, None, [])])
    return Event(row.kind, row.facts, event.only, event.but)


def _unheard(row: Row) -> Row:
    kind, facts = UNHEARD[row.kind], {name: fact for name, fact in row.facts.items() if name != "why"}
    if isinstance(row, EventRow):
        return EventRow(**row.model_dump() | {"kind": kind, "facts": facts})
    return row._replace(kind=kind, facts=facts)
