"""Processes that are kept running: started again, later and later, and gone with their parent."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from service.ops import children
from service.ops.children import CannotRun, Child, Family, Stopped, family
from service.ops.supervise import VALKEY_NOISE

ENV = dict(os.environ)
SLEEPS = [sys.executable, "-c", "import time; print('here', flush=True); time.sleep(600)"]


def until(what: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it doesn't come to that"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Watched(Family):
    """A family that is told to stop as soon as something is so."""

    def keep_until(self, so: Callable[[], object]) -> None:
        looked = time.sleep

        def look(seconds: float) -> None:
            self.stopping = int(bool(so()))
            looked(min(seconds, 0.02))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "sleep", look)
            self.keep()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "FAREWELL_SECONDS", 5.0)


def test_a_killed_child_is_started_again_alone(quick: None) -> None:
    out = io.BytesIO()
    family = Watched(out)
    first, second = Child("first", SLEEPS, ENV), Child("second", SLEEPS, ENV)
    for child in (first, second):
        family.add(child)
    try:
        assert first.process and second.process
        killed, kept = first.process.pid, second.process.pid
        until(lambda: out.getvalue().count(b"here") == 2)
        os.kill(killed, signal.SIGKILL)
        family.keep_until(lambda: out.getvalue().count(b"here") == 3)
        assert first.process and first.process.pid != killed
        assert second.process.pid == kept
        assert {line.split(b"|")[0].strip() for line in out.getvalue().splitlines()} == {b"first", b"second"}
    finally:
        family.stop()
    assert not alive(kept)


def test_pauses_grow_and_a_child_that_never_starts_ends_all_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "SHORTEST_PAUSE", 0.02)
    family, pauses = Watched(io.BytesIO()), []
    child = Child("broken", [sys.executable, "-c", "raise SystemExit(3)"], ENV, pause=0.02)
    family.add(child)
    with pytest.raises(CannotRun, match="“broken” ends as soon as it is started, 6 times in a row"):
        family.keep_until(lambda: pauses.append(child.pause))
    seen = sorted(set(pauses))
    first = seen[0]  # on a busy machine the child may have ended once more before anybody looked
    assert first in (0.02, 0.04) and seen == [first * 2**n for n in range(len(seen))] and len(seen) >= 5
    family.stop()


def test_a_child_that_was_well_is_tried_for_ever_and_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "HEALTHY_SECONDS", 0.0)
    family, out = Watched(), io.BytesIO()
    family.out = out
    child = Child("tired", [sys.executable, "-c", "print('here')"], ENV)
    monkeypatch.setattr(children, "SHORTEST_PAUSE", 0.01)
    family.add(child)
    family.keep_until(lambda: out.getvalue().count(b"here") > children.MOST_FALSE_STARTS + 2)
    assert child.pause <= 0.02
    family.stop()


def test_what_a_dead_child_has_started_ends_with_it(quick: None) -> None:
    code = "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
    out = io.BytesIO()
    family = Watched(out)
    child = Child("parent", [sys.executable, "-c", code + "print(p.pid, flush=True); time.sleep(600)"], ENV)
    family.add(child)
    until(lambda: out.getvalue().endswith(b"\n"))
    grandchild = int(out.getvalue().split()[-1])
    assert child.process
    os.kill(child.process.pid, signal.SIGKILL)
    child.process.wait()
    assert alive(grandchild) and child.ended()
    until(lambda: not alive(grandchild))
    family.stop()


def test_what_takes_too_long_to_stop_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "FAREWELL_SECONDS", 0.3)
    out = io.BytesIO()
    family = Watched(out)
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); time.sleep(600)"
    child = Child("stubborn", [sys.executable, "-c", code], ENV)
    family.add(child)
    until(lambda: b"here" in out.getvalue())
    assert child.process
    family.stop()
    assert child.process.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="a system call of Linux")
def test_children_end_with_a_parent_that_is_killed() -> None:
    code = (
        "import os, sys\nfrom service.ops.children import Child, family\n"
        f"with family() as f:\n    f.add(Child('child', {SLEEPS!r}, dict(os.environ)))\n"
        "    print(f.children[0].process.pid, flush=True)\n    f.keep()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout
    child = int(next(line for line in parent.stdout if line.strip().isdigit()))
    assert alive(child)
    parent.kill()
    parent.wait()
    until(lambda: not alive(child))
    parent.stdout.close()


@pytest.mark.parametrize("word", [signal.SIGTERM, signal.SIGINT])
def test_a_word_to_the_parent_ends_all_and_is_no_failure(word: signal.Signals) -> None:
    code = (
        "import os, sys\nfrom service.ops.children import Child, family\n"
        f"with family() as f:\n    f.add(Child('child', {SLEEPS!r}, dict(os.environ)))\n    f.keep()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout and b"here" in parent.stdout.readline()
    parent.send_signal(word)
    assert parent.wait(20) == 0
    parent.stdout.close()


def both_run(out: io.BytesIO) -> bool:
    """Whether both children have said that they run."""
    return out.getvalue().count(b"deaf\n") == 2


def test_a_ctrl_c_gives_children_a_second_and_sigterm_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who presses it waits for the prompt; an init system can wait."""
    monkeypatch.setattr(children, "FAREWELL_SECONDS", 4.0)
    took = {}
    for word in (signal.SIGINT, signal.SIGTERM):
        with family() as found:
            found.out = out = io.BytesIO()
            found.add(Child("deaf", [sys.executable, "-c", DEAF], ENV))
            found.add(Child("basis", [sys.executable, "-c", DEAF], ENV, basis=True))
            until(partial(both_run, out), 60)
            os.kill(os.getpid(), word)
            began = time.monotonic()
        took[word] = time.monotonic() - began
        assert all(child.process is not None and child.process.poll() is not None for child in found.children)
    assert took[signal.SIGINT] < 4 < 8 <= took[signal.SIGTERM], took


DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"


def test_a_word_to_stop_breaks_off_the_start_but_never_that_of_a_child() -> None:
    for word in (signal.SIGINT, signal.SIGTERM):
        began = time.monotonic()
        threading.Timer(0.3, os.kill, (os.getpid(), word)).start()
        with pytest.raises(Stopped), family() as found, found.starting_up():
            time.sleep(60)
        assert time.monotonic() - began < 30

        child = Slow("slow", [sys.executable, "-c", "import time; time.sleep(60)"], ENV)
        with pytest.raises(Stopped), family() as found, found.starting_up():
            found.add(child)
        assert child.process is not None and child.process.poll() is not None, "what was started is known, and ended"


class Slow(Child):
    """Meanwhile this process is told to stop."""

    def start(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        super().start()


def test_lines_that_nobody_needs_to_read_are_left_out() -> None:
    out = io.BytesIO()
    with family() as found:
        found.out = out
        says = "import time; print('Memory overcommit must be enabled!'); print('FATAL CONFIG FILE ERROR'); time.sleep(60)"
        found.add(Child("broker", [sys.executable, "-uc", says], ENV, hushed=VALKEY_NOISE))
        assert found.wait_for(lambda: b"FATAL" in out.getvalue(), 60)
    assert b"overcommit" not in out.getvalue()
