"""The page that tells how a game is added can be followed: its code is a game, and owes the kernel what every game owes."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from engine import cases
from engine.boards import board
from engine.chance import Chance
from engine.game import DERIVED, Game
from engine.procedure import Unfinished
from engine.visibility import Own
from tests.contract import test_before_the_start, test_events, test_languages, test_orders, test_play, test_purity, test_secrets
from tests.contract.walk import NAMES, fresh
from tests.followed import lines, playable
from tests.scene import Scene
from tests.telling import command


def owed(module: ModuleType) -> list[Callable[..., None]]:
    """The contract's tests that take a game, without the long ones."""
    found = [f for name, f in vars(module).items() if name.startswith("test_")]
    found = [f for f in found if set(inspect.signature(f).parameters) in ({"game"}, {"game", "monkeypatch"})]
    return [f for f in found if not any(mark.name == "soak" for mark in getattr(f, "pytestmark", ()))]


MODULES = (test_before_the_start, test_events, test_languages, test_orders, test_play, test_purity, test_secrets)
CONTRACT = [f for module in MODULES for f in owed(module)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("followed")


@pytest.fixture(scope="module")
def game(folder: Path) -> Iterator[Game]:
    with playable(folder) as found:
        yield found


def test_the_page_has_rules_words_and_a_case(game: Game, folder: Path) -> None:
    files = {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file() and f.suffix != ".pyc"}
    assert files == {"engine/masks/__init__.py", "engine/masks/lore/words.en.toml", "tests/cases/masks/MSK-3.case"}
    assert lines() <= 350


@pytest.mark.parametrize("owes", CONTRACT, ids=lambda f: f.__name__)
def test_it_keeps_the_contract(game: Game, owes: Callable[..., None], request: pytest.FixtureRequest) -> None:
    more = {name: request.getfixturevalue(name) for name in inspect.signature(owes).parameters if name != "game"}
    with test_languages.foreign_spoken() if owes.__module__ == test_languages.__name__ else nullcontext():
        owes(game, **more)


@pytest.mark.parametrize("seats", ["2", "3", "4"])
def test_random_games_come_to_an_end(game: Game, seats: str) -> None:
    played = CliRunner().invoke(command(), ["playout", "--game", game.name, "--seats", seats, "--games", "20", "--checked"])
    tally = json.loads(played.output)
    assert played.exit_code == 0 and (tally["games"], tally["stalls"], tally["errors"]) == (20, 0, 0), tally["faults"]


def test_its_case_holds(game: Game, folder: Path) -> None:
    case = folder / "tests" / "cases" / "masks" / "MSK-3.case"
    assert cases.run(case) == []
    assert cases.run_text(case.read_text("utf-8").replace("a.coins: 2", "a.coins: 5"))


def test_its_words_say_what_happened_and_to_whom(game: Game) -> None:
    match = fresh(game, 2, 1)
    masks = match.state.table.players["a"].masks
    told = [game.tell(event, NAMES, "a") for event in match.opening if event.seen_by("a")]
    assert told == [f"Ann draws a mask: {mask}." for mask in masks]


# --- what follows from who sees what ----------------------------------------------------------------------------------

GIVEN = """masks: 1
seats: a b
a.coins: 7
a.masks: Thief, Fool
b.masks: Queen
b.lost: Priest
deck: 3 Fool, Priest
stack: Turn turn seat=b
"""


def test_a_view_shows_what_each_may_see(game: Game) -> None:
    state = Scene(game.read_position(GIVEN)).state
    seen = game.view(state, "a")
    a = {"seat": "a", "coins": 7, "masks": ["Thief", "Fool"], "lost": []}
    b = {"seat": "b", "coins": 2, "masks": 1, "lost": ["Priest"]}
    doing = [{"what": "turn", "seat": "b", "claim": "", "target": ""}]
    assert seen == {"game": "masks", "seat": "a", "players": {"a": a, "b": b}, "deck": 4, "doing": doing, "outcome": None}
    assert game.view(state, None)["players"]["a"] == {**a, "masks": 2}


def test_a_position_is_read_and_written_with_what_each_may_see(game: Game) -> None:
    state = game.read_position(GIVEN)
    text = game.position(state)
    assert set(GIVEN.replace("3 Fool", "Fool, Fool, Fool").splitlines()[:-1]) <= set(text.splitlines())
    assert game.read_position(text) == state
    seen = game.position_seen(state, "b").splitlines()
    assert {"a.masks: ?2", "b.masks: Queen", "b.lost: Priest", "deck: ?4"} <= set(seen)
    assert not any(line.startswith(("chance", "stack", "asked")) for line in seen)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("c.coins: 3", "there is no seat “c”; there are: a, b"),
        ("a.gold: 3", "there is no zone “gold”; there are: coins, lost, masks"),
        ("gold: 3", "there is no zone “gold”; there are: deck"),
        ("b.coins: many", "Line 9 can't be read"),
        ("masks: 2", "notation version 2 is unknown"),
    ],
)
def test_a_position_that_can_t_be_read_says_where(game: Game, line: str, sentence: str) -> None:
    with pytest.raises(Exception, match="Line 9") as refused:
        game.read_position(GIVEN + line + "\n")
    assert sentence in str(refused.value)


def test_redealing_keeps_what_is_seen_and_deals_the_rest(game: Game) -> None:
    state, dealt = game.read_position(GIVEN), set[str]()
    for n in range(30):
        other = game.redeal(state, "a", Chance(f"{n}"))
        assert game.view(other, "a") == game.view(state, "a") and game.conserved(other) == game.conserved(state)
        dealt.add(*other.table.players["b"].masks)
    assert dealt == {"Queen", "Fool", "Priest"}


def test_a_board_is_made_of_what_a_view_holds(game: Game) -> None:
    state = game.read_position(GIVEN)
    shown = {part.title: part.lines for part in board(game, game.view(state, "a"), {"a": "Ann", "b": "Bob"})}
    assert list(shown) == ["Ann (you)", "The turn", "The table", "Bob"]
    assert shown["Ann (you)"] == [("Coins", "7"), ("Masks", "Thief, Fool"), ("Masks lost", "nothing")]
    assert shown["Bob"] == [("Coins", "2"), ("Masks", "1"), ("Masks lost", "Priest")]
    assert shown["The turn"] == [("Whose turn it is", "Bob")] and shown["The table"] == [("Masks in the deck", "4")]


def test_a_field_that_doesn_t_say_who_sees_it_is_refused(game: Game) -> None:
    class Forgetful(game.state.__args__[0]):  # type: ignore[misc,name-defined]
        secrets: list[str] = []

    with pytest.raises(Unfinished, match=r"Forgetful.secrets: it doesn't say who sees it"):
        replace(game, state=type_of(game, Forgetful), view=DERIVED, redeal=DERIVED)


def test_what_is_hidden_and_no_piece_needs_a_redeal_of_the_game_s_own(game: Game) -> None:
    class Sworn(game.state.__args__[0]):  # type: ignore[misc,name-defined]
        sworn: Own[dict[str, bool]] = {}

    with pytest.raises(Unfinished, match="no pieces"):
        replace(game, state=type_of(game, Sworn), view=DERIVED, redeal=DERIVED)
    assert replace(game, state=type_of(game, Sworn), view=DERIVED)


def type_of(game: Game, table: type) -> object:
    """The game's states, with another table."""
    return game.state.__origin__[table, game.state.__args__[1]]
