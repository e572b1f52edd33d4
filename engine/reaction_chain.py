"""A chain of reactions: announce something, let those listed say what they have to say to it, resolve it.

While it is under way nothing else can be done: what stands open beside the questions is frozen, and a question that it
interrupted is parked beneath. A game makes a chain by a class of its own that fills in what the underscored methods say.
"""

from __future__ import annotations

from typing import Any, ClassVar

from engine.asks import Answer, Ask, Seat
from engine.procedure import Asking, Done, Next, Procedure, Unfinished


class Chain(Procedure):
    """Announce, freeze everything else, collect the answers of those listed, resolve.

    `kind` is the name of its question. All who are listed are asked at once, and their answers are sealed until the last is
    in; where it goes `in_order`, one after the other, each knowing what was said before, until nobody is left or `_closes`
    says that an answer ends it. Who is listed has to depend on what everybody can see.
    """

    freezes: ClassVar[bool] = True
    kind: ClassVar[str] = "react"
    in_order: ClassVar[bool] = False

    left: list[Seat] = []
    """Those who are listed and have not answered."""
    said: dict[Seat, Answer] = {}
    """Their answers so far, in the order given."""

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
        """Tell what is at stake; those who may react, in the order in which they are asked."""
        return []

    def _ask(self, table: Any, seat: Seat) -> Ask:
        """The question to one of them, of the chain's own `kind`."""
        raise Unfinished(f"{type(self).__name__}: a chain that lists somebody has to ask something.")

    def _vet(self, table: Any, seat: Seat, answer: Answer) -> None:
        """Raise NotLegal for what fields can't say."""

    def _closes(self, table: Any, seat: Seat, answer: Answer) -> bool:
        """Whether this answer ends a chain that goes in order."""
        return False

    def _resolve(self, table: Any) -> Next:
        """What comes of it all, from `said`."""
        return Done()
