"""Input of an order: an ask, the seat's view, its active orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.asks import Answer, Ask, PickOne, PickSome, Refused, Seat
from engine.fief.battle import Battle
from engine.fief.table import Table
from engine.fief.types import FiefState
from engine.procedure import Procedure, vet


@dataclass(frozen=True, slots=True)
class Asked:
    state: FiefState
    table: Table
    frame: Procedure
    ask: Ask
    orders: Mapping[str, Answer]

    @property
    def seat(self) -> Seat:
        return self.ask.seat

    @property
    def battle(self) -> Battle | None:
        return next((p for p in reversed(self.state.stack) if isinstance(p, Battle)), None)

    def order(self, id: str) -> Answer | None:
        return self.orders.get(id)

    def has(self, option: str) -> bool:
        return any(o.id == option for o in self.ask.options)

    def picks(self, option: str, field: str) -> list[str]:
        """Choices of an option's field; empty if not offered."""
        for o in self.ask.options:
            for f in o.fields if o.id == option else ():
                if f.name == field and isinstance(f, PickOne | PickSome):
                    return [c.id for c in f.choices]
        return []

    def fact(self, name: str) -> str:
        return str(self.ask.about.get(name, ""))

    def legal(self, answer: Answer) -> bool:
        try:
            vet(self.state, self.seat, answer, self.ask)
        except Refused:
            return False
        return True

    def is_he(self, who: str, seat: Seat) -> bool:
        return who in ("", seat) or (who == "ally" and bool(seat) and seat == self.table.ally(self.seat))


def said(order: Answer, row: Answer | None) -> str:
    return row.pick("say") if row is not None else order.pick("otherwise")
