"""Relic orders (FF-SO-23): take, use, lend."""

from __future__ import annotations

from engine.core.asks import Answer, Seat
from engine.fief.orders.asked import REPLY, Asked
from engine.fief.rules.realm.table import Table


def use(at: Asked, order: Answer) -> Answer | None:
    """D-REL-1 and 3: take relics; Eyes and Bone where own villages suffer most. Gives nothing away."""
    if order.pick("take" if at.ask.kind == "take_relic" else "use") != "yes":
        return None
    if at.ask.kind == "take_relic":
        return Answer("take", {"relic": at.picks("take", "relic")[0]})
    suffering = {place: _suffers(at.table, at.seat, place, at.ask.kind) for place in at.picks("pray", "at")}
    worst = max(suffering, key=lambda place: suffering[place])
    return Answer("pray", {"at": worst}) if suffering[worst] else None


def _suffers(table: Table, seat: Seat, place: str, kind: str) -> int:
    villages = table.lore.sees[table.see_of(place)].villages
    if kind == "eyes":
        return sum(table.occupies(seat, v) for v in villages)
    return sum(table.villages[v].mills for v in villages if table.villages[v].controller == seat)


def proposal(at: Asked, order: Answer) -> Answer | None:
    """D-REL-2: leave to take; D-REL-5: an offered relic."""
    return REPLY.get(order.pick("leave" if at.fact("taking") == "1" else "receive"))


def teeth(at: Asked, order: Answer) -> Answer | None:
    """D-REL-4: own Lords only, or none."""
    return {"own": at.ask.default, "none": Answer("none")}.get(order.pick("teeth"))


def bearer(at: Asked, order: Answer) -> Answer | None:
    """D-REL-6: most titles."""
    return at.ask.default if order.pick("pass_on") == "house" else None
