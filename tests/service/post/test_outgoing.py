"""`writ host restore --quiet`: no letter leaves and no clock runs until `writ host resume-mail`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from click.testing import CliRunner
from sqlmodel import col, select

from service import settings as settings_
from service.clock import deadlines
from service.ops import backup
from service.ops.cli import main
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import AskRow, Letter, LetterStatus
from tests.conftest import START
from tests.service.conftest import on_sqlite, open_table
from workers import outages, sweep
from workers.letters import delivery


@pytest.fixture
def restored(settings: Settings, sent: list[tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A house that was restored with --quiet; the command line is its own."""
    with time_machine.travel(START, tick=False):
        players = open_table(settings)
        players.adjudicate()
        clocks_run(settings)
        backup.back_up(settings, tmp_path / "all.zip")
    found = settings.model_copy(update={"data_folder": tmp_path / "restored", "database_url": ""})
    monkeypatch.setattr(settings_, "load", lambda: found)
    with time_machine.travel(START + timedelta(minutes=1), tick=False):
        ran = CliRunner().invoke(main, ["host", "restore", str(tmp_path / "all.zip"), "--quiet"])
    assert ran.exit_code == 0 and "No letter leaves, and all clocks stand still" in ran.output
    sent.clear()
    return found


def clocks_run(settings: Settings) -> None:
    with transaction(settings) as session:
        outages.wake(session)


def host(*args: str) -> str:
    ran = CliRunner().invoke(main, ["host", *args])
    assert ran.exit_code == 0, ran.output
    return ran.output


def waiting(settings: Settings) -> list[Letter]:
    with open_session(settings) as session:
        return list(session.exec(select(Letter).where(col(Letter.status) == LetterStatus.QUEUED)))


def due(settings: Settings) -> list[timedelta]:
    """Until when the questions have time, after the start."""
    with open_session(settings) as session:
        return [ask.due_at - START for ask in session.exec(select(AskRow)) if ask.due_at is not None]


@on_sqlite
def test_nothing_is_sent_and_no_clock_runs_until_mail_is_resumed(restored: Settings, sent: list[tuple[str, ...]]) -> None:
    before, queued = due(restored), len(waiting(restored))
    assert queued >= 2 and before
    for hours in (1, 400):  # longer than every deadline
        with time_machine.travel(START + timedelta(hours=hours), tick=False):
            sweep.sweep(restored)
            delivery.deliver(restored)
            delivery.deliver(restored, waiting(restored)[0].id)
            with open_session(restored) as session:
                assert not deadlines.awake(session) and not outages.awake(session)
    assert queue.DELIVER not in {task for task, *_ in sent}
    assert not restored.maildir.exists() and len(waiting(restored)) == queued
    assert "held since" in host("letters") and "Held: this house was restored" in host("letter", waiting(restored)[0].id)
    with time_machine.travel(START + timedelta(hours=401), tick=False):
        assert f"{queued} wait" in host("resume-mail")
        sweep.sweep(restored)
        assert min(due(restored)) >= min(before) + timedelta(hours=400), "the time since the backup doesn't count"
        assert queue.DELIVER in {task for task, *_ in sent}
        delivery.deliver(restored)
    assert len(list((restored.maildir / "new").iterdir())) >= queued and not waiting(restored)
    ran = CliRunner().invoke(main, ["host", "resume-mail"])
    assert ran.exit_code == 1 and "Mail is not held" in ran.output


@on_sqlite
def test_without_quiet_letters_leave_at_once(restored: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = restored.model_copy(update={"data_folder": tmp_path / "loud"})
    monkeypatch.setattr(settings_, "load", lambda: other)
    host("restore", str(tmp_path / "all.zip"))
    with time_machine.travel(START + timedelta(minutes=1), tick=False):
        delivery.deliver(other)
    assert len(list((other.maildir / "new").iterdir())) >= 2
