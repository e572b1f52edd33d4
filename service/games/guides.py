"""Notes that guide through somebody's first game of a kind, until they are sent away."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, col, select

from service.store.models import Account, Match, SeatRow


def begin(session: Session, match: Match, seats: Iterable[SeatRow]) -> None:
    """A game begins: whose first of its kind it is, they find the notes there, and in no other."""
    ids = [seat.account_id for seat in seats if seat.account_id]
    for account in session.exec(select(Account).where(col(Account.id).in_(ids))) if ids else ():
        if match.game not in account.guides:
            account.guides = {**account.guides, match.game: match.id}
            session.add(account)
    session.flush()


def guided(account: Account, match: Match) -> bool:
    """Whether the notes stand on the person's page of this game."""
    return account.guides.get(match.game) == match.id


def send_away(session: Session, account: Account, match: Match) -> None:
    """Send the notes of a game away, for good. Doing it twice is once."""
    account.guides = {**account.guides, match.game: ""}
    session.add(account)
    session.flush()
