"""Passage orders (FF-SO-1), applied after grants and before asking (FF-MOV-14)."""

from __future__ import annotations

from engine.asks import Answer
from engine.fief.orders.asked import Asked, said


def leave(at: Asked) -> Answer | None:
    order = at.order("SO-1")
    if order is None:
        return None
    rules = (r for r in order.rows("rules") if at.is_he(r.pick("who"), at.fact("seat")) and r.pick("at") in ("", at.fact("at")))
    how = said(order, next(rules, None))
    return None if how == "ask" else Answer(how)
