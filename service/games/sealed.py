"""Accepted answers hidden from other seats, encrypted outside the log."""

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
    """`via` is for its own seat, `mark` for all."""

    answer: Answer
    via: str
    mark: str = ""


@dataclass(frozen=True)
class Taken:
    """A hidden accepted offer: a power, or the proposal of that number."""

    seat: Seat
    kind: str
    given: Given
    number: int = 0

    @property
    def skips(self) -> int:
        """Void proposals replaced; 0 for an accepted offer."""
        return self.given.answer.number("count") if self.kind == SKIPPED else 0


SKIPPED = "(skipped)"
"""Placeholder that keeps void proposals' numbers used."""


def skipping(seats: Sequence[Seat], count: int) -> Taken:
    """A placeholder for `count` void proposals of these seats."""
    return Taken(seats[0], SKIPPED, Given(Answer("skip", {"seats": list(seats), "count": count}), "clock"))


def run_offer(game: Game, state: AnyState, offer: Taken) -> list[Event]:
    """Play a hidden offer in a position; returns its events."""
    if offer.skips:
        proposals.skip(state.table, offer.given.answer.some("seats"), offer.skips)
        return []
    return matches.run_offer(game, state, offer.seat, offer.kind, offer.given.answer, offer.number)


def run_offers(game: Game, state: AnyState, offers: Sequence[Taken]) -> tuple[AnyState, list[Event]]:
    """The position after these offers (copied), and their events."""
    told = list[Event]()
    if not offers:
        return state, told
    state = copy(game, state)
    for offer in offers:
        told += run_offer(game, state, offer)
    return state, told


def with_offers(game: Game, state: AnyState, offers: Sequence[Taken]) -> AnyState:
    """The position after these offers."""
    return run_offers(game, state, offers)[0]


def circle(game: Game, seats: Sequence[Seat], offer: Taken) -> set[Seat]:
    """Seats that know of a hidden offer."""
    if offer.skips:
        return {*offer.given.answer.some("seats")}
    known = matches.audience(game, seats, offer.seat, offer.kind, offer.given.answer, offer.number)
    return {offer.seat, *(known if known is not None else seats)}


def linked(game: Game, seats: Sequence[Seat], offers: Sequence[Taken], of: Iterable[Seat]) -> tuple[list[Taken], set[Seat]]:
    """Transitive closure of hidden offers from some seats' knowledge, and all seats that know one.

    Answers depend on earlier proposals, trades on others' gains.
    """
    group, known = [], {*of}
    rest = [(offer, circle(game, seats, offer)) for offer in offers]
    while found := [one for one in rest if one[1] & known]:
        group += [offer for offer, _ in found]
        known = known.union(*(who for _, who in found))
        rest = [one for one in rest if one not in found]
    return [offer for offer in offers if offer in group], known


def taken(row: SealedAnswer) -> Taken:
    """Parse a hidden offer's row."""
    return Taken(row.seat, row.kind, stored(row), -row.serial)


def stored(row: SealedAnswer) -> Given:
    """Parse a hidden answer's row."""
    return Given(read(row.move), row.via, row.mark)
