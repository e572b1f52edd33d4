"""A person's list of games: who each waits for, deadlines, points, unread talk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import structlog
from sqlalchemy import tuple_
from sqlmodel import Session, col, select

from engine.core.asks import Seat
from engine.games import GAMES
from engine.play.ranking import Place
from service.games import cards, listings, muster
from service.games.cards import GameCard
from service.games.listings import Listing
from service.seat.waits import Wait, clocks_of
from service.store.encryption import need, passing_over
from service.store.models import Account, AskRow, Link, Match, MatchStatus, SeatRow
from service.store.seats import called
from service.table import talk

log = structlog.get_logger()

NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Mine:
    match: Match
    seats: list[SeatRow]
    seat: Seat | None
    """None for a host who doesn't play."""
    asked: bool
    waiting: dict[Seat, Wait] = field(default_factory=dict)
    """As far as the person may know."""
    question: str = ""
    round: int = 0
    turn: int = 0
    points: tuple[int, int] | None = None
    """Own points and those to win; None without points."""
    holding: str = ""
    """A public measure of standing, in games without points."""
    place: Place | None = None
    """Public rank."""
    unread: int = 0
    muster_until: datetime | None = None
    """Deadline for confirming presence; None: the person isn't asked."""

    @property
    def due(self) -> datetime | None:
        """When the game goes on without an answer; a player's own deadline if asked."""
        if self.muster_until is not None:
            return self.muster_until
        waits = [self.waiting[self.seat]] if self.asked and self.seat in self.waiting else self.waiting.values()
        return min((wait.due_at for wait in waits if wait.due_at is not None), default=None)


@dataclass(frozen=True)
class Linked:
    """A seat played by link: public data only."""

    match: Match
    seat: SeatRow
    asked: bool
    due: datetime | None


def of_links(session: Session, links: Sequence[Link]) -> list[Linked]:
    named = tuple_(SeatRow.match_id, SeatRow.seat).in_([(link.match_id, link.seat) for link in links])
    waits = (
        (col(AskRow.match_id) == SeatRow.match_id)
        & (col(AskRow.seat) == SeatRow.seat)
        & (col(AskRow.serial) == Match.serial)
        & col(AskRow.answered_at).is_(None)
        & col(AskRow.kept_at).is_(None)
        & (Match.status == MatchStatus.RUNNING)
    )
    rows = select(SeatRow, Match, AskRow.serial, AskRow.due_at).join(Match, col(Match.id) == SeatRow.match_id)
    found = session.exec(rows.outerjoin(AskRow, waits).where(named).options(*listings.LIGHT, *listings.LIGHT_SEAT))
    games = [
        Linked(match, seat, True, match.muster_until)
        if muster.absent(match, [seat])
        else Linked(match, seat, serial is not None and match.halted_at is None, due)
        for seat, match, serial, due in found
    ]
    return sorted(games, key=lambda game: (not game.asked, game.due or NEVER, game.match.name))


def page(session: Session, account: Account, number: int = 1) -> tuple[list[Mine], int, int]:
    """A page of games, most urgent first; its number, and their count. Constant number of queries."""
    found, number, pages = listings.page_of_games(session, account, number)
    at = _cards(session, account, [listing for listing in found if listing.match.status == MatchStatus.RUNNING])
    waits = clocks_of(session, {id: card.waiting for id, card in at.items()})
    unread = talk.unread_of_all(session, account, [x.match.id for x in found if x.match.status == MatchStatus.RUNNING])
    games = [_mine(x, account, at.get(x.match.id), waits.get(x.match.id, []), unread) for x in found]
    return sorted(games, key=lambda game: (not game.asked, game.due or NEVER) if game.asked else (True, NEVER)), number, pages


def _cards(session: Session, account: Account, running: list[Listing]) -> dict[str, GameCard]:
    found = dict[str, GameCard]()
    for listing in running:
        card = cards.kept(listing.match, listing.card)
        if card is not None and listing.match.game in GAMES:
            found[listing.match.id] = card
    lacking = [x for x in running if x.match.id not in found and x.match.game in GAMES]
    with passing_over():
        snapshots = listings.positions_of(session, [x.match for x in lacking])
        for listing in lacking:
            card = _made(listing, account, snapshots.get(listing.match.id))
            if card is not None:
                found[listing.match.id] = card
    return found


def _made(found: Listing, account: Account, snapshot: bytes | None) -> GameCard | None:
    """A game's card; None if that fails: other games are shown."""
    if snapshot is None:
        return None
    match, game = found.match, GAMES[found.match.game]
    with passing_over(match=match.id):
        try:
            need(snapshot)
            return cards.made(match, game, game.rules.decode(snapshot), _seat(found, account))
        except Exception as problem:  # faulty rules halt that game only
            log.error("position can't be told", match=match.id, problem=type(problem).__name__)
    return None


def _seat(found: Listing, account: Account) -> Seat | None:
    return next((row.seat for row in found.seats if row.account_id == account.id), None)


def _mine(found: Listing, account: Account, card: GameCard | None, waits: list[Wait], unread: dict[str, int]) -> Mine:
    match, seat = found.match, _seat(found, account)
    if any(row.seat == seat for row in muster.absent(match, found.seats)):
        return Mine(match, found.seats, seat, asked=True, muster_until=match.muster_until)
    asked = found.asked and match.halted_at is None
    # Hidden answers: players know about their own.
    waiting = {wait.seat: wait for wait in waits if asked or wait.seat != seat}
    mine = Mine(match, found.seats, seat, asked, waiting, unread=unread.get(match.id, 0))
    if card is None:
        return mine
    mine = replace(mine, round=card.round, turn=card.turn)
    if seat is None:
        return mine
    game = GAMES[match.game]
    question = card.question(game, called(match, {row.seat: row.name for row in found.seats})) if asked else ""
    holding = game.words.catalogue.amount(*card.held) if card.held is not None else ""
    return replace(mine, question=question, points=card.points, holding=holding, place=card.place)


def next_asked(session: Session, account: Account, but: str = "") -> Match | None:
    waiting = [game for game in page(session, account)[0] if game.asked and game.match.id != but]
    return waiting[0].match if waiting else None
