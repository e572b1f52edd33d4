"""Recent events, newest first: a line for each answer, or for several told as one."""

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
"""Lines on the turn page."""
ACTORS = ("seat", "by", "who", "attacker", "player")
"""Facts naming the actor, best first."""
CODE = re.compile(r"[A-Za-z][A-Za-z0-9_:/]{0,30}")
"""Possible code of a seat, place or card."""


LONG = 5
"""Longer lines are folded."""


@dataclass(frozen=True)
class Part:
    event: Event
    words: str
    turns: bool


@dataclass
class Line:
    """One answer's events, as the reader may see them."""

    n: int
    """Entry number."""
    seat: Seat
    """Empty for none."""
    parts: list[Part] = field(default_factory=list)
    """The answer first."""
    lights: list[str] = field(default_factory=list)
    """Codes to highlight on the board."""
    new: bool = False
    """After the reader's last move."""
    at: str = ""
    """Formatted; empty if unknown."""
    whole: list[str] = field(default_factory=list)
    """The game's digest of the line; never folded."""
    drawn: list[Part] = field(default_factory=list)
    """Drawn below the digest."""

    @property
    def events(self) -> list[Event]:
        """Events, oldest first."""
        return [part.event for part in self.parts]

    @property
    def actor(self) -> str:
        """The actor by the game's code, perhaps no seat."""
        facts = self.parts[0].event.facts if self.parts else {}
        return next((str(facts[name]) for name in ACTORS if isinstance(facts.get(name), str)), "")

    @property
    def said(self) -> str:
        return " ".join(self.whole or [part.words for part in self.parts])

    @property
    def long(self) -> bool:
        return not self.whole and len(self.parts) > LONG

    @property
    def gist(self) -> str:
        """Folded text: the answer itself, and highlights."""
        if not self.long:
            return self.said
        return " ".join(part.words for i, part in enumerate(self.parts) if not i or part.turns)

    @property
    def latest(self) -> str:
        """Text for small spaces: the last sentence, if the rest is drawn."""
        return self.whole[-1] if self.drawn else self.gist

    @property
    def lit(self) -> str:
        """The codes as an HTML attribute."""
        return " ".join(self.lights)


def lines(told: Iterable[tuple[int, Event, str]], seats: set[Seat], since: int, game: Game) -> list[Line]:
    """Group (entry, event, sentence), newest first; `since` is the reader's last move."""
    found: list[Line] = []
    for n, event, words in told:
        if not found or found[-1].n != n:
            if len(found) == MOST:
                break
            found.append(Line(n, "", new=n > since))
        found[-1].parts.insert(0, Part(event, words, event.kind in game.turning))
        found[-1].lights += [code for code in (*codes(event.facts), *game.places(event)) if code not in found[-1].lights]
        # The answer itself is the first event.
        found[-1].seat = whose(event.facts, seats)
    return found


def digested(
    found: Sequence[Line], digest: Digest | None, names: Callable[[int], Names], drawn: Collection[str] = ()
) -> list[Line]:
    """Merge lines that the digest tells as one, new and old apart. `names`: by entry; `drawn`: kinds drawn below. A merged line
    links to its newest entry."""
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
    """The acting seat, or empty."""
    return next((str(s) for s in (facts.get(name) for name in ACTORS) if s in seats), "")


def codes(facts: dict[str, Any]) -> Iterator[str]:
    """Codes in facts: texts, list items, mapping keys. Only for events that the reader may see."""
    for fact in facts.values():
        if isinstance(fact, str):
            if CODE.fullmatch(fact):
                yield fact
        elif isinstance(fact, list | tuple | dict):
            yield from (one for one in fact if isinstance(one, str) and CODE.fullmatch(one))
