"""What happened lately, the newest first, a line an answer, or for all that a game tells as one thing: whose it was, in what
words, and whether it is new."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.asks import Seat
from engine.digest import Digest
from engine.game import Game
from engine.views import Event
from engine.words import Names

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

    event: Event
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
    whole: list[str] = field(default_factory=list)
    """The sentences that tell all of it as one thing, where a game does; none of them is folded."""
    drawn: list[Part] = field(default_factory=list)
    """What of such a thing is drawn below its sentences."""

    @property
    def events(self) -> list[Event]:
        """What it is made of, the oldest first."""
        return [part.event for part in self.parts]

    @property
    def actor(self) -> str:
        """Whose it is by the game's own code, be it a seat's or not; empty where it is nobody's."""
        facts = self.parts[0].event.facts if self.parts else {}
        return next((str(facts[name]) for name in ACTORS if isinstance(facts.get(name), str)), "")

    @property
    def said(self) -> str:
        """All of it as one text."""
        return " ".join(self.whole or [part.words for part in self.parts])

    @property
    def long(self) -> bool:
        """Whether there is more of it than reads well in one go."""
        return not self.whole and len(self.parts) > LONG

    @property
    def gist(self) -> str:
        """What is read first: the answer itself, and of what it brought what a game turns on; all of it, if that is short."""
        if not self.long:
            return self.said
        return " ".join(part.words for i, part in enumerate(self.parts) if not i or part.turns)

    @property
    def latest(self) -> str:
        """What is read where there is room for little: of one thing that goes on, what came last."""
        return self.whole[-1] if self.drawn else self.gist

    @property
    def lit(self) -> str:
        """The codes as an attribute of a page has them."""
        return " ".join(self.lights)


def lines(told: Iterable[tuple[int, Event, str]], seats: set[Seat], since: int, game: Game) -> list[Line]:
    """Lines of what was told, given the newest first as (entry, event, sentence); `since` is the reader's own last move."""
    found: list[Line] = []
    for n, event, words in told:
        if not found or found[-1].n != n:
            if len(found) == MOST:
                break
            found.append(Line(n, "", new=n > since))
        found[-1].parts.insert(0, Part(event, words, event.kind in game.turning))
        found[-1].lights += [code for code in (*codes(event.facts), *game.places(event)) if code not in found[-1].lights]
        # The first event of an entry is the answer itself, and the rest came of it.
        found[-1].seat = whose(event.facts, seats)
    return found


def digested(
    found: Sequence[Line], digest: Digest | None, names: Callable[[int], Names], drawn: Collection[str] = ()
) -> list[Line]:
    """The same lines, those in one that are one thing; `names`: what seats were called at an entry; `drawn`: kinds of events
    that are drawn below it. Such a line leads to its newest entry. What is new to the reader stays apart from what isn't."""
    if digest is None:
        return [*found]
    told: list[Line] = []
    for line in found:
        after = told[-1] if told else None
        if (
            after is not None
            and line.new == after.new
            and names(line.n) is names(after.n)
            and digest.joins(line.events, after.events)
        ):
            after.parts[:0] = line.parts
            after.lights += [code for code in line.lights if code not in after.lights]
            after.seat = line.seat if line.seat == after.seat else ""
        else:
            told.append(line)
    for line in told:
        line.whole = digest.said(line.events, names(line.n))
        line.seat = digest.whose(line.events) or line.seat
        line.drawn = [part for part in line.parts if line.whole and part.event.kind in drawn]
    return told


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
