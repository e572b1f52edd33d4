"""One table of games: neither the service, nor the workers, nor the pages for all games know which game it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.game import Game
from engine.games import GAMES
from tests.tables import complete

ROOT = Path(__file__).resolve().parents[1]
TEXT = (".py", ".toml", ".html", ".txt", ".js", ".css", ".svg")
FOR_ALL = [
    *(f for f in (ROOT / "service").rglob("*") if f.parent.name != "static" or f.stem not in GAMES),
    *(ROOT / "workers").rglob("*"),
    *(ROOT / "templates/pages").rglob("*"),
    *(ROOT / "templates/letters").rglob("*"),
    *(ROOT / "templates").glob("*.html"),
]


@pytest.mark.parametrize("game", [GAMES[name] for name in complete()], ids=complete())
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


def test_the_games_that_are_shipped_bring_all_that_can_be_shown() -> None:
    """Tests of boards, headings and stories run for the games that declare it."""
    assert {*complete()} >= {"ortus", "mastery", "fief"}


@pytest.mark.parametrize("game", complete())
def test_a_games_styles_leave_what_all_pages_share_alone(game: str) -> None:
    """A selector of a game's sheet names something of the game's own, or a page's note becomes a piece of its board."""
    pages = [*(ROOT / "templates").glob("*.html"), *(ROOT / "templates/pages").glob("*.html")]
    worn = " ".join(mark for page in pages for mark in re.findall(r'class="([^"]*)"', page.read_text("utf-8")))
    shared = set(re.findall(r"(?<![\w-])[a-z][\w-]*", re.sub(r"{[{%].*?[%}]}", " ", worn)))
    assert {"note", "good", "step"} <= shared
    sheet = re.sub(r"/\*.*?\*/", "", (ROOT / f"service/web/static/{game}.css").read_text("utf-8"), flags=re.DOTALL)
    rules = [rule for rule in re.findall(r"([^{};]+)\{", sheet) if not rule.strip().startswith("@")]
    selectors = [one for rule in rules for one in _alternatives(rule)]
    assert len(selectors) > 50
    parts = [
        (one, set(re.findall(r"\.([A-Za-z][\w-]*)", one)))
        for one in selectors
        if not one.startswith(f'main[data-game="{game}"]')
    ]
    # A plain word with a second one of the game's own beside it, like `.good.market`, is told from the page's by it.
    assert [one for one, named in parts if named and named <= shared] == []


def _alternatives(rule: str) -> list[str]:
    """The selectors of a rule: what stands between its commas, apart from those in parentheses."""
    found, deep = [""], 0
    for char in rule:
        deep += (char == "(") - (char == ")")
        if char == "," and not deep:
            found.append("")
        else:
            found[-1] += char
    return [one.strip() for one in found]
