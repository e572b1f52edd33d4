"""Recorded games replay to the same end for ever: one for each way in which a last rival can fall, at every number of seats.

A change of the rules that changes an outcome needs a new rules version; these files stay as they are.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import match as matches
from engine.games import game_called

FOLDER = Path(__file__).parents[1] / "games" / "ortus"
FILES = sorted(FOLDER.glob("*.jsonl"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_recorded_game_holds(file: Path) -> None:
    verdict = matches.verify(file.read_text("utf-8").splitlines())
    assert verdict.holds, verdict.sentence


def test_every_way_to_end_and_every_number_of_seats_is_recorded() -> None:
    # OR-ELIM-1, OR-WIN-1
    assert {f.stem.rpartition("-")[2] for f in FILES} == {"anchors", "deck", "concession"}
    assert {f.stem[0] for f in FILES} == set("23456")


def test_between_them_they_ask_nearly_everything() -> None:
    asked = {json.loads(line).get("ask", "") for f in FILES for line in f.read_text("utf-8").splitlines()[1:]}
    assert {"deck", "turn", "defend", "allies", "enter", "spoils", "vikings", "attacker_hits", "defender_hits"} <= asked


@pytest.mark.parametrize("file", FILES[:3], ids=lambda f: f.stem)
def test_trusted_replay_comes_to_the_same_position(file: Path) -> None:
    lines = file.read_text("utf-8").splitlines()
    header = matches.read_header(lines[0])
    entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    assert entries[-1].move is not None
    seed = bytes.fromhex(entries[-1].move.split("seed=")[1].split()[0])
    quick = matches.replay(header, seed, entries, trusted=True)
    careful = matches.replay(header, seed, entries)
    game = game_called("ortus")
    assert game.encode(quick.state) == game.encode(careful.state) and quick.head == careful.head
