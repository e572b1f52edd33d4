"""What happened lately, a line an answer, the newest first: whose it was, in what words, and whether it is new."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.asks import Seat
from engine.game import Game
from engine.views import Event

MOST = 40
"""Lines of the log on the turn page; older ones are in the history."""
ACTORS = ("seat", "by", "who", "attacker", "player")
"""Facts of an event that name whose it is, the surest first."""
CODE = re.compile(r"[A-Za-z][A-Za-z0-9_:/]{0,30}")
"""What may stand for a seat, a place or a card on a board."""


LONG = 5
"""A line of more sentences is folded."""


@dataclass(frozen=True)
class Part:
    """One thing that an answer brought, in a sentence."""

    kind: str
    facts: dict[str, Any]
    words: str
    turns: bool
    """Whether it is what a game turns on."""


@dataclass
class Line:
    """All that one answer brought, as one reader may know it."""

    n: int
    """The entry's number in the log."""
    seat: Seat
    """Whose it is; empty where it is nobody's."""
    parts: list[Part] = field(default_factory=list)
    """In the order in which they came; the first is the answer itself."""
    lights: list[str] = field(default_factory=list)
    """Codes that its events bear, which may stand for seats, places and cards on the board."""
    new: bool = False
    """Whether it came after the reader's own last move."""
    at: str = ""
    """When the entry was played, as its log has it; empty where that isn't known."""

    @property
    def said(self) -> str:
        """All of it as one text."""
        return " ".join(part.words for part in self.parts)

    @property
    def long(self) -> bool:
        """Whether there is more of it than reads well in one go."""
        return len(self.parts) > LONG

    @property
    def gist(self) -> str:
        """What is read first: the answer itself, and of what it brought what a game turns on; all of it, if that is short."""
        if not self.long:
            return self.said
        return " ".join(part.words for i, part in enumerate(self.parts) if not i or part.turns)

    @property
    def lit(self) -> str:
        """The codes as an attribute of a page has them."""
        return " ".join(self.lights)


def lines(told: Iterable[tuple[int, Event, str]], seats: set[Seat], since: int, game: Game) -> list[Line]:
    """Lines of what was told, given the newest first as (entry, event, sentence); `since` is the reader's own last move."""
    found: list[Line] = []
    for n, event, words in told:
        facts = event.facts
        if not found or found[-1].n != n:
            if len(found) == MOST:
                break
            found.append(Line(n, "", new=n > since))
        found[-1].parts.insert(0, Part(event.kind, facts, words, event.kind in game.turning))
        found[-1].lights += [code for code in (*codes(facts), *game.places(event)) if code not in found[-1].lights]
        # The first event of an entry is the answer itself, and the rest came of it.
        found[-1].seat = whose(facts, seats)
    return found


def whose(facts: dict[str, Any], seats: Collection[Seat]) -> Seat:
    """The seat whose answer an event tells of; empty where it is nobody's."""
    return next((str(s) for s in (facts.get(name) for name in ACTORS) if s in seats), "")


def codes(facts: dict[str, Any]) -> Iterator[str]:
    """What in the facts of an event may stand for something on a board: its texts, those in lists, and what numbers are given
    for. Only of events that the reader may see, whose facts are in the log that they may download, too."""
    for fact in facts.values():
        if isinstance(fact, str):
            if CODE.fullmatch(fact):
                yield fact
        elif isinstance(fact, list | tuple | dict):
            yield from (one for one in fact if isinstance(one, str) and CODE.fullmatch(one))
