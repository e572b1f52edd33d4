"""Cards: what *My games* shows of a running game, cached in the row of a seat that is asked. Others are made when listed:
decoding a position (0.02 ms) costs less than six cards a move. Encrypted; only what its seat may know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.core import procedure
from engine.core.asks import SEATS, Ask, Option, Seat, read_ask, stored
from engine.game import AnyState, Game, labels_of
from engine.play.ranking import Place, place
from service.store.models import Match

MADE = 2
"""Version of the contents."""
COUNTED = ("round", "turn")


class GameCard(msgspec.Struct, frozen=True):
    at: list[Any]
    """Version of the position; see `mark`."""
    waiting: list[Seat]
    """As everybody sees it, including seats with hidden answers."""
    ask: dict[str, Any] | None = None
    """The open ask."""
    round: int = 0
    turn: int = 0
    points: tuple[int, int] | None = None
    held: tuple[str, int] | None = None
    place: Place | None = None

    def question(self, game: Game, names: Mapping[Seat, str]) -> str:
        if self.ask is None:
            return ""
        ask = read_ask(self.ask)
        return labels_of(game, ask).heading(ask, dict(names))


def mark(match: Match) -> list[Any]:
    return [MADE, match.serial, match.snapshot_n, match.head]


def made(match: Match, game: Game, state: AnyState, seat: Seat | None) -> GameCard:
    """Build a card for a seat (None: a spectator)."""
    table = state.table
    counted = {name: getattr(table, name) for name in COUNTED if isinstance(getattr(table, name, None), int)}
    waiting = sorted({*state.waiting, *state.sealed})
    if seat is None:
        return GameCard(mark(match), waiting, **counted)
    ask = _slim(game, procedure.ask_of(state, seat)) if seat in state.waiting else None
    return GameCard(
        mark(match),
        waiting,
        ask,
        points=game.rules.score(state, seat),
        held=game.rules.held(state, seat),
        place=place(game, state, seat),
        **counted,
    )


def _slim(game: Game, ask: Ask) -> dict[str, Any]:
    """Serialise an ask, without its fields (most of its size) unless its heading needs them."""
    slim = Ask(ask.seat, ask.kind, tuple(Option(o.id, (), o.grave) for o in ask.options), ask.default, ask.rule, ask.about)
    names = {seat: seat for seat in SEATS}
    try:
        same = labels_of(game, slim).heading(slim, names) == labels_of(game, ask).heading(ask, names)
    except LookupError:
        same = False
    return stored(slim if same else ask)


def kept(match: Match, card: Mapping[str, Any]) -> GameCard | None:
    """Parse a stored card; None if stale."""
    try:
        found = msgspec.convert(card, GameCard)
    except msgspec.ValidationError:
        return None
    return found if found.at == mark(match) else None
