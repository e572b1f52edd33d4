"""Sides of a battle (FF-BAT-5 to 11)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.core.asks import Seat
from engine.fief.rules.realm.control import stays
from engine.fief.rules.realm.pieces import GRAIL, SPEAR
from engine.fief.rules.realm.table import RIDE, Lord, Person, Place, Table, titles_of, total

MOST_DICE = 4
PENALTY = {"stronghold": 1, "city": 2}
"""Dice lost by attackers to walls (FF-BAT-7)."""


class Side(msgspec.Struct):
    at: Place
    seats: list[Seat]
    riding: bool = False
    """A Cavalcade's riders only."""

    def lords(self, table: Table) -> list[Person]:
        return [p for s in self.seats for p in table.free(s, self.at) if p.road == RIDE or not self.riding]

    def troops(self, table: Table, seat: Seat) -> tuple[int, int]:
        return total(g for g in table.villages[self.at].troops.get(seat, []) if g.road == RIDE or not self.riding)

    def total(self, table: Table) -> tuple[int, int]:
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
        """Battle dice, at most four (FF-BAT-7)."""
        dice = dice_of(self.strength(table))
        dice += bool(dice) and any(p.d_arc for p in self.lords(table))
        return max(0, min(MOST_DICE, dice) - penalty)

    def bears(self, table: Table, relic: str, but: Seat = "") -> bool:
        """Whether a Lord, except player `but`'s, has the relic."""
        return any(relic in p.relics for p in self.lords(table) if p.seat != but)

    def chooser(self, table: Table, declarer: Seat) -> Seat:
        """Seat that decides for the side (FF-BAT-11)."""
        controller = table.villages[self.at].controller
        order = [s for s in table.in_order() if s in self.seats]
        return max(order, key=lambda s: (self.strength_of(table, s), s == declarer, s == controller, -order.index(s)))


def dice_of(strength: int) -> int:
    """Battle dice for a strength, without d'Arc's (FF-BAT-7)."""
    return 0 if strength <= 0 else 1 + (strength > 6) + (strength > 12)


def penalty(table: Table, attackers: Side) -> int:
    """Wall penalty in dice, less Siege Engines (FF-BAT-7, 8)."""
    village = table.villages[attackers.at]
    engines = sum(dice for seat, dice in village.engines.items() if seat in attackers.seats)
    return max(0, PENALTY[village.walls] - min(2, engines))


def hits(
    table: Table, faces: Sequence[int], side: Side, against: Side, attacking: bool, bonus: int = 0, starter: Seat = ""
) -> int:
    """Hits of a roll: `bonus` per die (FF-CAV-6), Grail and Spear (FF-OPT-5, 6); not the Grail of `starter`, who began the
    battle.
    """
    if attacking and against.bears(table, GRAIL, starter):
        faces = [max(0, face - 1) for face in faces]
    return sum(faces) + bonus * len(faces) + bool(attacking and faces and side.bears(table, SPEAR))


def sets(maa: int, knights: int, hit: int) -> list[tuple[int, int]]:
    """Legal loss sets (Men-at-Arms, Knights): the largest payable total, fewest Knights first (FF-BAT-10)."""
    found = [(min(maa, hit - 3 * k), k) for k in range(min(knights, hit // 3) + 1)]
    best = max(m + 3 * k for m, k in found)
    return [(m, k) for m, k in found if m + 3 * k == best]


def doomed(table: Table, side: Side, hit: int) -> int:
    """Lords killed by hits left after all Troops (FF-BAT-10)."""
    maa, knights = side.total(table)
    return min(len(side.lords(table)), max(0, hit - maa - 3 * knights))


def by_titles(table: Table, lords: list[Person]) -> list[Lord]:
    """Default order of deaths: untitled, then fewest titles (D-BAT-5)."""
    return [p.id for p in sorted(lords, key=lambda p: (titles_of(table, p), p.d_arc, p.id))]


def within(table: Table, seat: Seat, place: Place) -> bool:
    """Whether inside walls: the controller, or an ally who moved in (FF-BAT-5, FF-MOV-6)."""
    village = table.villages[place]
    if not village.walls or not village.controller or seat not in (village.controller, table.ally(village.controller)):
        return False
    return stays(table, seat, village)


def behind_walls(table: Table, seats: Sequence[Seat], place: Place) -> bool:
    """Whether walls protect them, attacked together (FF-BAT-5)."""
    village = table.villages[place]
    if table.ruled("FF-BAT-5") == "inside":
        return any(within(table, s, place) for s in seats)
    return bool(village.walls) and village.controller in seats
