"""What a lord can lose: see `engine.core.consequences`."""

from __future__ import annotations

from engine.core.asks import Seat
from engine.core.consequences import Loss
from engine.mastery.face.view import MasteryState
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.table import held

FIGHTS = (Battle,)
PERILS = frozenset(("match", "conflict", "support", "fracture"))


def holds(state: MasteryState, seat: Seat) -> dict[str, Loss]:
    """The game, and territories."""
    table = state.table
    found = {"game": Loss("game")} if table.outcome is None or seat in table.outcome.winners else {}
    return found | {slot: Loss("land", {"slot": slot, "tile": table.lands[slot].tile}) for slot in held(table, seat)}
