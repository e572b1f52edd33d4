"""Rules shared by marches and Cavalcades (FF-MOV-2 to 6, FF-CTL-7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from engine.core.asks import Seat
from engine.fief.rules.realm.control import absent_lord, be_guest
from engine.fief.rules.realm.table import RIDE, Group, Lord, Person, Place, Table


def moves_of(table: Table, lord: Person, lords: Iterable[Lord]) -> int:
    """A Lord's Moves in that company (FF-MOV-2, 4)."""
    d_arc = lord.d_arc or (lord.company and any([table.lords[id].d_arc for id in lords]))
    return table.limits["moves_d_arc" if d_arc else "moves"]


def may_lead(table: Table, group: Group, lords: Sequence[Lord]) -> bool:
    """FF-MOV-4: no relay; a third Move only if d'Arc led them all."""
    if group.halted or (group.moves and not {*group.escort} & {*lords}):
        return False
    d_arc = [id for id in lords if table.lords[id].d_arc]
    with_her = bool(d_arc) and (not group.moves or d_arc[0] in group.escort)
    return group.moves < table.limits["moves_d_arc" if with_her else "moves"]


def one_army(table: Table) -> bool:
    """Ruling FF-MOV-3: Troops move by village, not by road."""
    return table.ruled("FF-MOV-3") == "army"


def together(table: Table, lord: Person, at: Place, road: str) -> bool:
    """Whether they can be one group: besieged walls divide a village (FF-MOV-3)."""
    if lord.at != at:
        return False
    if not one_army(table):
        return lord.road == road
    return not table.besieged(at) or (lord.road == "") == (road == "")


def able(table: Table, seat: Seat, lords: Sequence[Lord]) -> list[Group]:
    """Troops they can lead from here (FF-MOV-3, 4)."""
    lord = table.lords[lords[0]]
    groups = table.villages[lord.at].troops.get(seat, ())
    return [g for g in groups if g.road != RIDE and together(table, lord, lord.at, g.road) and may_lead(table, g, lords)]


Led = list[tuple[Group, int, int]]
"""(group, Men-at-Arms, Knights) moving together."""


def led(table: Table, seat: Seat, lords: Sequence[Lord], maa: int, knights: int, to: Place = "") -> Led:
    return picked(table, able(table, seat, lords), table.lords[lords[0]].road, maa, knights, to)


def picked(table: Table, groups: list[Group], road: Place, maa: int, knights: int, to: Place) -> Led:
    """Take Troops that need least leave: brought this phase, on the exit road, unbarred, with the Lords."""
    found: Led = []
    if one_army(table):
        groups.sort(key=lambda g: (-g.moves, g.road != to, not g.unbarred, g.road != road))
    else:
        groups.sort(key=attrgetter("moves"), reverse=True)
    for group in groups:
        taken = min(maa, group.maa), min(knights, group.knights)
        if any(taken):
            found.append((group, *taken))
            maa, knights = maa - taken[0], knights - taken[1]
    return found


def brought(table: Table, seat: Seat, at: Place, lords: Sequence[Lord]) -> list[Group]:
    """Troops these Lords brought this phase (FF-MOV-11, FF-CAV-1)."""
    return [g for g in table.villages[at].troops.get(seat, ()) if g.moves and {*g.escort} & {*lords}]


def inside(table: Table, seat: Seat, lord: Person) -> bool:
    """Whether a Lord is in a besieged Stronghold or City of any family (FF-MOV-10)."""
    if one_army(table):
        return lord.road == "" and table.besieged(lord.at)
    controller = table.villages[lord.at].controller
    return lord.road == "" and controller in (seat, table.ally(seat)) and table.besieged(lord.at)


def stand(table: Table, seat: Seat, at: Place, to: Place, guest: str) -> Place:
    """Position on arrival from `at`: the road, or '' for the village (FF-MOV-6).

    `guest`: of an absent title holder, by default only the ally (FF-CTL-7, D-MOV-4).
    """
    village, absent = table.villages[to], absent_lord(table, to)
    if absent not in ("", seat):
        if guest == "guest" or (guest == "" and absent == table.ally(seat)):
            be_guest(table, seat, to)
            return at
        village.guests.pop(seat, None)  # he takes control, even as a former guest
        return ""
    with_ally = table.besieged(to) and village.controller == table.ally(seat)
    return "" if village.controller in ("", seat) or absent or with_ally else at
