"""What the forked processes need is there before they are forked, so that they share it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from service.ops import forks
from service.ops.preflight import CannotStart

PROGRAM = """
import sys
from service.ops import forks
forks.preload()
known = set(sys.modules)
assert "prompt_toolkit" not in known
import celery.apps.worker, celery.apps.beat, workers.__main__
from service.settings import load
from service.store.database import newest_migration
from service.web import warm
made = warm.app_for(load())
made.test_client().get("/healthz")
assert newest_migration()
print(*sorted(set(sys.modules) - known))
warm.create_app = None  # nobody makes one again
print(warm.app_for(load()) is made)
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a program says in which all is read as in the process that others are forked from: it takes seconds to start."""
    folder = str(tmp_path_factory.mktemp("forks"))
    env = {**os.environ, "WRIT_DATA_FOLDER": folder, "WRIT_DATABASE_URL": "", "WRIT_BROKER_URL": ""}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=env, stdout=subprocess.PIPE, text=True)
    return ran.stdout.splitlines()[-2:]


def test_a_forked_process_reads_next_to_nothing_by_itself(said: list[str]) -> None:
    read = set(said[0].split())
    assert len(read) < 12, read
    assert not {name.partition(".")[0] for name in read} & {
        "alembic",
        "prompt_toolkit",
        "celery",
        "kombu",
        "sqlalchemy",
        "babel",
    }


def test_a_web_process_has_the_pages_that_were_made_before_it_was_forked(said: list[str]) -> None:
    assert said[1] == "True"


def _double(n: int) -> int:
    return 2 * n


def _refuse(words: str) -> None:
    raise CannotStart(words)


def _die() -> None:
    os._exit(7)


def _linger(file: str) -> None:
    Path(file).write_text(str(os.getpid()))
    time.sleep(60)


def test_a_deed_aside_gives_its_answer_or_raises_what_it_raised() -> None:
    assert forks.aside(_double, 21) == 42
    with pytest.raises(CannotStart, match="no database") as raised:
        forks.aside(_refuse, "no database")
    assert "_refuse" in str(raised.value.__cause__), "where it was raised is known"
    with pytest.raises(RuntimeError, match="ended with code 7"):
        forks.aside(_die)


def test_a_deed_aside_ends_with_an_interrupt(tmp_path: Path) -> None:
    file = tmp_path / "pid"

    def interrupt() -> None:
        while not (file.exists() and file.read_text()):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        forks.aside(_linger, str(file))
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)
