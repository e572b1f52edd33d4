"""Positions of Ortus Regni to play from: written as text, played with answers as text."""

from __future__ import annotations

from engine.games import game_called
from engine.ortus.rules.table import Earl, Table
from tests import scene

BLANK = frozenset(("lord", "bumped"))
"""Facts that may be nothing."""


class Scene(scene.Scene[Table]):
    """A position of Ortus Regni."""

    def __init__(self, text: str, seats: str = "a b c") -> None:
        super().__init__(game_called("ortus").rules.notation.read(f"ortus: 1\nseats: {seats}\n{text}"), "ortus")

    def _word(self) -> None:
        """A fact that isn't there would be told as if nothing had been: a Lord alone may be nobody."""
        super()._word()
        for event in self.events:
            assert not [fact for fact, value in event.facts.items() if value is None and fact not in BLANK], event

    def earl(self, seat: str) -> Earl:
        return self.table.earls[seat]

    def kinds(self) -> list[str]:
        """The kinds of the last events, in order."""
        return [e.kind for e in self.events]

    def pile(self, seat: str) -> list[str]:
        return sorted(self.earl(seat).discard)

    def fiefs(self, seat: str) -> list[str]:
        """`1: Castle/b (Vassal/b) {Land/b}` and so on."""
        return [f"{f.number}: {f.anchor} ({f.lord or '-'}) {{{', '.join(f.properties)}}}" for f in self.earl(seat).fiefs]
