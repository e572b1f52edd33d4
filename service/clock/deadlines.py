"""Clocks of questions: started, stopped, resumed, recomputed; `service.clock.recipe` computes the times."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from engine.games import game_called
from service.clock import pace as paces
from service.clock import recipe
from service.clock.arithmetic import Span, worked
from service.clock.pace import Pace
from service.clock.recipe import Recipe, Stops, rhythm_of
from service.store.database import settings_of
from service.store.models import Absence, Account, AskRow, Beat, Match, SeatRow, Standstill, now

BEAT = "sweep"
MAIL = "mail"
"""Row of `beats` during a mail outage, with its start; the sweep writes it."""
OWN_HAND = frozenset(("page", "reply", "api"))
"""Answers given by the player directly."""
DECENT = (0.03, 0.3)
"""Delay of a kept answer: shares of the reaction time."""


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


# --- what stops clocks ------------------------------------------------------------------------------------------------


def stops_of(session: Session, match_id: str, stored: bool = False) -> Stops:
    """All stops of a game's clocks; `stored`: without a present outage."""
    session.flush()
    absences = session.exec(select(Absence).where(Absence.match_id == match_id)).all()
    standstills = session.exec(select(Standstill).where(Standstill.match_id == match_id)).all()
    if stored:
        return Stops(absences, standstills)
    beats = {beat.name: beat.at for beat in session.exec(select(Beat).where(col(Beat.name).in_((BEAT, MAIL))))}
    return Stops(absences, standstills, ongoing(beats.get(BEAT), beats.get(MAIL), settings_of(session).down_seconds))


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
    """Questions with shown deadlines: open, or answered in secret."""
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
    """As `again`, from loaded rows."""
    moved = []
    with session.no_autoflush:  # one UPDATE for all
        for ask in asks:
            before = ask.due_at
            reckon(session, match, seats[ask.seat], ask, stops)
            if ask.due_at != before:
                moved.append(ask)
    return moved


# --- a question's clock -----------------------------------------------------------------------------------------------


def open_question(session: Session, match: Match, seat: SeatRow, ask: AskRow, turn_mark: str, stops: Stops) -> None:
    """Add a question's row and start its clock; steps with one `turn_mark` share its time."""
    pace = paces.of(match.pace)
    ask.allowed = pace.reaction
    if turn_mark:
        if seat.turn_mark != turn_mark:
            # Time left of the last turn was played early.
            _save(seat, pace, seat.turn_left if seat.turn_mark else 0)
            seat.turn_mark, seat.turn_left = turn_mark, pace.turn
        ask.allowed = max(seat.turn_left, 60 if pace.turn > 60 else 1)
    freeze(session, match, seat, ask)
    reckon(session, match, seat, ask, stops)
    session.add(ask)


def open_offer(session: Session, match: Match, seat: SeatRow, ask: AskRow, timed: bool, stops: Stops) -> None:
    """Start a proposal's clock: at its end it lapses; none unless `timed`."""
    ask.answered_at = None
    session.add(ask)
    if not timed:
        ask.recipe, ask.due_at, ask.falls_at, ask.remind_at = {}, None, None, None
        return
    ask.allowed, ask.extended, ask.given = paces.of(match.pace).reaction, 0, 0
    freeze(session, match, seat, ask)
    reckon(session, match, seat, ask, stops)


def keep_back(match: Match, ask: AskRow) -> None:
    """Give the kept answer after a random delay."""
    pause = random.SystemRandom().uniform(*DECENT) * paces.of(match.pace).reaction
    ask.kept_at = now() + timedelta(seconds=pause)
    if ask.recipe:
        recipe.changed(ask, kept_from=now(), kept_for=pause)


def keep_to_deadline(ask: AskRow) -> None:
    """Give the kept answer at the deadline."""
    ask.kept_at = ask.due_at
    if ask.recipe:
        recipe.changed(ask, kept_from=None)


def park(ask: AskRow) -> None:
    """Stop a question's clock while another question interrupts it."""
    if ask.recipe and recipe.of(ask).parked_at is None:
        recipe.changed(ask, parked_at=now())
    ask.falls_at, ask.remind_at = None, None


def unpark(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops) -> None:
    """Resume a parked question's clock with the time left, at least the grace period."""
    if not adopt(session, match, seat, ask):
        return
    known, bank = recipe.of(ask), seat.bank if ask.serial > 0 else 0
    if known.parked_at is not None:
        recipe.changed(ask, parked=(*known.parked, (known.parked_at, now())), parked_at=None, bank=bank)
    _leave_grace(session, match, seat, ask, stops)


def reopen(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops) -> None:
    """Reopen an answered question with its old deadline, at least the grace period."""
    ask.answered_at, ask.kept, ask.kept_at = None, "", None
    if not adopt(session, match, seat, ask):
        freeze(session, match, seat, ask)
    recipe.changed(ask, bank=seat.bank if ask.serial > 0 else 0)
    _leave_grace(session, match, seat, ask, stops)


def _leave_grace(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops) -> None:
    reckon(session, match, seat, ask, stops)
    if ask.due_at is not None and ask.due_at <= now():
        known = recipe.of(ask)
        recipe.changed(ask, least=(*known.least, (now(), known.grace)))
        reckon(session, match, seat, ask, stops)


def close_ask(session: Session, match: Match, seat: SeatRow, ask: AskRow, via: str, turn: bool, stops: Stops) -> None:
    """Stop an answered question's clock, or a proposal's, for which no time is saved or lost. `via` "": cancelled."""
    ask.answered_at, ask.remind_at = now(), None
    if ask.serial < 0 or ask.due_at is None or not adopt(session, match, seat, ask):
        return
    pace = paces.of(match.pace)
    left = int(recipe.left(ask, stops, now()))
    if turn:
        seat.turn_left = min(left, pace.turn)
    if via in OWN_HAND:
        seat.missed = 0
        late = worked(ask.due_at, now(), recipe.rest(ask, stops)) - recipe.of(ask).grace
        if late > 0:
            seat.bank = max(0, seat.bank - late)
        elif not turn:
            # Extended time isn't saved.
            _save(seat, pace, min(left, max(0, int(ask.allowed - recipe.spent(ask, stops, now())))))
    elif via == "clock":
        seat.bank = 0


def _save(seat: SeatRow, pace: Pace, left: int) -> None:
    seat.bank = max(seat.bank, min(pace.bank, seat.bank + left * pace.saved // 100))
