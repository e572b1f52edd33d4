"""Public ranking of seats."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.asks import Seat
from engine.game import AnyState, Game


@dataclass(frozen=True)
class Place:
    nth: int
    """1 is best; ties share a number."""
    joint: bool


def place(game: Game, state: AnyState, seat: Seat) -> Place | None:
    """A seat's place, if any are ranked, the seat is in the game, and not all are equal."""
    ranked = game.rules.ranking(state)
    own = next((merit for side, merit in ranked.items() if seat in side), None)
    if own is None or len(set(ranked.values())) == 1:
        return None
    merits = list(ranked.values())
    return Place(1 + sum(merit > own for merit in merits), merits.count(own) > 1)
