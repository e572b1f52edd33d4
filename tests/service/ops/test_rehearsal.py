"""`writ host backup --verify`: every log is replayed, the first fault is named, and nothing is left."""

from __future__ import annotations

import random
import tempfile
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from sqlmodel import col, select, update

from engine.core.asks import Refused
from service import settings as settings_
from service.log import packing
from service.ops import backup, rehearsal
from service.ops.cli import main
from service.settings import Settings
from service.store.database import engine_for, transaction
from service.store.models import EntryRow, Match, now
from tests import kept
from tests.service.conftest import Players, on_sqlite, open_table
from tests.until import until


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, games: list[Players]) -> Path:
    """Where temporary files are made once the games are there, seen for itself."""
    found = tmp_path / "scratch"
    found.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(found))
    return found


def databases(settings: Settings) -> list[str]:
    if not settings.database_url:
        return []
    with psycopg.connect(settings.database_url.replace("+psycopg", "")) as connection:
        found = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'writ_verify_%'").fetchall()
    return [str(row[0]) for row in found]


def kind(settings: Settings) -> str:
    return "PostgreSQL" if settings.database_url else "SQLite"


@pytest.fixture
def games(settings: Settings, sent: list[tuple[str, ...]]) -> list[Players]:
    """A packed game that is over, and one that runs, played in this test or in another of this run."""

    def play() -> str:
        over, running, rng = open_table(settings), open_table(settings), random.Random(7)
        over.adjudicate()
        over.finish(rng)
        running.adjudicate()
        for seat in running.asked():
            running.submit(seat, rng)
        running.adjudicate()
        with transaction(settings) as session:
            assert packing.due(session, now() + timedelta(days=1), 9) == [over.match_id]
            assert packing.pack(session, over.match_id)
        return f"{over.match_id} {running.match_id}"

    return [Players(settings, id) for id in kept.begin(settings, "packed and running", play).split()]


def test_a_whole_backup_is_replayed_and_nothing_is_left(
    games: list[Players], settings: Settings, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "all.zip"
    written = backup.back_up(settings, file)
    monkeypatch.setattr(settings_, "load", lambda: settings)
    ran = CliRunner().invoke(main, ["host", "backup", "--verify", str(file)])
    assert ran.exit_code == 0, ran.output
    assert f"restored into {kind(settings)}." in ran.output and "Games: 1 finished, 1 running." in ran.output
    assert f"2 logs with {written.entries} entries hold, 1 of them to seed and result." in ran.output
    assert list(scratch.iterdir()) == []
    until(lambda: databases(settings) == [], "its database is still there")  # tests beside this one verify too


def test_the_first_game_with_a_fault_is_named_and_nothing_is_left(
    games: list[Players], settings: Settings, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "all.zip"
    with transaction(settings) as session:
        session.exec(update(Match).where(col(Match.id) == games[1].match_id).values(head="0" * 64))
    backup.back_up(settings, file)
    monkeypatch.setattr(settings_, "load", lambda: settings)
    ran = CliRunner().invoke(main, ["host", "backup", "--verify", str(file)])
    assert ran.exit_code == 1 and f"({games[1].match_id}): The log is not the one that the game's head names" in ran.output
    file.write_bytes(file.read_bytes()[:-100])
    ran = CliRunner().invoke(main, ["host", "backup", "--verify", str(file)])
    assert ran.exit_code == 1 and "is cut" in ran.output and "Traceback" not in ran.output
    assert list(scratch.iterdir()) == []
    until(lambda: databases(settings) == [], "its database is still there")  # tests beside this one verify too


def test_a_seed_that_is_not_the_one_that_was_committed_to_is_a_fault(
    games: list[Players], settings: Settings, tmp_path: Path
) -> None:
    with transaction(settings) as session:
        match = session.get_one(Match, games[0].match_id)
        match.seed = bytes(len(match.seed))
        session.add(match)
    backup.back_up(settings, tmp_path / "all.zip")
    with pytest.raises(Refused, match=games[0].match_id):
        rehearsal.verify(settings, tmp_path / "all.zip")


@on_sqlite
def test_without_a_server_the_backup_is_verified_on_sqlite(games: list[Players], settings: Settings, tmp_path: Path) -> None:
    """Its database is lost, say, or its user may not create another one."""
    backup.back_up(settings, tmp_path / "all.zip")
    lost = settings.model_copy(update={"database_url": "postgresql+psycopg://nobody@127.0.0.1:1/none"})
    found = rehearsal.verify(lost, tmp_path / "all.zip")
    assert found.database == "SQLite" and found.games == {"finished": 1, "running": 1}


def test_the_service_itself_is_not_changed(games: list[Players], settings: Settings, tmp_path: Path) -> None:
    backup.back_up(settings, tmp_path / "all.zip")
    with engine_for(settings).connect() as connection:
        before = connection.execute(select(EntryRow.hash)).all()
    rehearsal.verify(settings, tmp_path / "all.zip")
    with engine_for(settings).connect() as connection:
        assert connection.execute(select(EntryRow.hash)).all() == before
