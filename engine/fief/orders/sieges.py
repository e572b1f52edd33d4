"""Siege orders (FF-SO-17) and pillage orders (FF-SO-18)."""

from __future__ import annotations

from engine.asks import Answer, Value
from engine.fief.orders.asked import Asked
from engine.fief.siege import Battles


def done(at: Asked) -> Answer | None:
    """D-SIE-1 if no attack is possible, else ask. SO-4 besieges where it broke off a battle."""
    order, attack, fought = at.orders.get("SO-17"), at.orders.get("SO-4"), at.frame(Battles).fought
    if at.has("attack"):
        return None
    besieges = attack is not None and attack.pick("then") == "besiege"
    start = [v for v in at.picks("done", "start") if besieges and v in fought]
    if order is None:
        return sieged(at, start) if start else None
    return sieged(at, start if order.pick("start") == "no" else at.picks("done", "start"))


def sieged(at: Asked, start: list[str]) -> Answer:
    """End of a battle turn: new sieges as engines allow, and SO-17 for existing ones."""
    order = at.orders.get("SO-17")
    values: dict[str, Value] = {}
    if start:
        values["start"] = start[: at.table.engines_left(at.seat)]
    held = at.picks("done", "hold")
    how = order.pick("held") if order is not None else "turn"
    if held and how in ("hold", "lift"):
        values[how] = held
    return Answer("done", values)


def pillage(at: Asked, order: Answer) -> Answer:
    """D-PIL-1: all Mills of listed villages."""
    wanted = {row.pick("at") for row in order.rows("places")}
    villages, reach = at.table.villages, at.picks("pillage", "mills")
    besieged = {v for v in reach if villages[v].controller != at.seat}
    listed = [v for v in reach if v in wanted or ("besieged" if v in besieged else "own") in wanted]
    mills = [v for v in listed for _ in range(villages[v].mills)]
    return Answer("pillage", {"mills": mills}) if mills else Answer("none")


def lift(at: Asked, order: Answer) -> Answer | None:
    """D-SIE-2."""
    return at.ask.default if order.pick("held") == "lift" else None
