"""Taking Lords captive (chapter CAP)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.asks import Seat
from engine.fief.control import drop_relics
from engine.fief.table import Person, Table


def capture(table: Table, lord: Person, captor: Seat, side: Iterable[Seat] = ()) -> None:
    """FF-CAP-1: he is held where the captor's counters stand. `side`: who fought beside him, for his relics."""
    lord.captor, lord.escort, lord.unbarred = captor, (), False
    groups = [g for g in table.villages[lord.at].troops.get(captor, []) if g.count]
    lords = table.free(captor, lord.at)
    lord.road = groups[0].road if groups else lords[0].road if lords else ""
    table.tell("captured", lord=lord.id, seat=lord.seat, captor=captor, at=lord.at)
    drop_relics(table, lord, side)


def alone(table: Table, seat: Seat, place: str) -> list[Person]:
    """A player's free Lords in a village where he has no Troops (FF-BAT-3)."""
    return [] if table.has_troops(seat, place) else table.free(seat, place)
