"""Dated backups in one folder: `writ host backup --to FOLDER --keep 14`. `backup.json` in the data folder names the last
one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from engine.core.asks import NotLegal
from service.ops import backup
from service.settings import Settings
from service.store.models import now

DATED = re.compile(r"writ-\d{8}T\d{6}Z\.zip")
FILE = "backup.json"
UNFINISHED = re.compile(rf"{DATED.pattern}\.part")


class Backup(msgspec.Struct, frozen=True):
    """What `backup.json` says of the last backup."""

    at: datetime
    path: str = ""
    bytes: int = 0
    entries: int = 0


@dataclass(frozen=True)
class Made:
    file: Path
    bytes: int
    games: int
    entries: int
    deleted: tuple[str, ...]
    """Names of the older backups beyond `keep`."""


def back_up_to(settings: Settings, folder: Path, keep: int | None) -> Made:
    """Write a backup, then delete the oldest ones beyond `keep` (None: keep all). Raises NotLegal."""
    with _only_one(folder):
        for file in _files(folder, UNFINISHED):  # of killed backups: nobody else writes here now
            file.unlink()
        file = folder / f"writ-{now().astimezone(UTC):%Y%m%dT%H%M%SZ}.zip"
        written = backup.back_up(settings, file)
        older = [one for one in _files(folder, DATED) if one != file]
        surplus = older[: max(0, len(older) + 1 - keep)] if keep is not None else []
        for one in surplus:
            one.unlink()
        return Made(file, file.stat().st_size, written.games, written.entries, tuple(one.name for one in surplus))


@contextlib.contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Hold the folder's lock (flock). Raises NotLegal."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as problem:
        raise NotLegal(f"The folder {folder} can't be used: {problem.strerror or problem}.") from None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise NotLegal(f"Another backup into {folder} is being written.") from None
    finally:
        os.close(opened)


def _files(folder: Path, name: re.Pattern[str]) -> list[Path]:
    found = (file for file in folder.iterdir() if name.fullmatch(file.name) and not file.is_symlink() and file.is_file())
    return sorted(found, key=lambda file: file.name)


def record(settings: Settings, file: Path, at: datetime, entries: int) -> None:
    """Write `backup.json` atomically. Raises OSError."""
    known = Backup(at.astimezone(UTC), str(file.resolve()), file.stat().st_size, entries)
    with backup.replacing(settings.data_folder / FILE, f".{os.getpid()}") as fresh:
        fresh.write(msgspec.json.encode(known))


def last(settings: Settings) -> Backup | None:
    """The last backup, if `backup.json` can be read."""
    try:
        found = msgspec.json.decode((settings.data_folder / FILE).read_bytes(), type=Backup)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found.at.tzinfo is not None else msgspec.structs.replace(found, at=found.at.replace(tzinfo=UTC))
