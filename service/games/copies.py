"""Copies: what a seat is asked, or a fresh link, once more by letter."""

from __future__ import annotations

from sqlmodel import Session

from service.games import seen
from service.post import ledger, letters
from service.store import limits, queue
from service.store.models import Account, AskRow, LedgerStatus, Letter, LetterStatus, Match, MatchStatus, SeatRow, ViewRow
from service.store.seats import names_of


def resend(session: Session, match: Match, seat: SeatRow) -> Letter:
    """A fresh copy of what the seat is asked, or, when it isn't, a letter with a fresh link. Raises NotLegal for a storm."""
    account = session.get(Account, seat.account_id)
    assert account is not None
    limits.one_at_a_time(session, match)
    limits.copy(session, account)
    view = session.get(ViewRow, (match.id, seat.seat))
    if match.status == MatchStatus.RUNNING and view is not None and view.form is not None:
        clock = letters.clock_of(session.get(AskRow, (match.id, seat.seat, view.serial)))
        names = names_of(session, match.id)
        shown = seen.for_owner(session, match, view, names)
        letter = letters.of_the_game(session, "turn", match, seat, account, shown, names=names, **clock)
    else:
        letter = letters.fresh_link(session, match, seat, account)
    ledger.note(session, letter.id, LedgerStatus.RESENT)
    if letter.status != LetterStatus.QUEUED:
        # Whoever presses the button wants it now.
        letter.status = LetterStatus.QUEUED
        session.add(letter)
        queue.after_commit(session, queue.DELIVER, letter.id)
    return letter
