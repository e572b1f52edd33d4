"""Reminders before a deadline: each once, none after the answer.

Steps are `half` (of the time) or a span before the deadline: `6h`, `90m`, `2d`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from service.store.models import Account, AskRow, SeatRow, now

STEP = re.compile(r"([1-9][0-9]{0,4})([smhd])")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def at(step: str, opened: datetime, due: datetime) -> datetime | None:
    """When a step is due; None if the time is too short for it."""
    if step == "half":
        return opened + (due - opened) / 2
    found = STEP.fullmatch(step)
    if found is None:
        return None
    moment = due - timedelta(seconds=int(found[1]) * UNITS[found[2]])
    return moment if moment > opened else None


def steps(ladder: Iterable[str], opened: datetime, due: datetime) -> list[tuple[datetime, str]]:
    return sorted((moment, step) for step in ladder if (moment := at(step, opened, due)) is not None)


def next_at(ladder: Iterable[str], opened: datetime, due: datetime, after: datetime) -> datetime | None:
    return min((moment for moment, _ in steps(ladder, opened, due) if moment > after), default=None)


def again(session: Session, account: Account) -> None:
    mine = select(AskRow).join(SeatRow, (col(SeatRow.match_id) == AskRow.match_id) & (col(SeatRow.seat) == AskRow.seat))
    for ask in session.exec(mine.where(SeatRow.account_id == account.id, col(AskRow.answered_at).is_(None))).all():
        if ask.due_at is not None:
            ask.remind_at = next_at(account.ladder, ask.opened_at, ask.due_at, now())
