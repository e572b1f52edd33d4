"""Ids of cards, Holdings, forces, targets and aims in answers: format and parser.

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

from collections.abc import Callable
from typing import NamedTuple

from engine.core.asks import Seat

Card = str
"""`Kind/owner` for coloured cards: `Vassal/b`."""


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


MOST = 20_000
"""Cache bound; a match has some hundreds."""
WORDS = frozenset(("king", "royal"))


class _Read(dict[str, Id]):
    def __missing__(self, id: str) -> Id:
        if len(self) > MOST:
            self.clear()
        found = self[id] = _read(id)
        return found


class _Kinds(dict[Card, str]):
    def __missing__(self, card: Card) -> str:
        if len(self) > MOST:
            self.clear()
        kind = self[card] = _read(card).kind
        return kind


class _Owners(dict[Card, Seat]):
    def __missing__(self, card: Card) -> Seat:
        if len(self) > MOST:
            self.clear()
        owner = self[card] = _read(card).owner
        return owner


def _read(id: str) -> Id:
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


parse: Callable[[str], Id] = _Read().__getitem__
"""Parse an id (cached)."""
kind: Callable[[Card], str] = _Kinds().__getitem__
"""A card's kind (cached)."""


owner: Callable[[Card], Seat] = _Owners().__getitem__
"""A card's original owner (OR-INFO-9); '' for table cards (cached)."""


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
    """Parse an order's wish: `place_Land` -> (deed or place, kind)."""
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
