"""Folder of prometheus_client's multiprocess mode: `metrics/` in the data folder. Call `share` before importing
prometheus_client.

Each program has a subfolder: process ids repeat between containers that share it. One that starts while no other runs (by a
shared `flock`) removes the files of earlier runs.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import structlog

from service.common.folder import make_private
from service.settings import Settings

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
FOLDER = "metrics"
LEAST_FREE = 32 * 1024 * 1024
"""Bytes. The files are memory-mapped: on a full disk a write would kill the process with SIGBUS."""

log = structlog.get_logger()


def share(settings: Settings) -> None:
    """Make a folder and set the variable for child processes. Raises NotUnderstood for the data folder."""
    make_private(settings.data_folder)
    os.environ.pop(VARIABLE, None)
    try:
        os.environ[VARIABLE] = _own_folder(settings.data_folder.resolve() / FOLDER)
    except OSError as problem:  # the service works without shared counters
        log.warning("counters of /metrics are not shared between processes", problem=problem.strerror or type(problem).__name__)


def _own_folder(folder: Path) -> str:
    folder.mkdir(mode=0o700, exist_ok=True)
    if shutil.disk_usage(folder).free < LEAST_FREE:
        raise OSError(0, "the disk is nearly full")
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass  # others are running
    else:
        for old in filter(Path.is_dir, folder.iterdir()):
            shutil.rmtree(old, ignore_errors=True)
    fcntl.flock(lock, fcntl.LOCK_SH)
    os.set_inheritable(lock, True)  # held until this program ends, also after an exec
    return tempfile.mkdtemp(dir=folder)


def files(settings: Settings, kind: str = "*") -> Iterator[str]:
    """Counter files of all processes; `kind`: a pattern for the first part of their names."""
    for file in sorted((settings.data_folder.resolve() / FOLDER).glob(f"*/{kind}.db")):
        if file.stat().st_size:  # empty: just being created
            yield str(file)
