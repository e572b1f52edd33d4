"""Looking for faults by games at random with optional rules drawn anew for each."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from click.testing import CliRunner

from engine.core.asks import PickOne, PickSome, read, write
from engine.fief import FIEF
from engine.game import Game
from engine.games import GAMES, game_called
from engine.tools import fuzz, playout
from service.ops.cli import main
from tests.toy_court import COURT
from tests.toy_game import FAIR


@pytest.mark.parametrize("name", ["fief", "mastery", "ortus"])
def test_every_optional_rule_is_drawn_and_all_at_once_too(name: str) -> None:
    game = game_called(name)
    met, rules = Counter[str](), set[str]()
    for seats in game.rules.seats:
        for number in range(60):
            choice = fuzz.drawn(game, seats, random.Random(number))
            game.rules.variants.read(seats, choice, "")
            met.update(fuzz.named(game, seats, choice))
        for f in game.rules.variants.ask(seats).options[0].fields:
            if isinstance(f, PickOne | PickSome):
                rules |= {f"{f.name}={c.id}" if isinstance(f, PickOne) else c.id for c in f.choices}
    assert all(met[rule] for rule in rules) and met["all"] and met["none"], met
    if name == "fief":
        assert met["all"] > 40 and all(met[rule] > 100 for rule in ("fog_of_war", "discard_first_disasters"))


def test_games_by_drawn_rules_end_without_faults_and_print_a_line_a_turn() -> None:
    done = CliRunner().invoke(main, ["fuzz", "--game", "fief", "--seats", "3,5", "--games", "3", "--every", "2", "--seed", "t"])
    assert done.exit_code == 0, done.output
    *turns, total = [json.loads(line) for line in done.output.splitlines()]
    assert [(turn["seats"], turn["games"]) for turn in turns] == [(3, 2), (5, 2), (3, 1), (5, 1)]
    assert (total["games"], total["errors"], total["stalls"]) == (6, 0, 0)
    assert sum(n for rule, n in total["options"].items() if rule.startswith("battle_die=")) == 6


def test_a_fault_is_named_with_seed_and_rules_and_the_run_goes_on() -> None:
    numbers = count()

    def leaky(state: Any) -> dict[str, int]:
        return {"cards": 54 if next(numbers) % 300 == 299 else 55}

    (found,) = fuzz.run(
        replace(FIEF, rules=replace(FIEF.rules, checks=replace(FIEF.rules.checks, conserved=leaky))),
        [3],
        3,
        "broken",
        3,
    )
    assert (found.games, found.stalls) == (3, 0) and 1 <= found.errors == len(found.faults)
    where, _, what = found.faults[0].partition(": Fault: ")
    assert what == "not conserved: cards 55 -> 54"
    _, seed, rules = where.split(", ", 2)
    number = seed.rpartition("/")[2]
    assert seed == f"seed broken/{number}"
    assert write(fuzz.drawn(FIEF, 3, random.Random(f"fuzz/fief/3/broken/{number}"))) == write(read(rules)) == rules


def test_numbers_of_seats_that_a_game_does_not_take_get_a_sentence() -> None:
    for seats in ("2", "three", "3,7"):
        done = CliRunner().invoke(main, ["fuzz", "--game", "fief", "--seats", seats])
        assert done.exit_code == 1 and "3,6" in done.output


@pytest.mark.parametrize("game", [FAIR, COURT, *GAMES.values()], ids=lambda game: game.name)
def test_bots_answer_from_what_their_seats_know_beside_private_trades(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing halts where a bot can't know of a trade that two others have made: its answer falls back to the default."""
    monkeypatch.setattr(fuzz, "POLICIES", 0.3)
    monkeypatch.setitem(GAMES, game.name, game)
    (found,) = fuzz.run(
        game, [max(3, game.rules.seats[0])], 2 if game.rules.offerless or game.rules.seats[-1] > 4 else 6, "policies", 6
    )
    assert not found.faults and found.moves > 20
    tally = playout.run(game, max(3, game.rules.seats[0]), 1, "policies", sorted(game.bots.players))
    assert not tally.faults and tally.errors == tally.stalls == 0


@pytest.mark.parametrize("game", [FAIR, COURT], ids=lambda game: game.name)
def test_games_through_runs_end_without_faults(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hidden trades, orders, bots and passed deadlines in the same games."""
    monkeypatch.setattr(fuzz, "RUNS", 1.0)
    monkeypatch.setitem(GAMES, game.name, game)
    (found,) = fuzz.run(game, [game.rules.seats[-1]], 4, "runs", 4)
    assert (found.errors, found.stalls, found.faults) == (0, 0, []) and found.moves > 40
