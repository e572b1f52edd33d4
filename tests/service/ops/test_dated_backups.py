"""`writ host backup --to FOLDER --keep N`: whole files only, the oldest deleted last, and a record for the operators' page."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from datetime import datetime
from pathlib import Path

import pytest
import time_machine

from engine.core.asks import Refused
from service import settings as settings_
from service.ops import dated_backups
from tests.conftest import START
from tests.service.ops.test_host_cli import house, run, took  # noqa: F401  (fixtures)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three older backups, and with files that are none."""
    found = tmp_path / "backups"
    found.mkdir()
    for name in (
        "writ-20200101T000000Z.zip",
        "writ-20200102T000000Z.zip",
        "writ-20200103T000000Z.zip",
        "mine.zip",
        "writ-1.zip",
    ):
        (found / name).write_text(name)
    (found / "writ-20190101T000000Z.zip").symlink_to(found / "mine.zip")
    return found


OTHERS = {"mine.zip", "writ-1.zip", "writ-20190101T000000Z.zip"}


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()} - OTHERS


def test_a_dated_backup_is_written_and_the_oldest_are_deleted(house: str, folder: Path) -> None:
    with time_machine.travel(START, tick=False):
        said = took("backup", "--to", str(folder), "--keep", "2")
    made = folder / f"writ-{START:%Y%m%dT%H%M%SZ}.zip"
    assert names(folder) == {made.name, "writ-20200103T000000Z.zip"}
    assert {file.name for file in folder.iterdir()} > OTHERS
    size = made.stat().st_size
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert said == f"{made}: {size} bytes; games: 1; entries: 0; older deleted: 2\n"
    record = settings_.load().data_folder / "backup.json"
    known = json.loads(record.read_text())
    assert datetime.fromisoformat(known["at"]) == START and stat.S_IMODE(record.stat().st_mode) == 0o600
    assert known == {"at": known["at"], "path": str(made), "bytes": size, "entries": 0}
    assert took("backup", "--verify", str(made))


def test_without_keep_nothing_is_deleted_and_a_single_file_is_recorded_too(house: str, folder: Path) -> None:
    took("backup", "--to", str(folder))
    assert len(names(folder)) == 4
    took("backup", str(folder / "whole.zip"))
    assert json.loads((settings_.load().data_folder / "backup.json").read_text())["path"] == str(folder / "whole.zip")


def test_a_full_disk_leaves_the_older_backups_alone(
    house: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = names(folder)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        ran = run("backup", "--to", str(folder), "--keep", "1")
    assert ran.exit_code == 1 and "can't be written: No space left on device" in ran.output
    assert names(folder) == before and not (settings_.load().data_folder / "backup.json").exists()


def test_what_a_killed_backup_has_left_is_deleted_by_the_next_one(house: str, folder: Path) -> None:
    (folder / "writ-20200104T000000Z.zip.part").write_text("half")
    took("backup", "--to", str(folder), "--keep", "9")
    assert not list(folder.glob("*.part")) and len(names(folder)) == 4


def test_of_two_backups_into_one_folder_the_second_is_refused(house: str, folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        with pytest.raises(Refused, match=r"Another backup into .* is being written"):
            dated_backups.back_up_to(settings_.load(), folder, 1)
    finally:
        os.close(descriptor)
    assert len(names(folder)) == 3


def test_a_clock_that_was_set_back_does_not_delete_the_new_backup(house: str, folder: Path) -> None:
    with time_machine.travel(datetime.fromisoformat("2019-12-31T00:00:00+00:00"), tick=False):
        took("backup", "--to", str(folder), "--keep", "1")
    assert names(folder) == {"writ-20191231T000000Z.zip"}


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((), "Name a FILE, or a folder"),
        (("all.zip", "--to", "folder"), "Name a FILE, or a folder"),
        (("all.zip", "--keep", "2"), "--keep goes with --to"),
        (("--to", "/proc/nowhere"), "can't be used"),
    ],
)
def test_options_that_do_not_fit_are_refused(house: str, args: tuple[str, ...], sentence: str) -> None:
    ran = run("backup", *args)
    assert ran.exit_code == 1 and sentence in ran.output
