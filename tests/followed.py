"""The page that tells how a game is added, followed: its files written where it says, its game in the one table."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import engine
from engine.game import Game
from engine.games import GAMES

PAGE = Path(__file__).parents[1] / "docs" / "adding-a-game.md"
BLOCK = re.compile(r"^```(?:python|toml)?\n# ([\w/.-]+\.\w+)(?:, below)?\n(.*?)^```$", re.M | re.S)


def write(folder: Path) -> None:
    """Write the files of the page."""
    for name, text in BLOCK.findall(PAGE.read_text("utf-8")):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as written:
            written.write(text)


def lines() -> int:
    """How many lines a stranger writes for the game, cases apart."""
    return sum(len(text.splitlines()) for name, text in BLOCK.findall(PAGE.read_text("utf-8")) if not name.startswith("tests/"))


@contextmanager
def playable(folder: Path) -> Iterator[Game]:
    """The game of the page, written to `folder`, in the one table of games for a while."""
    write(folder)
    engine.__path__.append(str(folder / "engine"))
    importlib.invalidate_caches()
    found: Game = importlib.import_module("engine.masks").GAME
    GAMES[found.name] = found
    yield found
    del GAMES[found.name]
    engine.__path__.remove(str(folder / "engine"))
    for name in [n for n in sys.modules if n.startswith("engine.masks")]:
        del sys.modules[name]
