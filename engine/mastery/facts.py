"""What the pages about the game tell of its pieces: plain data with words."""

from __future__ import annotations

from typing import Any

from engine.mastery.narrate import WORDS, options_told
from engine.mastery.pieces import Kind, lore_of
from engine.mastery.setup import RULES


def facts() -> dict[str, Any]:
    """`points` that win; `tiles`, `cards`, `regalia` with their names and uses; `options`, a sentence each."""
    lore = lore_of("")
    tiles = [
        {
            "name": WORDS["tile"][t.type],
            "value": t.value,
            "capacity": t.capacity,
            "use": "; ".join(WORDS["ability"][a] for a in t.abilities()),
        }
        for t in lore.tiles.values()
    ]
    return {
        "points": lore.victory["base"]["individual"],
        "tiles": tiles,
        "cards": [{"name": WORDS["kind"][k.id], "copies": k.copies, "use": _use(k)} for k in lore.cards.values()],
        "regalia": [{"name": WORDS["artefact"][a], "use": WORDS["use"][a]} for a in lore.regalia],
        "options": [*options_told({"allegiance": 2}), *options_told({"rules": list(RULES)})],
    }


def _use(kind: Kind) -> str:
    words = WORDS["card_use"]
    if kind.kind == "resource":
        return words[kind.id]
    return words[kind.kind if kind.value else "ambush"].format(value=kind.value)
