"""Standing orders of a seat: set, clear, dry run. Secret, never in the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import msgspec
from sqlmodel import Session, col, select

from engine import match as matches
from engine import orders
from engine.asks import Answer, NotLegal, Refused, Seat
from engine.game import AnyState, Game
from engine.games import game_called
from engine.orders import DryRun
from service.common.messages import sentence
from service.games.chronicle import tell
from service.games.entries import as_event, stored_entries
from service.games.state import known_to, state_of
from service.store.models import EntryRow, EventRow, Match, MatchStatus, SeatRow, now

WESTERNMOST = timedelta(hours=12)
"""Latest end of a day on earth, after UTC."""
TRIED = 24
"""Past questions in a dry run."""
LATELY = 3
MOST_GAMES = 5


def _running(match: Match) -> None:
    if match.status != MatchStatus.RUNNING or match.snapshot is None:
        raise NotLegal(sentence("Standing orders are for a game that is running."))


def put_all(session: Session, match: Match, row: SeatRow, answers: Mapping[str, Answer | None]) -> None:
    """Set orders, or clear those that are None: effective for future questions, and at an open one's deadline.

    Raises Refused for any, setting none.
    """
    row.orders = checked(session, match, row, answers)
    session.add(row)
    session.flush()


def checked(session: Session, match: Match, row: SeatRow, answers: Mapping[str, Answer | None]) -> dict[str, str]:
    """The seat's orders after such a change. Raises Refused."""
    _running(match)
    game, state = game_called(match.game), known_to(session, match, row.seat)
    found = {id: text for id, text in row.orders.items() if id not in answers}
    for id, answer in answers.items():
        if answer is not None:
            found[id] = _current(game, state, row.seat, id, answer)
    return found


def _current(game: Game, state: AnyState, seat: Seat, id: str, answer: Answer) -> str:
    """Validate an order. Raises Refused, also for a day that is over everywhere."""
    text = orders.check(game, state, seat, id, answer)
    if not orders.of_day(game, {id: text}, (now() - WESTERNMOST).date()):
        raise NotLegal(sentence("That day is over already: choose today or a later one."))
    return text


def clear(session: Session, row: SeatRow) -> None:
    row.orders = {}
    session.add(row)
    session.flush()


def presets(match: Match) -> dict[str, dict[str, str]]:
    """`preset` for a sensible player, `away` for an absent one."""
    game = game_called(match.game)
    sensible = orders.preset(game, state_of(match) if match.snapshot is not None else None)
    away = {**sensible, **game.orders.layout.away} if game.orders.layout.away else {}
    return {name: found for name, found in (("preset", sensible), ("away", away)) if found}


def take_preset(session: Session, match: Match, row: SeatRow) -> None:
    """Apply the sensible preset; other orders stay."""
    _running(match)
    row.orders = {**row.orders, **orders.preset(game_called(match.game), state_of(match))}
    session.add(row)
    session.flush()


def take(session: Session, match: Match, row: SeatRow, ready: Mapping[str, str]) -> None:
    """Apply ready-made orders, skipping invalid ones; others stay."""
    _running(match)
    row.orders = {**row.orders, **fitting(session, match, row, ready)}
    session.add(row)
    session.flush()


def fitting(session: Session, match: Match, row: SeatRow, ready: Mapping[str, str]) -> dict[str, str]:
    """The ready-made orders that are valid at this table."""
    game, state = game_called(match.game), known_to(session, match, row.seat)
    found = {}
    for id, answer in orders.settings(ready).items():
        try:
            found[id] = orders.check(game, state, row.seat, id, answer)
        except Refused:
            continue
    return found


def of_last_game(session: Session, match: Match, account_id: str) -> tuple[str, dict[str, str]]:
    """Name and orders of the account's latest other match of this game with orders."""
    found = (
        select(Match.name, SeatRow)
        .join(SeatRow, col(SeatRow.match_id) == col(Match.id))
        .where(SeatRow.account_id == account_id, Match.game == match.game, Match.id != match.id)
        .order_by(col(Match.started_at).desc())
        .limit(MOST_GAMES)
    )
    return next(((name, row.orders) for name, row in session.exec(found) if row.orders), ("", {}))


def dry_run(session: Session, match: Match, row: SeatRow, tried: Mapping[str, str] | None = None) -> DryRun:
    """How orders (default: the current ones) would have answered the seat's last questions."""
    _running(match)
    if match.header is None:
        return DryRun()
    entries = stored_entries(session, match.id)
    own = [e.n for e in entries if e.actor == row.seat and e.serial > 0][-TRIED:]
    if not own:
        return DryRun()
    header = msgspec.json.decode(match.header, type=matches.Header)
    return orders.dry_run(header, match.seed, entries, row.seat, row.orders if tried is None else tried, own[0])


@dataclass(frozen=True)
class Done:
    """An answer given by order."""

    at: str
    told: list[str]
    """As its owner may know."""
    house: bool
    """Given by a default of the house."""


def done_lately(session: Session, match: Match, row: SeatRow, names: Mapping[str, str], zone: str) -> list[Done]:
    """The seat's latest answers by order, newest first."""
    by_order = select(EntryRow.n, EntryRow.at, EntryRow.via).where(
        EntryRow.match_id == match.id, EntryRow.actor == row.seat, col(EntryRow.via).in_(("order", "house"))
    )
    found = {n: (at, via) for n, at, via in session.exec(by_order.order_by(col(EntryRow.n).desc()).limit(LATELY))}
    if not found:
        return []
    game, told = game_called(match.game), dict[int, list[str]]()
    for event in session.exec(
        select(EventRow).where(EventRow.match_id == match.id, col(EventRow.n).in_(found)).order_by(col(EventRow.i))
    ):
        one = as_event(event)
        if one.seen_by(row.seat) and (words := tell(game, one, names, row.seat, zone)):
            told.setdefault(event.n, []).append(words)
    return [Done(at, told.get(n, []), via == "house") for n, (at, via) in found.items()]
