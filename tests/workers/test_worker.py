"""A real worker on the embedded broker: it plays what is sent, and a killed one's work is taken up by the next."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.settings import Settings
from service.store import broker, queue
from service.store import database as db
from service.store.seats import by_match_id
from tests.once import started_before
from tests.service.conftest import Players, open_table
from tests.until import until
from workers import sweep


@pytest.fixture
def settings(tmp_path: Path, empty_sqlite: Path) -> Iterator[Settings]:
    """A fresh SQLite database, and the embedded broker running."""
    shutil.copy(empty_sqlite, tmp_path / "writ.db")
    started_before(tmp_path)
    found = Settings(data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",), hold_seconds=0)
    server = subprocess.Popen(broker.command(found))
    until(lambda: broker.answers(found))
    yield found
    server.terminate()
    server.wait()
    db.engine_for(found).dispose()


def start(settings: Settings) -> subprocess.Popen[bytes]:
    """`writ worker`, in its own process group."""
    given = {
        "WRIT_DATA_FOLDER": str(settings.data_folder),
        "WRIT_SECRET_KEYS": "a-key-for-tests-of-32-letters-and-more",
        "WRIT_DATABASE_URL": "",
        "WRIT_BROKER_URL": "",
        "WRIT_SMTP_URL": "",
    }
    command = [sys.executable, "-m", "service.ops.cli", "worker", "--concurrency", "1"]
    return subprocess.Popen(command, env={**os.environ, **given}, start_new_session=True)


def kill(worker: subprocess.Popen[bytes]) -> None:
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


def test_a_worker_plays_delivers_and_another_takes_over_when_it_is_killed(settings: Settings) -> None:
    rng = random.Random(7)
    worker = start(settings)
    try:
        players: Players = open_table(settings)
        until(lambda: len(players.asked()) == 2)
        until(lambda: {letter.status for letter in players.letters("started")} == {"sent"})
        kill(worker)
        keys = [players.submit(seat, rng) for seat in players.asked()]
        queue.send(settings, queue.ADJUDICATE, players.match_id)  # a task too many is no matter
        worker = start(settings)
        # A task that the killed one had taken up is gone; the sweep, which no beat asks for here, sends again.
        until(lambda: sweep.sweep(settings) is not None and all(players.status(key) == "accepted" for key in keys))
    finally:
        kill(worker)


def test_a_broker_that_cannot_be_reached_loses_nothing(tmp_path: Path) -> None:
    settings = Settings(
        data_folder=tmp_path,
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        broker_url=f"redis+socket://{tmp_path}/nobody.sock",
    )
    db.migrate(settings)
    players = open_table(settings)  # its message goes nowhere
    with db.open_session(settings) as session:
        match = by_match_id(session, players.match_id)
        assert match.status == "running" and match.snapshot is None
    began = time.monotonic()
    for _ in range(5):
        queue.send(settings, queue.ADJUDICATE, players.match_id)
    sweep.sweep(settings)
    assert time.monotonic() - began < 5  # it is not waited for again and again
    players.adjudicate()
    assert len(players.asked()) == 2
    db.engine_for(settings).dispose()
