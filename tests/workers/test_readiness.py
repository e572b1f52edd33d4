"""What `/readyz` finds, and two beats at the very first sweep."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections import namedtuple
from typing import Any

import pytest

from service.clock import deadlines
from service.ops import metrics
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Beat, now
from tests.service.conftest import on_sqlite
from workers import outages

Usage = namedtuple("Usage", "total used free")


def found(settings: Settings) -> dict[str, object]:
    with open_session(settings) as session:
        return metrics.readiness(settings, session)


@on_sqlite
def test_a_disk_with_room_is_ready(settings: Settings) -> None:
    assert found(settings)["disk"] is True


@on_sqlite
def test_a_disk_that_is_nearly_full_is_not(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(10**9, 10**9 - 1000, 1000))
    assert found(settings)["disk"] is False and found(settings)["ready"] is False


@on_sqlite
def test_a_disk_that_takes_no_file_is_not(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    assert found(settings)["disk"] is False


def test_a_database_that_takes_no_change_is_not(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*args: Any, **more: Any) -> object:
        session = open_session(*args, **more)
        if session.get_bind().dialect.name == "sqlite":
            session.connection().exec_driver_sql("PRAGMA query_only=ON")
        else:
            session.connection().exec_driver_sql("SET TRANSACTION READ ONLY")
        return session

    with transaction(settings) as session:
        session.add(Beat(name="", at=now()))
    with monkeypatch.context() as patch:
        patch.setattr(metrics, "open_session", read_only)
        assert found(settings)["disk"] is False


def test_looking_changes_nothing(settings: Settings) -> None:
    found(settings)  # SQLite's own files beside the database are there from now on
    before = sorted(path.name for path in settings.data_folder.iterdir())
    found(settings)
    assert sorted(path.name for path in settings.data_folder.iterdir()) == before
    with open_session(settings) as session:
        assert session.get(Beat, "") is None


def test_two_beats_at_the_very_first_sweep(settings: Settings) -> None:
    both, errors = threading.Barrier(2), []

    def sweep() -> None:
        try:
            with transaction(settings) as session:
                if session.get_bind().dialect.name == "postgresql":
                    session.get(Beat, deadlines.BEAT)
                    both.wait(10)  # neither has seen the other's row
                outages.wake(session)
        except Exception as problem:
            errors.append(problem)

    beats = [threading.Thread(target=sweep) for _ in range(2)]
    for beat in beats:
        beat.start()
    for beat in beats:
        beat.join()
    assert errors == []
    with open_session(settings) as session:
        assert deadlines.awake(session)
