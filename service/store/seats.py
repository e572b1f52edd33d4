"""The seats of a table, for whatever room asks."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from engine.games import game_called
from service.store.models import Account, Link, Match, SeatRow

UNREAD = tuple(defer(getattr(SeatRow, name)) for name in ("prepared", "advance", "notes", "card"))
"""What is not read with a seat: it lies sealed, and is shown on pages of its own."""
UNSEALED = defer(Match.seed)  # type: ignore[arg-type]  # SQLModel's types
"""Which is not opened with a match of which a page is made: its snapshot says all."""
Seated = list[tuple[SeatRow, Account | None]]
"""The seats of a match, clockwise, and who sits there."""

# Statements of every page, made once: to put one together takes longer than to send it.
BY_LINK = (
    sa.select(Link, Match, SeatRow, Account)
    .select_from(Link)
    .outerjoin(SeatRow, col(SeatRow.match_id) == bindparam("match"))
    .outerjoin(Account, col(Account.id) == SeatRow.account_id)
    # Beside one seat alone: its row is a long one.
    .outerjoin(Match, (col(Match.id) == SeatRow.match_id) & (col(Link.seat) == SeatRow.seat))
    .where(col(Link.id) == bindparam("link"))
    .order_by(col(SeatRow.seat))
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


def by_link(session: Session, link_id: str, match_id: str) -> tuple[Link | None, Match | None, Seated]:
    """A link; and of the match that is asked for, which is most often the link's own, what is always wanted with it."""
    rows = session.execute(BY_LINK, {"link": link_id, "match": match_id}).all()
    link = rows[0][0] if rows else None
    match = next((row[1] for row in rows if row[1] is not None), None)
    return link, match, [(row[2], row[3]) for row in rows if row[2] is not None]


def seated(session: Session, match_id: str) -> Seated:
    """The seats of a match, clockwise, and who sits there."""
    return [(seat, account) for seat, account in session.execute(SEATED, {"match": match_id})]
