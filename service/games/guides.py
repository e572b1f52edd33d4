"""Tutorial notes in an account's first game of a kind, until dismissed."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, col, select

from service.store.models import Account, Match, SeatRow


def begin(session: Session, match: Match, seats: Iterable[SeatRow]) -> None:
    """Show the notes to those playing this game for the first time."""
    ids = [seat.account_id for seat in seats if seat.account_id]
    for account in session.exec(select(Account).where(col(Account.id).in_(ids))) if ids else ():
        if match.game not in account.guides:
            account.guides = {**account.guides, match.game: match.id}
            session.add(account)
    session.flush()


def guided(account: Account, match: Match) -> bool:
    return account.guides.get(match.game) == match.id


def send_away(session: Session, account: Account, match: Match) -> None:
    """Dismiss a game's notes for good. Idempotent."""
    account.guides = {**account.guides, match.game: ""}
    session.add(account)
    session.flush()
