"""First-game notes: one for each kind of question, on page and in letter when an account is asked it for the first time."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, col, select

from service.seat.seat_view import SeatView
from service.store.models import Account, Match, SeatRow


def begin(session: Session, match: Match, seats: Iterable[SeatRow]) -> None:
    """Show notes to accounts that play this game for the first time, practice aside."""
    ids = [seat.account_id for seat in seats if seat.account_id]
    for account in session.exec(select(Account).where(col(Account.id).in_(ids))) if ids else ():
        if match.game not in account.guides or _was_practice(session, account, match):
            account.guides = {**account.guides, match.game: match.id}
    session.flush()


def _was_practice(session: Session, account: Account, match: Match) -> bool:
    before = session.get(Match, account.guides[match.game]) if not match.practice and account.guides[match.game] else None
    return before is not None and before.practice


def guided(account: Account, match: Match) -> bool:
    return account.guides.get(match.game) == match.id


def note(account: Account, view: SeatView) -> str:
    """Note on the open question, mentioning only options that can be chosen now. "" once asked before or dismissed, or in a
    later game.
    """
    match, form = view.match, view.form
    if form is None or view.pending or view.rows.asked_before or not guided(account, match):
        return ""
    if form.kind in account.notes_read.get(match.game, ()):
        return ""
    return view.game.words.note(form.kind, {option.id for option in form.options}, match.seats)


def dismiss(session: Session, account: Account, match: Match, kind: str) -> None:
    read = account.notes_read.get(match.game, [])
    if kind not in read and match.game in account.guides:
        account.notes_read = {**account.notes_read, match.game: [*read, kind]}
        session.flush()


def turn_off(session: Session, account: Account, match: Match) -> None:
    """Dismiss all notes of a game. Idempotent."""
    account.guides = {**account.guides, match.game: ""}
    session.flush()
