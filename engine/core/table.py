"""Base class of tables: the fields that the kernel needs, and `tell`."""

from __future__ import annotations

import msgspec

from engine.core.asks import Seat
from engine.core.chance import Chance
from engine.core.procedure import Outcome
from engine.core.views import Event


class BaseTable(msgspec.Struct, kw_only=True):
    """Base class; annotate each field by who sees it: see `engine.core.visibility`. Proposals need a field `proposals:
    Desk[...]`.
    """

    seats: list[Seat]
    chance: Chance
    outcome: Outcome | None = None
    news: list[Event] = []
    rulings: dict[str, str] = {}

    def tell(self, event: str, only: tuple[Seat, ...] | None = None, but: tuple[Seat, ...] = (), **facts: object) -> None:
        """Log an event for all, `only` some seats, or all `but` some."""
        self.news.append(Event(event, facts, only, but))
