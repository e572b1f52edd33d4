"""Cards and limits of Ortus (OR-COMP). A card is `Kind/owner`, by its original owner's seat."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.core import rulings
from engine.core.asks import NotLegal, illegal_if
from engine.language import lore
from engine.language.words import say
from engine.ortus.rules.ids import Card, kind

Troop = str
"""`Infantry`, `Knight`, `VikingInfantry` or `VikingChieftain`."""

LORE: dict[str, Any] = json.loads(lore.text("engine.ortus", "components.json"))
RULINGS = rulings.load("engine.ortus")

KINDS: tuple[str, ...] = (*LORE["property_group"], *LORE["face_group"], *LORE["political_group"])
PROPERTIES = frozenset(("Land", "MarketTown", "Church", "Cathedral"))
ANCHORS = frozenset(("Castle", "Palace"))
FACES = frozenset(("Prince", "Vassal", "Champion", "Monk"))
COPIES: int = LORE["copies_of_a_type"]
DECK: int = LORE["earl_deck"]
SIZES: tuple[int, ...] = tuple(sorted({role["deck"] for role in LORE["roles"].values()}, reverse=True))
"""Deck sizes, by role (OR-ROLE-4)."""
MARKERS: int = LORE["black_markers"]
SEND: dict[str, int] = LORE["send"]
KING = "King"
VIKINGS = "v"
"""Pseudo-seat of the Vikings as attackers."""


def cards(counts: Mapping[str, int]) -> list[str]:
    return [k for k, n in counts.items() for _ in range(n)]


def strength(anchor: Card) -> int:
    """Points that destroy an Anchor in one Siege (OR-OBJ-4, 5)."""
    return 3 if kind(anchor) == "Palace" else 2


def army_deck(earls: int) -> list[Troop]:
    """Unshuffled Army Deck; `earls` at the start (OR-COMP-4)."""
    return cards({k: n * earls for k, n in LORE["army_per_earl"].items()})


def check_deck(counts: Mapping[str, int], size: int = DECK) -> None:
    """Check a deck: `size` cards of the 15 types, at most 6 each (OR-COMP-2, OR-ROLE-4). Raises NotLegal."""
    for name, n in counts.items():
        illegal_if(name not in KINDS, "ortus.deck_kind", kind=name[:30], kinds=list(KINDS))
        illegal_if(not 0 <= n <= COPIES, "ortus.deck_copies", n=n, kind=name, copies=COPIES)
    total = sum(counts.values())
    if total != size:
        code = "ortus.deck_short" if total < size else "ortus.deck_long"
        raise NotLegal(say(code, total=total, size=size, n=abs(size - total)))
