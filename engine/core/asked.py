"""An ask put to a seat's standing orders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from engine.core.asks import Answer, Ask, Option, PickOne, Seat, choices, picks
from engine.core.procedure import State, legal

T = TypeVar("T")
P = TypeVar("P")


@dataclass(frozen=True)
class Asked(Generic[T]):
    """A seat's view, its ask, and its orders in force by id."""

    state: State[T, Any]
    ask: Ask
    orders: Mapping[str, Answer]
    late: bool = False
    """At the deadline."""

    @property
    def table(self) -> T:
        return self.state.table

    @property
    def seat(self) -> Seat:
        return self.ask.seat

    def frame(self, kind: type[P]) -> P:
        frame = self.state.stack[-1]
        assert isinstance(frame, kind)
        return frame

    def under_way(self, kind: type[P]) -> P | None:
        """The topmost procedure of a kind."""
        return next((p for p in reversed(self.state.stack) if isinstance(p, kind)), None)

    def has(self, option: str) -> bool:
        return any(o.id == option for o in self.ask.options)

    def picks(self, option: str, field: str) -> list[str]:
        """Ids offered in a field."""
        return picks(self.ask, option, field)

    def fact(self, name: str) -> str:
        return str(self.ask.about.get(name, ""))

    def legal(self, answer: Answer) -> bool:
        return legal(self.state, self.seat, answer, self.ask) is not None


OFF = Option("off")


def order_kind(id: str) -> str:
    """Kind of the ask for an order's setting: `SO-05` to `so_05`."""
    return id.lower().replace("-", "_")


def order_ask(seat: Seat, id: str, *options: Option) -> Ask:
    """Ask for the setting of an order, off by default."""
    return Ask(seat, order_kind(id), (OFF, *options), Answer("off"), id)


def may(name: str, ids: Iterable[str]) -> PickOne:
    """A choice that can be left open."""
    return PickOne(name, choices(ids), optional=True)


By = Callable[[Asked[T]], Answer | None]
"""Answers an ask by the orders; None: ask the seat."""


def by(id: str, answer: Callable[[Asked[T], Answer], Answer | None]) -> By[T]:
    def answered(at: Asked[T]) -> Answer | None:
        order = at.orders.get(id)
        return answer(at, order) if order is not None else None

    return answered
