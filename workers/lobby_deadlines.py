"""Due lobby work: closes ready checks (musters), and seats bots after a day."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from service.games import lobby, muster
from service.settings import Settings
from service.store.database import each_alone, open_session
from service.store.models import Match, MatchStatus, now
from service.store.seats import seats_of

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
    due = [*((id, "muster_until") for id in mustered), *((id, "fill_at") for id in unfilled)]
    each_alone(settings, due, _settle, "table can't be settled", _put_off)
    return len(due)


def _settle(session: Session, key: tuple[str, str]) -> None:
    match_id, due = key
    match = session.get_one(Match, match_id, with_for_update={"key_share": True})
    if match.status == MatchStatus.LOBBY:
        (lobby.close_muster if due == "muster_until" else lobby.fill)(session, match)


def _put_off(session: Session, key: tuple[str, str]) -> None:
    match_id, due = key
    setattr(session.get_one(Match, match_id), due, now() + AGAIN)


def shorten(session: Session) -> None:
    """Cut musters' deadlines set or moved while the clock ran ahead."""
    late = select(Match).where(Match.status == MatchStatus.LOBBY, col(Match.muster_until) > now()).order_by(Match.id)
    for match in session.exec(late.with_for_update(key_share=True)):
        muster.shorten(session, match, seats_of(session, match))


def put_off(session: Session, start: datetime, end: datetime) -> None:
    """Move musters' deadlines, so that nobody loses time by an outage."""
    for match in session.exec(select(Match).where(col(Match.muster_until) > start).with_for_update(key_share=True)):
        assert match.muster_until is not None
        match.muster_until += end - start
    session.flush()
