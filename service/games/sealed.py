"""Accepted answers that lie sealed outside the log: what a seat has given, and nobody else may know of yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine import match as matches
from engine.asks import Answer, Seat, read
from engine.game import AnyState, Game, copy
from service.store.models import SealedAnswer


@dataclass(frozen=True)
class Given:
    """An answer and how it came: `via` for its own seat to know, `mark` for all."""

    answer: Answer
    via: str
    mark: str = ""


@dataclass(frozen=True)
class Taken:
    """An offer that a seat has taken without the others' knowing."""

    seat: Seat
    kind: str
    given: Given


def with_offers(game: Game, state: AnyState, offers: Sequence[Taken]) -> AnyState:
    """The position as it is once these offers are taken; itself where there are none."""
    if not offers:
        return state
    state = copy(game, state)
    for offer in offers:
        matches.run_offer(game, state, offer.seat, offer.kind, offer.given.answer)
    return state


def stored(row: SealedAnswer) -> Given:
    """A sealed answer, read from its row."""
    return Given(read(row.move), row.via, row.mark)
