"""Reaction chain: announce, ask the listed seats, resolve. Meanwhile offers wait."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.core.asks import Answer, Ask, Seat
from engine.core.procedure import Asking, Done, Next, Procedure, Unfinished


class Chain(Procedure):
    """Base class; `kind` names its asking step. Seats are asked at once with hidden answers, or with `in_order` one after the
    other until `_closes`. The list must depend on public information only.
    """

    freezes: ClassVar[bool] = True
    kind: ClassVar[str] = "react"
    in_order: ClassVar[bool] = False

    left: list[Seat] = []
    """Seats that haven't answered."""
    said: dict[Seat, Answer] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.kind.isidentifier() or cls.kind in ("begin", "resolve"):
            raise Unfinished(f"{cls.__name__}: “{cls.kind}” is no name for the question of a chain.")
        step = Asking(cls.kind, cls._who, cls._ask, cls._take, cls._vet, None, False)
        cls.steps = {**cls.steps, cls.kind: step}

    def begin(self, table: Any) -> Next:
        self.left = self._announce(table)
        return self.kind

    def resolve(self, table: Any) -> Next:
        return self._resolve(table)

    def _who(self, table: Any) -> list[Seat]:
        return self.left[:1] if self.in_order else list(self.left)

    def _take(self, table: Any, answers: dict[Seat, Answer]) -> Next:
        self.said.update(answers)
        closed = any(self._closes(table, seat, answer) for seat, answer in answers.items())
        self.left = [] if closed else [seat for seat in self.left if seat not in answers]
        return self.kind if self.left else "resolve"

    # --- for the game to fill in ----------------------------------------------------------------------------------------

    def _announce(self, table: Any) -> list[Seat]:
        """Announce; returns the seats to ask, in order."""
        return []

    def _ask(self, table: Any, seat: Seat) -> Ask:
        raise Unfinished(f"{type(self).__name__}: a chain that lists somebody has to ask something.")

    def _vet(self, table: Any, seat: Seat, answer: Answer) -> None:
        """Raise NotLegal for what fields can't rule out."""

    def _closes(self, table: Any, seat: Seat, answer: Answer) -> bool:
        """Whether this answer ends a chain `in_order`."""
        return False

    def _resolve(self, table: Any) -> Next:
        return Done()
