"""Counts by status that don't grow with the past: what has come to its last status is counted once an hour."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, delete, select

from service.store.models import Letter, LetterStatus, Match, MatchStatus, Tally, now

MANY = 10_000
"""As long as there are fewer, they are counted whenever it is asked."""
LAST: dict[str, tuple[Any, Collection[StrEnum]]] = {
    "games": (Match.status, (MatchStatus.FINISHED,)),
    "letters": (Letter.status, (LetterStatus.SENT, LetterStatus.DROPPED, LetterStatus.FAILED, LetterStatus.BOUNCED)),
}
"""What is counted: the column, and the statuses that nothing leaves any more."""


def by_status(session: Session, what: str) -> dict[str, int]:
    """How many there are in each status; of the last ones, where there are many, how many there were within the hour."""
    column, last = LAST[what]
    told = {f"{what} {status}": str(status) for status in last}
    kept = {told[t.name]: t.n for t in session.exec(select(Tally).where(col(Tally.name).in_(told)))}
    # The others are named: by those alone that aren't wanted, an index would be read from end to end.
    wanted = [status for status in type(next(iter(last))) if str(status) not in kept]
    rows = session.exec(select(column, func.count()).where(col(column).in_(wanted)).group_by(column))
    return {str(status): n for status, n in rows} | kept


def renew(session: Session) -> None:
    """Count what has come to its last status, and keep it where it is many."""
    for what, (column, last) in LAST.items():
        for status in last:
            name = f"{what} {status}"
            n = session.exec(select(func.count()).where(column == status)).one()
            if n > MANY:
                session.merge(Tally(name=name, n=n, at=now()))
            else:
                session.exec(delete(Tally).where(col(Tally.name) == name))
