"""The data folder: creation and file permissions."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import structlog

from engine.core.asks import NotUnderstood

log = structlog.get_logger()

OTHERS = stat.S_IRWXG | stat.S_IRWXO
LEAST_FREE = 32 * 1024 * 1024
"""Bytes; with less free disk space a database fails mid-write."""


def make_private(folder: Path) -> None:
    """Create the folder, or revoke other users' permissions on it and its contents. Raises NotUnderstood if it can't be
    used.
    """
    _make_private(folder.resolve())


def takes_files(folder: Path) -> bool:
    """Whether the disk of a folder has room, and stores a file."""
    try:
        if shutil.disk_usage(folder).free < LEAST_FREE:
            return False
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(4096))
            probe.flush()
            os.fsync(probe.fileno())
        return True
    except OSError:
        return False


def _cannot_be_used(folder: Path, why: str) -> NotUnderstood:
    return NotUnderstood(
        f"The data folder {folder} can't be used: {why}. Set WRIT_DATA_FOLDER to one that this user can make and write to."
    )


@cache
def _make_private(folder: Path) -> None:
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        elif any(map(_is_open, (folder, *folder.iterdir()))):
            inner = (Path(at, name) for at, folders, files in os.walk(folder) for name in (*folders, *files))
            _close((folder, *inner), str(folder))
    except FileExistsError:
        raise _cannot_be_used(folder, "it is a file") from None
    except OSError as problem:
        raise _cannot_be_used(folder, problem.strerror or type(problem).__name__) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _cannot_be_used(folder, "this user may not write to it")


@cache
def close_file(file: Path) -> None:
    """Revoke other users' permissions on a file."""
    if _is_open(file):
        _close((file,), str(file))


def _close(paths: Iterable[Path], what: str) -> None:
    closed, refused = 0, 0
    for path in filter(_is_open, paths):
        try:
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)
            closed += 1
        except FileNotFoundError:
            pass  # deleted meanwhile
        except OSError:
            refused += 1
    if closed:
        log.warning("data was open to others on this machine; it is closed now", where=what, files=closed)
    if refused:
        log.error("data is open to others on this machine and belongs to somebody else; close it", where=what, files=refused)


def _is_open(path: Path) -> bool:
    try:
        return not path.is_symlink() and bool(path.stat().st_mode & OTHERS)
    except OSError:
        return False
