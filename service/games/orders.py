"""Standing orders of a seat: set, switched off, tried on the round that was. Secret; they never get into the log."""

from __future__ import annotations

import msgspec
from sqlmodel import Session, col, func, select

from engine import match as matches
from engine import orders
from engine.asks import Answer, NotLegal
from engine.games import game_called
from engine.orders import DryRun
from service.games.state import state_of
from service.ground.phrases import sentence
from service.store.models import EntryRow, Match, MatchStatus, SeatRow

LOOK_BACK = 400
"""Entries that a dry run looks at, at most."""


def _running(match: Match) -> None:
    if match.status != MatchStatus.RUNNING or match.snapshot is None:
        raise NotLegal(sentence("Standing orders are for a game that is running."))


def put(session: Session, match: Match, row: SeatRow, id: str, answer: Answer) -> None:
    """Set an order. Raises Refused for one that doesn't exist or can't be so.

    It counts for what is asked from now on, and for what is asked already at its deadline.
    """
    _running(match)
    text = orders.check(game_called(match.game), state_of(match), row.seat, id, answer)
    kept = {k: v for k, v in row.orders.items() if k != id}
    row.orders = kept if answer.option == "off" else kept | {id: text}
    session.add(row)
    session.flush()


def clear(session: Session, row: SeatRow) -> None:
    """Switch all orders off."""
    row.orders = {}
    session.add(row)
    session.flush()


def take_preset(session: Session, match: Match, row: SeatRow) -> None:
    """Take the sensible preset; orders that it doesn't name stay as they are."""
    _running(match)
    row.orders = {**row.orders, **orders.preset(game_called(match.game), state_of(match))}
    session.add(row)
    session.flush()


def dry_run(session: Session, match: Match, row: SeatRow) -> DryRun:
    """How often the seat was asked since its own turn before the last, and how often it would have been with its orders."""
    from service.games.entries import stored_entries

    _running(match)
    assert match.header is not None
    last = session.exec(select(func.max(EntryRow.n)).where(EntryRow.match_id == match.id)).one() or 0
    own = select(EntryRow.n).where(EntryRow.match_id == match.id, EntryRow.actor == row.seat, EntryRow.move == "end")
    ends = session.exec(own.order_by(col(EntryRow.n).desc()).limit(2)).all()
    since = max(last - LOOK_BACK, ends[-1] if len(ends) == 2 else 0) + 1
    header = msgspec.json.decode(match.header, type=matches.Header)
    return orders.dry_run(header, match.seed, stored_entries(session, match.id), row.seat, row.orders, since)
