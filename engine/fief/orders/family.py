"""Family orders: heirs (FF-SO-11), placing (FF-SO-12), the Crown Prince (FF-SO-13), guests and gifts (FF-SO-22)."""

from __future__ import annotations

from engine.asks import Answer
from engine.fief.orders.asked import Asked, said


def heir(at: Asked) -> Answer | None:
    """D-TTL-1, D-TTL-2: the first eligible listed Lord, else the house default or ask."""
    order = at.order("SO-11")
    if order is None:
        return None
    lords = at.picks("give", "lord")
    named = next((row.pick("lord") for row in order.rows("lords") if row.pick("lord") in lords), "")
    if named:
        return Answer("give", {"lord": named})
    return at.ask.default if order.pick("otherwise") == "house" else None


def place(at: Asked) -> Answer | None:
    """D-LRD-1 for a freed Lord."""
    order = at.order("SO-12")
    if order is None:
        return None
    listed = first_place(order, at.picks("place", "at"))
    if listed:
        return Answer("place", {"at": listed})
    return at.ask.default if order.pick("otherwise") == "house" else None


def first_place(order: Answer | None, places: list[str]) -> str:
    """First open village of the list."""
    return next((row.pick("at") for row in order.rows("places") if row.pick("at") in places), "") if order is not None else ""


def prince(at: Asked) -> Answer | None:
    """D-PLY-2."""
    order = at.order("SO-13")
    return Answer("yes" if order.option == "always" else "no") if order is not None else None


def welcome(at: Asked, what: str, seat: str) -> str:
    """SO-22: `yes`, `no` or `ask`, to a Lord, village or title from a player."""
    order = at.order("SO-22")
    if order is None:
        return "ask"
    rules = (r for r in order.rows("rules") if r.pick("what") in ("", what) and at.is_he(r.pick("who"), seat))
    return said(order, next(rules, None))


def host(at: Asked) -> Answer | None:
    """D-PLY-3."""
    how = welcome(at, "lord", at.fact("seat"))
    return None if how == "ask" else Answer(how)


def gift(at: Asked) -> Answer | None:
    """D-PUR-3: accepted with the default."""
    how = welcome(at, "title", at.fact("seat"))
    return {"yes": at.ask.default, "no": Answer("decline")}.get(how)


def cession(at: Asked) -> Answer | None:
    """D-CTL-2."""
    how = welcome(at, "village", at.fact("by"))
    return {"yes": Answer("accept"), "no": Answer("refuse")}.get(how)
