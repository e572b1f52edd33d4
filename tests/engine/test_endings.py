"""A fixture for every way a game can end, and no way that isn't listed: `tests/endings.py`, `tests/games/endings.toml`."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine.core import procedure
from engine.core.asks import Refused, read
from engine.core.views import Event
from engine.game import AnyState
from engine.games import GAMES
from engine.play import cases
from engine.play import match as matches
from service.log import chronicle
from tests import recorded
from tests.endings import ANY, ENDINGS, REMOVED, End, shown

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
FIXTURES: dict[str, dict[str, str]] = tomllib.loads((TESTS / "games" / "endings.toml").read_text("utf-8"))
"""Game -> ending -> fixture: a game of `tests/games/recorded`, a log of `tests/games`, or a case."""
NAMED = [(game, ending, fixture) for game, listed in FIXTURES.items() for ending, fixture in listed.items()]
KERNEL = {"ended"}
"""Reasons that the kernel gives."""
PASSED_ON = {("engine/mastery/rules/table.py", "win"), ("engine/text/notation.py", "read_outcome")}
"""Functions whose result's reason is an argument or read from text."""


def ends_of(game: str, fixture: str) -> Iterator[End]:
    """The finished positions that a fixture comes to: of a case, one for each variant that ends."""
    if fixture.endswith(".case"):
        folders = TESTS / "cases" / game, TESTS / "games" / "endings" / game
        yield from of_case(game, next(folder / fixture for folder in folders if (folder / fixture).exists()))
        return
    if fixture.endswith(".jsonl"):
        lines = (TESTS / "games" / game / fixture).read_text("utf-8").splitlines()
    else:
        lines = next(one for one in recorded.listed() if one.id == f"{game}/{fixture}").lines()
    header = matches.read_header(lines[0])
    entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    events = list[Event]()
    seed = bytes.fromhex(read(entries[-1].move or "").pick("seed"))
    match = matches.replay(header, seed, entries, watch=lambda _entry, news: events.extend(news))
    yield End(match.game, match.state, events, entries)


def of_case(game: str, file: Path) -> Iterator[End]:
    ends = list[End]()

    def watch(line: str, state: AnyState, news: Sequence[Event], _refusal: Refused | None) -> None:
        if line == "given":
            ends.append(End(GAMES[game], state, []))
        ends[-1].events = [*ends[-1].events, *news]

    faults = cases.run(file, watch)
    assert faults == [], faults
    yield from (end for end in ends if end.state.table.outcome is not None)


@pytest.mark.parametrize(("game", "ending", "fixture"), NAMED, ids=[f"{game}-{ending}" for game, ending, _ in NAMED])
def test_the_fixture_ends_like_that(game: str, ending: str, fixture: str) -> None:
    found = [shown(end) for end in ends_of(game, fixture)]
    assert any(ending in one for one in found), found


@pytest.mark.parametrize("game", ENDINGS)
def test_every_ending_has_a_fixture(game: str) -> None:
    assert {*FIXTURES[game]} == {*ENDINGS[game], *ANY}


@pytest.mark.parametrize("game", ENDINGS)
def test_a_reason_in_the_code_is_listed(game: str) -> None:
    given = set(reasons(sorted((ROOT / "engine" / game).rglob("*.py"))))
    assert given == {ending.partition(":")[0] for ending in ENDINGS[game]}


def test_a_reason_that_the_kernel_gives_is_listed() -> None:
    assert (
        set(
            reasons(
                [path for part in (".", "core", "text", "ui", "play") for path in sorted((ROOT / "engine" / part).glob("*.py"))]
            )
        )
        == KERNEL
        == {"ended"}
    )
    assert any(ending.startswith("ended:") for ending in ANY)


def reasons(files: Sequence[Path]) -> Iterator[str]:
    """Reasons given to `Outcome` or `win`. Each is a string, so that it is found here."""
    for file in files:
        for function in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield from _reasons(file, function)


def _reasons(file: Path, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[str]:
    where = file.relative_to(ROOT).as_posix(), getattr(function, "name", "")
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("Outcome", "win"):
            how = [*call.args, *(one.value for one in call.keywords if one.arg == "how")][-1]
            if where not in PASSED_ON:
                assert isinstance(how, ast.Constant) and isinstance(how.value, str), f"{where}: a reason that is no string"
                yield how.value


def test_every_way_to_remove_an_earl_ends_a_fixture() -> None:
    given = set[str]()
    for file in (ROOT / "engine" / "ortus").rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "remove":
                assert isinstance(call.args[2], ast.Constant), file
                given.add(str(call.args[2].value))
    assert given == REMOVED
    last = {
        next(e.facts["how"] for e in reversed(end.events) if e.kind == "removed")
        for ending, fixture in FIXTURES["ortus"].items()
        if ending.startswith("last:")
        for end in ends_of("ortus", fixture)
    }
    assert last == REMOVED


def test_whoever_can_end_a_game_early_is_listed() -> None:
    told = {kind for kind in chronicle.SENTENCES if kind.partition("_")[0] == "ended"}
    by_table, alone = {"ended_table", "ended_table_unheard"}, {"ended_alone", "ended_idle"}
    assert told == {"ended", "ended_operator"} | by_table | alone, "a new one needs an ending in ANY"


def test_after_an_early_end_nobody_is_asked_and_nobody_has_won() -> None:
    for game, ending, fixture in NAMED:
        if ending.startswith("ended:"):
            (end,) = ends_of(game, fixture)
            assert not end.outcome.winners and not end.state.waiting and not procedure.asks(end.state), (game, ending)
