"""Sends reminders: each step once per deadline."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import exists
from sqlmodel import Session, col, select, update

from service.clock.recipe import next_reminder, reminders
from service.post import letters
from service.settings import Settings
from service.store import bulk
from service.store.database import each_alone, open_session
from service.store.models import Account, AskRow, Match, MatchStatus, Reminder, SeatRow, now

MOST = 500
MOVED = timedelta(days=1)
"""Repeat a step for a deadline moved this far."""
AGAIN = timedelta(hours=1)
"""Retry interval."""


def send_due(settings: Settings) -> int:
    """Queue due reminders; returns their number. Safe to run concurrently."""
    with open_session(settings) as session:
        # By id: a list of halted games would scan all games.
        standing_still = exists().where(col(Match.id) == AskRow.match_id, col(Match.halted_at).is_not(None))
        found = select(AskRow.match_id, AskRow.seat, AskRow.serial).where(
            col(AskRow.answered_at).is_(None), col(AskRow.remind_at) <= now(), ~standing_still
        )
        due = session.exec(found.order_by(col(AskRow.remind_at)).limit(MOST)).all()
    return each_alone(settings, due, _remind, "reminder can't be made", _put_off)


def _put_off(session: Session, key: tuple[str, str, int]) -> None:
    its = (col(AskRow.match_id) == key[0], col(AskRow.seat) == key[1], col(AskRow.serial) == key[2])
    session.exec(update(AskRow).where(*its).values(remind_at=now() + AGAIN))


def _remind(session: Session, key: tuple[str, str, int]) -> bool:
    ask = session.get(AskRow, key, with_for_update=True)
    if ask is None or ask.answered_at is not None or ask.due_at is None or ask.remind_at is None or ask.remind_at > now():
        return False
    match, seat = session.get(Match, ask.match_id), session.get(SeatRow, (ask.match_id, ask.seat))
    account = session.get(Account, seat.account_id) if seat is not None and seat.account_id else None
    if match is None or seat is None or account is None or seat.steward or match.status != MatchStatus.RUNNING:
        ask.remind_at = None
        return False
    fallen = [step for moment, step in reminders(account.ladder, ask.opened_at, ask.due_at) if moment <= now()]
    ask.remind_at = next_reminder(account.ladder, ask.opened_at, ask.due_at, now())
    if not fallen or now() >= ask.due_at or ask.kept:
        return False
    # Steps due together are one reminder.
    *passed, last = fallen
    for step in passed:
        _note(session, ask, step, sent=False)
    if not _note(session, ask, last, sent=True):
        return False
    letters.owe(session, "reminder", match, seat, account, serial=ask.serial)
    return True


def _note(session: Session, ask: AskRow, step: str, sent: bool) -> bool:
    """Record a reminder; False if it was given: restarts must not repeat it."""
    assert ask.due_at is not None
    same = select(Reminder.step).where(Reminder.match_id == ask.match_id, Reminder.seat == ask.seat)
    same = same.where(Reminder.serial == ask.serial, Reminder.step == step, col(Reminder.due_at) > ask.due_at - MOVED)
    if session.exec(same).first() is not None:
        return False
    given = Reminder(match_id=ask.match_id, seat=ask.seat, serial=ask.serial, due_at=ask.due_at, step=step, sent=sent)
    return bulk.add_unless_there(session, given)
