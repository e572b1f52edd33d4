"""The `steady` bot of Ortus Regni."""

from __future__ import annotations

from engine.asks import Answer, Seat
from engine.bots.random import play_at_random
from engine.chance import Chance
from engine.game import AnyState


def steady(state: AnyState, seat: Seat, chance: Chance) -> Answer:
    """Play for the seat, knowing only what the re-dealt state tells."""
    return play_at_random(state, seat, chance)
