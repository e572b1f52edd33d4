"""Base class of tables: the fields that the kernel needs, and `tell`."""

from __future__ import annotations

import msgspec

from engine.asks import Seat
from engine.chance import Chance
from engine.procedure import Outcome
from engine.views import Event


class BaseTable(msgspec.Struct, kw_only=True):
    """Subclass it, and annotate each field of the game by who sees it: see `engine.visibility`.

    Proposals need one more, `proposals: Desk[...]`.
    """

    seats: list[Seat]
    chance: Chance
    outcome: Outcome | None = None
    news: list[Event] = []
    rulings: dict[str, str] = {}

    def tell(self, event: str, only: tuple[Seat, ...] | None = None, but: tuple[Seat, ...] = (), **facts: object) -> None:
        """Log an event, for all, `only` for some seats, or for all `but` some."""
        self.news.append(Event(event, facts, only, but))
