"""Benchmark: calibration of the odds that players see.

    python bench/odds.py [--battles 10000] [--game mastery] [--worlds 100]

Battles come from games between the house's bots, which are mixed with random moves. Each is predicted once, at a random answer
of it, from what its seat knows, then fought once in the real position: all answers of a battle share its hands, and an interval
over them would be too narrow. One JSON line a bin: predicted and observed share of victories, and the Wilson interval (99 %) of
the observed one. The last line of a game counts the bins that miss it, and gives CPU milliseconds a prediction.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not bench/: its engine.py would shadow the package

from engine.bots.random import legal_at_random
from engine.core import odds, procedure
from engine.core.asks import Seat
from engine.core.chance import Chance, guess
from engine.core.cloning import clone
from engine.core.odds import Stake
from engine.core.views import UNHEARD
from engine.game import Game, options_of
from engine.games import GAMES

BINS = 10
Z = 2.576
"""99 %: with thirty bins, one in three runs would miss a 95 % interval once or twice."""
RANDOM = 0.1
"""Share of random moves."""
MOVES = 2000
LATER = 2 / 3
"""Chance that a battle is predicted at a later answer than this one."""


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Confidence interval of a share."""
    share = hits / n
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return middle - half, middle + half


def met(game: Game) -> Iterator[tuple[Seat, Stake]]:
    """Fights that come up in play, each at most once, without end."""
    number = 0
    taken: object = None
    while True:
        number += 1
        rng, own = random.Random(f"odds/{number}"), Chance(f"bots/{number}")
        seats = list("abcdef")[: rng.randint(max(3, game.rules.seats[0]), game.rules.seats[-1])]
        state = game.rules.setup(seats, options_of(game, len(seats), "", aimless=False), Chance(f"odds/{number}"), None)
        state.table.news = UNHEARD
        procedure.begin(state)
        think = game.bots.players[game.bots.steward]
        for _ in range(MOVES):
            if not state.waiting:
                break
            seat = state.waiting[0]
            if rng.random() < RANDOM:
                answer = legal_at_random(state, seat, rng)
            else:
                answer = think(game.rules.redeal(state, seat, own), seat, own)
            for stake in game.face.stakes(state, seat, answer):
                fight = (number, stake.fight.at, frozenset((*stake.fight.own, *stake.fight.against)))
                if fight != taken and rng.random() >= LATER:
                    taken = fight
                    yield seat, stake
            procedure.play(state, seat, answer)


def measured(game: Game, battles: int, worlds: int) -> Iterator[dict[str, object]]:
    """Figures of a game's odds."""
    found: list[tuple[float, int]] = []
    cpu, number = 0.0, 0
    for seat, stake in met(game):
        began = time.process_time()
        told = odds.count(stake, seat, game.rules.redeal, game.rules.view, worlds)
        cpu += time.process_time() - began
        world, number = clone(stake.start), number + 1
        world.table.news, world.table.chance = UNHEARD, guess(number)
        found.append((told.won / 100, stake.play(world).result == 1))
        if number == battles:
            break
    missed = 0
    for bin in range(BINS):
        inside = [(p, hit) for p, hit in found if min(BINS - 1, int(p * BINS)) == bin]
        if not inside:
            continue
        predicted, hits = sum(p for p, _ in inside) / len(inside), sum(hit for _, hit in inside)
        low, high = wilson(hits, len(inside))
        fits = low <= predicted <= high
        missed += not fits
        shares = {"predicted": round(predicted, 3), "observed": round(hits / len(inside), 3)}
        yield {
            "game": game.name,
            "bin": bin,
            "n": len(inside),
            **shares,
            "wilson": [round(low, 3), round(high, 3)],
            "fits": fits,
        }
    yield {
        "game": game.name,
        "battles": len(found),
        "worlds": worlds,
        "missed": missed,
        "ms": round(1000 * cpu / len(found), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--battles", type=int, default=10_000, help="of all games together")
    parser.add_argument("--worlds", type=int, default=odds.WORLDS)
    parser.add_argument("--game", choices=sorted(GAMES))
    args = parser.parse_args()
    games = [args.game] if args.game else sorted(GAMES)
    for name in games:
        for line in measured(GAMES[name], args.battles // len(games), args.worlds):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
