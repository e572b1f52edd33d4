"""The sweep: whatever the broker lost is found in the rows and sent again."""

from __future__ import annotations

import random
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from sqlalchemy import event
from sqlmodel import Session, col, select

from engine.play import match as matches
from service.clock import deadlines
from service.ops import metrics
from service.replay import replay_copy
from service.settings import Settings
from service.store import queue
from service.store.database import engine_for, migrate, open_session, transaction
from service.store.models import AskRow, Letter, LetterStatus, SeatRow, Tally, now
from tests.house import work
from tests.service.conftest import Players, on_sqlite, open_table
from workers import adjudicate, sweep
from workers.letters import delivery

Sent = list[tuple[str, ...]]
SCAN_EVERY = sweep.SCAN_EVERY
"""As it is outside of these tests."""


@pytest.fixture(autouse=True)
def scanning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sweep looks for stranded games."""
    monkeypatch.setattr(sweep, "SCAN_EVERY", timedelta(0))


def later(seconds: float = 5) -> time_machine.travel:
    return time_machine.travel(now() + timedelta(seconds=seconds))


def swept(settings: Settings, sent: Sent, task: str, seconds: float = 5) -> list[str]:
    """What a sweep some seconds from now sends of that task."""
    sent.clear()
    with later(seconds):
        sweep.sweep(settings)
    return [args[0] for name, *args in sent if name == task]


def sweeps_letters(settings: Settings, sent: Sent, seconds: float = 5) -> bool:
    """Whether a sweep some seconds from now has letters sent."""
    sent.clear()
    with later(seconds):
        sweep.sweep(settings)
    return (queue.DELIVER,) in sent


def run(settings: Settings, sent: Sent) -> None:
    """What the workers would do with the tasks that were sent."""
    tasks = list(sent)
    sent.clear()
    for task, *args in tasks:
        work(settings, task, *args)


def test_a_game_that_was_never_opened_is_sent_again(settings: Settings, sent: Sent) -> None:
    players = open_table(settings)
    assert swept(settings, sent, queue.ADJUDICATE, seconds=0) == []  # the message may still be on its way
    assert swept(settings, sent, queue.ADJUDICATE) == [players.match_id]
    players.adjudicate()
    assert swept(settings, sent, queue.ADJUDICATE) == []


def test_a_lost_answer_is_sent_again_until_it_is_played(
    table: Players, settings: Settings, sent: Sent, rng: random.Random
) -> None:
    key = table.submit(table.asked()[0], rng)
    for _ in range(2):
        assert swept(settings, sent, queue.ADJUDICATE) == [table.match_id]
    table.adjudicate()
    assert table.status(key) == "accepted"
    assert swept(settings, sent, queue.ADJUDICATE) == []


def test_letters_are_sent_again_when_they_are_due_and_not_before(settings: Settings, sent: Sent, table: Players) -> None:
    assert sweeps_letters(settings, sent)
    delivery.deliver(settings)
    assert not sweeps_letters(settings, sent)
    assert {letter.status for letter in table.letters("started")} == {LetterStatus.SENT}


def test_a_letter_held_back_is_sent_when_its_time_has_come(
    table: Players, settings: Settings, sent: Sent, rng: random.Random
) -> None:
    for seat in table.asked():
        table.submit(seat, rng)
    table.adjudicate()
    delivery.deliver(settings)
    (held,) = table.letters("turn")
    assert held.status == LetterStatus.QUEUED and not sweeps_letters(settings, sent)
    assert sweeps_letters(settings, sent, settings.hold_seconds + 5)


def test_a_game_between_bots_alone_is_sent_again(settings: Settings, sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    players = open_table(settings)
    players.adjudicate()
    monkeypatch.setattr(adjudicate, "BOTS_SECONDS", 0)  # the message that the bots are to play on is lost
    with transaction(settings) as session:
        for seat in session.exec(select(SeatRow).where(SeatRow.match_id == players.match_id)):
            seat.account_id, seat.bot = None, "steady"
            session.add(seat)
        for row in session.exec(select(AskRow).where(AskRow.match_id == players.match_id)):
            session.delete(row)
    assert adjudicate.play_on(settings, players.match_id)
    assert swept(settings, sent, queue.ADJUDICATE) == [players.match_id]


def test_a_game_that_asks_nobody_is_sent_again(table: Players, settings: Settings, sent: Sent) -> None:
    assert swept(settings, sent, queue.ADJUDICATE) == []
    with transaction(settings) as session:
        for row in session.exec(select(AskRow).where(AskRow.match_id == table.match_id)):
            session.delete(row)
    assert swept(settings, sent, queue.ADJUDICATE) == [table.match_id]


def test_a_dropped_snapshot_is_found(table: Players, settings: Settings, sent: Sent) -> None:
    with transaction(settings) as session:
        match = table.match(session)
        match.snapshot = None
        session.add(match)
    assert swept(settings, sent, queue.ADJUDICATE) == [table.match_id]
    table.adjudicate()
    assert swept(settings, sent, queue.ADJUDICATE) == []


def test_bots_that_were_left_in_the_middle_go_on(
    settings: Settings, sent: Sent, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = open_table(settings, people=1, bots=3)
    players.adjudicate()
    monkeypatch.setattr(adjudicate, "BOTS_SECONDS", -1.0)  # nothing but the answer itself, then the worker dies
    for _ in range(6):
        if players.asked():
            players.submit("a", rng)
            assert adjudicate._go_on(settings, players.match_id) or players.asked()
            if not players.asked():
                break
    else:
        raise AssertionError("no bot was asked")
    assert swept(settings, sent, queue.ADJUDICATE) == [players.match_id]
    monkeypatch.undo()
    adjudicate.adjudicate(settings, players.match_id)
    with open_session(settings) as session:
        assert players.asked() or players.match(session).status == "finished"


def test_stranded_games_are_looked_for_once_a_minute_and_again_at_once_while_there_are_any(
    table: Players, settings: Settings, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "SCAN_EVERY", SCAN_EVERY)
    assert swept(settings, sent, queue.ADJUDICATE) == []
    with transaction(settings) as session:
        match = table.match(session)
        match.snapshot = None
        session.add(match)
    assert swept(settings, sent, queue.ADJUDICATE, seconds=45) == []
    assert swept(settings, sent, queue.ADJUDICATE, seconds=70) == [table.match_id]
    assert swept(settings, sent, queue.ADJUDICATE, seconds=80) == [table.match_id]
    table.adjudicate()
    assert swept(settings, sent, queue.ADJUDICATE, seconds=90) == []


def test_a_due_question_does_not_wait_for_the_scan(
    table: Players, settings: Settings, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "SCAN_EVERY", SCAN_EVERY)
    assert swept(settings, sent, queue.ADJUDICATE) == []
    with transaction(settings) as session:
        for ask in session.exec(select(AskRow).where(AskRow.match_id == table.match_id)):
            ask.falls_at = now()
            session.add(ask)
    assert swept(settings, sent, queue.ADJUDICATE, seconds=6) == [table.match_id]


def test_a_kept_answer_to_an_interrupted_question_does_not_wake_its_game(
    table: Players, settings: Settings, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "SCAN_EVERY", SCAN_EVERY)
    assert swept(settings, sent, queue.ADJUDICATE) == []
    with transaction(settings) as session:
        ask = session.exec(select(AskRow).where(AskRow.match_id == table.match_id, AskRow.seat == "a")).one()
        ask.kept, ask.kept_at = "x", now()
        deadlines.park(ask)
        session.add(ask)
    assert swept(settings, sent, queue.ADJUDICATE, seconds=6) == [table.match_id], "it is the open one"
    with transaction(settings) as session:
        table.match(session).serial += 1
    assert swept(settings, sent, queue.ADJUDICATE, seconds=6) == []


@on_sqlite
def test_a_whole_game_gets_by_on_the_sweep_alone(settings: Settings, sent: Sent, rng: random.Random) -> None:
    players = open_table(settings, people=2, bots=1)
    sent.clear()  # every message of this game is lost
    ahead = 0
    for _ in range(600):
        ahead += 150
        with later(ahead):
            sent.clear()
            sweep.sweep(settings)
            run(settings, sent)
            for seat in players.asked():
                players.submit(seat, rng)
            sent.clear()
        with open_session(settings) as session:
            match = players.match(session)
            if match.status == "finished" and not _unsent(session):
                assert matches.verify(replay_copy.download(session, match, None)).holds
                return
    raise AssertionError("the game doesn't end")


def _unsent(session: Session) -> list[Letter]:
    return list(session.exec(select(Letter).where(col(Letter.status).in_(("queued", "sending")))))


def test_nothing_reads_the_past_from_end_to_end(tmp_path: Path) -> None:
    """Neither the sweep nor the figures: SQLite says of each of their statements how it goes about it."""
    settings = Settings(data_folder=tmp_path, broker_url="memory://")
    migrate(settings)
    said: list[tuple[str, Any]] = []
    listens = engine_for(settings), "before_cursor_execute", lambda _c, _k, what, given, *_: said.append((what, given))
    event.listen(*listens)
    sweep.sweep(settings)
    with transaction(settings) as session:
        session.add(Tally(name="games finished", n=20_000, at=now()))
        session.add(Tally(name="letters sent", n=20_000, at=now()))
    with open_session(settings) as session:
        metrics.figures(session)
    event.remove(*listens)
    read = [(what, given) for what, given in said if what.startswith("SELECT")]
    assert len(read) > 15
    with open_session(settings) as session:
        for what, given in read:
            plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {what}", given)
            steps = [row[3] for row in plan]
            scans = [step for step in steps if re.search(r"SCAN (matches|letters|asks|entries|events|submissions)\b", step)]
            assert [s for s in scans if "ix_asks" not in s] == [], what  # those of questions hold open ones alone
