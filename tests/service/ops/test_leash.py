"""Nothing that was started outlives the one that started it, and was killed without a word."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from service.ops import leash

SLEEPS = [sys.executable, "-c", "import time; print('here', flush=True); time.sleep(600)"]
ELSEWHERE = "from service.ops import leash\nleash._libc = None\n"
"""As on a system that doesn't end children by itself."""
BEGINS = f"import time\nfrom service.ops import leash\nleash.begin({SLEEPS!r})\ntime.sleep(600)\n"
FORKS = (
    "import os, time\nfrom service.ops import leash\nme = os.getpid()\nif not os.fork():\n    leash.bind(me)\ntime.sleep(600)\n"
)
HOUSE = """
import sys, time
from pathlib import Path
from service.tools import demo
with demo.instance(Path(sys.argv[1])):
    print("up", flush=True)
    time.sleep(600)
"""


def offspring(pid: int) -> set[int]:
    """What a process has started, and what that has started."""
    try:
        own = {int(word) for task in Path(f"/proc/{pid}/task").iterdir() for word in (task / "children").read_text().split()}
    except FileNotFoundError:
        return set()
    return own.union(*map(offspring, own))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(what: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it doesn't come to that"
        time.sleep(0.05)


def left_by(parent: subprocess.Popen[bytes], ready: Callable[[], object]) -> set[int]:
    """Kill a process as soon as it has started what it starts; what of that still lives after a while."""
    try:
        until(ready)
        started = offspring(parent.pid)
        assert started
    finally:
        parent.kill()
        parent.wait()
    end = time.monotonic() + 30
    while (living := set(filter(alive, started))) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in living:
        os.kill(pid, signal.SIGKILL)
    return living


pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes as Linux lists them")


@pytest.mark.parametrize("system", ["", ELSEWHERE], ids=["here", "elsewhere"])
@pytest.mark.parametrize("deed", [BEGINS, FORKS], ids=["begun", "forked"])
def test_a_child_ends_with_a_parent_that_is_killed(system: str, deed: str) -> None:
    several = 2 if system and deed == BEGINS else 1  # the process between the two
    parent = subprocess.Popen([sys.executable, "-c", system + deed], stdout=subprocess.DEVNULL)
    assert not left_by(parent, lambda: len(offspring(parent.pid)) == several)


def test_a_child_whose_parent_has_gone_meanwhile_ends_at_once() -> None:
    code = "import time\nfrom service.ops import leash\nleash.bind(1 << 22)\ntime.sleep(600)\n"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == -signal.SIGTERM


def test_the_process_between_passes_on_words_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leash, "_libc", None)
    for word, code in ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGINT, 1)):
        running = leash.begin(SLEEPS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert running.stdout is not None and running.stdout.readline() == b"here\n"
        between = offspring(running.pid)
        running.send_signal(word)
        assert running.wait(30) in (code, 128 + word) and not any(map(alive, between))
        running.stdout.close()
    assert leash.begin([sys.executable, "-c", "raise SystemExit(3)"]).wait(30) == 3


def test_a_whole_house_ends_with_the_test_run_that_started_it(tmp_path: Path) -> None:
    """The supervisor, broker, web, workers and beat: no worker is left that would take the tasks of a later run."""
    parent = subprocess.Popen([sys.executable, "-c", HOUSE, str(tmp_path)], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    said = parent.stdout
    assert said.readline() == b"up\n"
    assert not left_by(parent, lambda: len(offspring(parent.pid)) >= 6)
    said.close()
