"""Piece tables for the pages about the game."""

from __future__ import annotations

from typing import Any

from engine.mastery.rules import ids
from engine.mastery.rules.pieces import Kind, lore_of
from engine.mastery.rules.setup import RULES


def facts() -> dict[str, Any]:
    """`points` to win; `tiles`, `cards`, `regalia` with numbers and uses; `options`."""
    lore = lore_of("")
    tiles = [{"id": t.type, "value": t.value, "capacity": t.capacity, "abilities": t.abilities()} for t in lore.tiles.values()]
    return {
        "points": lore.victory["base"]["individual"],
        "tiles": tiles,
        "cards": [{"id": k.id, "copies": k.copies, "value": k.value, "use": _use(k)} for k in lore.cards.values()],
        "regalia": [{"id": a, "use": ids.use(a)} for a in lore.regalia],
        "options": [{"allegiance": 2}, {"rules": list(RULES)}],
    }


def _use(kind: Kind) -> str:
    if kind.kind == "resource":
        return kind.id
    return kind.kind if kind.value else "ambush"
