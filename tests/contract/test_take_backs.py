"""Every game: after any sequence of answers and take-backs the table is as if what was taken back had never been played."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from engine.bots.random import answer_at_random, legal_at_random
from engine.core import procedure
from engine.core.asks import Answer, Seat, settled
from engine.core.chance import Chance
from engine.core.views import Event
from engine.game import Game, copy
from engine.play import taking_back
from engine.play.effects import Effect, Logged, Rejected, Told
from engine.play.match import (
    REVEAL,
    TAKE_BACK,
    WITH_TAKE_BACKS,
    play_again,
    redacted,
    replay,
    standing,
    start,
    to_lines,
    verify,
)
from engine.play.policy import Sitter
from engine.play.run import Run
from engine.text import address
from engine.text.address import Power
from engine.tools.simulated_table import SimulatedTable
from tests.contract.walk import header_for, readers
from tests.contract.walk import standing as open_to

STEPS = 100
MATCHES = {"fair": 4, "court": 6}
"""Matches with a number of seats; of the great games one."""
GREAT = ("ortus", "mastery", "fief")
"""Games with turns of several answers."""


def table_of(game: Game, n: int, number: int) -> SimulatedTable:
    """A table of people, without bots and orders, at which answers can be taken back."""
    header, seed = header_for(game, n, number)
    match = start(msgspec.structs.replace(header, writ=WITH_TAKE_BACKS), seed)
    return SimulatedTable.of(match, {seat: Sitter(seat.upper()) for seat in match.state.table.seats}, Chance("bots"))


@dataclass
class Given:
    """A thing done at a table, to be done again at another."""

    seat: Seat
    to: address.Address
    kind: str
    answer: Answer
    id: str


@dataclass
class Play:
    """A table, and all that was done there and stands."""

    table: SimulatedTable
    rng: random.Random
    stands: list[Given] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def give(self, given: Given) -> list[Effect]:
        effects = self.table.submit(given.seat, given.to, given.kind, given.answer)
        given.id = f"s{self.table.submitted}"
        if not any(isinstance(effect, Rejected) for effect in effects):
            self.stands.append(given)
        return effects

    def answer_at_random(self) -> list[Effect]:
        run, rng = self.table.run, self.rng
        if rng.random() < 0.2:
            seat = rng.choice(run.match.state.table.seats)
            found = open_to(run.match.game, run.known_to(seat), seat)
            if found:
                ask, number = rng.choice(found)
                to = address.proposal(number) if number else Power(ask.kind)
                return self.give(Given(seat, to, ask.kind, answer_at_random(ask, rng), ""))
        seat = rng.choice(run.waiting)
        answer = legal_at_random(run.known_to(seat), seat, rng)
        return self.give(Given(seat, run.key(seat)[1], run.match.ask_kind(), answer, ""))

    def takers(self) -> list[Seat]:
        run = self.table.run
        return [seat for seat, trail in run.trails.items() if trail.last(run.n) is not None]

    def take_back(self, seat: Seat) -> list[Effect]:
        step = self.table.run.trails[seat].last(self.table.run.n)
        assert step is not None
        effects = self.table.take_back(seat)
        assert not any(isinstance(effect, Rejected) for effect in effects)
        self.stands = [given for given in self.stands if given.id != step.id]
        self.kinds[step.what] += 1
        return effects


def as_known(run: Run, reader: Seat | None) -> object:
    """All that a reader sees, and is asked or offered."""
    game, state = run.match.game, run.match.state
    known = run.known_to(reader) if reader is not None else state
    asked = settled(procedure.ask_of(known, reader)) if reader in run.waiting and reader is not None else None
    offered = open_to(game, known, reader) if reader is not None else []
    return game.rules.view(known, reader), game.rules.notation.seen(known, reader), repr(asked), repr(offered), state.serial


def told(effects: Sequence[Effect], reader: Seat | None) -> list[Event]:
    found = [event for effect in effects if isinstance(effect, Logged | Told) for event in effect.events]
    return [event for event in found if event.seen_by(reader)]


class Other:
    """Another table, at which only what stands was done: kept after each answer, it plays on from the last one in common.

    Playing leaves a run as it was (`test_a_run_that_is_played_on_stays_as_it_was`).
    """

    def __init__(self, table: SimulatedTable) -> None:
        self.tables, self.given = [table], list[Given]()

    def follow(self, stands: Sequence[Given]) -> Run:
        pairs = enumerate(zip(self.given, stands, strict=False))
        common = next((n for n, (done, given) in pairs if done is not given), min(len(self.given), len(stands)))
        del self.given[common:], self.tables[common + 1 :]
        for given in stands[common:]:
            table = replace(self.tables[-1], log=[])
            table.submit(given.seat, given.to, given.kind, given.answer)
            self.tables.append(table)
            self.given.append(given)
        return self.tables[-1].run


def check_same(play: Play, game: Game, other: Other) -> None:
    """The table is as another one at which only what stands was done."""
    one, two = play.table.run, other.follow(play.stands)
    assert game.rules.encode(one.match.state) == game.rules.encode(two.match.state)
    assert one.match.state.table.chance == two.match.state.table.chance
    assert (one.hidden, one.parked, one.offers) == (two.hidden, two.parked, two.offers)
    for reader in readers(one.match.state):
        assert as_known(one, reader) == as_known(two, reader)
    shown = [(e.actor, e.ask, e.serial, e.move) for e in standing(one.match.entries) if e.ask != REVEAL]
    assert shown == [(e.actor, e.ask, e.serial, e.move) for e in two.match.entries if e.ask != REVEAL]


def play_through(game: Game, n: int, number: int, steps: int = STEPS) -> Play:
    rng = random.Random(f"{game.name} {n} {number} back")
    play, other = Play(table_of(game, n, number), rng), Other(table_of(game, n, number))
    for _i in range(steps):
        run = play.table.run
        if run.match.outcome is not None:
            break
        takers = play.takers()
        if takers and rng.random() < 0.6:
            seat = rng.choice(takers)
            step = run.trails[seat].last(run.n)
            assert step is not None
            hidden = step.what == taking_back.QUESTION
            before = {reader: as_known(run, reader) for reader in readers(run.match.state) if reader != seat} if hidden else {}
            effects = play.take_back(seat)
            logged = [effect for effect in effects if isinstance(effect, Logged)]
            if hidden:
                assert not logged, "a hidden answer leaves no trace"
                for reader in readers(run.match.state):
                    assert reader == seat or as_known(play.table.run, reader) == before[reader]
                    assert not told(effects, reader)
            else:
                assert [effect.entry.ask for effect in logged] == [TAKE_BACK]
                assert all(len(told(effects, reader)) == 1 for reader in readers(run.match.state)), "everybody is told"
            check_same(play, game, other)
        else:
            play.answer_at_random()
    check_same(play, game, Other(table_of(game, n, number)))
    return play


def check_log(play: Play) -> None:
    """The log replays, verifies where it is whole, and shows nobody more than it should."""
    match = play.table.run.match
    header, seed = match.header, match.seed
    for trusted in (True, False):
        again = replay(header, seed, match.entries, trusted)
        assert match.game.rules.encode(again.state) == match.game.rules.encode(match.state)
        assert (again.head, len(again.entries)) == (match.head, len(match.entries))
    if match.outcome is not None:
        verdict = verify(to_lines(header, match.entries))
        assert verdict.holds, verdict.sentence
    for reader in readers(match.state):
        assert len(redacted(header, match.entries, match.state, len(match.entries), reader)) == len(match.entries) + 1


def test_a_table_is_as_if_what_was_taken_back_had_never_been_played(game: Game) -> None:
    undone = Counter[str]()
    for n in game.rules.seats:
        for number in range(MATCHES.get(game.name, 1)):
            play = play_through(game, n, number)
            check_log(play)
            undone += play.kinds
    assert undone[taking_back.ENTRY] or game.name not in GREAT


def test_what_can_be_taken_back_has_told_its_player_nothing(game: Game) -> None:
    """In a position where all that the seat can't know is dealt again, other than by the rule itself, it sees the same."""
    found = 0
    for number in range(3):
        play = Play(table_of(game, min(3, game.rules.seats[-1]), 50 + number), random.Random(number))
        for _ in range(STEPS):
            match = play.table.run.match
            if match.outcome is not None:
                break
            before, n = copy(game, match.state), len(match.entries)
            effects = play.answer_at_random()
            match = play.table.run.match
            for seat in play.takers():
                step = play.table.run.trails[seat].last(play.table.run.n)
                if step is None or step.what != taking_back.ENTRY or step.n != n + 1:
                    continue
                found += 1
                for i in range(6):
                    twin = game.rules.redeal(before, seat, Chance(f"{number} {n} {i}"))
                    events = play_again(game, match.entries[n], twin)
                    assert game.rules.view(twin, seat) == game.rules.view(match.state, seat)
                    assert [e for e in events if e.seen_by(seat)] == told(effects, seat)
    assert found or game.name not in GREAT
