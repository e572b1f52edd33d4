"""Random playouts and replays on the bare engine, in turns with catanatron's in the same process.

    python bench/engine.py [--seconds 2] [--rounds 5] [--seats 6]

Writ plays random games for six of each of its games; catanatron plays four-player random games of Catan. A replay of ours
starts from the lines of the log file, decoding included; a replay of catanatron's from its list of actions in memory,
without checking that they are legal. Ours is measured both ways: trusted, and with every answer checked again.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not this folder, whose engine.py would hide the package

from catanatron.game import TURNS_LIMIT
from catanatron.game import Game as Catan
from catanatron.models.player import Color, RandomPlayer
from catanatron.state import apply_action

from bench.figures import figure, machine, side_by_side
from engine import match as matches
from engine import playout
from engine.bots.random import legal_at_random
from engine.chance import commitment
from engine.game import Game
from engine.games import GAMES
from engine.rulings import defaults

SAMPLES = 40
"""Recorded games that are replayed."""
AT = "2026-01-01T00:00:00Z"


def play_ours(game: Game, seats: int) -> tuple[Callable[[], int], playout.Tally]:
    """A function that plays one random game and says how many moves it had."""
    numbers, tally = itertools.count(), playout.Tally()

    def work() -> int:
        before = tally.moves
        playout.play_one(game, seats, ["random"], f"bench/{next(numbers)}", tally)
        return tally.moves - before

    return work, tally


def record_ours(game: Game, seats: int, number: int) -> list[str]:
    """The lines of the log of a random game."""
    seed, rng = f"bench {number}".encode(), random.Random(number)
    infos = [matches.SeatInfo(s, s.upper(), f"{number:08x}") for s in "abcdef"[:seats]]
    header = matches.Header(
        matches.FORMAT, "bench", game.name, game.rules, {}, infos, commitment(seed), AT, defaults(game.rulings)
    )
    match = matches.start(header, seed)
    while match.state.waiting:
        seat = match.state.waiting[0]
        match.play(seat, legal_at_random(match.state, seat, rng), AT, "bot")
    match.reveal(AT)
    return list(matches.to_lines(match.header, match.entries))


def replay_ours(logs: list[list[str]], trusted: bool) -> Callable[[], int]:
    """A function that replays one recorded game from its lines and says how many entries it had."""
    rounds = itertools.cycle(enumerate(logs))

    def work() -> int:
        number, lines = next(rounds)
        header = matches.read_header(lines[0])
        entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
        match = matches.replay(header, f"bench {number}".encode(), entries, trusted)
        assert match.outcome is not None
        return len(entries)

    return work


def verify_ours(logs: list[list[str]]) -> Callable[[], int]:
    """A function that verifies one recorded game: chain, seals, commitment and every move."""
    rounds = itertools.cycle(logs)

    def work() -> int:
        verdict = matches.verify(next(rounds))
        assert verdict.holds, verdict.sentence
        return verdict.entries

    return work


def catan_game() -> Catan:
    return Catan([RandomPlayer(c) for c in (Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE)])


def play_catan() -> tuple[Callable[[], int], list[int]]:
    """The same for catanatron: a function that plays one game, and how many it has played."""
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
    """A function that applies one recorded game's actions again, unchecked."""
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
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seats", type=int, default=6)
    given = parser.parse_args(list(arguments) if arguments is not None else None)
    machine()
    random.seed(1)
    ours = {name: play_ours(game, given.seats) for name, game in GAMES.items()}
    works = {name: work for name, (work, _) in ours.items()}
    plays = side_by_side({**works, "catanatron": play_catan()[0]}, given.seconds, given.rounds)
    for name, (_, tally) in ours.items():
        each = tally.moves / tally.games
        figure(f"play_{name}", plays[name], "moves/s", seats=given.seats, games_per_second=round(plays[name] / each, 2))
    figure("play_catanatron", plays["catanatron"], "moves/s", seats=4)
    for name in GAMES:
        figure(f"play_ratio_{name}", plays[name] / plays["catanatron"], "times catanatron")
    logs = {name: [record_ours(game, given.seats, n) for n in range(SAMPLES)] for name, game in GAMES.items()}
    works = {"catanatron": replay_catan(SAMPLES // 4)}
    for name, lines in logs.items():
        works |= {f"replay_{name}": replay_ours(lines, True), f"replay_{name}_checked": replay_ours(lines, False)}
        works[f"verify_{name}"] = verify_ours(lines)
    replays = side_by_side(works, given.seconds, given.rounds)
    for name, lines in logs.items():
        for what in (f"replay_{name}", f"replay_{name}_checked", f"verify_{name}"):
            figure(what, replays[what], "entries/s", seats=given.seats, entries=sum(map(len, lines)) - len(lines))
    figure("replay_catanatron", replays["catanatron"], "actions/s", seats=4)
    for name in GAMES:
        figure(f"replay_ratio_{name}", replays[f"replay_{name}"] / replays["catanatron"], "times catanatron")


if __name__ == "__main__":
    main()
