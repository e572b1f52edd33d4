"""The recorded games of `tests/games/recorded/` hold, and between them have every option, ruling, table size and bot.

Their logs never change; `tests/recorded.py` says how to add one.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import msgspec
import pytest

from engine.core.asks import Assign, Number, PickOne, PickSome, Refused, read
from engine.game import Game
from engine.games import GAMES
from engine.play import ending, proof
from engine.play import match as matches
from engine.play.match import Entry, Header
from engine.tools.playout import AIMLESS
from tests import recorded
from tests.ortus.idle import measured
from tests.recorded import FOLDER, Recorded

LISTED = recorded.listed()
RESULTS = recorded.results()
PLAYED = [GAMES[name] for name in dict.fromkeys(one.game for one in LISTED)]
CASES = Path(__file__).parents[1] / "cases"
MOST_BYTES = 6_000_000
UNDECIDED = {
    "OR-AMB-5": "what others may see",
    "OR-AMB-6": "what others may see",
    "DEF-1": "what a standing order answers",
    "OR-ROLE-33": "what a standing order answers",
    "SO-05": "what a standing order answers",
    "SO-12": "what a standing order answers",
    "SO-14": "what a standing order answers",
    "SO-19": "what a standing order answers",
    "SO-22": "what a standing order answers",
    "MM-AMB-47": "what others may see",
    "MM-GEN-2": "only on a map with more Homelands beside a castle than knights",
    "MM-STO-8": "what a standing order answers",
    "MM-STO-12": "what a standing order answers",
    "MM-TER-7": "only with a host's territory that takes two knights",
}
"""Ruling -> why no log depends on it."""


def header_of(one: Recorded) -> Header:
    """The header alone: each process of pytest-xdist reads all of them as it collects."""
    with lzma.open(one.file, "rt", encoding="utf-8") as log:
        return matches.read_header(log.readline().rstrip("\n"))


HEADERS = {one.id: header_of(one) for one in LISTED if one.file.exists()}


def headers(game: Game) -> list[Header]:
    return [header for id, header in HEADERS.items() if id.startswith(f"{game.name}/")]


def parts(one: Recorded) -> tuple[Header, bytes, list[Entry]]:
    header, *lines = one.lines()
    entries = [matches.read_entry(i, line) for i, line in enumerate(lines, 2)]
    return matches.read_header(header), bytes.fromhex(read(entries[-1].move or "").pick("seed")), entries


def test_two_hundred_games_are_listed_and_each_has_its_log_and_its_result() -> None:
    assert len(LISTED) >= 200
    assert {game.name for game in PLAYED} == {"ortus", "mastery", "fief"}
    logs = {f"{file.parent.name}/{file.name.removesuffix('.jsonl.xz')}": file for file in FOLDER.glob("*/*")}
    assert {one.id for one in LISTED} == {*logs} == {*RESULTS}
    assert sum(file.stat().st_size for file in logs.values()) < MOST_BYTES


@pytest.mark.parametrize("one", LISTED, ids=lambda one: one.id)
def test_a_recorded_game_holds_to_the_same_hash_and_result(one: Recorded) -> None:
    lines = one.lines()
    verdict = matches.verify(lines)
    assert verdict.holds, verdict.sentence
    assert recorded.result(lines) == RESULTS[one.id]
    header, plan = HEADERS[one.id], one.plan
    assert (len(header.seats), header.match) == (plan.seats, f"recorded-{plan.seed}")
    assert header.rulings.items() >= plan.rulings.items() and header.options.items() >= plan.options.items()


@pytest.mark.parametrize("game", PLAYED, ids=lambda g: g.name)
def test_take_backs_are_recorded_and_count_in_no_statistics(game: Game) -> None:
    undone = [parts(one) for one in LISTED if one.game == game.name and one.plan.undo]
    assert len(undone) >= 2
    for header, seed, entries in undone:
        assert header.writ == matches.WITH_TAKE_BACKS and sum(e.ask == matches.TAKE_BACK for e in entries) >= 2
        end = matches.replay(header, seed, entries, trusted=True).state
        told = ending.course(header, seed, entries)
        assert game.rules.notation.whole(told.state) == game.rules.notation.whole(end)
        assert proof.prove(header, seed, entries).positions[-1] == f"{len(entries)} {proof.position_hash(game, end)}"


@pytest.mark.parametrize("game", PLAYED, ids=lambda g: g.name)
def test_every_value_of_every_ruling_is_recorded(game: Game) -> None:
    had = {(id, value) for header in headers(game) for id, value in header.rulings.items()}
    assert sorted({(id, value) for id, ruling in game.rules.rulings.items() for value in ruling.alternatives} - had) == []


@pytest.mark.parametrize("game", PLAYED, ids=lambda g: g.name)
def test_every_option_is_recorded(game: Game) -> None:
    """Every choice of the host's form; of numbers the least, the most and one between."""
    wanted, had = set[tuple[str, str]](), set[tuple[str, str]]()
    for n in game.rules.seats:
        wanted |= set(wanted_options(game, n))
    for header in headers(game):
        had |= set(had_options(game, header))
    if game.rules.variants.file:
        wanted.add(("own", "file"))
    if game.rules.rematch.options is not None:
        wanted.add(("points", "kept"))
    assert sorted(wanted - had) == []


def wanted_options(game: Game, n: int) -> Iterator[tuple[str, str]]:
    for f in game.rules.variants.ask(n).options[0].fields:
        match f:
            case PickOne() | PickSome():
                yield from ((f.name, c.id) for c in f.choices)
            case Assign():
                yield from ((f.name, c.id) for c in f.targets)
            case Number():
                yield from ((f.name, bound) for bound in ("least", "most", "between"))
            case _:
                raise AssertionError(f"{f.name}: which of its values are to be recorded?")


def had_options(game: Game, header: Header) -> Iterator[tuple[str, str]]:
    n = len(header.seats)
    answer = game.rules.variants.write(n, header.options)
    for f in game.rules.variants.ask(n).options[0].fields:
        match f:
            case PickOne():
                yield f.name, answer.pick(f.name)
            case PickSome():
                yield from ((f.name, id) for id in answer.some(f.name))
            case Assign():
                yield from ((f.name, id) for id in answer.assigned(f.name).values())
            case Number():
                value = answer.number(f.name) or 0
                yield f.name, {f.least: "least", f.most: "most"}.get(value, "between")
    if header.options.get("own"):
        yield "own", "file"
    if header.options.get("points"):
        yield "points", "kept"


@pytest.mark.parametrize("game", PLAYED, ids=lambda g: g.name)
def test_every_number_of_seats_and_every_bot_is_recorded(game: Game) -> None:
    plans = [one.plan for one in LISTED if one.game == game.name]
    assert {plan.seats for plan in plans} == set(game.rules.seats)
    bots = {*measured(game).bots.players, *AIMLESS}
    assert {*chain.from_iterable(plan.bots for plan in plans)} == bots
    assert {tuple(plan.bots) for plan in plans} >= {(bot,) for bot in game.bots.players}, "alone among themselves, too"


@pytest.mark.parametrize("one", [one for one in LISTED if one.decides], ids=lambda one: one.id)
def test_a_game_that_depends_on_a_ruling_does_not_hold_by_another_value(one: Recorded) -> None:
    game, (header, seed, entries) = GAMES[one.game], parts(one)
    end = game.rules.encode(matches.replay(header, seed, entries, trusted=True).state)
    for id in one.decides:
        for value in game.rules.rulings[id].alternatives.keys() - {header.rulings[id]}:
            other = msgspec.structs.replace(header, rulings={**header.rulings, id: value})
            try:
                again = matches.replay(other, seed, entries).state
            except Refused:
                continue
            again.table.rulings = header.rulings
            assert game.rules.encode(again) != end, (id, value)


@pytest.mark.parametrize("game", PLAYED, ids=lambda g: g.name)
def test_every_ruling_decides_a_recorded_game_or_a_case(game: Game) -> None:
    by_game = {id for one in LISTED if one.game == game.name for id in one.decides}
    lines = [line for file in (CASES / game.name).glob("*.case") for line in file.read_text("utf-8").splitlines()]
    by_case = {word.partition("=")[0] for line in lines if line.strip().startswith("rulings:") for word in line.split()[1:]}
    reasoned = UNDECIDED.keys() & game.rules.rulings.keys()
    assert by_game | by_case | reasoned == game.rules.rulings.keys() and not by_game & reasoned
