"""Games between bots on the bare engine, many and fast: for fuzzing, for comparing bots, and for benchmarks."""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from engine import offers, procedure
from engine.asks import Answer, Ask, NotUnderstood, Refused, Seat
from engine.bots.random import legal_at_random
from engine.chance import Chance
from engine.game import AnyState, Game, options_of
from engine.offer_policy import haggle
from engine.rulings import Ruled, chosen
from engine.tools.idle import idle
from engine.views import UNHEARD

SEATS = "abcdef"
LONGEST = 50_000
"""A game with more moves than this counts as stalled."""
TRUSTED = AIMLESS = ("random", "default")
"""Bots whose answers are legal as they come, so that playing them again would check them twice. They bring no end about."""

YARDSTICKS: Mapping[str, Mapping[str, Callable[[AnyState, Seat, Chance], Answer]]] = {"ortus": {"idle": idle}}
"""Game -> bots to measure others by; hosts are not offered them."""

Player = Callable[[AnyState, Ask], Answer]
"""state, the open ask -> its seat's answer."""


@dataclass
class Tally:
    """What a run of games came to."""

    games: int = 0
    moves: int = 0
    """Answers played."""
    asks: int = 0
    """Questions opened; more than the moves where one question goes to several seats and an offer voids some."""
    seconds: float = 0.0
    moves_per_second: float = 0.0
    stalls: int = 0
    errors: int = 0
    faults: list[str] = field(default_factory=list)
    """The first few stalls and errors, in words."""
    wins: dict[str, int] = field(default_factory=dict)
    """Games won by each bot."""

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def player(game: Game, bot: str, rng: random.Random, chance: Chance) -> Player:
    """The bot of that name as a function. Raises NotUnderstood if there is none.

    `random` and `default` (always the safe default) look at their ask alone; the game's own bots get re-dealt states.
    """
    if bot == "random":
        return lambda state, ask: legal_at_random(state, ask.seat, rng, ask)
    if bot == "default":
        return lambda _state, ask: ask.default
    bots = {**game.bots, **YARDSTICKS.get(game.name, {})}
    if bot not in bots:
        raise NotUnderstood(f"There is no bot “{bot[:20]}”; there is: {', '.join(sorted({*bots, *TRUSTED}))}.")
    think = bots[bot]
    return lambda state, ask: think(game.redeal(state, ask.seat, chance), ask.seat, chance)


def play_one(
    game: Game,
    seats: int,
    bots: Sequence[str],
    seed: str,
    tally: Tally,
    checked: bool = False,
    options: Mapping[str, Any] | None = None,
    ruled: Ruled | None = None,
) -> AnyState:
    """One game from its setup to its end, added to `tally`; its last state. `checked` plays no answer unchecked."""
    chance = Chance(hashlib.sha256(f"table/{seed}".encode()).hexdigest())
    own = Chance(hashlib.sha256(f"bots/{seed}".encode()).hexdigest())
    rng = random.Random(f"moves/{seed}")
    # Who sits where changes from game to game, so that no bot keeps the better seat.
    shift = int(hashlib.sha256(f"seats/{seed}".encode()).hexdigest(), 16)
    named = {seat: bots[(i + shift) % len(bots)] for i, seat in enumerate(SEATS[:seats])}
    players = {seat: player(game, bot, rng, own) for seat, bot in named.items()}
    trusted = {seat: not checked and bot in TRUSTED for seat, bot in named.items()}
    state = game.setup(list(SEATS[:seats]), options or {}, chance, ruled)
    moves = asks = serial = 0
    haggling = any(bot in game.hagglers for bot in named.values())
    desk = isinstance(getattr(state.table, "proposals", None), offers.Desk)
    try:
        state.table.news = UNHEARD
        procedure.begin(state)
        while waiting := state.waiting:
            if state.serial != serial:
                serial, asks = state.serial, asks + len(waiting)
                if haggling or (desk and state.table.proposals.open):
                    moves += sum(1 for _ in haggle(game, named, state, own))
                    continue
            seat = waiting[0] if len(waiting) == 1 else waiting[int(rng.random() * len(waiting))]
            ask = procedure.ask_of(state, seat)  # made once, to be answered and to check the answer
            procedure.play(state, seat, players[seat](state, ask), trusted[seat], ask)
            moves += 1
            if moves > LONGEST:
                break
    finally:
        state.table.news = []
        tally.games += 1
        tally.moves += moves
        tally.asks += asks
    outcome = state.table.outcome
    if outcome is None:
        tally.stalls += 1
        tally.faults.append(f"seed {seed}: no end after {moves} moves")
    else:
        for bot in {named[seat] for seat in outcome.winners}:
            tally.wins[bot] = tally.wins.get(bot, 0) + 1
    return state


def run(
    game: Game,
    seats: int,
    games: int,
    seed: str,
    bots: Sequence[str] = ("random",),
    checked: bool = False,
    variant: str = "",
    wanted: Ruled | None = None,
) -> Tally:
    """Play so many games, by the optional rules of `variant` and the house rulings that are `wanted`.

    A game that raises counts as an error, and the run goes on.

    Raises NotUnderstood for a number of seats that the game doesn't take, or a bot that it hasn't got; Refused for optional
    rules that can't be chosen.
    """
    if not game.least <= seats <= game.most:
        raise NotUnderstood(f"{game.title} is for {game.least} to {game.most} players, not {seats}.")
    for bot in Counter(bots):
        player(game, bot, random.Random(0), Chance(""))
    options = options_of(game, seats, variant, aimless=not {*bots}.isdisjoint(AIMLESS))
    ruled = chosen(game.rulings, wanted or {})
    tally = Tally()
    began = time.perf_counter()
    for i in range(games):
        try:
            play_one(game, seats, bots, f"{seed}/{i}", tally, checked, options, ruled)
        except Refused as refusal:
            tally.errors += 1
            tally.faults.append(f"seed {seed}/{i}: refused: {refusal}")
        except Exception as error:  # a fuzzer counts faults of every kind
            tally.errors += 1
            tally.faults.append(f"seed {seed}/{i}: {type(error).__name__}: {error}")
    tally.seconds = time.perf_counter() - began
    tally.moves_per_second = round(tally.moves / tally.seconds, 1) if tally.seconds else 0.0
    tally.seconds = round(tally.seconds, 3)
    del tally.faults[5:]
    return tally
