"""One table of games: neither the service, nor the workers, nor the pages for all games know which game it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.game import Game
from engine.games import GAMES

ROOT = Path(__file__).resolve().parents[1]
TEXT = (".py", ".toml", ".html", ".txt", ".js", ".css", ".svg")
FOR_ALL = [
    *(f for f in (ROOT / "service").rglob("*") if f.parent.name != "static" or f.stem not in GAMES),
    *(ROOT / "workers").rglob("*"),
    *(ROOT / "templates/pages").rglob("*"),
    *(ROOT / "templates/letters").rglob("*"),
    *(ROOT / "templates").glob("*.html"),
]


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_nothing_for_all_games_names_one(game: Game) -> None:
    names = re.compile(rf"\b({re.escape(game.name)}|{re.escape(game.title)})\b", re.IGNORECASE)
    # A game's own style sheet and drawings lie with the others, under its name.
    files = [file for file in FOR_ALL if file.suffix in TEXT and not (file.stem in GAMES and file.parent.name == "static")]
    assert len(files) > 100
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if names.search(line)
    ]
    assert found == []
