"""The supervisor: restarts with back-off, output, signals. Children are small Python programs."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from service.ops import supervise
from service.ops.supervise import Child, Pauses, Supervisor
from service.ops.up import VALKEY_NOISE
from tests.until import until

QUICK = Pauses(shortest=0.01, longest=0.08, farewell=5.0)
SLEEPS = "import os, time; print('pid', os.getpid(), flush=True); time.sleep(600)"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPS


def python(name: str, code: str, **more: bool | str) -> Child:
    """A child that runs this code."""
    return Child(name, [sys.executable, "-c", code], **more)  # type: ignore[arg-type]  # by name


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@dataclass
class House:
    """A supervisor that runs in a thread of this process."""

    supervisor: Supervisor
    out: io.BytesIO
    codes: list[int] = field(default_factory=list)

    def lines(self) -> list[str]:
        return self.out.getvalue().decode().splitlines()

    def pids(self, name: str) -> list[int]:
        """The process ids that a child has printed, in order."""
        return [int(found[1]) for line in self.lines() if (found := re.match(rf"{name} *\| pid (\d+)$", line))]

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.supervisor.take(number, None)


@contextmanager
def supervised(*children: Child, pauses: Pauses = QUICK, out: io.BytesIO | None = None) -> Iterator[House]:
    """A running supervisor; it is stopped, and its children are killed, at the end of the block."""
    out = out or io.BytesIO()
    house = House(Supervisor(children, pauses, out), out)
    thread = threading.Thread(target=lambda: house.codes.append(house.supervisor.run()))
    thread.start()
    try:
        yield house
    finally:
        house.stop()
        house.stop()
        thread.join(60)
    assert not thread.is_alive()


def test_a_killed_child_is_restarted_alone() -> None:
    with supervised(python("first", SLEEPS), python("second", SLEEPS)) as house:
        until(lambda: house.pids("first") and house.pids("second"))
        os.kill(house.pids("first")[0], signal.SIGKILL)
        until(lambda: len(house.pids("first")) == 2)
        assert len(house.pids("second")) == 1 and alive(house.pids("second")[0])
    assert not any(map(alive, [*house.pids("first"), *house.pids("second")]))
    assert house.codes == [0]


def test_pauses_double_and_a_child_that_never_starts_stops_everything_with_a_sentence() -> None:
    with supervised(python("broken", "raise SystemExit(3)"), python("other", SLEEPS)) as house:
        until(lambda: house.codes)
    assert house.codes == [1]
    assert house.lines()[-1] == (
        "Error: “broken” ends as soon as it is started, 6 times in a row; its last lines above say why. Everything is stopped."
    )
    restarts = [line for line in house.lines() if "it is started again" in line]
    assert len(restarts) == 5 and all("ended with code 3" in line for line in restarts)
    assert not any(map(alive, house.pids("other")))


def test_pauses_double_up_to_the_longest() -> None:
    pauses = Pauses(shortest=0.1, longest=0.4, false_starts=5)
    with supervised(python("broken", "raise SystemExit(3)"), pauses=pauses) as house:
        until(lambda: house.codes)
    assert re.findall(r"again in ([\d.]+) seconds", house.out.getvalue().decode()) == ["0.1", "0.2", "0.4", "0.4"]


def test_a_program_that_cannot_be_run_is_a_false_start(tmp_path: Path) -> None:
    with supervised(Child("lost", [str(tmp_path / "nothing")])) as house:
        until(lambda: house.codes)
    assert house.codes == [1] and "No such file" in house.lines()[0] and "“lost” ends" in house.lines()[-1]


def test_a_child_that_was_well_is_restarted_for_ever_and_soon() -> None:
    pauses = Pauses(shortest=0.01, healthy=0.0)
    with supervised(python("tired", "print('here')"), pauses=pauses) as house:
        until(lambda: house.out.getvalue().count(b"here") > pauses.false_starts + 2)
        assert not house.codes
    assert set(re.findall(r"again in ([\d.]+) seconds", house.out.getvalue().decode())) == {"0.0"}


def test_a_child_that_is_killed_by_others_has_not_failed_to_start() -> None:
    code = "import os, signal; print('here', flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    with supervised(python("victim", code)) as house:
        until(lambda: house.out.getvalue().count(b"here") > QUICK.false_starts + 1)
        assert not house.codes


def test_grandchildren_end_with_a_killed_child() -> None:
    code = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', sys.argv[1]]); print('up', flush=True); "
    child = Child("parent", [sys.executable, "-c", code + SLEEPS, SLEEPS])
    with supervised(child) as house:
        until(lambda: len(house.pids("parent")) == 2)
        parent = os.getpgid(house.pids("parent")[0])
        (grandchild,) = set(house.pids("parent")) - {parent}
        os.kill(parent, signal.SIGKILL)
        until(lambda: not alive(grandchild))


def test_a_program_that_runs_once_is_not_restarted_and_its_lines_have_no_prefix() -> None:
    with supervised(python("said", "print('hello')", once=True), python("bad", "raise SystemExit(4)", once=True)) as house:
        until(lambda: "bad ended with code 4" in house.lines() and "hello" in house.lines())
        time.sleep(0.2)
        assert len(house.lines()) == 2 and not house.codes


def test_sigterm_gives_children_time_and_ctrl_c_less() -> None:
    """People who press Ctrl-C wait for the prompt; an init system can wait."""
    pauses, took = Pauses(farewell=1.5, interrupted=0.2), {}
    for number in (signal.SIGTERM, signal.SIGINT):
        with supervised(python("deaf", DEAF), python("basis", DEAF, last=True), pauses=pauses) as house:
            until(lambda house=house: house.pids("deaf") and house.pids("basis"))  # type: ignore[misc]  # of this round
            began = time.monotonic()
            house.stop(number)
            until(lambda house=house: house.codes)  # type: ignore[misc]  # of this round
            took[number] = time.monotonic() - began
        assert house.codes == [0] and not any(map(alive, [*house.pids("deaf"), *house.pids("basis")]))
    assert took[signal.SIGINT] < took[signal.SIGTERM] - 1.5 and took[signal.SIGTERM] >= 3, took


def test_a_second_signal_kills_at_once() -> None:
    with supervised(python("deaf", DEAF), pauses=Pauses(farewell=60.0)) as house:
        until(lambda: house.pids("deaf"))
        house.stop()
        time.sleep(0.2)
        assert not house.codes and alive(house.pids("deaf")[0])
        house.stop()
        until(lambda: house.codes, seconds=10)


def test_a_child_that_the_others_need_is_stopped_after_them() -> None:
    ends = "import signal, sys, time\ndef end(*_):\n    time.sleep(0.2)\n    print('bye', flush=True)\n    sys.exit()\n"
    code = ends + "signal.signal(signal.SIGTERM, end)\n" + SLEEPS
    with supervised(python("basis", code, last=True), python("other", code)) as house:
        until(lambda: house.pids("basis") and house.pids("other"))
        house.stop()
        until(lambda: house.codes)
    assert [line.partition("|")[0].strip() for line in house.lines() if line.endswith("bye")] == ["other", "basis"]


def test_lines_that_nobody_needs_are_dropped() -> None:
    code = "print('Memory overcommit must be enabled!'); print('FATAL CONFIG FILE ERROR', flush=True); " + SLEEPS
    with supervised(python("broker", code, hushed=VALKEY_NOISE)) as house:
        until(lambda: house.pids("broker"))
    assert house.lines()[0] == "broker  | FATAL CONFIG FILE ERROR" and b"overcommit" not in house.out.getvalue()


class Broken(io.BytesIO):
    """A terminal that is gone."""

    def write(self, _line: object) -> int:
        raise BrokenPipeError


def test_a_child_is_not_blocked_when_nobody_reads(tmp_path: Path) -> None:
    """Its pipe is drained after the terminal is gone."""
    code = f"import pathlib\nfor _ in range(3000):\n    print('x' * 100)\npathlib.Path({str(tmp_path / 'done')!r}).touch()\n"
    with supervised(python("talker", code, once=True), out=Broken()):
        until((tmp_path / "done").exists)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("ignored", [False, True], ids=["", "ignored"])
def test_a_signal_stops_the_program_and_its_children(number: signal.Signals, ignored: bool) -> None:
    """A shell lets background jobs ignore SIGINT: the supervisor takes it all the same. An ignored SIGHUP (nohup) stays so."""
    disposition = f"signal.signal(signal.{number.name}, signal.SIG_{'IGN' if ignored else 'DFL'})"
    code = f"import os, signal, sys; {disposition}; os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", code, *supervise.command([python("child", SLEEPS)])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline().split()[-1])
        parent.send_signal(number)
        if ignored and number == signal.SIGHUP:
            time.sleep(0.3)
            assert parent.poll() is None and alive(child)
            parent.terminate()
        assert parent.wait(20) == 0 and not alive(child)
