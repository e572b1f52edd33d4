"""Deadlines: when an open question is due, when it falls, and what the time bank makes of it.

A deadline is a row of `asks`: it survives restarts and clock changes, and a service that was down gives what fell due
meanwhile its grace first.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from sqlmodel import Session, col, select

from engine.games import game_called
from service.clock.arithmetic import Rest
from service.clock.pace import Pace
from service.store.database import settings_of
from service.store.models import Absence, Account, Beat, Match, SeatRow, now

BEAT = "sweep"
"""The beat by which the service knows that it was awake."""
OWN_HAND = frozenset(("page", "reply", "api"))
"""How an answer comes that its player gave there and then."""


def steward(match: Match) -> str:
    """The bot that keeps an absent player's seat."""
    return game_called(match.game).steward


def rest_of(session: Session, match: Match, seat: SeatRow, pace: Pace, absences: Iterable[Absence] | None = None) -> Rest:
    """When the clock of a seat stands still, and its quiet hours; `absences` are those at the table, where they are known."""
    account = session.get(Account, seat.account_id) if seat.account_id else None
    if absences is None:
        absences = session.exec(select(Absence).where(Absence.match_id == match.id, col(Absence.seat).in_(("", seat.seat))))
    here = (a for a in absences if a.seat in ("", seat.seat))
    away = tuple((a.starts_at, a.ends_at) for a in here if a.starts_at < a.ends_at)
    if account is None:
        return Rest(away=away)
    off = pace.weekends == "off" or (pace.weekends == "own" and account.weekends_off)
    return Rest(account.zone, off, account.quiet_from, account.quiet_to, away)


# --- a service that was down ------------------------------------------------------------------------------------------


def awake(session: Session) -> bool:
    """Whether the service has been running; no deadline falls before it has noticed that it was not."""
    beat = session.get(Beat, BEAT)
    return beat is not None and now() - beat.at <= timedelta(seconds=settings_of(session).down_seconds)


# --- who is waited for ------------------------------------------------------------------------------------------------
