"""What an order is shown: an open ask of a seat, the position as the seat knows it, and its orders that hold now."""

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
    """An open ask, with the orders of its seat that are on and hold in this round and phase."""

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
        """The battle in which is asked, if it is one."""
        return next((p for p in reversed(self.state.stack) if isinstance(p, Battle)), None)

    def order(self, id: str) -> Answer | None:
        """How an order is set; None where it is off."""
        return self.orders.get(id)

    def has(self, option: str) -> bool:
        """Whether the ask has an option."""
        return any(o.id == option for o in self.ask.options)

    def picks(self, option: str, field: str) -> list[str]:
        """The choices of a field of an option, if they are open."""
        for o in self.ask.options:
            for f in o.fields if o.id == option else ():
                if f.name == field and isinstance(f, PickOne | PickSome):
                    return [c.id for c in f.choices]
        return []

    def fact(self, name: str) -> str:
        """What the ask is about; the empty string where it says nothing of it."""
        return str(self.ask.about.get(name, ""))

    def legal(self, answer: Answer) -> bool:
        """Whether an answer would be taken now."""
        try:
            vet(self.state, self.seat, answer, self.ask)
        except Refused:
            return False
        return True

    def is_he(self, who: str, seat: Seat) -> bool:
        """Whether `who` of a rule fits a player: anybody where it is left open, the ally, or himself by name."""
        return who in ("", seat) or (who == "ally" and bool(seat) and seat == self.table.ally(self.seat))


def said(order: Answer, row: Answer | None) -> str:
    """What a rule says, or the order where no rule fits: `yes`, `no` or `ask`."""
    return row.pick("say") if row is not None else order.pick("otherwise")
