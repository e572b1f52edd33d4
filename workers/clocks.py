"""Deadlines open, close, move and fall.

A deadline is a row of `asks`: it survives restarts and clock changes, and a service that was down gives what fell due
meanwhile its grace first.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from engine.asks import NotLegal
from service.clock import pace as paces
from service.clock import reminders
from service.clock.arithmetic import Rest, due, worked
from service.clock.deadlines import BEAT, OWN_HAND, rest_of
from service.clock.pace import Pace
from service.ground.phrases import nsentence, sentence
from service.store.database import settings_of
from service.store.models import Absence, Account, AskRow, Beat, Match, Notice, NoticeStatus, SeatRow, now

AFTER_PAUSE = 12 * paces.HOUR
"""Seconds that remain of a deadline after a pause that ended sooner than it was told; fewer where a question has fewer."""
STOPPABLE = timedelta(hours=6)
"""After a gap, before what was announced and fell due in it takes effect."""
DECENT = (0.03, 0.3)
"""A decent pause: from and to, as shares of the reaction time."""


def open_ask(
    session: Session, match: Match, seat: SeatRow, ask: AskRow, turn_mark: str, absences: Iterable[Absence] | None = None
) -> None:
    """Set the clock of a new ask. Steps of one turn, told by `turn_mark`, share its time.

    `absences` here and below are those at the table, where they are known.
    """
    pace = paces.of(match.pace)
    ask.allowed = pace.reaction
    if turn_mark:
        if seat.turn_mark != turn_mark:
            # What was left of the turn before is what its owner played early.
            _save(seat, pace, seat.turn_left if seat.turn_mark else 0)
            seat.turn_mark, seat.turn_left = turn_mark, pace.turn
        ask.allowed = max(seat.turn_left, 60 if pace.turn > 60 else 1)
    _set(session, match, seat, ask, pace, absences)
    session.add(seat)


def _set(
    session: Session, match: Match, seat: SeatRow, ask: AskRow, pace: Pace, absences: Iterable[Absence] | None = None
) -> None:
    rest = rest_of(session, match, seat, pace, absences)
    ask.due_at = due(ask.opened_at, max(0, ask.allowed + ask.extended), rest)
    _time_falls(session, seat, ask, pace, rest)


def _time_falls(session: Session, seat: SeatRow, ask: AskRow, pace: Pace, rest: Rest) -> None:
    """Reckon when the default is played, and the next reminder, from the deadline. A proposal has no time bank."""
    assert ask.due_at is not None
    ask.falls_at = due(ask.due_at, pace.grace + (seat.bank if ask.serial > 0 else 0), rest)
    account = session.get(Account, seat.account_id) if seat.account_id else None
    ask.remind_at = None
    if ask.answered_at is None:
        ask.remind_at = reminders.next_at(account.ladder if account else [], ask.opened_at, ask.due_at, now())
    session.add(ask)


def open_offer(session: Session, match: Match, seat: SeatRow, ask: AskRow, timed: bool = True) -> None:
    """Set the clock of a proposal that was put to a seat: its life ends then, if the game doesn't end it before. One that is
    not `timed` has none."""
    if not timed:
        ask.due_at = ask.falls_at = ask.remind_at = None
        session.add(ask)
        return
    ask.allowed = paces.of(match.pace).reaction
    _set(session, match, seat, ask, paces.of(match.pace))


def close_offer(session: Session, ask: AskRow) -> None:
    """Stop the clock of a proposal. It saves nobody time, and costs none."""
    ask.answered_at, ask.remind_at = now(), None
    session.add(ask)


def park(session: Session, ask: AskRow) -> None:
    """Let nothing fall due of a question that something else has interrupted."""
    ask.falls_at, ask.remind_at = None, None
    session.add(ask)


def unpark(session: Session, match: Match, seat: SeatRow, ask: AskRow) -> None:
    """Go on with such a question: with the deadline that it had, or the grace where that is over."""
    pace, rest = paces.of(match.pace), rest_of(session, match, seat, paces.of(match.pace))
    if ask.due_at is None or ask.due_at <= now():
        ask.due_at = due(now(), pace.grace, rest)
    _time_falls(session, seat, ask, pace, rest)


def reopen(session: Session, match: Match, seat: SeatRow, ask: AskRow) -> None:
    """Ask once more what was answered: with the deadline that it had, or the grace where that is over."""
    ask.answered_at, ask.kept, ask.kept_at = None, "", None
    pace, rest = paces.of(match.pace), rest_of(session, match, seat, paces.of(match.pace))
    if ask.due_at is None or ask.due_at <= now():
        ask.due_at = due(now(), pace.grace, rest)
    ask.falls_at = due(ask.due_at, pace.grace + seat.bank, rest)
    session.add(ask)


def decent_pause(match: Match) -> timedelta:
    """How long an answer by order is kept back where the table wants a decent pause."""
    return timedelta(seconds=random.SystemRandom().uniform(*DECENT) * paces.of(match.pace).reaction)


def close_ask(
    session: Session,
    match: Match,
    seat: SeatRow,
    ask: AskRow,
    via: str,
    turn: bool,
    absences: Iterable[Absence] | None = None,
) -> None:
    """Stop the clock of an answered ask; `via` is how the answer came, empty when the ask was cancelled."""
    ask.answered_at, ask.remind_at = now(), None
    session.add(ask)
    if ask.due_at is None:
        return
    pace, rest = paces.of(match.pace), rest_of(session, match, seat, paces.of(match.pace), absences)
    left = worked(now(), ask.due_at, rest)
    if turn:
        seat.turn_left = min(left, pace.turn)
    if via in OWN_HAND:
        seat.missed = 0
        late = worked(ask.due_at, now(), rest) - pace.grace
        if late > 0:
            seat.bank = max(0, seat.bank - late)
        elif not turn:
            _save(seat, pace, left)
    elif via == "clock":
        seat.bank = 0
    session.add(seat)


def _save(seat: SeatRow, pace: Pace, left: int) -> None:
    seat.bank = min(pace.bank, seat.bank + left * pace.saved // 100)


def again(session: Session, match: Match, seat: SeatRow, resumed: bool = False) -> None:
    """Reckon the seat's deadlines still to come anew: after an absence, a pause, a gift of time.

    That of an answer which lies sealed moves as if it were missing still, for the table sees it, and must not see more.
    When a pause was `resumed` before its end, nobody may miss a deadline for having believed in it.
    """
    its = (AskRow.match_id == match.id, AskRow.seat == seat.seat)
    found = select(AskRow).where(*its, col(AskRow.answered_at).is_(None) | (col(AskRow.serial) == match.serial))
    session.flush()
    pace = paces.of(match.pace)
    for ask in session.exec(found).all():
        if ask.due_at is None or ask.due_at <= now():
            continue
        _set(session, match, seat, ask, pace)
        if resumed:
            _leave_time(session, match, seat, ask, pace)
        if ask.due_at <= now():
            # An absence that was cut short has left no time at all.
            rest = rest_of(session, match, seat, pace)
            ask.due_at = due(now(), pace.grace, rest)
            ask.falls_at = due(ask.due_at, pace.grace + seat.bank, rest)


def _leave_time(session: Session, match: Match, seat: SeatRow, ask: AskRow, pace: Pace) -> None:
    rest = rest_of(session, match, seat, pace)
    least = due(now(), max(min(ask.allowed, AFTER_PAUSE), pace.grace), rest)
    if ask.due_at is not None and ask.due_at < least:
        ask.extended += int((least - ask.due_at).total_seconds())
        _set(session, match, seat, ask, pace)


def extend(
    session: Session,
    match: Match,
    seat: SeatRow,
    by: timedelta,
    least: timedelta,
    sealed: bool,
    farthest: timedelta | None = None,
) -> datetime:
    """Move a deadline by so much, but not nearer than `least` from now; the new one. Raises NotLegal if nothing is due, or
    where the question would have been given more than `farthest`.

    While answers lie sealed it also takes, without effect, the deadline of a seat that has given its own.
    """
    found = select(AskRow).where(AskRow.match_id == match.id, AskRow.seat == seat.seat, AskRow.serial == match.serial)
    ask = session.exec(found).first()
    if ask is None or ask.due_at is None or (ask.answered_at is not None and not sealed):
        raise NotLegal(sentence("%(name)s is not asked anything just now; there is no deadline to move.", name=seat.name))
    rest = rest_of(session, match, seat, paces.of(match.pace))
    if farthest is not None and by > timedelta() and timedelta(seconds=ask.extended) + by > farthest:
        raise NotLegal(
            nsentence(
                "A host gives one question up to %(num)s day more; it has had them.",
                "A host gives one question up to %(num)s days more; it has had them.",
                farthest.days,
            )
        )
    base = max(ask.due_at, now()) if by > timedelta() else ask.due_at
    until = due(max(base + by, now() + least), 0, rest)
    ask.extended += int((until - ask.due_at).total_seconds())
    ask.due_at = until
    if ask.answered_at is None:
        pace = paces.of(match.pace)
        ask.falls_at = due(until, pace.grace + seat.bank, rest)
        account = session.get(Account, seat.account_id) if seat.account_id else None
        ask.remind_at = reminders.next_at(account.ladder if account else [], ask.opened_at, until, now())
    session.add(ask)
    return until


def wake(session: Session) -> int:
    """Note that the service runs; after a gap, give what fell due meanwhile its grace. How many deadlines were moved."""
    beat = session.get(Beat, BEAT)
    moved = 0
    if beat is not None and now() - beat.at > timedelta(seconds=settings_of(session).down_seconds):
        late = select(AskRow).where(col(AskRow.answered_at).is_(None), col(AskRow.falls_at) <= now())
        for ask in session.exec(late.with_for_update()).all():
            match = session.get(Match, ask.match_id)
            assert match is not None
            ask.falls_at = now() + timedelta(seconds=paces.of(match.pace).grace)
            session.add(ask)
            moved += 1
        # Nobody could say “I am here” either.
        announced = select(Notice).where(Notice.status == NoticeStatus.OPEN, col(Notice.effect_at) <= now())
        for notice in session.exec(announced.with_for_update()).all():
            notice.effect_at = now() + STOPPABLE
            session.add(notice)
    if beat is None:
        try:
            with session.begin_nested():
                session.add(Beat(name=BEAT, at=now()))
        except IntegrityError:
            pass  # another beat was the first; a row of this moment is there
    else:
        beat.at = now()
        session.add(beat)
    return moved
