"""The card of a seat: what *My games* shows of a running game, kept in the seat's row and written when the game moves.

A list of 200 games reads 200 cards instead of decoding 200 positions and asking the rules of each. A card holds data, no
sentences: the question as an ask, numbers, ids. It holds what its seat may know, and lies encrypted like the seat's notes.
A card that doesn't fit the match's row (an older program wrote it, or none did yet) is made from the position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine import procedure
from engine.asks import Ask, Option, Seat, read_ask, stored
from engine.game import AnyState, Game, labels_of
from engine.ranking import Place, place
from service.store.models import Match

MADE = 1
"""Raised when a card's contents change, so that older ones are made again."""
COUNTED = ("round", "turn")


class Card(msgspec.Struct, frozen=True):
    """How a running game stands for one seat."""

    at: list[Any]
    """The position that it was made from; see `mark`."""
    waiting: list[Seat]
    """Seats that the game waits for, as everybody sees it: seats with a hidden answer are among them."""
    ask: dict[str, Any] | None = None
    """What the seat is asked."""
    round: int = 0
    turn: int = 0
    points: tuple[int, int] | None = None
    held: tuple[str, int] | None = None
    place: tuple[int, bool] | None = None

    def question(self, game: Game, names: Mapping[Seat, str]) -> str:
        """What the seat is asked, in few words of the language spoken."""
        if self.ask is None:
            return ""
        ask = read_ask(self.ask)
        return labels_of(game, ask).heading(ask, dict(names))

    @property
    def ranked(self) -> Place | None:
        """The seat's place among the others."""
        return Place(*self.place) if self.place is not None else None


def mark(match: Match) -> list[Any]:
    """What a card must have been made from, to hold for the match as its row stands."""
    return [MADE, match.serial, match.snapshot_n, match.head]


def made(match: Match, game: Game, state: AnyState, seat: Seat | None) -> Card:
    """The card of a seat (None: of a spectator) from the position that the seat knows."""
    table = state.table
    counted = {name: getattr(table, name) for name in COUNTED if isinstance(getattr(table, name, None), int)}
    waiting = sorted({*state.waiting, *state.sealed})
    if seat is None:
        return Card(mark(match), waiting, **counted)
    ask = _slim(game, procedure.ask_of(state, seat)) if seat in state.waiting else None
    at = place(game, state, seat)
    ranked = (at.nth, at.joint) if at is not None else None
    return Card(mark(match), waiting, ask, points=game.score(state, seat), held=game.held(state, seat), place=ranked, **counted)


def _slim(game: Game, ask: Ask) -> dict[str, Any]:
    """The ask as data, without its fields where its heading doesn't need them: they are most of it."""
    slim = Ask(ask.seat, ask.kind, tuple(Option(o.id, (), o.grave) for o in ask.options), ask.default, ask.rule, ask.about)
    names = {seat: seat for seat in "abcdef"}
    try:
        same = labels_of(game, slim).heading(slim, names) == labels_of(game, ask).heading(ask, names)
    except LookupError:
        same = False
    return stored(slim if same else ask)


def kept(match: Match, card: Mapping[str, Any]) -> Card | None:
    """The card that a row holds; None where it doesn't fit the match as it stands."""
    try:
        found = msgspec.convert(card, Card)
    except msgspec.ValidationError:
        return None
    return found if found.at == mark(match) else None


def plain(card: Card) -> dict[str, Any]:
    """A card as a row holds it."""
    found: dict[str, Any] = msgspec.to_builtins(card)
    return found
