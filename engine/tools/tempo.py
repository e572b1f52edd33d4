"""`writ tempo`: simulates waits and lengths of games with initial orders, with recommended ones, and with those for less
waiting plus answers in advance.
"""

from __future__ import annotations

import random
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.core import procedure
from engine.core.asks import SEATS, Answer, Seat
from engine.core.chance import Chance
from engine.core.rulings import Ruled, chosen
from engine.game import AnyState, Game, options_of
from engine.play import orders
from engine.play.effects import Effect, Logged
from engine.play.policy import Sitter
from engine.play.run import Run, take
from engine.tools.playout import AIMLESS, Player, player
from engine.tools.simulated_table import answer, answered, unsealed

ZONES = (0, -6, 9)
"""UTC offsets, used equally often."""
READS = (7.5, 13.0, 20.0)
"""Local hours of reading mail, give or take half an hour."""
QUIET = (22, 8)
"""Local hours without deadlines."""
SLOW = 0.1
"""Hours until a letter arrives."""


@dataclass(frozen=True)
class Spans:
    """A pace in hours; `saved` is the share of unused time added to the bank."""

    turn: float = 24.0
    reaction: float = 12.0
    grace: float = 1.0
    bank: float = 24.0
    saved: float = 0.25


def zones_of(seats: Sequence[Seat], seed: str) -> dict[Seat, int]:
    zones = [ZONES[i % len(ZONES)] for i in range(len(seats))]
    random.Random(f"{seed}/zones").shuffle(zones)
    return dict(zip(seats, zones, strict=True))


class People:
    """Simulated e-mail players, with a clock in hours: three readings a day in three time zones; one question in twenty is
    missed.
    """

    def __init__(self, seats: Sequence[Seat], spans: Spans, missing: float, seed: str) -> None:
        self.now = 0.0
        self.spans, self.missing = spans, missing
        self._rng = random.Random(f"{seed}/people")
        self._zones = zones_of(seats, seed)
        self._banks = dict.fromkeys(seats, 0.0)
        self._sat = dict.fromkeys(seats, -1.0)
        """Time of each seat's last visit, which lasts while nobody else is waited for."""

    def wait_for(self, seats: Iterable[Seat], turn: bool) -> set[Seat]:
        """Advance the clock until all, asked together, have answered; returns those that missed the deadline. `turn`: a turn's
        hours, not a reaction's.
        """
        began, missed = self.now, set()
        for seat in seats:
            if self._sat[seat] == began:
                continue
            span = self.spans.turn if turn else self.spans.reaction
            read = self._next_read(seat, began + SLOW)
            due = self._by_day(seat, began + span)
            falls = self._by_day(seat, due + self.spans.grace + self._banks[seat])
            if self._rng.random() < self.missing or read > falls:
                missed.add(seat)
                self._banks[seat] = 0.0
                self.now = max(self.now, falls)
            else:
                left = max(0.0, began + span - read)
                self._banks[seat] = min(self.spans.bank, self._banks[seat] + self.spans.saved * left)
                self._sat[seat] = read
                self.now = max(self.now, read)
        return missed

    def has_read(self, seat: Seat, since: float) -> bool:
        return self._next_read(seat, since + SLOW) <= self.now

    def _next_read(self, seat: Seat, at: float) -> float:
        zone, soonest = self._zones[seat], float("inf")
        midnight = (at + zone) // 24 * 24
        for day in (midnight, midnight + 24):
            for hour in READS:
                read = day + hour + self._rng.uniform(-0.5, 0.5) - zone
                if read >= at:
                    soonest = min(soonest, read)
        return soonest

    def _by_day(self, seat: Seat, at: float) -> float:
        hour = (at + self._zones[seat]) % 24
        ends = QUIET[1] - hour if hour < QUIET[1] else 24 - hour + QUIET[1]
        return at + ends if hour < QUIET[1] or hour >= QUIET[0] else at


# --- games ------------------------------------------------------------------------------------------------------------


MOST_ASKS = 40_000
ADVANCE = 2
DAY = 24.0
DAILY = Spans()
MISSING = 0.05


@dataclass
class Tally:
    """Totals over some games. A wait: only the asked seats can continue the game."""

    turns: int = 0
    asks: int = 0
    waits: int = 0
    hostile: int = 0
    """Hostile acts."""
    left: Counter[str] = field(default_factory=Counter)
    """Waits by decision."""
    rounds: list[int] = field(default_factory=list)
    """Rounds by game."""
    days: list[float] = field(default_factory=list)
    """Days by game."""

    def a_turn(self, n: int) -> float:
        return round(n / max(1, self.turns), 3)

    def a_game(self, n: float) -> float:
        return round(n / max(1, len(self.rounds)), 1)


@dataclass
class Tempo:
    plain: Tally
    preset: Tally
    advance: Tally

    def as_dict(self) -> dict[str, object]:
        found: dict[str, object] = {"hostile_per_turn": self.plain.a_turn(self.plain.hostile)}
        for tally, name in ((self.plain, ""), (self.preset, "_preset"), (self.advance, "_advance")):
            found[f"turns{name}"] = tally.turns
            found[f"asks_per_turn{name}"] = tally.a_turn(tally.asks)
            found[f"waits_per_turn{name}"] = tally.a_turn(tally.waits)
            found[f"asks_per_game{name}"] = tally.a_game(tally.asks)
            found[f"waits_per_game{name}"] = tally.a_game(tally.waits)
            found[f"waits_per_round{name}"] = round(tally.waits / max(1, sum(tally.rounds)), 1)
            found[f"rounds_per_game{name}"] = tally.a_game(sum(tally.rounds))
            found[f"days_per_game{name}"] = tally.a_game(sum(tally.days))
            found[f"days_median{name}"] = round(statistics.median(tally.days), 1)
        return {**found, "waits_left": dict(self.preset.left.most_common())}


class _Waits:
    """A resumed turn counts once, and so do the same seats in succession."""

    def __init__(self) -> None:
        self.last: tuple[str, ...] = ()
        self.turn = ""

    def new(self, waiting: tuple[str, ...], turn: str) -> bool:
        if turn:
            fresh, self.turn, self.last = turn != self.turn, turn, waiting
            return fresh
        fresh, self.last = waiting != self.last, waiting
        return fresh


@dataclass(frozen=True)
class Table:
    game: Game
    seats: int
    bots: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    spans: Spans = DAILY
    missing: float = MISSING
    ruled: Ruled | None = None


def run(
    game: Game,
    seats: int,
    games: int,
    seed: str,
    bots: Sequence[str] = (),
    variant: str = "",
    spans: Spans = DAILY,
    missing: float = MISSING,
    wanted: Ruled | None = None,
) -> Tempo:
    """Simulate all three modes, determined by the seed. Bots default to the steward. Raises NotUnderstood for unknown ones."""
    ruled = chosen(game.rules.rulings, wanted or {})
    bots = bots or (game.bots.steward,)
    options = options_of(game, seats, variant, aimless=not {*bots}.isdisjoint(AIMLESS))
    table = Table(game, seats, bots, options, spans, missing, ruled)
    found = Tempo(Tally(), Tally(), Tally())
    for number in range(games):
        one = f"{seed}/{number}"
        for way, tally in enumerate((found.plain, found.preset, found.advance)):
            _Played(table, one, way, tally).play()
    return found


class _Played:
    def __init__(self, table: Table, seed: str, way: int, tally: Tally) -> None:
        self.game, self.tally, self.advance = table.game, tally, way == ADVANCE
        names = SEATS[: table.seats]
        state = self.game.rules.setup(list(names), table.options, Chance(seed), table.ruled)
        self.run = Run(unsealed(self.game, state), seats=dict.fromkeys(names, Sitter()))
        preset = orders.preset(self.game, state)
        self.given: orders.Orders = {**preset, **self.game.orders.brisk} if self.advance else preset if way else {}
        self.own = Chance(f"{seed}/bots")
        rng = random.Random(seed)
        self.players: dict[Seat, Player] = {
            seat: player(self.game, table.bots[i % len(table.bots)], rng, self.own) for i, seat in enumerate(names)
        }
        self.people = People(names, table.spans, table.missing, seed)
        self.waits, self.turns = _Waits(), Counter[Seat]()
        self.last_turn = ""
        self.stances = dict.fromkeys(names, ("", 0.0))
        self.foreseen: dict[Seat, frozenset[str]] = {}

    @property
    def state(self) -> AnyState:
        return self.run.match.state

    def play(self) -> None:
        procedure.begin(self.state)
        for _ in range(MOST_ASKS):
            if self.state.table.outcome is not None:
                break
            self._question()
        # Games without rounds count turns.
        self.tally.rounds.append(self.game.rules.round_of(self.state) or max(self.turns.values(), default=0))
        self.tally.days.append(self.people.now / DAY)

    def _question(self) -> None:
        game, state, tally = self.game, self.state, self.tally
        waiting = tuple(state.waiting)
        mark = game.rules.turn_of(state, waiting[0])
        turn = f"{waiting[0]} {mark}" if mark and len(waiting) == 1 else ""
        kind = state.stack[-1].step
        if turn and turn != self.last_turn:
            tally.turns, self.last_turn = tally.turns + 1, turn
            self.turns[waiting[0]] += 1
        found = {seat: orders.answer(game, state, seat, self.given, self.own) or self._before(seat) for seat in waiting}
        open_ = tuple(seat for seat in waiting if found[seat] is None)
        tally.asks += len(open_)
        if open_ and self.waits.new(open_, turn):
            tally.waits += 1
            tally.left[kind] += 1
        missed = self.people.wait_for(open_, bool(mark))
        asked = state.serial
        for seat in waiting:
            if state.serial == asked and seat in self.run.waiting:  # one answer may end the question for all
                self._answer(seat, found[seat] or (self._missed(seat) if seat in missed else None))

    def _answer(self, seat: Seat, given: Answer | None) -> None:
        if given is None:
            given = self.players[seat](self.state, procedure.ask_of(self.state, seat))
        self.tally.hostile += self._hostile(answer(self.run, seat, given))
        if self.advance:
            self._look_ahead()

    def _look_ahead(self) -> None:
        for seat in self.players:
            now = self.game.orders.stance(self.state, seat)
            if now != self.stances[seat][0]:
                self.stances[seat] = now, self.people.now
            if seat not in self.state.waiting:  # as in the service: nothing is queued while one is asked
                self.foreseen[seat] = frozenset(ask.kind for ask in self.game.orders.coming(self.state, seat))

    def _before(self, seat: Seat) -> Answer | None:
        ask = procedure.ask_of(self.state, seat) if self.advance else None
        if ask is None or ask.kind not in self.foreseen.get(seat, ()) or not self.people.has_read(seat, self.stances[seat][1]):
            return None
        given = self.players[seat](self.state, ask)
        _, effects = take(self.run, answered(self.run, seat, given))
        self.foreseen[seat] = frozenset()
        return None if self._hostile(effects) else given

    def _hostile(self, effects: Sequence[Effect]) -> int:
        told = [event for effect in effects if isinstance(effect, Logged) for event in effect.events]
        return sum(event.kind in self.game.face.log.hostile for event in told)

    def _missed(self, seat: Seat) -> Answer:
        late = orders.answer(self.game, self.state, seat, self.given, self.own, late=True)
        return late or procedure.ask_of(self.state, seat).default
