"""What an Earl can lose for good: see `engine.core.consequences`."""

from __future__ import annotations

from engine.core.asks import Seat
from engine.core.consequences import Loss
from engine.ortus.face.view import OrtusState
from engine.ortus.rules.combat import Battle
from engine.ortus.rules.joust import Joust
from engine.ortus.rules.pieces import kind, owner
from engine.ortus.rules.politics import Politics, Struggle

FIGHTS = (Battle, Joust, Politics, Struggle)
PERILS = frozenset((
    "turn", "defend", "church", "church_asset", "ransom", "canterbury", "enter", "allies", "commit", "counter", "vikings",
))  # fmt: skip


def holds(state: OrtusState, seat: Seat) -> dict[str, Loss]:
    """Place in the game, crown, Canterbury, Fiefs with Lords, and cards still in the game."""
    table, found = state.table, dict[str, Loss]()
    earl = table.earls[seat]
    if earl.alive and (table.outcome is None or seat in table.outcome.winners):
        found["in"] = Loss("out", {"last": len(earl.fiefs) == 1})
    if not earl.alive:
        return found
    if table.king == seat:
        found["crown"] = Loss("crown")
    if table.canterbury == seat:
        found["canterbury"] = Loss("canterbury")
    for fief in earl.fiefs:
        found[f"fief {fief.number} {fief.anchor}"] = Loss("fief", {"fief": fief.number, "card": kind(fief.anchor)})
        if fief.lord is not None:
            found[f"lord {fief.number} {fief.lord}"] = Loss("lord", {"fief": fief.number, "card": kind(fief.lord)})
    if not sum(owner(card) == seat for card in table.out):
        found["cards"] = Loss("cards")
    return found
