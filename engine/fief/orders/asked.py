"""Orders with rules: the first row that fits counts."""

from __future__ import annotations

from collections.abc import Callable

from engine.core import asked
from engine.core.asks import Answer, Seat
from engine.fief.rules.setup import FiefTable

Asked = asked.Asked[FiefTable]

REPLY = {"yes": Answer("accept"), "no": Answer("refuse")}
"""A rule's `say` -> answer to a proposal."""


def said(at: Asked, order: Answer, seat: Seat = "", /, **cells: str) -> str:
    """`yes`, `no` or `ask` by the first fitting rule; empty cells fit all."""
    meant = ("", seat, "ally") if seat and seat == at.table.ally(at.seat) else ("", seat)
    for rule in order.rows("rules"):
        if rule.pick("who") in meant and all(rule.pick(name) in ("", id) for name, id in cells.items()):
            return rule.pick("say")
    return order.pick("otherwise")


Ordered = Callable[[Asked, Answer], Answer | None]


def default_if(field: str, value: str) -> Ordered:
    return lambda at, order: at.ask.default if order.pick(field) == value else None


def first(at: Asked, order: Answer, rows: str, option: str, field: str) -> Answer | None:
    offered = at.picks(option, field)
    return next((Answer(option, {field: row.pick(field)}) for row in order.rows(rows) if row.pick(field) in offered), None)


def consent(what: str) -> Ordered:
    """Consent to another's new Lord in an own village (D-PLY-3), as Pope to a Cardinal (D-CAR-2)."""
    return lambda at, order: answered(at, order, at.fact("seat"), what=what)


def reply(what: str) -> Ordered:
    """Reply to the offer of a village (D-CTL-2), as Pope to a request to annul (D-ANN-2)."""
    return lambda at, order: REPLY.get(said(at, order, at.fact("by"), what=what))


def answered(at: Asked, order: Answer, seat: Seat, /, **cells: str) -> Answer | None:
    how = said(at, order, seat, **cells)
    return None if how == "ask" else Answer(how)
