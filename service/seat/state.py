"""Stored positions and hidden answers: the whole position, and what one seat knows of it with its hidden offers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import structlog
from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from engine.core.asks import Seat, read, write
from engine.core.views import Event
from engine.game import AnyState, Game
from engine.games import game_called
from engine.play import match as matches
from engine.play.hidden import Given, linked, run_offers
from engine.play.run import Hidden
from service.common.messages import sentence
from service.errors import NotFound
from service.log.entries import header_of, stored_entries
from service.store.encryption import need
from service.store.models import EntryRow, HiddenAnswer, Match

log = structlog.get_logger()


def state_of(match: Match) -> AnyState:
    """Decode the snapshot. Raises NotFound before the workers have opened the game."""
    if match.snapshot is None:
        raise NotFound(sentence("The game is being set up; it opens in a moment."))
    need(match.snapshot)
    return game_called(match.game).rules.decode(match.snapshot)


def live(session: Session, match: Match) -> tuple[matches.Match, bool]:
    """The match, to play on; whether it was replayed from the log."""
    need(match.seed, match.snapshot)
    header = header_of(match)
    if match.snapshot is not None:
        try:
            state = game_called(header.game, header.rules).rules.decode(match.snapshot)
        except msgspec.MsgspecError:
            log.warning("snapshot dropped", match=match.id)
        else:
            return matches.take_up(header, match.seed, state, match.snapshot_n, match.head), False
    entries = stored_entries(session, match.id)
    if not entries:
        return matches.start(header, match.seed), True
    replayed = matches.replay(header, match.seed, entries, trusted=True)
    return matches.take_up(header, match.seed, replayed.state, len(entries), replayed.head), True


def position(session: Session, match: Match) -> AnyState | None:
    """The position, replayed from the log if the snapshot can't be read."""
    need(match.snapshot)
    if match.snapshot is not None:
        with contextlib.suppress(msgspec.MsgspecError):  # an old format; the next answer rewrites it
            return game_called(match.game).rules.decode(match.snapshot)
    if match.header is None or not match.serial:
        return None
    return live(session, match)[0].state


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
    own: ColumnElement[bool] = col(HiddenAnswer.seat) == seat
    return own | (col(HiddenAnswer.serial) <= matches.OFFER)


def hidden(rows: Iterable[HiddenAnswer]) -> list[Hidden]:
    return [Hidden(row.seat, row.serial, row.kind, Given(read(row.move), row.via, row.mark)) for row in rows]


def store_hidden(session: Session, match_id: str, before: Iterable[HiddenAnswer], found: Iterable[Hidden]) -> None:
    """Replace the rows of hidden answers; offers keep the order of arrival."""
    wanted = [(one[:3], write(one.given.answer), one.given) for one in found]
    offered = [(its, move) for its, move, _ in wanted if its[1] <= matches.OFFER]
    in_order = True
    for row in before:
        # The same power may be used twice with the same text: one row each.
        its = ((row.seat, row.serial, row.kind), row.move)
        known = next((one for one in wanted if one[:2] == its), None)
        if row.serial <= matches.OFFER:
            in_order = in_order and known is not None and its == offered.pop(0)
        if known is None or (not in_order and row.serial <= matches.OFFER):
            session.delete(row)
        else:
            wanted.remove(known)
    for (seat, serial, kind), move, given in wanted:
        session.add(
            HiddenAnswer(match_id=match_id, seat=seat, serial=serial, kind=kind, move=move, via=given.via, mark=given.mark)
        )


def with_own_offers(
    game: Game, state: AnyState, seat: Seat, sealed: Sequence[HiddenAnswer]
) -> tuple[AnyState, list[list[Event]]]:
    """The position with the hidden offers that a seat (empty: a spectator) knows, and their events."""
    offers = [one.offer for one in hidden(sealed) if one.serial <= matches.OFFER]
    return run_offers(game, state, linked(game, state, offers, (seat,))[0] if seat else [])


def known_to(session: Session, match: Match, seat: Seat) -> AnyState:
    """The snapshot with the hidden offers that the seat knows."""
    sealed = select(HiddenAnswer).where(HiddenAnswer.match_id == match.id, sealed_by(seat))
    rows = session.exec(sealed.order_by(col(HiddenAnswer.at), HiddenAnswer.id)).all()
    return with_own_offers(game_called(match.game), state_of(match), seat, rows)[0]
