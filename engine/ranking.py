"""Places: how a seat stands among the others, by what everybody knows."""

from __future__ import annotations

from dataclasses import dataclass

from engine.asks import Seat
from engine.game import AnyState, Game


@dataclass(frozen=True)
class Place:
    """The place of a seat's side."""

    nth: int
    """1 for the first; sides that are equal have the same."""
    joint: bool
    """Whether another side has it, too."""


def place(game: Game, state: AnyState, seat: Seat) -> Place | None:
    """The place of a seat; None where the game ranks nobody now, the seat is out of it, or all are equal."""
    ranked = game.ranking(state)
    own = next((merit for side, merit in ranked.items() if seat in side), None)
    if own is None or len(set(ranked.values())) == 1:
        return None
    merits = list(ranked.values())
    return Place(1 + sum(merit > own for merit in merits), merits.count(own) > 1)
