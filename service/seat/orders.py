"""Standing orders of a seat: set, clear, dry run. Secret, never in the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from sqlmodel import Session, col, select

from engine.core.asks import Answer, NotLegal, Refused
from engine.games import game_called
from engine.language.words import addressed
from engine.play import orders
from engine.play.orders import DryRun
from service.common.messages import sentence
from service.log.chronicle import sentences, teller
from service.log.entries import as_event, header_of, stored_entries
from service.seat.state import known_to, state_of
from service.store.models import EntryRow, EventRow, Match, MatchStatus, SeatRow, now

WESTERNMOST = timedelta(hours=12)
"""Time after UTC at which a day ends everywhere on earth."""
TRIED = 24
"""Past questions in a dry run."""
LATELY = 3
MOST_GAMES = 5


def _running(match: Match) -> None:
    if match.status != MatchStatus.RUNNING or match.snapshot is None:
        raise NotLegal(sentence("Standing orders are for a game that is running."))


def put_all(session: Session, match: Match, row: SeatRow, answers: Mapping[str, Answer | None]) -> None:
    """Set orders, or clear those that are None, for future questions and an open one's deadline. Raises Refused, sets none."""
    row.orders = checked(session, match, row, answers)


def checked(session: Session, match: Match, row: SeatRow, answers: Mapping[str, Answer | None]) -> dict[str, str]:
    """The orders that `put_all` would set. Raises Refused."""
    _running(match)
    game, state = game_called(match.game), known_to(session, match, row.seat)
    found = {id: text for id, text in row.orders.items() if id not in answers}
    for id, answer in answers.items():
        if answer is not None:
            found[id] = orders.check(game, state, row.seat, id, answer)
            if not orders.of_day(game, {id: found[id]}, (now() - WESTERNMOST).date()):
                raise NotLegal(sentence("That day is over already: choose today or a later one."))
    return found


def asking(session: Session, match: Match, row: SeatRow) -> dict[str, str]:
    """Orders that ask the seat everything: they switch defaults of the house off."""
    _running(match)
    game = game_called(match.game)
    return fitting(session, match, row, orders.asking(game, known_to(session, match, row.seat), row.seat))


def ask_all(session: Session, match: Match, row: SeatRow) -> None:
    """Clear all orders, and switch off the house's defaults."""
    row.orders = asking(session, match, row)


def clear(session: Session, row: SeatRow) -> None:
    row.orders = {}
    session.flush()


def presets(match: Match) -> dict[str, dict[str, str]]:
    """Presets: `preset` for a sensible player, `away` for an absent one."""
    game = game_called(match.game)
    sensible = orders.preset(game, state_of(match) if match.snapshot is not None else None)
    away = {**sensible, **game.orders.sheet.layout.away} if game.orders.sheet.layout.away else {}
    return {name: found for name, found in (("preset", sensible), ("away", away)) if found}


def take_preset(session: Session, match: Match, row: SeatRow) -> None:
    """Apply the preset, keeping other orders."""
    _running(match)
    row.orders = {**row.orders, **orders.preset(game_called(match.game), state_of(match))}
    session.flush()


def take(session: Session, match: Match, row: SeatRow, ready: Mapping[str, str]) -> None:
    """Apply orders, skipping invalid ones and keeping others."""
    _running(match)
    row.orders = {**row.orders, **fitting(session, match, row, ready)}


def fitting(session: Session, match: Match, row: SeatRow, ready: Mapping[str, str]) -> dict[str, str]:
    game, state = game_called(match.game), known_to(session, match, row.seat)
    found = {}
    for id, answer in orders.settings(ready).items():
        try:
            found[id] = orders.check(game, state, row.seat, id, answer)
        except Refused:
            continue
    return found


def of_last_game(session: Session, match: Match, account_id: str) -> tuple[str, dict[str, str]]:
    """Match name and orders of the account's latest other match of this game."""
    found = (
        select(Match.name, SeatRow)
        .join(SeatRow, col(SeatRow.match_id) == col(Match.id))
        .where(SeatRow.account_id == account_id, Match.game == match.game, Match.id != match.id)
        .order_by(col(Match.started_at).desc())
        .limit(MOST_GAMES)
    )
    return next(((name, row.orders) for name, row in session.exec(found) if row.orders), ("", {}))


def dry_run(session: Session, match: Match, row: SeatRow, tried: Mapping[str, str] | None = None) -> DryRun:
    """Dry run: how orders would have answered the seat's last questions."""
    _running(match)
    if match.header is None:
        return DryRun()
    entries = stored_entries(session, match.id)
    own = [e.n for e in entries if e.actor == row.seat and e.serial > 0][-TRIED:]
    if not own:
        return DryRun()
    return orders.dry_run(header_of(match), match.seed, entries, row.seat, row.orders if tried is None else tried, own[0])


@dataclass(frozen=True)
class Done:
    at: str
    told: list[str]
    """As the seat may know it."""
    house: bool
    """Given by a house default."""


def done_lately(session: Session, match: Match, row: SeatRow, names: Mapping[str, str], zone: str) -> list[Done]:
    by_order = select(EntryRow.n, EntryRow.at, EntryRow.via).where(
        EntryRow.match_id == match.id, EntryRow.actor == row.seat, col(EntryRow.via).in_(("order", "house"))
    )
    found = {n: (at, via) for n, at, via in session.exec(by_order.order_by(col(EntryRow.n).desc()).limit(LATELY))}
    if not found:
        return []
    game, told = game_called(match.game), dict[int, list[str]]()
    events = select(EventRow).where(EventRow.match_id == match.id, col(EventRow.n).in_(found))
    called = addressed(names, row.seat)
    for n, rows in groupby(session.exec(events.order_by(col(EventRow.n), col(EventRow.i))), key=lambda one: one.n):
        answer = [event for one in rows if (event := as_event(one)).seen_by(row.seat)]
        told[n] = [one.words for one in sentences(game, answer, teller(game, called, zone), called) if one is not None]
    return [Done(at, told.get(n, []), via == "house") for n, (at, via) in found.items()]
