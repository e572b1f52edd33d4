"""Playouts: many games between bots, through `engine.play.run`."""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.bots.random import legal_at_random
from engine.core import offers, procedure
from engine.core.asks import SEATS, Answer, Ask, NotUnderstood, Refused
from engine.core.chance import Chance
from engine.core.rulings import Ruled, chosen
from engine.core.views import UNHEARD, Event
from engine.game import AnyState, Game, copy, options_of
from engine.play.policy import Sitter
from engine.play.run import Run
from engine.tools.simulated_table import answer, answer_offers, unsealed

LONGEST = 50_000
"""Moves after which a game counts as stalled."""
AIMLESS = ("random", "default", "curious")
"""Bots that never bring about an end."""

Player = Callable[[AnyState, Ask], Answer]
"""state, ask -> answer."""


@dataclass
class Tally:
    games: int = 0
    moves: int = 0
    asks: int = 0
    """Asks opened; offers can void some."""
    seconds: float = 0.0
    moves_per_second: float = 0.0
    stalls: int = 0
    errors: int = 0
    faults: list[str] = field(default_factory=list)
    wins: dict[str, int] = field(default_factory=dict)
    """Wins by bot."""


def player(game: Game, bot: str, rng: random.Random, chance: Chance) -> Player:
    """Look a bot up. Raises NotUnderstood. `random` and `default` only read the ask, `curious` the whole state."""
    if bot == "random":
        return lambda state, ask: legal_at_random(state, ask.seat, rng, ask)
    if bot == "default":
        return lambda _state, ask: ask.default
    if bot == "curious":
        return curious(game, rng)
    think = game.bots.players.get(bot)
    if think is None:
        there = sorted({*game.bots.players, *AIMLESS})
        raise NotUnderstood(f"There is no bot “{bot[:20]}”; there is: {', '.join(there)}.")
    return lambda state, ask: think(game.rules.redeal(state, ask.seat, chance), ask.seat, chance)


def play_one(
    game: Game,
    seats: int,
    bots: Sequence[str],
    seed: str,
    tally: Tally,
    options: Mapping[str, Any] | None = None,
    ruled: Ruled | None = None,
) -> AnyState:
    """Play one game, counted in `tally`; returns the last state. Raises Refused for a bot's illegal answer."""
    chance = Chance(hashlib.sha256(f"table/{seed}".encode()).hexdigest())
    own = Chance(hashlib.sha256(f"bots/{seed}".encode()).hexdigest())
    rng = random.Random(f"moves/{seed}")
    # Rotate seats between games, so that no bot keeps the better one.
    shift = int(hashlib.sha256(f"seats/{seed}".encode()).hexdigest(), 16)
    named = {seat: bots[(i + shift) % len(bots)] for i, seat in enumerate(SEATS[:seats])}
    players = {seat: player(game, bot, rng, own) for seat, bot in named.items()}
    state = game.rules.setup(list(SEATS[:seats]), options or {}, chance, ruled)
    run = Run(unsealed(game, state), seats={seat: Sitter(bot=bot) for seat, bot in named.items()}, chance=own)
    moves = asks = serial = 0
    uses_offers = any(bot in game.bots.offer_policies for bot in named.values())
    try:
        state.table.news = UNHEARD
        procedure.begin(state)
        while (waiting := run.waiting) and moves <= LONGEST:
            if state.serial != serial:
                serial, asks = state.serial, asks + len(waiting)
                if uses_offers or run.offers or offers.on(state.table):
                    moves += answer_offers(run)
                    continue
            seat = waiting[0] if len(waiting) == 1 else waiting[int(rng.random() * len(waiting))]
            known = run.known_to(seat)
            answer(run, seat, players[seat](known, procedure.ask_of(known, seat)))
            moves += 1
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
    variant: str = "",
    wanted: Ruled | None = None,
) -> Tally:
    """Play games; `variant`: optional rules, `wanted`: rulings. Exceptions are counted.

    Raises NotUnderstood for a wrong number of seats or an unknown bot, Refused for illegal options.
    """
    if not game.rules.seats[0] <= seats <= game.rules.seats[-1]:
        raise NotUnderstood(f"{game.title} is for {game.rules.seats[0]} to {game.rules.seats[-1]} players, not {seats}.")
    for bot in Counter(bots):
        player(game, bot, random.Random(0), Chance(""))
    options = options_of(game, seats, variant, aimless=not {*bots}.isdisjoint(AIMLESS))
    ruled = chosen(game.rules.rulings, wanted or {})
    tally = Tally()
    began = time.perf_counter()
    for i in range(games):
        try:
            play_one(game, seats, bots, f"{seed}/{i}", tally, options, ruled)
        except Refused as refusal:
            tally.errors += 1
            tally.faults.append(f"seed {seed}/{i}: refused: {refusal}")
        except Exception as error:  # errors are findings
            tally.errors += 1
            tally.faults.append(f"seed {seed}/{i}: {type(error).__name__}: {error}")
    tally.seconds = time.perf_counter() - began
    tally.moves_per_second = round(tally.moves / tally.seconds, 1) if tally.seconds else 0.0
    tally.seconds = round(tally.seconds, 3)
    del tally.faults[5:]
    return tally


TRIES = 40
"""Random answers compared at each ask."""


def curious(game: Game, rng: random.Random) -> Player:
    """Random player for recorded games, steered to rare events. It reads secrets, so it isn't for play."""
    seen = Counter[str]()

    def answer(state: AnyState, ask: Ask) -> Answer:
        tried = [_tried(game, state, ask, rng) for _ in range(TRIES)]
        best = min(tried, key=lambda one: min(seen[kind] for kind in one[1]))
        seen.update(best[1])
        return best[0]

    return answer


def _tried(game: Game, state: AnyState, ask: Ask, rng: random.Random) -> tuple[Answer, set[str]]:
    found, tried = legal_at_random(state, ask.seat, rng, ask), copy(game, state)
    events: list[Event] = procedure.play(tried, ask.seat, found, trusted=True)
    return found, {*(event.kind for event in events), tried.stack[-1].step if tried.stack else "over"}
