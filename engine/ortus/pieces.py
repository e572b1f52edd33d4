"""Cards and counts of Ortus Regni (OR-COMP). A card is `Kind/owner`, the owner being its original owner's seat."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine import lore, rulings
from engine.asks import NotLegal
from engine.ortus.ids import Card, kind
from engine.words import say

Troop = str
"""`Infantry` or `Knight`; Viking cards are `VikingInfantry` and `VikingChieftain`."""

LORE: dict[str, Any] = json.loads(lore.text("engine.ortus", "components.json"))
RULINGS = rulings.load("engine.ortus")

KINDS: tuple[str, ...] = (*LORE["property_group"], *LORE["face_group"], *LORE["political_group"])
PROPERTIES = frozenset(("Land", "MarketTown", "Church", "Cathedral"))
ANCHORS = frozenset(("Castle", "Palace"))
FACES = frozenset(("Prince", "Vassal", "Champion", "Monk"))
COPIES: int = LORE["copies_of_a_type"]
DECK: int = LORE["earl_deck"]
SIZES: tuple[int, ...] = tuple(sorted({role["deck"] for role in LORE["roles"].values()}, reverse=True))
"""The sizes that a deck can have: of an Earl, and of the other roles (OR-ROLE-4)."""
HAND: int = LORE["opening_hand"]
MARKERS: int = LORE["black_markers"]
SEND: dict[str, int] = LORE["send"]
KING = "King"
VIKINGS = "v"
"""Stands where an attacker's seat would, for the Vikings."""


def cards(counts: Mapping[str, int]) -> list[str]:
    """A list with every kind as often as counted."""
    return [k for k, n in counts.items() for _ in range(n)]


def strength(anchor: Card) -> int:
    """Points that destroy an Anchor in one Siege (OR-OBJ-4, 5)."""
    return 3 if kind(anchor) == "Palace" else 2


def army_deck(earls: int) -> list[Troop]:
    """The Army Deck of a game that `earls` Earls start, unshuffled (OR-COMP-4)."""
    return cards({k: n * earls for k, n in LORE["army_per_earl"].items()})


def check_deck(counts: Mapping[str, int], size: int = DECK) -> None:
    """Refuse an Earl Deck that is not 24 cards of the 15 types, or another `size`, at most 6 of each (OR-COMP-2, OR-ROLE-4)."""
    for name, n in counts.items():
        if name not in KINDS:
            raise NotLegal(say("ortus.deck_kind", kind=name[:30], kinds=list(KINDS)))
        if not 0 <= n <= COPIES:
            raise NotLegal(say("ortus.deck_copies", n=n, kind=name, copies=COPIES))
    total = sum(counts.values())
    if total != size:
        code = "ortus.deck_short" if total < size else "ortus.deck_long"
        raise NotLegal(say(code, total=total, size=size, n=abs(size - total)))
