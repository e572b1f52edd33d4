"""Deadlines in the database: what stops clocks, outages, recomputation. Only `service.clock.recipe` computes the times."""

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
MAIL = "mail"
"""Row of `beats` during a mail outage, with its start; the sweep writes it."""
OWN_HAND = frozenset(("page", "reply", "api"))
"""Answers given by the player directly."""


def steward(match: Match) -> str:
    return game_called(match.game).bots.steward


# --- an outage --------------------------------------------------------------------------------------------------------


def awake(session: Session) -> bool:
    """Whether there is no outage; nothing falls due before one is stored."""
    beat = session.get(Beat, BEAT, populate_existing=True)
    if session.get(Beat, MAIL, populate_existing=True) is not None:
        return False
    return beat is not None and now() - beat.at <= timedelta(seconds=settings_of(session).down_seconds)


def ongoing(beat: datetime | None, mail: datetime | None, down_seconds: int) -> Span | None:
    """The outage that isn't stored yet."""
    since = [mail] if mail is not None else []
    if beat is not None and now() - beat > timedelta(seconds=down_seconds):
        since.append(beat)
    return (min(since), now()) if since else None


def ongoing_in(session: Session) -> Span | None:
    """`ongoing`, from the database."""
    beats = {beat.name: beat.at for beat in session.exec(select(Beat).where(col(Beat.name).in_((BEAT, MAIL))))}
    return ongoing(beats.get(BEAT), beats.get(MAIL), settings_of(session).down_seconds)


# --- what stops clocks ------------------------------------------------------------------------------------------------


def stops_of(session: Session, match_id: str, stored: bool = False) -> Stops:
    """All stops of a game's clocks; `stored`: without a present outage."""
    session.flush()
    absences = session.exec(select(Absence).where(Absence.match_id == match_id)).all()
    standstills = session.exec(select(Standstill).where(Standstill.match_id == match_id)).all()
    return Stops(absences, standstills, None if stored else ongoing_in(session))


# --- computing again --------------------------------------------------------------------------------------------------


def freeze(session: Session, match: Match, seat: SeatRow, ask: AskRow) -> None:
    """Create a question's recipe from present rhythm, grace and time bank."""
    pace, account = paces.of(match.pace), session.get(Account, seat.account_id) if seat.account_id else None
    bank = seat.bank if ask.serial > 0 else 0  # proposals have no time bank
    recipe.store(ask, Recipe(rhythm_of(account, pace), pace.grace, bank))


def adopt(session: Session, match: Match, seat: SeatRow, ask: AskRow) -> bool:
    """Give a recipe to a question that has none because its player has left; its deadline gets no earlier. False if no clock
    runs.
    """
    if ask.recipe:
        return True
    if ask.due_at is None:
        return False
    freeze(session, match, seat, ask)
    recipe.changed(ask, not_before=ask.due_at, parked_at=now() if ask.falls_at is None else None)
    return True


def reckon(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops | None = None) -> None:
    """Compute a deadline; none at a table without a clock."""
    if not paces.of(match.pace).turn or not adopt(session, match, seat, ask):
        return
    account = session.get(Account, seat.account_id) if seat.account_id else None
    recipe.reckon(ask, stops or stops_of(session, match.id), account.ladder if account is not None else None)
    session.add(ask)


def questions(session: Session, match: Match, seats: Iterable[str] | None = None) -> list[AskRow]:
    """Questions with shown deadlines: open ones, and those answered in secret, which move alike."""
    other = aliased(AskRow)
    open_beside = select(other.serial).where(other.match_id == match.id, col(other.answered_at).is_(None))
    shown = or_(col(AskRow.answered_at).is_(None), col(AskRow.serial) == match.serial, col(AskRow.serial).in_(open_beside))
    found = select(AskRow).where(AskRow.match_id == match.id, shown).order_by(AskRow.seat, col(AskRow.serial))
    return [ask for ask in session.exec(found).all() if seats is None or ask.seat in seats]


def again(session: Session, match: Match, seats: Iterable[SeatRow]) -> list[AskRow]:
    """Recompute deadlines after a change of stops; returns the moved questions."""
    session.flush()
    by_letter = {seat.seat: seat for seat in seats}
    asks = questions(session, match, by_letter)
    moved = reckon_all(session, match, by_letter, asks, stops_of(session, match.id))
    session.flush()
    return moved


def reckon_all(
    session: Session, match: Match, seats: Mapping[str, SeatRow], asks: Iterable[AskRow], stops: Stops
) -> list[AskRow]:
    """Recompute deadlines; returns the moved questions."""
    moved = []
    with session.no_autoflush:  # one UPDATE for all
        for ask in asks:
            before = ask.due_at
            reckon(session, match, seats[ask.seat], ask, stops)
            if ask.due_at != before:
                moved.append(ask)
    return moved
