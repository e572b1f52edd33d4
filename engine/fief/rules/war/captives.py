"""Taking Lords captive (chapter CAP)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.asks import Seat
from engine.fief.rules.realm.control import drop_relics
from engine.fief.rules.realm.table import OPEN, Person, Place, Table
from engine.fief.rules.war.marching import one_army


def capture(table: Table, lord: Person, captor: Seat, side: Iterable[Seat] = ()) -> None:
    """FF-CAP-1: he stands with the captor's counters. `side`: seats that may take his relics."""
    if table.ruled("FF-MOV-6") == "own":
        lord.taken = lord.road if lord.road in table.villages else OPEN
    lord.captor, lord.escort, lord.unbarred = captor, (), False
    groups = [g for g in table.villages[lord.at].troops.get(captor, []) if g.count]
    lords = table.free(captor, lord.at)
    lord.road = groups[0].road if groups else lords[0].road if lords else ""
    table.tell("captured", lord=lord.id, seat=lord.seat, captor=captor, at=lord.at)
    drop_relics(table, lord, side)


def captive_moves(table: Table, lord: Person) -> int:
    """Moves as a captive this phase (FF-MOV-4)."""
    return lord.moves if lord.escort or not one_army(table) else 0


def begin_captive(table: Table, lord: Person) -> None:
    """Drop his own Moves (FF-MOV-4)."""
    if one_army(table) and not lord.escort:
        lord.moves, lord.company = 0, True


def seize(table: Table, seat: Seat, place: Place) -> bool:
    """Capture at a Move's end (FF-AMB-40 `presence`): lone Lords fall to a non-ally with Troops and a free Lord."""
    if table.ruled("FF-AMB-40") != "presence" or table.rainy(place):
        return False
    found = False
    controller = table.villages[place].controller
    for other in sorted(table.others(seat), key=lambda s: s != controller):
        if other == table.ally(seat):
            continue
        for captor, prey in ((seat, other), (other, seat)):
            if not (table.has_troops(captor, place) and table.free(captor, place)):
                continue
            for lord in alone(table, prey, place):
                capture(table, lord, captor)
                found = True
    return found


def alone(table: Table, seat: Seat, place: str) -> list[Person]:
    """Free Lords where the player has no Troops (FF-BAT-3)."""
    return [] if table.has_troops(seat, place) else table.free(seat, place)
