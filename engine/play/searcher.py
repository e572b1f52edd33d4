"""Search API for bots: a position to enumerate, copy and play out. Asks are cached. See docs/searching.md.

search = Searcher.dealt(game, state, "a", chance)   # hidden information redealt for seat a
for answer in search.answers("a").found:            # legal answers
    tried = search.copy()
    tried.play("a", answer)
    outcome = tried.play_out(rng)                   # random playout
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.bots.random import legal_at_random
from engine.bots.rows import left_for
from engine.core import asks, offers, procedure
from engine.core.asks import Answer, Ask, Cell, Choice, Field, Refused, Row, Rows, Seat, Value, fits
from engine.core.chance import Chance
from engine.core.cloning import clone
from engine.core.procedure import Outcome
from engine.core.views import UNHEARD, Event
from engine.game import AnyState, Game
from engine.play.match import check_offer, run_offer

MOST = 200
"""Default limit of listed answers."""
TRIED = 50
"""Candidates tried per listed answer, where the rules refuse most."""
LONGEST = 50_000
"""Most moves of a playout."""


@dataclass(frozen=True)
class Listed:
    found: list[Answer]
    whole: bool


class Searcher:
    """Mutable position. It owns `state`: pass a copy, or use `dealt`."""

    __slots__ = ("_asks", "game", "state")

    def __init__(self, game: Game, state: AnyState) -> None:
        self.game, self.state = game, state
        self._asks: dict[Seat, Ask] = {}

    @classmethod
    def dealt(cls, game: Game, state: AnyState, seat: Seat | None, chance: Chance) -> Searcher:
        """Copy a position, redealt for `seat`."""
        return cls(game, game.rules.redeal(state, seat, chance))

    def copy(self) -> Searcher:
        return Searcher(self.game, clone(self.state))

    @property
    def waiting(self) -> Sequence[Seat]:
        return self.state.waiting

    @property
    def outcome(self) -> Outcome | None:
        outcome: Outcome | None = self.state.table.outcome
        return outcome

    def ask(self, seat: Seat) -> Ask:
        """A seat's ask. Raises NotLegal if there is none."""
        found = self._asks.get(seat)
        if found is None:
            found = self._asks[seat] = procedure.ask_of(self.state, seat)
        return found

    def answers(self, seat: Seat, most: int = MOST, grave: bool = False) -> Listed:
        """Up to `most` legal answers, in the form's order. Raises NotLegal."""
        legal: list[Answer] = []
        for tried, answer in enumerate(listed(self.ask(seat), grave)):
            if len(legal) == most or tried == TRIED * most:
                return Listed(legal, whole=False)
            if self.allows(seat, answer):
                legal.append(answer)
        return Listed(legal, whole=True)

    def allows(self, seat: Seat, answer: Answer) -> bool:
        """Whether the rules accept an answer that fits its form."""
        step = procedure.open_step(self.state)
        if step.vet is None:
            return True
        try:
            step.vet(self.state.stack[-1], self.state.table, seat, answer)
        except Refused:
            return False
        return True

    def sample(self, seat: Seat, rng: random.Random) -> Answer:
        """A random legal answer, or the default. Raises NotLegal."""
        return legal_at_random(self.state, seat, rng, self.ask(seat))

    def play(self, seat: Seat, answer: Answer) -> list[Event]:
        """Play an answer; returns events. Raises Refused without changes."""
        events = procedure.play(self.state, seat, answer, ask=self.ask(seat))
        self._asks.clear()
        return events

    def offers(self, seat: Seat) -> list[tuple[int, Ask]]:
        """Open proposals by number; powers have 0."""
        powers = [(0, ask) for ask in offers.powers(self.state, self.game.rules.powers.open(self.state, seat))]
        return [*offers.proposals(self.state, seat), *offers.own(self.state, seat), *powers]

    def take(self, seat: Seat, kind: str, answer: Answer, number: int = 0) -> list[Event]:
        """Answer a proposal or use a power. Raises Refused without changes."""
        answer = check_offer(self.game, self.state, seat, kind, answer, number)
        events = run_offer(self.game, self.state, seat, kind, answer, number)
        self._asks.clear()
        return events

    def play_out(self, rng: random.Random, moves: int = LONGEST) -> Outcome | None:
        """Play at random, to the end or for `moves` moves."""
        state = self.state
        state.table.news = UNHEARD
        while state.waiting and moves:
            waiting = state.waiting
            seat = waiting[0] if len(waiting) == 1 else waiting[int(rng.random() * len(waiting))]
            procedure.play(state, seat, self.sample(seat, rng), trusted=True)
            self._asks.clear()
            moves -= 1
        state.table.news = []
        return self.outcome


# --- all that a form allows -------------------------------------------------------------------------------------------


def listed(ask: Ask, grave: bool = False) -> Iterator[Answer]:
    """Enumerate every answer that the fields allow; maybe very many."""
    for option in ask.options:
        if option.grave and not grave:
            continue
        tied = any(isinstance(f, Rows) for f in option.fields)  # row constraints are left to `check`
        for values in _forms(option.fields):
            answer = Answer(option.id, values)
            if not tied or fits(ask, answer):
                yield answer


def _forms(fields: Sequence[Field]) -> Iterator[dict[str, Value]]:
    if not fields:
        yield {}
        return
    for value in _values(fields[0]):
        filled = {fields[0].name: value} if value or type(value) is int else {}
        for others in _forms(fields[1:]):
            yield {**filled, **others}


def _values(f: Field) -> Iterator[Value]:
    if isinstance(f, Rows):
        for n in range(f.least, f.most + 1):
            yield from _rows(f, n, [])
    else:
        yield from _cells(f)


def _rows(f: Rows, n: int, before: list[Row]) -> Iterator[list[Row]]:
    if not n:
        yield before
        return
    for row in _filled(f, f.fields, before, {}):
        yield from _rows(f, n - 1, [*before, row])


def _filled(f: Rows, fields: Sequence[asks.Simple], before: list[Row], row: Row) -> Iterator[Row]:
    if not fields:
        yield row
        return
    first, rest = fields[0], fields[1:]
    left = left_for(f, first, before, row)
    if left is not None:
        for value in _cells(left):
            yield from _filled(f, rest, before, {**row, first.name: value} if value or type(value) is int else row)
    elif isinstance(first, asks.PickOne) and first.optional:
        yield from _filled(f, rest, before, row)


def _cells(f: asks.Simple) -> Iterator[Cell]:
    match f:
        case asks.PickOne():
            if f.optional:
                yield ""
            yield from (c.id for c in f.choices)
        case asks.PickSome():
            yield from _picks(f.choices, f.least, f.most)
        case asks.Number():
            usual = f.least if f.usual is None else f.usual
            yield usual
            yield from (n for n in range(f.least, f.most + 1) if n != usual)
        case asks.Order():
            yield from _orders({c.id: c.most for c in f.choices})
        case asks.Assign():
            yield from _pairs(f, f.items, {c.id: c.most for c in f.targets})


def _picks(choices: Sequence[Choice], least: int, most: int) -> Iterator[list[str]]:
    if not choices:
        if least <= 0:
            yield []
        return
    first, rest = choices[0], choices[1:]
    if sum(c.most for c in choices) < least or sum(c.least for c in choices) > most:
        return
    for n in range(first.least, min(first.most, most) + 1):
        for others in _picks(rest, least - n, most - n):
            yield [first.id] * n + others


def _orders(left: Mapping[str, int]) -> Iterator[list[str]]:
    if not left:
        yield []
    for id, n in left.items():
        fewer = {other: m - (other == id) for other, m in left.items() if other != id or n > 1}
        for others in _orders(fewer):
            yield [id, *others]


def _pairs(f: asks.Assign, items: Sequence[Choice], left: Mapping[str, int]) -> Iterator[dict[str, str]]:
    if not items:
        yield {}
        return
    first, rest = items[0], items[1:]
    if f.optional:
        yield from _pairs(f, rest, left)
    for target, n in left.items():
        if n or not f.distinct:
            for others in _pairs(f, rest, {**left, target: n - 1}):
                yield {first.id: target, **others}
