"""Sides of a battle: who stands on them, strength, dice, losses (FF-BAT-5 to 11)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.asks import Seat
from engine.fief.control import stays
from engine.fief.pieces import GRAIL, SPEAR
from engine.fief.table import RIDE, Lord, Person, Place, Table, titles_of

MOST_DICE = 4
PENALTY = {"stronghold": 1, "city": 2}
"""Dice that walls take from the attackers (FF-BAT-7)."""


class Side(msgspec.Struct):
    """One side of a battle in one village."""

    at: Place
    seats: list[Seat]
    riding: bool = False
    """It is a Cavalcade's group, and not an army."""

    def lords(self, table: Table) -> list[Person]:
        """Its free Lords."""
        return [p for s in self.seats for p in table.free(s, self.at) if p.road == RIDE or not self.riding]

    def troops(self, table: Table, seat: Seat) -> tuple[int, int]:
        """One player's Men-at-Arms and Knights on it."""
        groups = [g for g in table.villages[self.at].troops.get(seat, []) if g.road == RIDE or not self.riding]
        return sum(g.maa for g in groups), sum(g.knights for g in groups)

    def total(self, table: Table) -> tuple[int, int]:
        """All its Men-at-Arms and Knights."""
        held = [self.troops(table, s) for s in self.seats]
        return sum(m for m, _ in held), sum(k for _, k in held)

    def has_troops(self, table: Table) -> bool:
        return any(self.total(table))

    def strength_of(self, table: Table, seat: Seat) -> int:
        maa, knights = self.troops(table, seat)
        return maa + 3 * knights + sum(p.strength for p in self.lords(table) if p.seat == seat)

    def strength(self, table: Table) -> int:
        return sum(self.strength_of(table, s) for s in self.seats)

    def dice(self, table: Table, penalty: int = 0) -> int:
        """FF-BAT-7: d'Arc's die first, then the walls' penalty."""
        strength = self.strength(table)
        if not strength:
            return 0
        dice = 1 + (strength > 6) + (strength > 12) + any(p.d_arc for p in self.lords(table))
        return max(0, min(MOST_DICE, dice) - penalty)

    def bears(self, table: Table, relic: str, but: Seat = "") -> bool:
        """Whether one of its Lords has that relic, of any player but that one."""
        return any(relic in p.relics for p in self.lords(table) if p.seat != but)

    def chooser(self, table: Table, declarer: Seat) -> Seat:
        """FF-BAT-11: most strength; then the declarer, the village's controller, turn order."""
        controller = table.villages[self.at].controller
        order = [s for s in table.in_order() if s in self.seats]
        return max(order, key=lambda s: (self.strength_of(table, s), s == declarer, s == controller, -order.index(s)))


def penalty(table: Table, attackers: Side) -> int:
    """The dice that walls take, less what the attackers' Siege Engines cancel (FF-BAT-7, 8)."""
    village = table.villages[attackers.at]
    engines = sum(dice for seat, dice in village.engines.items() if seat in attackers.seats)
    return max(0, PENALTY[village.walls] - min(2, engines))


def hits(
    table: Table, faces: Sequence[int], side: Side, against: Side, attacking: bool, bonus: int = 0, starter: Seat = ""
) -> int:
    """The hits of a roll: `bonus` for each die (FF-CAV-6), the Grail against attackers, the Spear for them (FF-OPT-5, 6).

    `starter`: who began the battle, and gains nothing by the Grail.
    """
    if attacking and against.bears(table, GRAIL, starter):
        faces = [max(0, face - 1) for face in faces]
    return sum(faces) + bonus * len(faces) + bool(attacking and faces and side.bears(table, SPEAR))


def sets(maa: int, knights: int, hit: int) -> list[tuple[int, int]]:
    """The sets of Troops that can be lost to so many hits, as Men-at-Arms and Knights, fewest Knights first (FF-BAT-10).

    The largest total that the hits pay for; among equal totals the chooser picks.
    """
    found = [(min(maa, hit - 3 * k), k) for k in range(min(knights, hit // 3) + 1)]
    best = max(m + 3 * k for m, k in found)
    return [(m, k) for m, k in found if m + 3 * k == best]


def doomed(table: Table, side: Side, hit: int) -> int:
    """How many Lords die of the hits that are left when all Troops of a side are gone (FF-BAT-10)."""
    maa, knights = side.total(table)
    return min(len(side.lords(table)), max(0, hit - maa - 3 * knights))


def by_titles(table: Table, lords: list[Person]) -> list[Lord]:
    """In the order in which the clock lets Lords die: untitled first, then fewest titles (D-BAT-5)."""
    return [p.id for p in sorted(lords, key=lambda p: (titles_of(table, p), p.d_arc, p.id))]


def within(table: Table, seat: Seat, place: Place) -> bool:
    """Whether a player stands inside a Stronghold or City: its controller, or the controller's ally who has moved in
    (FF-BAT-5, FF-MOV-6)."""
    village = table.villages[place]
    if not village.walls or not village.controller or seat not in (village.controller, table.ally(village.controller)):
        return False
    return stays(table, seat, village)


def behind_walls(table: Table, seats: Sequence[Seat], place: Place) -> bool:
    """Whether walls protect these players when they are attacked together (FF-BAT-5)."""
    village = table.villages[place]
    if table.ruled("FF-BAT-5") == "inside":
        return any(within(table, s, place) for s in seats)
    return bool(village.walls) and village.controller in seats
