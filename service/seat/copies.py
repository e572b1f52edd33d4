"""Resend a question, or a fresh link, by letter."""

from __future__ import annotations

from sqlmodel import Session

from service.post import ledger, letters
from service.seat.seat_view import load_for_owner
from service.store import limits, queue
from service.store.models import Account, LedgerStatus, Letter, LetterStatus, Match, MatchStatus, SeatRow


def resend(session: Session, match: Match, seat: SeatRow, by: str = limits.OWN) -> Letter:
    """Resend a question, or a fresh link. Raises NotLegal over the rate limit. `by`: the requester; see
    `service.store.limits`.
    """
    account = session.get_one(Account, seat.account_id)
    limits.one_at_a_time(session, match)
    limits.copy(session, account, by)
    shown = load_for_owner(session, match, seat.seat) if match.status == MatchStatus.RUNNING else None
    if shown is not None and shown.form is not None:
        letter = letters.owe(session, "turn", match, seat, account, serial=shown.serial)
    else:
        letter = letters.fresh_link(session, match, seat, account)
    ledger.note(session, letter.id, LedgerStatus.RESENT)
    if letter.status != LetterStatus.QUEUED:
        # Skip the digest: it was asked for now.
        letter.status = LetterStatus.QUEUED
        queue.after_commit(session, queue.DELIVER)
    return letter
