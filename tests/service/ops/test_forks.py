"""What the forked processes need is there before they are forked, so that they share it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WORK = """
import sys
from service.ops import forks
forks.preload()
known = set(sys.modules)
assert "prompt_toolkit" not in known
import celery.apps.worker, celery.apps.beat, workers.__main__
from service.settings import load
from service.store.database import newest_migration
from service.web import front
front.pages(load()).test_client().get("/healthz")
assert newest_migration()
print(*sorted(set(sys.modules) - known))
"""
USE = """
from service.ops import forks
forks.preload()
from service.settings import load
from service.web import front
made = front.pages(load())
front.create_app = None  # nobody makes one again
assert front.app().pages is made
"""


def test_a_forked_process_reads_next_to_nothing_by_itself(tmp_path: Path) -> None:
    read = set(_said(WORK, tmp_path).splitlines()[-1].split())
    assert len(read) < 12, read
    assert not {name.partition(".")[0] for name in read} & {
        "alembic",
        "prompt_toolkit",
        "celery",
        "kombu",
        "sqlalchemy",
        "babel",
    }


def test_a_web_process_has_the_pages_that_were_made_before_it_was_forked(tmp_path: Path) -> None:
    _said(USE, tmp_path)


def _said(program: str, folder: Path) -> str:
    """What a program of its own prints. Raises CalledProcessError where it fails."""
    env = {**os.environ, "WRIT_DATA_FOLDER": str(folder), "WRIT_DATABASE_URL": "", "WRIT_BROKER_URL": ""}
    return subprocess.run([sys.executable, "-c", program], env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
