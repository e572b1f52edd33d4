"""Recorded games of every game replay to the same end for ever.

A change of the rules that changes an outcome needs a new rules version; these files stay as they are.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core.asks import read
from engine.games import GAMES
from engine.play import match as matches

FOLDER = Path(__file__).parents[1] / "games"
FILES = sorted(file for file in FOLDER.glob("*/*.jsonl") if file.parent.name in GAMES)
PLAYED = tuple(GAMES.values())
"""The games of the table, without those that tests put there."""


def test_every_game_has_recorded_ones_at_every_number_of_seats() -> None:
    for game in PLAYED:
        seats = {int(f.stem[0]) for f in FILES if f.parent.name == game.name}
        assert seats == set(game.rules.seats), game.name


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_recorded_game_holds(file: Path) -> None:
    verdict = matches.verify(file.read_text("utf-8").splitlines())
    assert verdict.holds, verdict.sentence


@pytest.mark.parametrize("file", FILES[::4], ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_trusted_replay_comes_to_the_same_position(file: Path) -> None:
    lines = file.read_text("utf-8").splitlines()
    header = matches.read_header(lines[0])
    entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    seed = bytes.fromhex(read(entries[-1].move or "").pick("seed"))
    quick = matches.replay(header, seed, entries, trusted=True)
    careful = matches.replay(header, seed, entries)
    encode = GAMES[header.game].rules.encode
    assert encode(quick.state) == encode(careful.state) and quick.head == careful.head
