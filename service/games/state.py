"""Stored positions and hidden answers: the whole position, and what one seat knows of it with its hidden offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from engine.core.asks import Seat, read
from engine.core.views import Event
from engine.game import AnyState, Game
from engine.games import game_called
from engine.play import match as matches
from engine.play.hidden import Given, Taken, linked, run_offers
from service.common.messages import sentence
from service.errors import NotFound
from service.games.entries import stored_entries
from service.store.models import EntryRow, Match, SealedAnswer
from service.store.sealing import need


def state_of(match: Match) -> AnyState:
    """Decode the snapshot. Raises NotFound before the workers have opened the game."""
    if match.snapshot is None:
        raise NotFound(sentence("The game is being set up; it opens in a moment."))
    need(match.snapshot)
    return game_called(match.game).rules.decode(match.snapshot)


def position(session: Session, match: Match) -> AnyState | None:
    """The position, replayed from the log if the snapshot can't be read. None before the game opens."""
    need(match.snapshot)
    if match.snapshot is not None:
        try:
            return game_called(match.game).rules.decode(match.snapshot)
        except msgspec.MsgspecError:
            pass  # an old format; the next answer rewrites it
    if match.header is None or not match.serial:
        return None
    need(match.seed)
    header = msgspec.json.decode(match.header, type=matches.Header)
    return matches.replay(header, match.seed, stored_entries(session, match.id), trusted=True).state


def shown_n(match: Match, state: AnyState) -> int:
    """Number of visible entries: hidden ones would reveal that somebody has answered."""
    return match.snapshot_n - len(state.sealed)


def head_of(session: Session, match: Match, state: AnyState) -> str:
    """The chain's head before hidden answers, which the oldest games have in the log."""
    if not state.sealed:
        return match.head
    first = select(EntryRow.prev).where(EntryRow.match_id == match.id, EntryRow.n == shown_n(match, state) + 1)
    return session.exec(first).first() or match.head


def sealed_by(seat: Any) -> ColumnElement[bool]:
    """SQL condition: a seat's own hidden answers, and all hidden offers, since it may take part in them."""
    own: ColumnElement[bool] = col(SealedAnswer.seat) == seat
    return own | (col(SealedAnswer.serial) <= matches.OFFER)


def stored(row: SealedAnswer) -> Given:
    """Parse a hidden answer's row, encrypted outside the log."""
    return Given(read(row.move), row.via, row.mark)


def taken(row: SealedAnswer) -> Taken:
    """Parse a hidden offer's row."""
    return Taken(row.seat, row.kind, stored(row), -row.serial)


def with_own_offers(
    game: Game, state: AnyState, seat: Seat, sealed: Sequence[SealedAnswer]
) -> tuple[AnyState, list[list[Event]]]:
    """The position with the hidden offers that a seat (empty: a spectator) knows, and the events of each."""
    offers = [taken(row) for row in sealed if row.serial <= matches.OFFER]
    return run_offers(game, state, linked(game, state.table.seats, offers, (seat,))[0] if seat else [])


def known_to(session: Session, match: Match, seat: Seat) -> AnyState:
    """The snapshot's position with the hidden offers that the seat knows."""
    sealed = select(SealedAnswer).where(SealedAnswer.match_id == match.id, sealed_by(seat))
    rows = session.exec(sealed.order_by(col(SealedAnswer.at), SealedAnswer.id)).all()
    return with_own_offers(game_called(match.game), state_of(match), seat, rows)[0]
