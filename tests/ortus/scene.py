"""Positions of Ortus Regni to play from: written as text, played with answers as text."""

from __future__ import annotations

from typing import Any

from engine import procedure
from engine.asks import Ask, Refused, read
from engine.ortus import notation
from engine.ortus.table import Earl, Table
from engine.ortus.view import OrtusState
from engine.views import Event


class Scene:
    """A position at its first ask, and what happens in it."""

    def __init__(self, text: str, seats: str = "a b c") -> None:
        self.state: OrtusState = notation.read(f"ortus: 1\nseats: {seats}\n{text}")
        self.log: list[Event] = procedure.begin(self.state)
        self.events: list[Event] = self.log[:]

    @property
    def table(self) -> Table:
        return self.state.table

    @property
    def asked(self) -> list[str]:
        """The seats that are asked now."""
        return self.state.waiting

    @property
    def step(self) -> str:
        return self.state.stack[-1].step

    def earl(self, seat: str) -> Earl:
        return self.table.earls[seat]

    def ask(self, seat: str = "") -> Ask:
        return procedure.ask_of(self.state, seat or self.asked[0])

    def options(self, seat: str = "") -> set[str]:
        return {o.id for o in self.ask(seat).options}

    def ids(self, option: str, field: str, seat: str = "") -> set[str]:
        """The choices of a field."""
        fields: dict[str, Any] = {f.name: f for f in self.ask(seat).option(option).fields}
        return {c.id for c in fields[field].choices}

    def play(self, *lines: str) -> Scene:
        """Play answers, each `seat: answer`."""
        for line in lines:
            seat, _, answer = line.partition(": ")
            self.events = procedure.play(self.state, seat, read(answer))
            self.log += self.events
        return self

    def default(self) -> Scene:
        """Play the safe default of the seat that is asked first."""
        self.events = procedure.play(self.state, self.asked[0], self.ask().default)
        self.log += self.events
        return self

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

    def kinds(self) -> list[str]:
        """The kinds of the last events, in order."""
        return [e.kind for e in self.events]

    def pile(self, seat: str) -> list[str]:
        return sorted(self.earl(seat).discard)

    def fiefs(self, seat: str) -> list[str]:
        """`1: Castle/b (Vassal/b) {Land/b}` and so on."""
        return [f"{f.number}: {f.anchor} ({f.lord or '-'}) {{{', '.join(f.properties)}}}" for f in self.earl(seat).fiefs]
