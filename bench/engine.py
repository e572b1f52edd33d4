"""Benchmark: random playouts and replays, alternating with catanatron, in CPU time.

    python bench/engine.py [--seconds 1] [--rounds 5] [--seats 6]

Catanatron plays random four-player Catan. Both check each action's legality. Writ plays through runs, which hide answers and
keep a log, and once more on the bare engine, unchecked.
Replays run trusted from memory; ours also from log lines, trusted and checked.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import random
import statistics
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not bench/: its engine.py would shadow the package

from catanatron.game import TURNS_LIMIT
from catanatron.game import Game as Catan
from catanatron.models.player import Color, RandomPlayer
from catanatron.state import apply_action

from bench.figures import compared, figure, in_turns, machine
from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.chance import Chance, commitment
from engine.core.rulings import defaults
from engine.game import Game, options_of
from engine.games import GAMES
from engine.play import match as matches
from engine.play.searcher import Searcher
from engine.tools import playout

SAMPLES = 40
"""Recorded games."""
AT = "2026-01-01T00:00:00Z"


def play_ours(game: Game, seats: int) -> tuple[Callable[[], int], playout.Tally]:
    """A function that plays a random game and returns its moves."""
    numbers, tally, options = itertools.count(), playout.Tally(), options_of(game, seats, "", aimless=True)

    def work() -> int:
        before = tally.moves
        playout.play_one(game, seats, ["random"], f"bench/{next(numbers)}", tally, options)
        return tally.moves - before

    return work, tally


def play_bare(game: Game, seats: int) -> Callable[[], int]:
    """`play_ours` on the bare engine, unchecked."""
    numbers = itertools.count()

    def work() -> int:
        number, moves = next(numbers), 0
        searcher, rng = begun(game, seats, number), random.Random(number)
        while searcher.waiting:
            searcher.play_out(rng, 1)
            moves += 1
        return moves

    return work


def record_ours(game: Game, seats: int, number: int) -> list[str]:
    seed, rng = f"bench {number}".encode(), random.Random(number)
    infos = [matches.SeatInfo(s, s.upper(), f"{number:08x}") for s in "abcdef"[:seats]]
    options = options_of(game, seats, "", aimless=True)
    header = matches.Header(
        matches.FORMAT,
        "bench",
        game.name,
        game.rules.version,
        options,
        infos,
        commitment(seed),
        AT,
        defaults(game.rules.rulings),
    )
    match = matches.start(header, seed)
    while match.state.waiting:
        seat = match.state.waiting[0]
        match.play(seat, legal_at_random(match.state, seat, rng), AT, "bot")
    match.reveal(AT)
    return list(matches.to_lines(match.header, match.entries))


def decoded(lines: list[str]) -> tuple[matches.Header, list[matches.Entry]]:
    return matches.read_header(lines[0]), [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]


def replay_ours(logs: list[list[str]]) -> Callable[[], int]:
    """A function that replays a recorded game, unchecked, and returns its entries."""
    rounds = itertools.cycle(enumerate([decoded(lines) for lines in logs]))

    def work() -> int:
        number, (header, entries) = next(rounds)
        assert matches.replay(header, f"bench {number}".encode(), entries, trusted=True).outcome is not None
        return len(entries)

    return work


def replay_lines(logs: list[list[str]], trusted: bool) -> Callable[[], int]:
    """`replay_ours` from log lines."""
    rounds = itertools.cycle(enumerate(logs))

    def work() -> int:
        number, lines = next(rounds)
        header, entries = decoded(lines)
        assert matches.replay(header, f"bench {number}".encode(), entries, trusted).outcome is not None
        return len(entries)

    return work


def verify_ours(logs: list[list[str]]) -> Callable[[], int]:
    """A function that fully verifies a recorded game."""
    rounds = itertools.cycle(logs)

    def work() -> int:
        verdict = matches.verify(next(rounds))
        assert verdict.holds, verdict.sentence
        return verdict.entries

    return work


def catan_game() -> Catan:
    return Catan([RandomPlayer(c) for c in (Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE)])


def play_catan() -> tuple[Callable[[], int], list[int]]:
    """`play_ours` for catanatron, with a counter of games."""
    played = [0]

    def work() -> int:
        game, moves = catan_game(), 0
        while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
            game.play_tick()
            moves += 1
        played[0] += 1
        return moves

    return work, played


def replay_catan(samples: int) -> Callable[[], int]:
    """A function that reapplies a recorded game, unchecked."""
    recorded = []
    for _ in range(samples):
        game = catan_game()
        first = game.copy()
        while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
            game.play_tick()
        recorded.append((first, list(game.state.actions)))
    rounds = itertools.cycle(recorded)

    def work() -> int:
        first, actions = next(rounds)
        game = first.copy()
        for action in actions:
            apply_action(game.state, action)
        return len(actions)

    return work


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seats", type=int, default=6)
    given = parser.parse_args(list(arguments) if arguments is not None else None)
    machine()
    random.seed(1)
    plays(given.seats, given.seconds, given.rounds)
    replays(given.seats, given.seconds, given.rounds)
    searches(given.seats, given.seconds, given.rounds)


def searches(seats: int, seconds: float, rounds: int) -> None:
    """Clones, redeals and random playouts from mid-game."""
    works: dict[str, Callable[[], int]] = {}
    for name, game in GAMES.items():
        half, rng, own = middle(game, seats), random.Random(1), Chance("a player's own")
        works[f"clones_{name}"] = functools.partial(many, half.copy)
        works[f"deals_{name}"] = functools.partial(many, functools.partial(game.rules.redeal, half.state, "a", own))
        works[f"playouts_{name}"] = functools.partial(play_out, half, rng)
    for name, found in in_turns(works, seconds, rounds).items():
        value, more = statistics.median(found), {"seats": seats, "least": round(min(found)), "most": round(max(found))}
        figure(name, value, "a second", us=round(1e6 / value, 1), **more)


def many(work: Callable[[], object]) -> int:
    """Repeat work too short for the clock."""
    for _ in range(100):
        work()
    return 100


def play_out(half: Searcher, rng: random.Random) -> int:
    """Play a copy to its end."""
    assert half.copy().play_out(rng) is not None
    return 1


def middle(game: Game, seats: int) -> Searcher:
    """Halfway through a random game."""
    half = begun(game, seats, 0)
    half.play_out(random.Random(0), play_bare(game, seats)() // 2)
    return half


def begun(game: Game, seats: int, number: int) -> Searcher:
    state = game.rules.setup("abcdef"[:seats], options_of(game, seats, "", aimless=True), Chance(f"{number:064}"))
    procedure.begin(state)
    return Searcher(game, state)


def plays(seats: int, seconds: float, rounds: int) -> None:
    works, tallies = {"catanatron": play_catan()[0]}, {}
    for name, game in GAMES.items():
        works[name], tallies[name] = play_ours(game, seats)
        works[f"{name}_bare"] = play_bare(game, seats)
    rates = in_turns(works, seconds, rounds)
    for name, found in rates.items():
        figure(f"play_{name}", statistics.median(found), "moves/s")
    for name, tally in tallies.items():
        each = tally.moves / tally.games
        figure(f"games_{name}", statistics.median(rates[name]) / each, "games/s", seats=seats, moves=round(each, 1))
        for what in (name, f"{name}_bare"):
            compared(f"play_ratio_{what}", rates[what], rates["catanatron"], "times catanatron")


def replays(seats: int, seconds: float, rounds: int) -> None:
    logs = {name: [record_ours(game, seats, n) for n in range(SAMPLES)] for name, game in GAMES.items()}
    works = {"catanatron": replay_catan(SAMPLES // 4)}
    for name, lines in logs.items():
        works[name] = replay_ours(lines)
        works |= {f"{name}_lines": replay_lines(lines, True), f"{name}_lines_checked": replay_lines(lines, False)}
        works[f"{name}_verified"] = verify_ours(lines)
    rates = in_turns(works, seconds, rounds)
    for name, found in rates.items():
        figure(f"replay_{name}", statistics.median(found), "entries/s")
        if name != "catanatron":
            compared(f"replay_ratio_{name}", found, rates["catanatron"], "times catanatron")


if __name__ == "__main__":
    main()
