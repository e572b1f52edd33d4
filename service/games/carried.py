"""Options carried over to a rematch (`Rules.rematch`), such as leftover points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session

from engine.core.asks import Seat
from engine.games import game_called
from service.seat.state import position
from service.store import rulings
from service.store.models import Match, SeatRow
from service.store.seats import seats_of


def options(session: Session, match: Match, seats: Sequence[SeatRow]) -> dict[str, Any]:
    chosen = rulings.plain(match.options)
    before = session.get(Match, match.rematch_of) if match.rematch_of else None
    if before is None or game_called(match.game).rules.rematch.options is None:
        return chosen
    sat = seats_of(session, before)
    places = {seat.seat: was.seat for seat in seats for was in sat if _same_player(seat, was)}
    return applied(session, before, chosen, places)


def applied(session: Session, before: Match, chosen: Mapping[str, Any], places: Mapping[Seat, Seat]) -> dict[str, Any]:
    """Options of a rematch; `places`: new seat -> old one."""
    carry = game_called(before.game).rules.rematch.options
    last = position(session, before) if carry is not None else None
    return carry(chosen, last, places) if carry is not None and last is not None else dict(chosen)


def _same_player(seat: SeatRow, was: SeatRow) -> bool:
    """Whether both are the same player, or bot of one colour."""
    if seat.account_id or was.account_id:
        return seat.account_id == was.account_id
    return bool(seat.bot) and (seat.bot, seat.colour) == (was.bot, was.colour)
