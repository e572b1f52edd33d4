"""Whom a game waits for, as everybody may know it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, select

from engine.asks import Seat
from service.games.state import state_of
from service.store.models import AskRow, Match, MatchStatus


@dataclass(frozen=True)
class Wait:
    """A seat that is asked, and until when. Nothing of its time bank, which would tell how its answers come."""

    seat: Seat
    since: datetime
    due_at: datetime | None


def shown_waits(session: Session, match: Match) -> list[Wait]:
    """Whom the game waits for, as everybody may know it: while answers lie sealed, all who were asked."""
    if match.status != MatchStatus.RUNNING or match.snapshot is None:
        return []
    state = state_of(match)
    found = select(AskRow).where(AskRow.match_id == match.id, AskRow.serial == match.serial).order_by(AskRow.seat)
    waiting = set(state.waiting) | set(state.sealed)
    return [Wait(a.seat, a.opened_at, a.due_at) for a in session.exec(found) if a.seat in waiting]
