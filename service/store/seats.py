"""The seats of a table, for whatever room asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from engine.games import game_called
from service.store.models import Account, BrowserSeat, Link, Match, SeatRow

UNREAD = tuple(defer(getattr(SeatRow, name)) for name in ("prepared", "advance", "notes", "card"))
"""What is not read with a seat: it lies sealed, and is shown on pages of its own."""
UNSEALED = defer(Match.seed)  # type: ignore[arg-type]  # SQLModel's types
"""Which is not opened with a match of which a page is made: its snapshot says all."""
Seated = list[tuple[SeatRow, Account | None]]
"""The seats of a match, clockwise, and who sits there."""

# Statements of every page, made once: to put one together takes longer than to send it.
BY_BROWSER = (
    sa.select(BrowserSeat, Link, Match, SeatRow, Account)
    .select_from(BrowserSeat)
    .join(Link, col(Link.id) == BrowserSeat.link_id)
    .outerjoin(SeatRow, col(SeatRow.match_id) == BrowserSeat.match_id)
    .outerjoin(Account, col(Account.id) == SeatRow.account_id)
    # Beside one seat alone: its row is a long one.
    .outerjoin(Match, (col(Match.id) == SeatRow.match_id) & (col(Link.seat) == SeatRow.seat))
    .where(col(BrowserSeat.match_id) == bindparam("match"))
    .where((col(BrowserSeat.id) == bindparam("row")) | (col(BrowserSeat.browser) == bindparam("browser")))
    .order_by(col(BrowserSeat.at).desc(), col(BrowserSeat.id), col(SeatRow.seat))
    .options(*UNREAD, UNSEALED)
)
SEATED = (
    select(SeatRow, Account)
    .outerjoin(Account, col(Account.id) == SeatRow.account_id)
    .where(SeatRow.match_id == bindparam("match"))
    .order_by(SeatRow.seat)
    .options(*UNREAD)
)


def names_of(session: Session, match_id: str) -> dict[str, str]:
    """The names at a table now, by their seats: a seat may have changed hands since the header was written."""
    names = {s.seat: s.name for s in session.exec(select(SeatRow).where(SeatRow.match_id == match_id))}
    match = session.get(Match, match_id)
    return called(match, names) if match is not None else names


def called(match: Match, names: Mapping[str, str]) -> dict[str, str]:
    """The names of seats as the words of the match's game want them: with those of a host's own file."""
    return game_called(match.game).names(match.options, names)


@dataclass(frozen=True)
class Held:
    """The seat that a browser plays by a link in a match, and what is always wanted with it."""

    row: BrowserSeat
    link: Link
    match: Match | None
    seats: Seated


def by_browser(session: Session, row: str, browser: str, match_id: str) -> Held | None:
    """The seat in a match that a browser plays by a link, found by the row's id or by the browser; the last one opened."""
    rows = session.execute(BY_BROWSER, {"row": row, "browser": browser, "match": match_id}).all()
    if not rows:
        return None
    first: BrowserSeat = rows[0][0]
    rows = [one for one in rows if one[0].id == first.id]
    match = next((one[2] for one in rows if one[2] is not None), None)
    return Held(first, rows[0][1], match, [(one[3], one[4]) for one in rows if one[3] is not None])


def seated(session: Session, match_id: str) -> Seated:
    """The seats of a match, clockwise, and who sits there."""
    return [(seat, account) for seat, account in session.execute(SEATED, {"match": match_id})]
