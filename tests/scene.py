"""Positions of any game to play from: written as text, played with answers as text."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar

import msgspec

from engine.core import procedure
from engine.core.asks import Answer, Ask, Field, Refused, read
from engine.core.procedure import State
from engine.core.views import Event
from engine.game import Game
from engine.games import game_called
from engine.ui.forms import describe

T = TypeVar("T", bound=procedure.Table)


SILENT = {"mastery": {"no_fracture", "nobody_could", "kept_all"}, "ortus": {"vikings_idle", "turn"}, "fief": set[str]()}
"""Events without a sentence: nothing happened."""


class Scene(Generic[T]):
    """A position at its first ask, and what happens in it; all that a named game tells and asks is worded too."""

    game: Game | None = None

    def __init__(self, state: State[T, Any], game: str = "") -> None:
        if game:
            self.game = game_called(game)
        self.state = state
        self.log: list[Event] = procedure.begin(state)
        self.events: list[Event] = self.log[:]
        self._word()

    @property
    def table(self) -> T:
        return self.state.table

    @property
    def asked(self) -> list[str]:
        """The seats that are asked now."""
        return self.state.waiting

    @property
    def step(self) -> str:
        step: str = self.state.stack[-1].step
        return step

    def ask(self, seat: str = "") -> Ask:
        return procedure.ask_of(self.state, seat or self.asked[0])

    def options(self, seat: str = "") -> set[str]:
        return {o.id for o in self.ask(seat).options}

    def fields(self, option: str, seat: str = "") -> dict[str, Field]:
        return {f.name: f for f in self.ask(seat).option(option).fields}

    def ids(self, option: str, field: str, seat: str = "") -> set[str]:
        """The choices of a field."""
        found: Any = self.fields(option, seat)[field]
        return {c.id for c in found.choices}

    def play(self, *lines: str) -> Self:
        """Play answers, each `seat: answer`."""
        for line in lines:
            seat, _, answer = line.partition(": ")
            self._play(seat, read(answer))
        return self

    def by_order(self, seat: str, answer: str) -> Self:
        """Play an answer that a standing order of the seat gives."""
        assert self.game is not None
        self.game.orders.gives(self.state, seat, read(answer))
        return self.play(f"{seat}: {answer}")

    def default(self, *seats: str) -> Self:
        """Play the safe default of each seat; of the one that is asked first when none is said."""
        for seat in seats or (self.asked[0],):
            self._play(seat, self.ask(seat).default)
        return self

    def _play(self, seat: str, answer: Answer) -> None:
        self.events = procedure.play(self.state, seat, answer)
        self.log += self.events
        self._word()
        # Positions are text: whatever is under way can be written down, and reads back to the same.
        for frame in self.state.stack:
            assert msgspec.convert(msgspec.to_builtins(frame), type=type(frame)) == frame

    def _word(self) -> None:
        """Facts that their sentences miss would be noticed here."""
        game, seats = self.game, self.state.table.seats
        if game is not None:
            names = {s: f"Lord {s.upper()}" for s in seats}
            for event in self.events:
                readers = [seat for seat in (None, *seats) if event.seen_by(seat)]
                assert event.kind in SILENT[game.name] or all(game.words.tell(event, names, seat) for seat in readers)
            for seat in self.state.waiting:
                ask = procedure.ask_of(self.state, seat)
                assert ask.seat == seat and describe(game, ask, names, 0).options

    def until(self, *steps: str) -> Self:
        """Play defaults until one of these steps asks."""
        for _ in range(200):
            if not self.asked or self.step in steps:
                return self
            self.default()
        raise AssertionError(f"{steps} never comes; it is {self.step}")

    def refused(self, line: str) -> str:
        """The sentence with which an answer is refused; the empty string if it is legal."""
        seat, _, answer = line.partition(": ")
        try:
            procedure.vet(self.state, seat, read(answer))
        except Refused as refusal:
            return str(refusal)
        return ""

    def told(self, kind: str) -> list[dict[str, Any]]:
        """The facts of the events of that kind, from the beginning."""
        return [e.facts for e in self.log if e.kind == kind]
