"""Copies: what a seat is asked, or a fresh link, once more by letter."""

from __future__ import annotations

from sqlmodel import Session

from service.games import seen
from service.post import ledger, letters
from service.store import limits, queue
from service.store.models import Account, LedgerStatus, Letter, LetterStatus, Match, MatchStatus, SeatRow


def resend(session: Session, match: Match, seat: SeatRow, by: str = limits.OWN) -> Letter:
    """A fresh copy of what the seat is asked, or, when it isn't, a letter with a fresh link. Raises NotLegal for a storm.

    `by`: who asks for it; see `service.store.limits`.
    """
    account = session.get(Account, seat.account_id)
    assert account is not None
    limits.one_at_a_time(session, match)
    limits.copy(session, account, by)
    shown = seen.for_owner(session, match, seat.seat) if match.status == MatchStatus.RUNNING else None
    if shown is not None and shown.form is not None:
        letter = letters.owe(session, "turn", match, seat, account, serial=shown.serial)
    else:
        letter = letters.fresh_link(session, match, seat, account)
    ledger.note(session, letter.id, LedgerStatus.RESENT)
    if letter.status != LetterStatus.QUEUED:
        # Whoever presses the button wants it now.
        letter.status = LetterStatus.QUEUED
        session.add(letter)
        queue.after_commit(session, queue.DELIVER)
    return letter
