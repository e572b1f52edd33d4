"""Queries for a match and its seats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.orm import aliased, defer
from sqlmodel import Session, col, select

from engine.core.asks import SEATS
from engine.games import game_called
from engine.language.words import Named
from service.common.messages import Listed, sentence
from service.errors import NotFound
from service.store.models import Account, BrowserSeat, Link, Match, SeatRow

UNREAD = tuple(defer(getattr(SeatRow, name)) for name in ("prepared", "advance", "notes", "card"))
"""Encrypted columns that only their own pages load."""
UNDECRYPTED = defer(Match.seed)  # type: ignore[arg-type]  # mypy sees the bytes of an instance, not the column
"""Not decrypted for pages: the snapshot suffices."""
Seated = list[tuple[SeatRow, Account | None]]
"""Clockwise, with the seats' accounts."""

OTHER = aliased(BrowserSeat)

# Cached statements: building one takes longer than running it.
BY_BROWSER = (
    sa.select(
        BrowserSeat,
        Link,
        Match,
        SeatRow,
        Account,
        sa.exists()
        .where(col(OTHER.browser) == bindparam("browser"), col(OTHER.match_id) != bindparam("match"))
        .label("others"),
    )
    .select_from(BrowserSeat)
    .join(Link, col(Link.id) == BrowserSeat.link_id)
    .outerjoin(SeatRow, col(SeatRow.match_id) == BrowserSeat.match_id)
    .outerjoin(Account, col(Account.id) == SeatRow.account_id)
    # With one seat only: its row is large.
    .outerjoin(Match, (col(Match.id) == SeatRow.match_id) & (col(Link.seat) == SeatRow.seat))
    .where(col(BrowserSeat.match_id) == bindparam("match"))
    .where((col(BrowserSeat.id) == bindparam("row")) | (col(BrowserSeat.browser) == bindparam("browser")))
    .order_by(col(BrowserSeat.at).desc(), col(BrowserSeat.id), col(SeatRow.seat))
    .options(*UNREAD, UNDECRYPTED)
)
SEATED = (
    select(SeatRow, Account)
    .outerjoin(Account, col(Account.id) == SeatRow.account_id)
    .where(SeatRow.match_id == bindparam("match"))
    .order_by(SeatRow.seat)
    .options(*UNREAD)
)
OWNER = (
    select(SeatRow.account_id)
    .where(SeatRow.match_id == bindparam("match"), SeatRow.seat == bindparam("seat"))
    .with_for_update(read=True, key_share=True)
)


def by_match_id(session: Session, id: str) -> Match:
    """The match. Raises NotFound."""
    match = session.get(Match, id)
    if match is None:
        raise NotFound(sentence("There is no such game."))
    return match


def seats_of(session: Session, match: Match) -> list[SeatRow]:
    """Seats clockwise."""
    return list(session.exec(select(SeatRow).where(SeatRow.match_id == match.id).order_by(SeatRow.seat)))


def seat_of(session: Session, match: Match, account: Account) -> SeatRow | None:
    return session.exec(select(SeatRow).where(SeatRow.match_id == match.id, SeatRow.account_id == account.id)).first()


def seat_called(session: Session, match: Match, seat: str) -> SeatRow:
    """Reload a seat. Raises NotFound."""
    row = session.get(SeatRow, (match.id, seat), populate_existing=True)
    if row is None:
        raise NotFound(
            sentence(
                "This game has no seat “%(seat)s”; it has: %(seats)s.", seat=seat[:5], seats=Listed([*SEATS[: match.seats]])
            )
        )
    return row


def names_of(session: Session, match_id: str) -> dict[str, str]:
    """Present names by seat; the header has those of the start."""
    match = session.get(Match, match_id)
    return called_of(match, seats_of(session, match)) if match is not None else {}


def owner_of(session: Session, match_id: str, seat: str) -> str | None:
    """The account of a seat's player, FOR KEY SHARE: a handover waits for this transaction."""
    return session.execute(OWNER, {"match": match_id, "seat": seat}).scalar()


def called(match: Match, names: Mapping[str, str]) -> dict[str, str]:
    """Names as the game shows them, with a host's own file applied."""
    return game_called(match.game).rules.variants.names(match.options, names)


def called_of(match: Match, rows: Iterable[SeatRow]) -> Named:
    rows = [*rows]
    found = Named.of(called(match, {row.seat: row.name for row in rows}))
    found.pronouns = {row.seat: row.pronoun for row in rows if row.pronoun}
    return found


@dataclass(frozen=True)
class Held:
    row: BrowserSeat
    link: Link
    match: Match | None
    seats: Seated
    others: bool
    """Whether the browser has seats in other games; saves their queries, 10 % of a turn page."""


def by_browser(session: Session, row: str, browser: str, match_id: str) -> Held | None:
    """A browser's latest seat, by row id or browser."""
    rows = session.execute(BY_BROWSER, {"row": row, "browser": browser, "match": match_id}).all()
    if not rows:
        return None
    first: BrowserSeat = rows[0][0]
    rows = [one for one in rows if one[0].id == first.id]
    match = next((one[2] for one in rows if one[2] is not None), None)
    return Held(first, rows[0][1], match, [(one[3], one[4]) for one in rows if one[3] is not None], rows[0][5])


def seated(session: Session, match_id: str) -> Seated:
    return [(seat, account) for seat, account in session.execute(SEATED, {"match": match_id})]
