"""Counters: rows by final status, counted hourly and cached, and lesson steps, counted as they are done."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any

from sqlalchemy import func, update
from sqlmodel import Session, col, delete, select

from service.store import bulk
from service.store.models import Letter, LetterStatus, Match, MatchStatus, Tally, now

MANY = 10_000
"""Below this, rows are counted on each request."""
LAST: dict[str, tuple[Any, Collection[StrEnum]]] = {
    "games": (Match.status, (MatchStatus.FINISHED,)),
    "letters": (Letter.status, (LetterStatus.SENT, LetterStatus.DROPPED, LetterStatus.FAILED, LetterStatus.BOUNCED)),
}
"""The column and its final statuses."""


def by_status(session: Session, what: str) -> dict[str, int]:
    """Count rows by status; large final ones up to an hour old."""
    column, last = LAST[what]
    told = {f"{what} {status}": str(status) for status in last}
    kept = {told[t.name]: t.n for t in session.exec(select(Tally).where(col(Tally.name).in_(told)))}
    # Named statuses use the index; NOT IN would scan all of it.
    wanted = [status for status in type(next(iter(last))) if str(status) not in kept]
    rows = session.exec(select(column, func.count()).where(col(column).in_(wanted)).group_by(column))
    return {str(status): n for status, n in rows} | kept


def renew(session: Session) -> None:
    """Recount the final statuses, and store the large ones."""
    for what, (column, last) in LAST.items():
        for status in last:
            name = f"{what} {status}"
            n = session.exec(select(func.count()).where(column == status)).one()
            if n > MANY:
                session.merge(Tally(name=name, n=n, at=now()))
            else:
                session.exec(delete(Tally).where(col(Tally.name) == name))


def count(session: Session, name: str) -> None:
    """Add 1 to a counter that can't be computed from rows."""
    bulk.add_unless_there(session, Tally(name=name, n=0))
    session.execute(update(Tally).where(col(Tally.name) == name).values(n=col(Tally.n) + 1))


def counted(session: Session, prefix: str) -> dict[str, int]:
    return {t.name: t.n for t in session.exec(select(Tally).where(col(Tally.name).startswith(prefix)))}
