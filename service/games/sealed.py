"""Accepted answers that lie sealed outside the log: what a seat has given, and nobody else may know of yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine import match as matches
from engine import offers as proposals
from engine.asks import Answer, Seat, read
from engine.game import AnyState, Game, copy
from engine.views import Event
from service.store.models import SealedAnswer


@dataclass(frozen=True)
class Given:
    """An answer and how it came: `via` for its own seat to know, `mark` for all."""

    answer: Answer
    via: str
    mark: str = ""


@dataclass(frozen=True)
class Taken:
    """An offer that a seat has taken, which not all may know of: a power, or the proposal of that number."""

    seat: Seat
    kind: str
    given: Given
    number: int = 0

    @property
    def skips(self) -> int:
        """How many proposals have come to nothing here and left nothing but their numbers; 0 where an offer was taken."""
        return self.given.answer.number("count") if self.kind == SKIPPED else 0


SKIPPED = "(skipped)"
"""The kind of what stands in the place of proposals that came to nothing: their circle goes on counting from there."""


def skipping(seats: Sequence[Seat], count: int) -> Taken:
    """What stands in the place of so many proposals of a circle."""
    return Taken(seats[0], SKIPPED, Given(Answer("skip", {"seats": list(seats), "count": count}), "clock"))


def run_offer(game: Game, state: AnyState, offer: Taken) -> list[Event]:
    """Take an offer that lies sealed in a position; what happens with it."""
    if offer.skips:
        proposals.skip(state.table, offer.given.answer.some("seats"), offer.skips)
        return []
    return matches.run_offer(game, state, offer.seat, offer.kind, offer.given.answer, offer.number)


def run_offers(game: Game, state: AnyState, offers: Sequence[Taken]) -> tuple[AnyState, list[Event]]:
    """The position as it is once these offers are taken, and what happens with them; itself where there are none."""
    told = list[Event]()
    if not offers:
        return state, told
    state = copy(game, state)
    for offer in offers:
        told += run_offer(game, state, offer)
    return state, told


def with_offers(game: Game, state: AnyState, offers: Sequence[Taken]) -> AnyState:
    """The position as it is once these offers are taken; itself where there are none."""
    return run_offers(game, state, offers)[0]


def circle(game: Game, seats: Sequence[Seat], offer: Taken) -> set[Seat]:
    """Who knows of an offer that lies sealed."""
    if offer.skips:
        return {*offer.given.answer.some("seats")}
    known = matches.audience(game, seats, offer.seat, offer.kind, offer.given.answer, offer.number)
    return {offer.seat, *(known if known is not None else seats)}


def linked(game: Game, seats: Sequence[Seat], offers: Sequence[Taken], of: Iterable[Seat]) -> tuple[list[Taken], set[Seat]]:
    """The sealed offers that some seats know of, with those that may bear on these, and all who know of any of them.

    An answer rests on the proposal before it, and a trade on what was got by another: they stay together.
    """
    group, known = [], {*of}
    rest = [(offer, circle(game, seats, offer)) for offer in offers]
    while found := [one for one in rest if one[1] & known]:
        group += [offer for offer, _ in found]
        known = known.union(*(who for _, who in found))
        rest = [one for one in rest if one not in found]
    return [offer for offer in offers if offer in group], known


def taken(row: SealedAnswer) -> Taken:
    """A sealed offer, read from its row."""
    return Taken(row.seat, row.kind, stored(row), -row.serial)


def stored(row: SealedAnswer) -> Given:
    """A sealed answer, read from its row."""
    return Given(read(row.move), row.via, row.mark)
