"""Games in lists: those of an account, and those that look for players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from service.store.models import Account, AskRow, Match, MatchStatus, SeatRow

# What a list of games doesn't show isn't read, and least of all unsealed.
PLACED = tuple(defer(getattr(Match, name)) for name in ("seed", "header", "halt", "watch_key", "share_key"))
LIGHT = (*PLACED, defer(Match.snapshot))  # type: ignore[arg-type]  # on the class it is the column, not bytes
LIGHT_SEAT = tuple(defer(getattr(SeatRow, name)) for name in ("prepared", "orders", "advance", "notes"))
MOST_LISTED = 200
"""Games of one person in a list."""
PAGE = 30
"""Games that are over, on one page of it."""


@dataclass(frozen=True)
class Listing:
    """A match in somebody's list; `asked` when it waits for that person."""

    match: Match
    seats: list[SeatRow]
    asked: bool = False


def games_of(session: Session, account: Account) -> list[Listing]:
    """The games in which the person sits or is host, newest first."""
    return _listed(session, account, session.exec(_mine(account).limit(MOST_LISTED)).all())


def page_of_games(session: Session, account: Account, number: int = 1) -> tuple[list[Listing], int, int]:
    """The same without those that are over, but for a page of them; its number, and how many pages there are of those. With
    the positions of those that run, which the list shows something of."""
    over = col(Match.status).in_((MatchStatus.FINISHED, MatchStatus.CANCELLED))
    count = select(func.count()).select_from(_mine(account).where(over).with_only_columns(Match.id).order_by(None).subquery())
    pages = max(1, -(-session.exec(count).one() // PAGE))
    number = min(max(1, number), pages)
    going = session.exec(_mine(account, PLACED).where(~over).limit(MOST_LISTED)).all()
    past = session.exec(_mine(account).where(over).offset((number - 1) * PAGE).limit(PAGE)).all()
    return _listed(session, account, [*going, *past]), number, pages


def _mine(account: Account, unread: tuple[Any, ...] = LIGHT) -> Any:
    mine = select(SeatRow.match_id).where(SeatRow.account_id == account.id)
    found = select(Match).where((col(Match.id).in_(mine)) | (Match.host_id == account.id))
    return found.order_by(col(Match.created_at).desc()).options(*unread)


def _listed(session: Session, account: Account, matches: Sequence[Match]) -> list[Listing]:
    seats, asked = seats_of_all(session, matches), _asked(session, account)
    return [Listing(match, seats[match.id], match.id in asked) for match in matches]


def _asked(session: Session, account: Account) -> set[str]:
    """The running games in which a person is asked something."""
    open_ = (
        select(AskRow.match_id)
        .join(SeatRow, (col(SeatRow.match_id) == AskRow.match_id) & (col(SeatRow.seat) == AskRow.seat))
        .join(Match, (col(Match.id) == AskRow.match_id) & (col(Match.serial) == AskRow.serial))
        .where(SeatRow.account_id == account.id, Match.status == MatchStatus.RUNNING, col(AskRow.answered_at).is_(None))
    )
    return set(session.exec(open_))


def seats_of_all(session: Session, matches: Iterable[Match]) -> dict[str, list[SeatRow]]:
    """The seats of several matches, by match, in clockwise order."""
    found: dict[str, list[SeatRow]] = {match.id: [] for match in matches}
    rows = select(SeatRow).where(col(SeatRow.match_id).in_(found)).order_by(SeatRow.seat)
    for seat in session.exec(rows.options(*LIGHT_SEAT)) if found else ():
        found[seat.match_id].append(seat)
    return found


def open_games(session: Session) -> list[Listing]:
    """The games that anybody may join, newest first."""
    found = (
        select(Match).where(Match.status == MatchStatus.LOBBY, Match.access == "open").order_by(col(Match.created_at).desc())
    )
    matches = session.exec(found.options(*LIGHT).limit(100)).all()
    seats = seats_of_all(session, matches)
    return [Listing(match, seats[match.id]) for match in matches]
