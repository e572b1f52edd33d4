"""Deadlines in the database: what stops the clocks of a game, whether the service was down, and computing deadlines again.

A deadline is a row of `asks`, so it outlives restarts. Its moment is computed by `service.clock.recipe` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from engine.games import game_called
from service.clock import pace as paces
from service.clock import recipe
from service.clock.arithmetic import Span
from service.clock.recipe import Recipe, Stops, rhythm_of
from service.store.database import settings_of
from service.store.models import Absence, Account, AskRow, Beat, Match, SeatRow, Standstill, now

BEAT = "sweep"
"""The beat by which the service knows that it ran."""
MAIL = "mail"
"""The row of `beats` that stands while no letter can leave, with the moment since when; the sweep writes and removes it."""
OWN_HAND = frozenset(("page", "reply", "api"))
"""How an answer comes that its player gave there and then."""


def steward(match: Match) -> str:
    """The bot that keeps an absent player's seat."""
    return game_called(match.game).steward


# --- an outage --------------------------------------------------------------------------------------------------------


def awake(session: Session) -> bool:
    """Whether the service has been running and letters could leave; nothing falls due before an outage is stored."""
    beat = session.get(Beat, BEAT, populate_existing=True)
    if session.get(Beat, MAIL, populate_existing=True) is not None:
        return False
    return beat is not None and now() - beat.at <= timedelta(seconds=settings_of(session).down_seconds)


def ongoing(beat: datetime | None, mail: datetime | None, down_seconds: int) -> Span | None:
    """The outage that isn't stored yet, by the last beat and by the moment since when no letter can leave."""
    since = [mail] if mail is not None else []
    if beat is not None and now() - beat > timedelta(seconds=down_seconds):
        since.append(beat)
    return (min(since), now()) if since else None


def ongoing_in(session: Session) -> Span | None:
    """The same, read from the database."""
    beats = {beat.name: beat.at for beat in session.exec(select(Beat).where(col(Beat.name).in_((BEAT, MAIL))))}
    return ongoing(beats.get(BEAT), beats.get(MAIL), settings_of(session).down_seconds)


# --- what stops clocks ------------------------------------------------------------------------------------------------


def stops_of(session: Session, match_id: str, stored: bool = False) -> Stops:
    """Everything that stops clocks of a game; of what is `stored` alone, nothing of an outage that goes on."""
    session.flush()
    absences = session.exec(select(Absence).where(Absence.match_id == match_id)).all()
    standstills = session.exec(select(Standstill).where(Standstill.match_id == match_id)).all()
    return Stops(absences, standstills, None if stored else ongoing_in(session))


# --- computing again --------------------------------------------------------------------------------------------------


def freeze(session: Session, match: Match, seat: SeatRow, ask: AskRow) -> None:
    """Start the recipe of a question: its player's rhythm, grace and time bank as they are now."""
    pace, account = paces.of(match.pace), session.get(Account, seat.account_id) if seat.account_id else None
    bank = seat.bank if ask.serial > 0 else 0  # a proposal has no time bank
    recipe.store(ask, Recipe(rhythm_of(account, pace), pace.grace, bank))


def adopt(session: Session, match: Match, seat: SeatRow, ask: AskRow) -> bool:
    """Give a recipe to a question that was opened before recipes were stored, or whose player has left. False where no clock
    runs for it. Its deadline doesn't come nearer by that."""
    if ask.recipe:
        return True
    if ask.due_at is None:
        return False
    freeze(session, match, seat, ask)
    recipe.changed(ask, not_before=ask.due_at, parked_at=now() if ask.falls_at is None else None)
    return True


def reckon(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops | None = None) -> None:
    """Compute a question's deadline from its recipe."""
    if not adopt(session, match, seat, ask):
        return
    account = session.get(Account, seat.account_id) if seat.account_id else None
    recipe.reckon(ask, stops or stops_of(session, match.id), account.ladder if account is not None else None)
    session.add(ask)


def questions(session: Session, match: Match, seats: Iterable[str] | None = None) -> list[AskRow]:
    """The questions whose deadlines are shown: those that are open, and those that are answered in secret, for their deadlines
    move alike: the others' to a question that is open, and all to the one of the step."""
    other = aliased(AskRow)
    open_beside = select(other.serial).where(other.match_id == match.id, col(other.answered_at).is_(None))
    shown = or_(col(AskRow.answered_at).is_(None), col(AskRow.serial) == match.serial, col(AskRow.serial).in_(open_beside))
    found = select(AskRow).where(AskRow.match_id == match.id, shown).order_by(AskRow.seat, col(AskRow.serial))
    return [ask for ask in session.exec(found).all() if seats is None or ask.seat in seats]


def again(session: Session, match: Match, seats: Iterable[SeatRow], stops: Stops | None = None) -> list[AskRow]:
    """Compute deadlines of some seats again, after an absence, a pause, a standstill; the questions whose deadline moved."""
    session.flush()
    by_letter = {seat.seat: seat for seat in seats}
    asks = questions(session, match, by_letter)
    moved = reckon_all(session, match, by_letter, asks, stops or stops_of(session, match.id))
    session.flush()
    return moved


def reckon_all(
    session: Session, match: Match, seats: Mapping[str, SeatRow], asks: Iterable[AskRow], stops: Stops
) -> list[AskRow]:
    """Compute the deadlines of questions again; those that moved."""
    moved = []
    with session.no_autoflush:  # all of them are written in one statement
        for ask in asks:
            before = ask.due_at
            reckon(session, match, seats[ask.seat], ask, stops)
            if ask.due_at != before:
                moved.append(ask)
    return moved
