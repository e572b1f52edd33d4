"""Ids of Ortus Regni: what cards, Holdings, forces, targets and aims are called in answers, and what each id says.

    Vassal/b          a card of an Earl's coloured set: its kind, and the seat whose set it came from
    Land/b+2          the second of several like ones, where they must be told apart
    Infantry          an Army or Viking Card, a Battle Card, a Joust Card: they belong to nobody
    F2                Fief 2, or its Anchor; `F2.Land/b` a Land attached to it
    T3                a Tower, by its place
    lord:F2 hand:Vassal/a reserve:Knight royal:Knight force:VikingInfantry king mercenary:1 garrison:1
                      a force, by where it stands
    siege:b:F2 raid:b:F2 tower:b canterbury:b
                      what can be attacked at an Earl's
    lord:b:F2 hand:b mercenary:b:1 properties:b:F2 armies:b
                      what Politics can aim at
    royal mercenary:1 the slot of a garrison
    new:Castle/b      the Fief that a seized Anchor will be
    earl:b favour:b place_Land hand_Champion
                      what settings of standing orders name

Everybody else reads and writes ids by what stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.asks import Seat

Card = str
"""`Vassal/b`: a card of an Earl's coloured set and the seat whose set it came from."""


class Id(NamedTuple):
    """What an id says; empty or 0 where it says nothing."""

    where: str = ""
    """`lord`, `siege`, `new`: what stands before the first colon; `tower` for a Tower's place."""
    seat: Seat = ""
    """At whose place it is."""
    number: int = 0
    """Of the Fief, the Mercenary or the Tower."""
    card: Card = ""
    kind: str = ""
    """Of the card."""
    owner: Seat = ""
    """The seat whose set the card came from; empty for one that belongs to nobody."""
    copy: int = 1
    """Which of several like ones."""


MOST = 20_000
"""So many ids are remembered; a match has some hundreds."""
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
"""id -> what it says. Remembered, for it is asked often."""
kind: Callable[[Card], str] = _Kinds().__getitem__
"""card -> `Vassal` of `Vassal/b`. Remembered, for it is asked most often of all."""


owner: Callable[[Card], Seat] = _Owners().__getitem__
"""card -> `b` of `Vassal/b`: the original owner (OR-INFO-9); empty for cards of the table. Remembered too."""


def card_of(kind: str, seat: Seat) -> Card:
    """The card of that kind in the set of a seat."""
    return f"{kind}/{seat}"


def fief_id(number: int) -> str:
    """A Fief, or its Anchor."""
    return f"F{number}"


def holding_id(number: int, card: Card) -> str:
    """A Property of a Fief."""
    return f"F{number}.{card}"


def tower_id(place: int) -> str:
    """A Tower, by its place from 1."""
    return f"T{place}"


def lord_id(fief: int) -> str:
    """The Lord of a Fief."""
    return f"lord:F{fief}"


def at(where: str, what: str | int) -> str:
    """A force by where it stands: a card of the Hand, a Reserve card, a Mercenary by its number; also a new Fief."""
    return f"{where}:{what}"


def of_earl(where: str, seat: Seat, fief: int = 0, mercenary: int = 0) -> str:
    """A target or an aim: something at an Earl's, with the number of the Fief or the Mercenary where it has one."""
    return f"{where}:{seat}:F{fief}" if fief else f"{where}:{seat}:{mercenary}" if mercenary else f"{where}:{seat}"


def wish(id: str) -> tuple[str, str]:
    """What a setting of a standing order names: `place_Land`, `hand_Champion`, `castle` -> the deed or place, the kind."""
    what, _, kind = id.partition("_")
    return what, kind


def numbered(items: list[str]) -> list[str]:
    """Ids that tell like things apart: `Land/b`, `Land/b+2`."""
    seen: dict[str, int] = {}
    ids = []
    for item in items:
        n = seen[item] = seen.get(item, 0) + 1
        ids.append(item if n == 1 else f"{item}+{n}")
    return ids
