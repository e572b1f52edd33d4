"""Games whose rules fail: halted alone, told to everybody, and going on after the mend with nothing lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import col, select

from engine.core import procedure
from engine.core.asks import Answer, NotLegal
from engine.game import Rules
from engine.games import GAMES
from engine.ortus.rules import turn as ortus_turn
from service.errors import Stale
from service.post import letters as making
from service.post import rendering
from service.seat import halting, submissions
from service.seat.state import state_of
from service.settings import Settings
from service.store import database as db
from service.store.models import AskRow, EntryRow, Letter, Match, Submission, new_id, now
from service.table import commands as around
from tests.service.conftest import Players, on_sqlite, open_table
from workers import adjudicate, faults, outages, questions, sweep
from workers.letters import delivery, reminders


def begin_with(patch: pytest.MonkeyPatch, run: Callable[[Any, Any], Any]) -> None:
    """Let every Turn begin with `run`."""
    steps = {**ortus_turn.Turn.steps, "begin": procedure.Automatic("begin", run)}
    patch.setattr(ortus_turn.Turn, "steps", steps)


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The rules fail as soon as a Turn begins; undone by `fault.undo()`."""

    def fail(_turn: Any, _table: Any) -> str:
        raise ZeroDivisionError("the Lord of the Palace is Pr/a/1")

    with monkeypatch.context() as patch:
        begin_with(patch, fail)
        yield patch


def answer_all(players: Players, rng: random.Random) -> list[str]:
    keys = [players.submit(seat, rng) for seat in players.asked()]
    players.adjudicate()
    return keys


def match_of(players: Players) -> Match:
    with db.open_session(players.settings) as session:
        return players.match(session)


def letters(settings: Settings, kind: str) -> list[Letter]:
    with db.open_session(settings) as session:
        return list(session.exec(select(Letter).where(Letter.kind == kind)))


@pytest.fixture
def halted(table: Players, fault: pytest.MonkeyPatch, rng: random.Random) -> Players:
    """A game of two whose rules failed when the second deck was in."""
    answer_all(table, rng)
    return table


def test_a_rule_that_raises_halts_its_game_and_loses_nothing(table: Players, fault: Any, rng: random.Random) -> None:
    first, second = table.asked()
    key = table.submit(first, rng)
    table.adjudicate()
    last = table.submit(second, rng)
    table.adjudicate()
    found = match_of(table)
    assert found.halted_at is not None and found.status == "running"
    assert found.halt["problem"] == "ZeroDivisionError" and "Pr/a/1" in found.halt["trace"] and found.halt["entry"] < 2
    assert (table.status(key), table.status(last)) == ("accepted", "queued"), "the failed run is rolled back, its answer waits"
    with db.open_session(table.settings) as session:
        assert session.exec(select(EntryRow).where(EntryRow.match_id == table.match_id)).all() == []


def test_a_fault_after_the_snapshot_is_written_counts_each_entry_once(
    table: Players, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(questions, "write", fail)
        answer_all(table, rng)
    entry = match_of(table).halt["entry"]
    with db.transaction(table.settings) as session:
        halting.retry(session, table.match(session))
    table.adjudicate()
    assert entry == match_of(table).snapshot_n > 0


def test_players_and_operators_are_told_and_no_letter_shows_a_position(
    table: Players, settings: Settings, fault: Any, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = settings.model_copy(update={"operators": ("ops@example.org",)})
    for seat in table.asked():
        table.submit(seat, rng)
    adjudicate.adjudicate(told, table.match_id)
    adjudicate.adjudicate(told, table.match_id)
    assert sorted(x.seat for x in letters(settings, "halted")) == ["a", "b"], "once each"
    report = letters(settings, "fault")
    assert [x.to_address for x in report] == ["ops@example.org"] and table.match_id in report[0].text
    for letter in [*letters(settings, "halted"), *report]:
        assert "Pr/a/1" not in letter.text + letter.html and "Traceback" not in letter.text + letter.html
    assert "ZeroDivisionError" in report[0].text and "ZeroDivisionError" not in letters(settings, "halted")[0].text


def test_the_sweep_and_the_reminders_leave_a_halted_game_alone(
    halted: Players, settings: Settings, sent: list[tuple[str, ...]]
) -> None:
    with db.transaction(settings) as session:
        outages.wake(session)
        for ask in session.exec(select(AskRow).where(AskRow.match_id == halted.match_id)).all():
            ask.falls_at = ask.remind_at = now() - timedelta(hours=1)
            session.add(ask)
        for row in session.exec(select(Submission)).all():
            row.created_at = now() - timedelta(hours=1)
            session.add(row)
    sent.clear()
    sweep.sweep(settings)
    assert [task for task in sent if task[1:] == (halted.match_id,)] == []
    assert reminders.send_due(settings) == 0
    halted.adjudicate()
    assert match_of(halted).halted_at is not None, "nor does a stray task move it"


def test_an_answer_to_a_halted_game_gets_a_sentence(halted: Players, rng: random.Random) -> None:
    with db.transaction(halted.settings) as session:
        match = halted.match(session)
        state = state_of(match)
        answer = procedure.ask_of(state, "a").default
        with pytest.raises(Stale, match="is on hold"):
            submissions.submit(session, match, "a", "x" * 20, state.serial, "deck", answer)


@on_sqlite
def test_after_the_mend_the_game_goes_on_with_all_its_time(
    halted: Players, settings: Settings, fault: pytest.MonkeyPatch, rng: random.Random
) -> None:
    with db.transaction(settings) as session:
        match = halted.match(session)
        assert match.halted_at is not None
        match.halted_at -= timedelta(days=3)
        session.add(match)
        before = {a.seat: a.due_at for a in session.exec(select(AskRow).where(AskRow.match_id == match.id))}
    fault.undo()
    with db.transaction(settings) as session:
        halting.retry(session, halted.match(session))
        for ask in session.exec(select(AskRow).where(AskRow.match_id == halted.match_id)).all():
            due = before[ask.seat]
            assert ask.due_at is not None and due is not None
            assert abs((ask.due_at - due) - timedelta(days=3)) < timedelta(minutes=1)
    halted.adjudicate()
    assert match_of(halted).halted_at is None and match_of(halted).halt == {}
    with db.open_session(settings) as session:
        assert {s for s in session.exec(select(Submission.status))} == {"accepted"}
    assert sorted(x.seat for x in letters(settings, "goes_on")) == ["a", "b"]
    halted.finish(rng)
    assert match_of(halted).status == "finished"


@on_sqlite
def test_trying_again_before_the_mend_halts_again(halted: Players, settings: Settings) -> None:
    with db.transaction(settings) as session:
        halting.retry(session, halted.match(session))
    halted.adjudicate()
    assert match_of(halted).halted_at is not None


def test_only_a_halted_game_can_be_tried_again(table: Players) -> None:
    with pytest.raises(NotLegal, match="isn't halted"), db.transaction(table.settings) as session:
        halting.retry(session, table.match(session))


def test_a_halted_game_can_be_ended(halted: Players, settings: Settings) -> None:
    with db.transaction(settings) as session:
        around.command(session, halted.match(session), "operator", "end reason=beyond%20mending")
    halted.adjudicate()
    found = match_of(halted)
    assert found.status == "finished" and found.halted_at is None
    with db.open_session(settings) as session, pytest.raises(Stale):
        submissions.submit(session, halted.match(session), "a", new_id(), 1, "deck", Answer("x"))


@on_sqlite
def test_one_games_fault_stops_no_other(
    halted: Players, settings: Settings, fault: pytest.MonkeyPatch, rng: random.Random
) -> None:
    fault.undo()
    other = open_table(settings, 3, game="mastery")
    other.adjudicate()
    assert other.asked()
    key = other.submit(other.asked()[0], rng)
    other.adjudicate()
    assert other.status(key) == "accepted" and match_of(halted).halted_at is not None


@on_sqlite
def test_a_run_that_never_asks_anybody_is_halted(table: Players, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_with(monkeypatch, lambda _turn, _table: "begin")
    answer_all(table, rng)
    assert match_of(table).halt["problem"] == "Endless"


def test_a_rule_that_never_returns_is_halted(table: Players, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    def spin(_turn: Any, _table: Any) -> str:
        while True:
            pass

    monkeypatch.setattr(faults, "MOST_CPU", 0.3)
    begin_with(monkeypatch, spin)
    answer_all(table, rng)
    assert match_of(table).halt["problem"] == "Endless"


@on_sqlite
def test_a_bot_that_raises_halts_its_game(
    settings: Settings, sent: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def mad(*_: Any) -> Any:
        raise KeyError("no such plan")

    game = GAMES["ortus"]
    monkeypatch.setitem(GAMES, "ortus", replace(game, bots=replace(game.bots, players={**game.bots.players, "steady": mad})))
    players = open_table(settings, 1, 1)
    players.adjudicate()
    assert match_of(players).halt["problem"] == "KeyError"


def test_a_database_that_is_away_halts_nothing(table: Players, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("SELECT 1", {}, Exception("server closed the connection"))

    monkeypatch.setattr(adjudicate, "write_all", away)
    with pytest.raises(OperationalError):
        answer_all(table, rng)
    assert match_of(table).halted_at is None


def test_a_letter_that_cannot_be_made_halts_with_its_trace(
    table: Players, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rendering.render

    def broken(kind: str, form: str, context: Any) -> str:
        return real("no such kind" if kind == "turn" else kind, form, context)

    monkeypatch.setattr(making, "render", broken)
    table.settings = table.settings.model_copy(update={"hold_seconds": 0})
    answer_all(table, rng)
    assert match_of(table).halted_at is None
    delivery.deliver(table.settings)
    assert match_of(table).halt["problem"] == "TemplateNotFound"


@on_sqlite
def test_what_broke_is_not_logged_but_where(halted: Players, capsys: pytest.CaptureFixture[str]) -> None:
    with db.transaction(halted.settings) as session:
        halting.retry(session, halted.match(session))
    halted.adjudicate()
    said = capsys.readouterr()
    assert "Pr/a/1" not in said.err + said.out


def test_a_finished_game_whose_position_cannot_be_made_is_halted_once(over: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    with db.transaction(over.settings) as session:
        match = over.match(session)
        match.snapshot = b"\xff nonsense"
        session.add(match)

    def fails(_rules: object, _state: object) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(Rules, "encode", fails)
    over.adjudicate()
    assert match_of(over).halted_at is not None
    with db.open_session(over.settings) as session:
        assert session.exec(select(Match).where(col(Match.halted_at).is_not(None))).all()
