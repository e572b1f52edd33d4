"""`writ tempo`: how often a table waits for somebody, with and without the orders that new players are offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine import orders, procedure
from engine.chance import Chance
from engine.game import Game, options_of

MOST_ASKS = 40_000


@dataclass
class Tally:
    """Counts over some games. A wait: nobody but the seats that are asked can move the game on."""

    turns: int = 0
    asks: int = 0
    waits: int = 0
    left: Counter[str] = field(default_factory=Counter)
    """Waits by the kind of decision."""
    last_turn: str = ""

    def a_turn(self, n: int) -> float:
        """So many for each turn."""
        return round(n / max(1, self.turns), 3)


@dataclass
class Tempo:
    """Games between bots alone, and games in which the preset of orders answers what it can."""

    plain: Tally
    preset: Tally

    def as_dict(self) -> dict[str, object]:
        """The figures of the report."""
        return {
            "turns": self.plain.turns,
            "asks_per_turn": self.plain.a_turn(self.plain.asks),
            "waits_per_turn": self.plain.a_turn(self.plain.waits),
            "turns_preset": self.preset.turns,
            "asks_per_turn_preset": self.preset.a_turn(self.preset.asks),
            "waits_per_turn_preset": self.preset.a_turn(self.preset.waits),
            "waits_left": dict(self.preset.left.most_common()),
        }


class _Waits:
    """Counts waits: a seat's own turn is one however often it is taken up again, the same seats one after the other are one."""

    def __init__(self) -> None:
        self.last: tuple[str, ...] = ()
        self.turn = ""

    def new(self, waiting: tuple[str, ...], turn: str) -> bool:
        if turn:
            fresh, self.turn, self.last = turn != self.turn, turn, waiting
            return fresh
        fresh, self.last = waiting != self.last, waiting
        return fresh


def run(game: Game, seats: int, games: int, seed: str, bot: str = "", variant: str = "") -> Tempo:
    """Play games between bots of one kind, and the same games with the preset answering what it can; deterministic by the seed.

    Where no bot is named, it is the most sensible one.

    Without the preset there are still the orders that every seat begins with: what they answer is not asked in a real game.
    """
    plain, ordered, bot = Tally(), Tally(), bot or game.steward
    options = options_of(game, seats, variant)
    for number in range(games):
        _play(game, seats, f"{seed}/{number}", bot, {}, plain, options)
        _play(game, seats, f"{seed}/{number}", bot, orders.preset(game), ordered, options)
    return Tempo(plain, ordered)


def _play(game: Game, seats: int, seed: str, bot: str, given: orders.Orders, tally: Tally, options: Mapping[str, Any]) -> None:
    state = game.setup("abcdef"[:seats], options, Chance(seed))
    procedure.begin(state)
    own, waits = Chance(f"{seed}/bots"), _Waits()
    for _ in range(MOST_ASKS):
        if state.table.outcome is not None:
            return
        waiting = tuple(state.waiting)
        mark = game.turn_of(state, waiting[0])
        turn = f"{waiting[0]} {mark}" if mark and len(waiting) == 1 else ""
        kind = state.stack[-1].step
        found = {seat: orders.answer(game, state, seat, given, own) for seat in waiting}
        open_ = tuple(seat for seat in waiting if found[seat] is None)
        tally.asks += len(open_)
        if turn and turn != tally.last_turn:
            tally.turns, tally.last_turn = tally.turns + 1, turn
        if open_ and waits.new(open_, turn):
            tally.waits += 1
            tally.left[kind] += 1
        for seat in waiting:
            answer = found[seat] or procedure.vet(state, seat, game.bots[bot](game.redeal(state, seat, own), seat, own))
            procedure.play(state, seat, answer)
