"""The games of one person as their list shows them: whom each waits for, until when, points, talk that lies unread."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import msgspec
import structlog
from sqlmodel import Session

from engine import procedure
from engine.asks import Seat
from engine.game import AnyState, Game, labels_of
from engine.games import GAMES
from engine.ranking import Place, place
from service.games import listings
from service.games.listings import Listing
from service.games.state import state_of
from service.games.waits import Wait, waits_of_all
from service.store.models import Account, Match, MatchStatus, SeatRow
from service.store.sealing import passing_over
from service.store.seats import called
from service.table import talk

log = structlog.get_logger()

NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Mine:
    """One of the games."""

    match: Match
    seats: list[SeatRow]
    seat: Seat | None
    """The person's own; None for a host who doesn't sit there."""
    asked: bool
    """Whether the game waits for the person."""
    waiting: dict[Seat, Wait] = field(default_factory=dict)
    """Whom it waits for, as the person may know it."""
    question: str = ""
    """What the person is asked, in few words."""
    round: int = 0
    turn: int = 0
    """The number of the turn, in a game that numbers turns instead of rounds."""
    points: tuple[int, int] | None = None
    """The person's own, and how many win; None where the game counts none."""
    holding: str = ""
    """What they have by which all see how they stand, where no points are counted."""
    place: Place | None = None
    """Their place among the others, where the game ranks them by what everybody knows."""
    unread: int = 0

    @property
    def due(self) -> datetime | None:
        """When it goes on without an answer, at the earliest: for who is asked, the own deadline."""
        waits = [self.waiting[self.seat]] if self.asked and self.seat in self.waiting else self.waiting.values()
        return min((wait.due_at for wait in waits if wait.due_at is not None), default=None)


def page(session: Session, account: Account, number: int = 1) -> tuple[list[Mine], int, int]:
    """The games of a person, those that wait for them first and the most urgent of these before the rest; number and count of
    the pages of those that are over. As many statements for many games as for few."""
    found, number, pages = listings.page_of_games(session, account, number)
    states = {listing.match.id: state for listing in found if (state := _state(listing.match)) is not None}
    waits = waits_of_all(session, [listing.match for listing in found if listing.match.id in states])
    unread = talk.unread_of_all(session, account, [x.match.id for x in found if x.match.status == MatchStatus.RUNNING])
    games = [_mine(x, account, states.get(x.match.id), waits.get(x.match.id, []), unread) for x in found]
    return sorted(games, key=lambda game: (not game.asked, game.due or NEVER) if game.asked else (True, NEVER)), number, pages


def _mine(found: Listing, account: Account, state: AnyState | None, waits: list[Wait], unread: dict[str, int]) -> Mine:
    match, game = found.match, GAMES.get(found.match.game)
    seat = next((row.seat for row in found.seats if row.account_id == account.id), None)
    asked = found.asked and match.halted_at is None
    # Who has answered and waits for the others to do so knows it, and isn't waited for.
    waiting = {wait.seat: wait for wait in waits if asked or wait.seat != seat}
    mine = Mine(match, found.seats, seat, asked, waiting, unread=unread.get(match.id, 0))
    if game is None or state is None:
        return mine
    try:
        return _as_it_stands(mine, game, state)
    except Exception as problem:  # a game whose rules fail at its position halts by itself, and hides no other
        log.error("position can't be told", match=match.id, problem=type(problem).__name__)
        return mine


def _as_it_stands(mine: Mine, game: Game, state: AnyState) -> Mine:
    """What the position says: round or turn, the person's standing, and what they are asked."""
    seat, seen = mine.seat, game.view(state, mine.seat)
    counted = {name: seen[name] for name in ("round", "turn") if isinstance(seen.get(name), int)}
    if seat is None:
        return replace(mine, **counted)
    names = called(mine.match, {row.seat: row.name for row in mine.seats})
    question = _question(game, state, seat, names) if mine.asked else ""
    points, holding = game.score(state, seat), game.holding(state, seat)
    return replace(mine, question=question, points=points, holding=holding, place=place(game, state, seat), **counted)


def _question(game: Game, state: AnyState, seat: Seat, names: dict[Seat, str]) -> str:
    if seat not in state.waiting:
        return ""
    ask = procedure.ask_of(state, seat)
    return labels_of(game, ask).heading(ask, names)


def _state(match: Match) -> AnyState | None:
    """The position of a game that runs; None where it can't be read here and now, so that the other games are shown."""
    if match.status != MatchStatus.RUNNING or match.snapshot is None or match.game not in GAMES:
        return None
    with passing_over(match=match.id):
        try:
            return state_of(match)
        except msgspec.MsgspecError:
            return None
    return None


def next_asked(session: Session, account: Account, but: str = "") -> Match | None:
    """The most urgent game that waits for a person, without the one of that id; None where none does."""
    waiting = [game for game in page(session, account)[0] if game.asked and game.match.id != but]
    return waiting[0].match if waiting else None
