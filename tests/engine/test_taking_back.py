"""Logs with take-backs: which verify, which are forged, and what a reader of a running match gets of them."""

from __future__ import annotations

import html
import json
import random
from functools import cache

import msgspec
import pytest

from engine.bots.random import legal_at_random
from engine.core.asks import NotLegal, Refused
from engine.core.chance import Chance
from engine.game import copy
from engine.games import GAMES
from engine.play.check_log import check
from engine.play.ending import course
from engine.play.match import (
    TAKE_BACK,
    WITH_TAKE_BACKS,
    Header,
    Match,
    for_strangers,
    redacted,
    replay,
    start,
    to_lines,
    verify,
)
from engine.play.policy import Sitter
from engine.play.proof import position_hash, prove, verify_file
from engine.tools.simulated_table import SimulatedTable
from tests.contract.walk import AT, header_for, walk

GAME = GAMES["ortus"]


def begun(writ: int = WITH_TAKE_BACKS, number: int = 3) -> tuple[Header, bytes]:
    header, seed = header_for(GAME, 2, number)
    return msgspec.structs.replace(header, writ=writ), seed


def played(writ: int = WITH_TAKE_BACKS) -> SimulatedTable:
    """A match up to a logged answer that can be taken back."""
    rng = random.Random(8)
    match = start(*begun(writ))
    table = SimulatedTable.of(match, {seat: Sitter(seat) for seat in match.state.table.seats}, Chance("bots"))
    for _ in range(60):
        run = table.run
        last = next((trail.last(run.n) for trail in run.trails.values() if trail.last(run.n)), None)
        if last is not None and last.what == "entry":
            return table
        seat = run.waiting[0]
        table.submit(seat, run.key(seat)[1], run.match.ask_kind(), legal_at_random(run.known_to(seat), seat, rng))
    return table


def undoing(table: SimulatedTable) -> str:
    return next(seat for seat, trail in table.run.trails.items() if trail.last(table.run.n))


@cache
def whole() -> tuple[Match, list[str]]:
    """A finished match with one take-back."""
    table = played()
    table.take_back(undoing(table))
    match = copied(table.run.match)
    for _ in walk(match, random.Random(1), taken=0):
        pass
    match.reveal(AT)
    return match, list(to_lines(match.header, match.entries))


def copied(match: Match) -> Match:
    return Match(match.header, match.seed, match.game, copy(match.game, match.state), [*match.entries])


def test_a_log_with_a_take_back_verifies_and_one_that_hides_it_does_not() -> None:
    match, lines = whole()
    at = next(i for i, entry in enumerate(match.entries) if entry.ask == TAKE_BACK)
    assert verify(lines).holds
    cut = verify([*lines[: at + 1], *lines[at + 2 :]])
    assert not cut.holds and "entry" in cut.sentence.lower()
    assert [json.loads(line)["ask"] for line in lines[1:]].count(TAKE_BACK) == 1


@pytest.mark.parametrize("to", [-2, 0, 1])
def test_a_take_back_returns_to_the_entry_before_its_seats_last_answer(to: int) -> None:
    table = played()
    match, seat = copied(table.run.match), undoing(table)
    n = len(match.entries)
    match.take_back(seat, n - 1 + to, copy(GAME, match.state), AT, "page")
    if to:
        with pytest.raises(NotLegal, match="is not its own player's last one"):
            replay(match.header, match.seed, match.entries)
    else:
        assert len(replay(match.header, match.seed, match.entries).entries) == n + 1


def test_nobody_takes_back_anothers_answer_and_no_log_of_the_first_format_holds_one() -> None:
    table = played()
    seat = undoing(table)
    match = copied(table.run.match)
    match.take_back("b" if seat == "a" else "a", len(match.entries) - 1, copy(GAME, match.state), AT, "page")
    with pytest.raises(NotLegal, match="is not its own player's last one"):
        replay(match.header, match.seed, match.entries)
    old = copied(table.run.match)
    old.header = msgspec.structs.replace(old.header, writ=1)
    old.take_back(seat, len(old.entries) - 1, copy(GAME, old.state), AT, "page")
    with pytest.raises(NotLegal):
        replay(old.header, old.seed, old.entries)


def test_an_answer_that_drew_or_asked_others_cannot_be_taken_back_in_any_log() -> None:
    """A forged log takes back every answer of a match at its end; only those are legal that the rules allow."""
    match, rng = start(*begun()), random.Random(5)
    legal = 0
    for step in walk(match, rng, taken=0, stop=60):
        if match.outcome is not None:
            break
        forged = copied(match)
        forged.take_back(step.seat, len(match.entries) - 1, copy(GAME, match.state), AT, "page")
        try:
            replay(forged.header, forged.seed, forged.entries)
            legal += 1
        except Refused as refusal:
            assert "takes back" in str(refusal)
    assert 0 < legal < len(match.entries)


def test_tables_of_the_first_format_have_no_trails() -> None:
    assert played(writ=1).run.trails == {}


def test_a_take_back_that_is_not_the_last_answers_changes_nothing() -> None:
    table = played()
    seat, before = undoing(table), copied(table.run.match)
    table.take_back(seat, step="another one")
    table.take_back("b" if seat == "a" else "a")
    assert GAME.rules.encode(table.run.match.state) == GAME.rules.encode(before.state)
    assert len(table.run.match.entries) == len(before.entries)


def test_everybody_reads_a_take_back_and_what_stood_is_redacted_as_before() -> None:
    table = played()
    seat, match = undoing(table), table.run.match
    before = redacted(match.header, match.entries, match.state, len(match.entries), None)
    table.take_back(seat)
    match = table.run.match
    for reader in ("a", "b", None):
        lines = redacted(match.header, match.entries, match.state, len(match.entries), reader)
        last = json.loads(lines[-1])
        assert last["move"] == f"back to={len(match.entries) - 2}"
        assert last["via"] == ("page" if reader == seat else None)
    assert redacted(match.header, match.entries, match.state, len(match.entries), None)[: len(before)] == before


def test_proof_statistics_strangers_copy_and_check_of_an_uploaded_log_follow_a_take_back() -> None:
    match, lines = whole()
    found = prove(match.header, match.seed, match.entries)
    position = position_hash(GAME, match.state)
    assert found.positions[-1] == f"{len(match.entries)} {position}"
    assert verify_file("".join(f'<pre id="writ-{id}" hidden>{html.escape(text)}</pre>' for id, text in found.parts())).holds
    names = {info.seat: info.seat for info in match.header.seats}
    assert verify(to_lines(*for_strangers(match.header, match.seed, match.entries, names))).holds
    assert check("\n".join(lines).encode(), 3000).holds
    told = course(match.header, match.seed, match.entries)
    assert position_hash(GAME, told.state) == position and told.last == len(match.entries)
