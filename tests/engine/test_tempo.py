"""`writ tempo`: how waits are counted, and what is printed."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner

from engine import tempo
from engine.games import game_called
from service.ops.cli import main


def test_successive_asks_to_the_same_seat_are_one_wait() -> None:
    waits = tempo._Waits()
    assert [waits.new(who, "") for who in (("a",), ("a",), ("b",), ("b", "c"), ("a",))] == [True, False, True, True, True]


def test_an_own_turn_is_one_wait_however_often_it_is_taken_up_again() -> None:
    waits = tempo._Waits()
    seen = [waits.new(*x) for x in ((("a",), "a 1"), (("b",), ""), (("a",), "a 1"), (("b",), ""), (("a",), "a 2"))]
    assert seen == [True, True, False, True, True]


def test_the_preset_never_makes_a_table_wait_more_and_the_same_seed_measures_the_same() -> None:
    game = game_called("ortus")
    found: dict[str, Any] = tempo.run(game, 3, 1, "tests").as_dict()
    assert found == tempo.run(game, 3, 1, "tests").as_dict()
    assert found["waits_per_turn_preset"] <= found["waits_per_turn"]
    assert found["asks_per_turn_preset"] <= found["asks_per_turn"]


def test_the_command_prints_one_line_of_json() -> None:
    ran = CliRunner().invoke(main, ["tempo", "--game", "ortus", "--seats", "2", "--games", "1"])
    assert ran.exit_code == 0 and ran.output.count("\n") == 1
    keys = {"asks_per_turn", "waits_per_turn", "asks_per_turn_preset", "waits_per_turn_preset"}
    assert keys <= json.loads(ran.output).keys()
