"""What marches and Cavalcades share: who may lead whom, and where those who come stand (FF-MOV-2 to 6, FF-CTL-7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.asks import Seat
from engine.fief.control import absent_lord, be_guest
from engine.fief.table import Group, Lord, Person, Place, Table


def moves_of(table: Table, lord: Person, lords: Iterable[Lord]) -> int:
    """How many Moves a Lord has, in that company (FF-MOV-2, 4)."""
    d_arc = lord.d_arc or (lord.company and any([table.lords[id].d_arc for id in lords]))
    return table.limits["moves_d_arc" if d_arc else "moves"]


def may_lead(table: Table, group: Group, lords: Sequence[Lord]) -> bool:
    """FF-MOV-4: no relay; the third Move only for those who were with d'Arc all the way."""
    if group.halted or (group.moves and not {*group.escort} & {*lords}):
        return False
    d_arc = [id for id in lords if table.lords[id].d_arc]
    with_her = bool(d_arc) and (not group.moves or d_arc[0] in group.escort)
    return group.moves < table.limits["moves_d_arc" if with_her else "moves"]


def inside(table: Table, seat: Seat, lord: Person) -> bool:
    """Whether he stands in a besieged Stronghold or City (FF-MOV-10)."""
    controller = table.villages[lord.at].controller
    return lord.road == "" and controller in (seat, table.ally(seat)) and table.besieged(lord.at)


def stand(table: Table, seat: Seat, at: Place, to: Place, guest: str = "") -> Place:
    """Where those stand who come from `at`: the road, or '' in the village itself (FF-MOV-6). As a guest of an absent title
    holder where `guest` says so; by default of the ally alone (FF-CTL-7, D-MOV-4)."""
    village, absent = table.villages[to], absent_lord(table, to)
    if absent not in ("", seat):
        if guest == "guest" or (guest == "" and absent == table.ally(seat)):
            be_guest(table, seat, to)
            return at
        village.guests.pop(seat, None)  # he takes control now, even if he was a guest so far
        return ""
    with_ally = table.besieged(to) and village.controller == table.ally(seat)
    return "" if village.controller in ("", seat) or absent or with_ally else at
