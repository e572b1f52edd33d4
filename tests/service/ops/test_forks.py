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
import celery.bin.celery, celery.apps.worker, celery.apps.beat
from service.store.database import newest_migration
from service.web import create_app
create_app().test_client().get("/healthz")
assert newest_migration()
print(*sorted(set(sys.modules) - known))
"""


def test_a_forked_process_reads_next_to_nothing_by_itself(tmp_path: Path) -> None:
    env = {**os.environ, "WRIT_DATA_FOLDER": str(tmp_path), "WRIT_DATABASE_URL": "", "WRIT_BROKER_URL": ""}
    run = subprocess.run([sys.executable, "-c", WORK], env=env, check=True, stdout=subprocess.PIPE, text=True)
    read = set(run.stdout.splitlines()[-1].split())
    assert len(read) < 12, read
    assert not {name.partition(".")[0] for name in read} & {
        "alembic",
        "prompt_toolkit",
        "celery",
        "kombu",
        "sqlalchemy",
        "babel",
    }
