"""Orders with rules: the first row that fits counts."""

from __future__ import annotations

from engine.core import asked
from engine.core.asks import Answer, Seat
from engine.fief.rules.setup import FiefTable

Asked = asked.Asked[FiefTable]

REPLY = {"yes": Answer("accept"), "no": Answer("refuse")}
"""What a rule says of a proposal -> answer."""


def is_he(at: Asked, who: str, seat: Seat) -> bool:
    return who in ("", seat) or (who == "ally" and bool(seat) and seat == at.table.ally(at.seat))


def said(at: Asked, order: Answer, seat: Seat = "", /, **cells: str) -> str:
    """`yes`, `no` or `ask` by the first fitting rule; empty cells fit all."""
    for rule in order.rows("rules"):
        if is_he(at, rule.pick("who"), seat) and all(rule.pick(name) in ("", id) for name, id in cells.items()):
            return rule.pick("say")
    return order.pick("otherwise")


def answered(at: Asked, order: Answer, seat: Seat, /, **cells: str) -> Answer | None:
    how = said(at, order, seat, **cells)
    return None if how == "ask" else Answer(how)
