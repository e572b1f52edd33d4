"""Cards and limits of Ortus (OR-COMP), and the ids of cards, Holdings, forces, targets and aims in answers. A card is
`Kind/owner`, by its original owner's seat.

    Vassal/b          kind and original owner
    Land/b+2          second of equal cards
    Infantry          table cards, without owner
    F2                Fief 2, or its Anchor; `F2.Land/b` a Land attached to it
    T3                Tower by place
    lord:F2 hand:Vassal/a reserve:Knight royal:Knight force:VikingInfantry king mercenary:1 garrison:1
                      force by zone
    siege:b:F2 raid:b:F2 tower:b canterbury:b
                      attack target
    lord:b:F2 hand:b mercenary:b:1 properties:b:F2 armies:b
                      aim of Politics
    royal mercenary:1 garrison slot
    new:Castle/b      future Fief of a seized Anchor
    earl:b favour:b place_Land hand_Champion
                      names in standing orders

Read them with `parse`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from engine.core import rulings
from engine.core.asks import NotLegal, Seat, illegal_if
from engine.language import lore
from engine.language.words import say

Card = str
"""`Kind/owner` for coloured cards: `Vassal/b`."""
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


# --- ids ----------------------------------------------------------------------------------------------------------------


class Id(NamedTuple):
    """A parsed id; unused fields are empty or 0."""

    where: str = ""
    """Prefix: `lord`, `siege`, `new`, or `tower` for a Tower's place."""
    seat: Seat = ""
    """The target's seat."""
    number: int = 0
    """Fief, Mercenary or Tower number."""
    card: Card = ""
    kind: str = ""
    owner: Seat = ""
    """Original owner's seat; '' for table cards."""
    copy: int = 1
    """Index among equal cards."""


WORDS = frozenset(("king", "royal"))


@lru_cache(maxsize=4096)
def parse(id: str) -> Id:
    if id in WORDS:
        return Id(id)
    where, colon, rest = id.partition(":")
    if not colon:
        where, rest = "", id
    seat = ""
    if where and rest[1:2] in ("", ":") and rest[:1].isalpha():
        seat, rest = rest[0], rest[2:]
    number = 0
    if rest[:1] in ("F", "T") and rest[1:2].isdecimal():
        where = where or ("tower" if rest[0] == "T" else "")
        digits, _, rest = rest[1:].partition(".")
        number = int(digits)
    elif rest.isdecimal():
        number, rest = int(rest), ""
    card, _, copy = rest.partition("+")
    kind, _, owner = card.partition("/")
    return Id(where, seat, number, card, kind, owner, int(copy) if copy.isdecimal() else 1)


@lru_cache(maxsize=4096)
def kind(card: Card) -> str:
    return parse(card).kind


@lru_cache(maxsize=4096)
def owner(card: Card) -> Seat:
    """A card's original owner (OR-INFO-9); '' for table cards."""
    return parse(card).owner


def card_of(kind: str, seat: Seat) -> Card:
    return f"{kind}/{seat}"


def fief_id(number: int) -> str:
    return f"F{number}"


def holding_id(number: int, card: Card) -> str:
    return f"F{number}.{card}"


def tower_id(place: int) -> str:
    return f"T{place}"


def lord_id(fief: int) -> str:
    return f"lord:F{fief}"


def at(where: str, what: str | int) -> str:
    """A force by zone and card or number; also a new Fief."""
    return f"{where}:{what}"


def of_earl(where: str, seat: Seat, fief: int = 0, mercenary: int = 0) -> str:
    """A target or aim, with the Fief's or Mercenary's number."""
    return f"{where}:{seat}:F{fief}" if fief else f"{where}:{seat}:{mercenary}" if mercenary else f"{where}:{seat}"


def wish(id: str) -> tuple[str, str]:
    """Parse an order's wish: `place_Land` -> (action or place, kind)."""
    what, _, kind = id.partition("_")
    return what, kind


def numbered(items: list[str]) -> list[str]:
    """Make equal ids unique: `Land/b`, `Land/b+2`."""
    seen: dict[str, int] = {}
    ids = []
    for item in items:
        n = seen[item] = seen.get(item, 0) + 1
        ids.append(item if n == 1 else f"{item}+{n}")
    return ids


# --- decks --------------------------------------------------------------------------------------------------------------


def cards(counts: Mapping[str, int]) -> list[str]:
    return [k for k, n in counts.items() for _ in range(n)]


def strength(anchor: Card) -> int:
    """Points that destroy an Anchor in one Siege (OR-OBJ-4, 5)."""
    return 3 if kind(anchor) == "Palace" else 2


def is_anchor(card: Card) -> bool:
    return kind(card) in ANCHORS


def full_joust_deck() -> list[str]:
    """OR-COMP-7."""
    return cards(LORE["joust_deck"])


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
