"""Relic orders (FF-SO-23): take, use, lend."""

from __future__ import annotations

from engine.asks import Answer, Ask, PickOne, Seat
from engine.fief.orders.asked import Asked
from engine.fief.table import Table


def use(table: Table, seat: Seat, ask: Ask, order: Answer | None) -> Answer | None:
    """D-REL-1 and 3: take relics; use Eyes and Bone where own villages suffer most. Gives nothing away."""
    if order is None or order.pick("take" if ask.kind == "take_relic" else "use") != "yes":
        return None
    field = ask.options[0].fields[0]
    assert isinstance(field, PickOne)
    ids = [choice.id for choice in field.choices]
    if ask.kind == "take_relic":
        return Answer("take", {"relic": ids[0]})
    suffering = {place: _suffers(table, seat, place, ask.kind) for place in ids}
    worst = max(suffering, key=lambda place: suffering[place])
    return Answer("pray", {"at": worst}) if suffering[worst] else None


def _suffers(table: Table, seat: Seat, place: str, kind: str) -> int:
    villages = table.lore.sees[table.see_of(place)].villages
    if kind == "eyes":
        return sum(table.occupies(seat, v) for v in villages)
    return sum(table.villages[v].mills for v in villages if table.villages[v].controller == seat)


def proposal(at: Asked) -> Answer | None:
    """D-REL-2: leave to take; D-REL-5: an offered relic."""
    order = at.order("SO-23")
    how = order.pick("leave" if at.fact("taking") == "1" else "receive") if order is not None else "ask"
    return {"yes": Answer("accept"), "no": Answer("refuse")}.get(how)


def teeth(at: Asked) -> Answer | None:
    """D-REL-4: own Lords only, or none."""
    order = at.order("SO-23")
    how = order.pick("teeth") if order is not None else "ask"
    return {"own": at.ask.default, "none": Answer("none")}.get(how)


def bearer(at: Asked) -> Answer | None:
    """D-REL-6: most titles."""
    order = at.order("SO-23")
    return at.ask.default if order is not None and order.pick("pass_on") == "house" else None
