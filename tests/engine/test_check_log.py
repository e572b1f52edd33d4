"""The process that checks somebody's log: what it finds, and how it ends beyond its limits."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from engine.play import match as matches
from engine.play.check_log import Checked, check
from tests.tables import FOLDER

LOG = (FOLDER / "mastery" / "2-lords-points.jsonl").read_bytes()
LIMITED = "from engine.play.check_log import limit\nlimit(1, 200_000_000)\n"


def ended(code: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", LIMITED + code], capture_output=True, timeout=60, check=False)


def test_a_sound_log_comes_with_its_entries_and_events() -> None:
    found = check(LOG, 1_000)
    lines = LOG.decode().splitlines()
    assert found.holds and found.header == lines[0] and found.said["code"] == "log.holds"
    entries = [matches.Entry(*row) for row in found.entries]
    assert entries == [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
    header = matches.read_header(lines[0])
    told: list[tuple[int, str]] = []
    again = matches.replay(
        header,
        bytes.fromhex(found.seed),
        entries,
        watch=lambda entry, events: told.extend((entry.n, one.kind) for one in events),
    )
    assert [(n, kind) for n, _, kind, *_ in found.events] == [*((0, one.kind) for one in again.opening), *told]
    assert again.outcome is not None and found.winners == [*again.outcome.winners]


def test_limits_are_said_by_name() -> None:
    assert check(LOG, 10) == Checked(limit="entries")
    assert check(LOG.replace(b'"mastery"', b'"chess"', 1), 1_000) == Checked(limit="game")
    assert check(b"\xff\n", 10) == Checked(line=1)
    assert check(b"", 10).said == {"code": "log.empty", "facts": {}}


def test_the_kernel_ends_it_after_its_time_and_gives_no_more_memory() -> None:
    assert ended("while True: pass").returncode == -signal.SIGXCPU
    assert b"MemoryError" in ended("x = bytearray(400_000_000)").stderr
    assert ended("x = bytearray(50_000_000)").returncode == 0


def test_an_answer_is_no_longer_than_who_asked_can_hold() -> None:
    code = "from engine.play import check_log\ncheck_log.LONGEST_ANSWER = 10\ncheck_log.main()"
    for most, asked in ((10, code), (16_000_000, code.replace("= 10", "= 16_000_000"))):
        command = [sys.executable, "-c", asked, "5", "200000000", "1000"]
        said = subprocess.run(command, input=LOG, capture_output=True, timeout=60, check=True).stdout
        assert (b'"limit":"memory"' in said) == (most == 10)


def test_lack_of_memory_is_no_fault_of_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(matches, "apply", full)
    with pytest.raises(MemoryError):
        matches.verify(LOG.decode().splitlines())
