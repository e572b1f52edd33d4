"""The page that tells how a game is added can be followed: its code is a game, and owes the kernel what every game owes."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import engine
from engine import match as matches
from engine.game import Game
from engine.games import GAMES
from tests.contract import test_before_the_start, test_events, test_orders, test_play, test_secrets
from tests.contract.walk import NAMES, fresh
from tests.telling import command

PAGE = Path(__file__).parents[1] / "docs" / "adding-a-game.md"
BLOCK = re.compile(r"^```(?:python|toml|html)\n(?:# |\{# )([\w/.]+)(?:, below| #\})?\n(.*?)^```$", re.M | re.S)


def owed(module: ModuleType) -> list[Callable[[Game], None]]:
    """The contract's tests that take a game and nothing else, without the long ones."""
    found = [
        f for name, f in vars(module).items() if name.startswith("test_") and list(inspect.signature(f).parameters) == ["game"]
    ]
    long = [f for f in found if any(mark.name == "soak" for mark in getattr(f, "pytestmark", ()))]
    return [f for f in found if f not in long]


CONTRACT = [f for module in (test_before_the_start, test_events, test_orders, test_play, test_secrets) for f in owed(module)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the page, written where it says."""
    made = tmp_path_factory.mktemp("followed")
    for name, text in BLOCK.findall(PAGE.read_text("utf-8")):
        file = made / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as written:
            written.write(text)
    return made


@pytest.fixture(scope="module")
def game(folder: Path) -> Iterator[Game]:
    """The game of the page, in the one table of games."""
    engine.__path__.append(str(folder / "engine"))
    importlib.invalidate_caches()
    found: Game = importlib.import_module("engine.lots").LOTS
    GAMES[found.name] = found
    yield found
    del GAMES[found.name]
    engine.__path__.remove(str(folder / "engine"))
    for name in [n for n in sys.modules if n.startswith("engine.lots")]:
        del sys.modules[name]


def test_the_page_has_rules_words_a_face_and_a_board(folder: Path) -> None:
    files = {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file()}
    assert files == {"engine/lots/__init__.py", "engine/lots/lore/words.en.toml", "templates/lots/board.html"}


@pytest.mark.parametrize("owes", CONTRACT, ids=lambda f: f.__name__)
def test_it_keeps_the_contract(game: Game, owes: Callable[[Game], None]) -> None:
    owes(game)


@pytest.mark.parametrize("seats", ["2", "4", "6"])
def test_random_games_come_to_an_end(game: Game, seats: str) -> None:
    played = CliRunner().invoke(command(), ["playout", "--game", game.name, "--seats", seats, "--games", "20", "--checked"])
    tally = json.loads(played.output)
    assert played.exit_code == 0 and (tally["games"], tally["stalls"], tally["errors"]) == (20, 0, 0), tally["faults"]


def test_its_words_say_what_happened_and_to_whom(game: Game) -> None:
    match = fresh(game, 2, 1)
    told = [game.tell(event, NAMES, "a") for event in match.opening if event.seen_by("a")]
    assert told == [f"Ann draws the lot {match.state.table.lots['a']}."]
    assert matches.REVEAL != match.ask_kind() == "change"


def test_its_board_shows_what_the_reader_may_know(game: Game, folder: Path) -> None:
    match = fresh(game, 3, 1)
    pages = Environment(loader=FileSystemLoader(folder / "templates"), autoescape=True, undefined=StrictUndefined)
    pages.globals["_"] = lambda text, **facts: text % facts
    shown = pages.get_template("lots/board.html").render(page={"view": game.view(match.state, "b"), "names": NAMES})
    assert "9 lots are left" in shown and f"Bob: {match.state.table.lots['b']}" in shown and "Ann" not in shown
