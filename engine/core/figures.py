"""Figures: a game's statistics, counted per entry by `engine.play.ending`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.core.asks import Seat
from engine.core.procedure import AnyState
from engine.core.views import Event


class Beat(NamedTuple):
    n: int
    """Its number; 0: the start."""
    events: Sequence[Event]
    """Also secret ones; of twins only the fuller."""
    state: AnyState
    """The position after it."""
    chapter: int
    """Number of chapters begun."""


class Hit(NamedTuple):
    """What an entry adds: `n` to the total, and to each of the seats."""

    seats: Sequence[Seat]
    n: int = 1


Count = Callable[[Beat], Iterable[Hit]]
"""A counter; it may remember earlier entries."""


@dataclass(frozen=True)
class Figure:
    key: str
    """Entry of the section `figure` of the words: its label, with number `n`."""
    counter: Callable[[], Count]
    """Begins to count a match."""
    record: bool = False
    """The largest single hit counts, not the sum."""


def tally(*kinds: str, by: str = "seat", of: str = "") -> Callable[[], Count]:
    """Count events of these kinds.

    `by`: the fact that names seats. `of`: a fact to add up, a number or a list's length; "": 1 an event.
    """

    def count(beat: Beat) -> Iterable[Hit]:
        for event in beat.events:
            if event.kind in kinds:
                seats = event.facts.get(by, ())
                yield Hit((seats,) if isinstance(seats, str) else seats, size(event.facts[of]) if of else 1)

    return lambda: count


def lasting(begins: str, ends: Sequence[str], of: Sequence[str]) -> Callable[[], Count]:
    """Count chapters between two events with equal facts `of`, the first of which is the seat."""

    def begin() -> Count:
        since: dict[tuple[Any, ...], int] = {}

        def count(beat: Beat) -> Iterable[Hit]:
            for event in beat.events:
                if event.kind == begins:
                    since.setdefault(tuple(event.facts[name] for name in of), beat.chapter)
            yield from (Hit(what[:1], beat.chapter - start + 1) for what, start in since.items())
            for event in beat.events:
                if event.kind in ends:
                    since.pop(tuple(event.facts[name] for name in of), None)

        return count

    return begin


def size(fact: Any) -> int:
    return fact if isinstance(fact, int) else len(fact)
