"""Due lobby work: closes ready checks (musters) at their deadline, and seats bots after a day."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select

from service.games import lobby
from service.settings import Settings
from service.store.database import is_away, open_session, transaction
from service.store.models import Match, MatchStatus, now

log = structlog.get_logger()
MOST = 200
AGAIN = timedelta(minutes=10)
"""Retry interval of a table that fails."""


def settle_due(settings: Settings) -> int:
    """Close due musters and fill due tables, one transaction each; returns how many. Safe to run concurrently: each match is
    locked and checked again.
    """
    with open_session(settings) as session:
        gathers = select(Match.id).where(Match.status == MatchStatus.LOBBY).limit(MOST)
        mustered = session.exec(gathers.where(col(Match.muster_until) <= now())).all()
        unfilled = session.exec(gathers.where(col(Match.fill_at) <= now())).all()
    for match_id in mustered:
        _settle(settings, match_id, "muster_until")
    for match_id in unfilled:
        _settle(settings, match_id, "fill_at")
    return len(mustered) + len(unfilled)


def _settle(settings: Settings, match_id: str, due: str) -> None:
    try:
        with transaction(settings) as session:
            match = session.exec(select(Match).where(Match.id == match_id).with_for_update()).one()
            if match.status == MatchStatus.LOBBY:
                (lobby.close_muster if due == "muster_until" else lobby.fill)(session, match)
    except Exception as problem:  # a failure must not block other tables
        log.error("table can't be settled", match=match_id, due=due, problem=type(problem).__name__)
        if isinstance(problem, SQLAlchemyError) and is_away(problem):
            return  # the next sweep tries again
        with transaction(settings) as session:
            setattr(session.get_one(Match, match_id), due, now() + AGAIN)


def put_off(session: Session, start: datetime, end: datetime) -> None:
    """Move musters' deadlines, so that nobody loses time by an outage."""
    for match in session.exec(select(Match).where(col(Match.muster_until) > start).with_for_update()):
        assert match.muster_until is not None
        match.muster_until += end - start
        session.add(match)
    session.flush()
