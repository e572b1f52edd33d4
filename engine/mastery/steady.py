"""The `steady` bot of Medieval Mastery: sensible heuristics on what its seat may know."""

from __future__ import annotations

from engine import procedure
from engine.asks import Answer, Seat
from engine.chance import Chance
from engine.game import AnyState


def steady(state: AnyState, seat: Seat, chance: Chance) -> Answer:
    """Play for the seat."""
    return procedure.ask_of(state, seat).default
