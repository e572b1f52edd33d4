"""The family by order: heirs (FF-SO-11), placing (FF-SO-12), the Crown Prince (FF-SO-13), guests and gifts (FF-SO-22)."""

from __future__ import annotations

from engine.asks import Answer
from engine.fief.orders.asked import Asked, said


def heir(at: Asked) -> Answer | None:
    """D-TTL-1, D-TTL-2: the first of the list who can take it, else as the house would, or he is asked."""
    order = at.order("SO-11")
    if order is None:
        return None
    lords = at.picks("give", "lord")
    named = next((row.pick("lord") for row in order.rows("lords") if row.pick("lord") in lords), "")
    if named:
        return Answer("give", {"lord": named})
    return at.ask.default if order.pick("otherwise") == "house" else None


def place(at: Asked) -> Answer | None:
    """D-LRD-1 for a Lord who is free again."""
    order = at.order("SO-12")
    if order is None:
        return None
    listed = first_place(order, at.picks("place", "at"))
    if listed:
        return Answer("place", {"at": listed})
    return at.ask.default if order.pick("otherwise") == "house" else None


def first_place(order: Answer | None, places: list[str]) -> str:
    """The first village of the list that is open."""
    return next((row.pick("at") for row in order.rows("places") if row.pick("at") in places), "") if order is not None else ""


def prince(at: Asked) -> Answer | None:
    """D-PLY-2."""
    order = at.order("SO-13")
    return Answer("yes" if order.option == "always" else "no") if order is not None else None


def welcome(at: Asked, what: str, seat: str) -> str:
    """SO-22: `yes`, `no` or `ask`, for a Lord, a village or a title that comes from a player."""
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
    """D-PUR-3: taken as the house takes it."""
    how = welcome(at, "title", at.fact("seat"))
    return {"yes": at.ask.default, "no": Answer("decline")}.get(how)


def cession(at: Asked) -> Answer | None:
    """D-CTL-2."""
    how = welcome(at, "village", at.fact("by"))
    return {"yes": Answer("accept"), "no": Answer("refuse")}.get(how)
