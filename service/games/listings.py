"""Lists of games: an account's, and open ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, exists, func
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from service.store.encryption import passing_over
from service.store.models import Account, AskRow, Match, MatchStatus, SeatRow

# Columns that lists don't show aren't loaded or decrypted.
LIGHT = tuple(defer(getattr(Match, name)) for name in ("seed", "header", "halt", "watch_key", "share_key", "snapshot"))
LIGHT_SEAT = tuple(defer(getattr(SeatRow, name)) for name in ("prepared", "orders", "advance", "trail", "notes", "card"))
MOST_LISTED = 200
PAGE = 30
"""Finished games on a page."""


def _mine() -> Any:
    seated = select(SeatRow.match_id).where(SeatRow.account_id == bindparam("account"))
    found = select(Match).where((col(Match.id).in_(seated)) | (Match.host_id == bindparam("account")))
    return found.order_by(col(Match.created_at).desc()).options(*LIGHT)


# Built once: building takes longer than sending.
OVER = col(Match.status).in_((MatchStatus.FINISHED, MatchStatus.CANCELLED))
MINE = _mine().limit(MOST_LISTED)
GOING = _mine().where(~OVER).limit(MOST_LISTED)
_FAVOURITE = (
    exists()
    .where(col(SeatRow.match_id) == Match.id, col(SeatRow.account_id) == bindparam("account"), col(SeatRow.favourite))
    .correlate(Match)
)
PAST = _mine().where(OVER).order_by(None).order_by(_FAVOURITE.desc(), col(Match.created_at).desc())
PAST = PAST.offset(bindparam("before")).limit(PAGE)
COUNT = select(func.count()).select_from(_mine().where(OVER).with_only_columns(Match.id).order_by(None).subquery())
_OPEN = (
    exists()
    .where(col(AskRow.match_id) == SeatRow.match_id, col(AskRow.seat) == SeatRow.seat)
    .where(col(AskRow.serial) == Match.serial, col(AskRow.answered_at).is_(None), col(AskRow.kept_at).is_(None))
    .correlate(SeatRow, Match)
)
OWN = (
    select(SeatRow.match_id, SeatRow.card, _OPEN)
    .join(Match, col(Match.id) == SeatRow.match_id)
    .where(SeatRow.account_id == bindparam("account"), Match.status == MatchStatus.RUNNING)
)
POSITIONS = select(Match.id, Match.snapshot).where(col(Match.id).in_(bindparam("matches", expanding=True)))
SEATS = (
    select(SeatRow)
    .where(col(SeatRow.match_id).in_(bindparam("matches", expanding=True)))
    .order_by(SeatRow.seat)
    .options(*LIGHT_SEAT)
)
OPEN = (
    select(Match)
    .where(Match.status == MatchStatus.LOBBY, Match.access == "open", col(Match.muster_until).is_(None))
    .order_by(col(Match.created_at).desc())
    .options(*LIGHT)
    .limit(100)
)


@dataclass(frozen=True)
class Listing:
    """A game in a list; `asked`: it waits for the account."""

    match: Match
    seats: list[SeatRow]
    asked: bool = False
    card: Mapping[str, Any] = field(default_factory=dict)
    """See `service.games.cards`."""


def games_of(session: Session, account: Account) -> list[Listing]:
    matches = session.exec(MINE, params={"account": account.id}).all()
    seats = seats_of_all(session, matches)
    return [Listing(match, seats[match.id]) for match in matches]


def page_of_games(session: Session, account: Account, number: int = 1) -> tuple[list[Listing], int, int]:
    """Unfinished games and a page of finished ones; page number and count."""
    mine = {"account": account.id}
    pages = max(1, -(-session.exec(COUNT, params=mine).one() // PAGE))
    number = min(max(1, number), pages)
    going = session.exec(GOING, params=mine).all()
    past = session.exec(PAST, params=mine | {"before": (number - 1) * PAGE}).all()
    own = dict[str, tuple[bool, dict[str, Any]]]()
    for match_id, card, asked in session.execute(OWN, mine):
        own[match_id] = asked, {}
        with passing_over(match=match_id):  # rebuilt if it can't be decrypted
            own[match_id] = asked, dict(card)
    seats = seats_of_all(session, [*going, *past])
    found = [Listing(match, seats[match.id], *own.get(match.id, (False, {}))) for match in (*going, *past)]
    return found, number, pages


def positions_of(session: Session, matches: Sequence[Match]) -> dict[str, bytes]:
    if not matches:
        return {}
    found = session.exec(POSITIONS, params={"matches": [match.id for match in matches]})
    return {id: snapshot for id, snapshot in found if snapshot is not None}


def seats_of_all(session: Session, matches: Iterable[Match]) -> dict[str, list[SeatRow]]:
    """Seats by match, clockwise."""
    found: dict[str, list[SeatRow]] = {match.id: [] for match in matches}
    for seat in session.exec(SEATS, params={"matches": list(found)}) if found else ():
        found[seat.match_id].append(seat)
    return found


def open_games(session: Session) -> list[Listing]:
    """Open games, newest first."""
    matches = session.exec(OPEN).all()
    seats = seats_of_all(session, matches)
    return [Listing(match, seats[match.id]) for match in matches]


def set_favourite(session: Session, match: Match, seat: str, on: bool) -> None:
    row = session.get_one(SeatRow, (match.id, seat))
    row.favourite = on
