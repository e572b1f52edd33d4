"""Digest for the log next to the board: merges log lines of several answers, such as a turn's Moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.core.asks import Seat
from engine.core.views import Event
from engine.language.words import Names, after
from engine.text.telling import merged

Teller = Callable[[Event, Names, Seat | None], str]


def flowing(
    tell: Teller, merge: Callable[[Event, Event], Event | None], events: Iterable[Event], names: Names
) -> Iterator[str]:
    """Sentences, each with a pronoun after one about the same seat alone."""
    before = ""
    for event in merged(merge, events):
        words = tell(event, after(names, before) if before else names, None) if event is not None else ""
        if event is not None and words:
            yield words
            named = {fact for fact in event.facts.values() if isinstance(fact, str) and fact in names}
            before = named.pop() if len(named) == 1 else ""


@dataclass(frozen=True)
class Digest:
    joins: Callable[[Sequence[Event], Sequence[Event]], bool]
    """Whether the next answer's events belong to the group."""
    said: Callable[[Sequence[Event], Names], list[str]]
    """Sentences for one group; [] to tell each event. Must cover every event except what `Log.drawn` draws."""
    whose: Callable[[Sequence[Event]], Seat] = lambda _events: ""
    """The seat that a group belongs to; "" for none, or where the first event names it."""
    folds: float = 1
    """Estimated ratio of characters before and after."""
