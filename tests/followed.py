"""The page that tells how a game is added, followed: the game that it makes, and the changes that it describes."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.game import Game
from engine.games import GAMES
from engine.language import words
from service.tools import new_game

PAGE = Path(__file__).parents[1] / "docs" / "adding-a-game.md"
NAME = "gambit"
CHANGE = re.compile(r"^```diff\n# ([\w/.-]+)\n(.*?)^```$", re.M | re.S)


def change(folder: Path, suffix: str) -> None:
    """Make the page's changes to files of a suffix."""
    for name, lines in CHANGE.findall(PAGE.read_text("utf-8")):
        if name.endswith(suffix):
            before = "".join(line[1:] for line in lines.splitlines(keepends=True) if line[0] in " -")
            after = "".join(line[1:] for line in lines.splitlines(keepends=True) if line[0] in " +")
            text = (folder / name).read_text("utf-8")
            assert text.count(before) == 1, (name, before)
            (folder / name).write_text(text.replace(before, after), "utf-8")


def lines(folder: Path) -> int:
    """How many lines a game's files have."""
    return sum(len(file.read_text("utf-8").splitlines()) for file in (folder / NAME).rglob("*.*") if file.suffix != ".pyc")


@contextmanager
def imported(folder: Path) -> Iterator[Game]:
    """The page's game, as its files are, in the registry for a while."""
    sys.path.insert(0, str(folder / NAME))
    importlib.invalidate_caches()
    words._read.cache_clear()  # another folder may have held a game of that name
    try:
        found: Game = importlib.import_module(NAME).GAME
        GAMES[found.name] = found
        yield found
    finally:
        GAMES.pop(NAME, None)
        sys.path.remove(str(folder / NAME))
        for name in [n for n in sys.modules if n.partition(".")[0] == NAME]:
            del sys.modules[name]


@contextmanager
def playable(folder: Path) -> Iterator[Game]:
    """The page's game, with all its changes, written to `folder`."""
    new_game.write(NAME, folder)
    change(folder, "")
    with imported(folder) as game:
        yield game
