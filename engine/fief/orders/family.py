"""Family orders: passage (FF-SO-1), heirs (FF-SO-11), placing (FF-SO-12), the Crown Prince (FF-SO-13), guests and gifts
(FF-SO-22).
"""

from __future__ import annotations

from engine.core.asks import Answer
from engine.fief.orders.asked import REPLY, Asked, answered, said


def leave(at: Asked, order: Answer) -> Answer | None:
    """D-MOV-2, after grants and before asking (FF-MOV-14)."""
    return answered(at, order, at.fact("seat"), at=at.fact("at"))


def heir(at: Asked, order: Answer) -> Answer | None:
    """D-TTL-1, D-TTL-2: the first eligible listed Lord, else the house default or ask."""
    lords = at.picks("give", "lord")
    named = next((row.pick("lord") for row in order.rows("lords") if row.pick("lord") in lords), "")
    if named:
        return Answer("give", {"lord": named})
    return at.ask.default if order.pick("otherwise") == "house" else None


def place(at: Asked, order: Answer) -> Answer | None:
    """D-LRD-1 for a freed Lord."""
    listed = first_place(order, at.picks("place", "at"))
    if listed:
        return Answer("place", {"at": listed})
    return at.ask.default if order.pick("otherwise") == "house" else None


def first_place(order: Answer | None, places: list[str]) -> str:
    return next((row.pick("at") for row in order.rows("places") if row.pick("at") in places), "") if order is not None else ""


def prince(at: Asked, order: Answer) -> Answer:
    """D-PLY-2."""
    return Answer("yes" if order.option == "always" else "no")


def host(at: Asked, order: Answer) -> Answer | None:
    """D-PLY-3."""
    return answered(at, order, at.fact("seat"), what="lord")


def gift(at: Asked, order: Answer) -> Answer | None:
    """D-PUR-3: accepted with the default."""
    return {"yes": at.ask.default, "no": Answer("decline")}.get(said(at, order, at.fact("seat"), what="title"))


def cession(at: Asked, order: Answer) -> Answer | None:
    """D-CTL-2."""
    return REPLY.get(said(at, order, at.fact("by"), what="village"))
