"""Supervisor of `writ up`: starts child processes, restarts each with exponential back-off, prefixes their output, stops all.

    python -m service.ops.supervise CHILDREN

`CHILDREN` is a JSON list, see `command`. Imports only the standard library, to stay small (7 MB). honcho stops everything when
one process ends; supervisord and circus need configuration files.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import IO, BinaryIO

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""SIGHUP as well: the terminal was closed."""
LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class Pauses:
    shortest: float = 0.5
    """Before the first restart; doubled with each further one."""
    longest: float = 30.0
    healthy: float = 15.0
    """A child that ran this long counts as well: its next pause is the shortest again."""
    false_starts: int = 6
    """A child that was never well and ended this often stops everything."""
    farewell: float = 20.0
    """Until children are killed after SIGTERM or SIGHUP."""
    interrupted: float = 0.8
    """The same after Ctrl-C: people wait for the prompt, and unfinished tasks are repeated after the next start."""


@dataclass
class Child:
    name: str
    command: list[str]
    once: bool = False
    """A program that is expected to end. It is not restarted, and its lines get no prefix."""
    last: bool = False
    """Stopped after the others, which need it."""
    hushed: str = ""
    """Regular expression of output lines that are dropped."""


@dataclass
class _Run:
    child: Child
    pause: float
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    due: float = 0.0
    """When it is started next, on the monotonic clock."""
    false_starts: int = 0
    was_well: bool = False

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill_group(self) -> None:
        """Kill and reap the child and its own children, which share its process group."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@dataclass
class Supervisor:
    children: Sequence[Child]
    pauses: Pauses = field(default_factory=Pauses)
    out: BinaryIO = field(default_factory=lambda: sys.stdout.buffer)
    signals: list[int] = field(default_factory=list)
    """Signals received, in order."""
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> int:
        """Run the children; returns the exit code, 1 if a child can't be started."""
        runs = [_Run(child, self.pauses.shortest) for child in self.children]
        failed = ""
        try:
            while not self.signals and not failed:
                failed = next(filter(None, map(self._look_after, runs)), "")
                time.sleep(LOOK_SECONDS)
        finally:
            self._stop([run for run in runs if not run.child.last])
            self._stop([run for run in runs if run.child.last])
        if failed:
            self._print(f"Error: {failed}".encode())
        return 1 if failed else 0

    def take(self, number: int, _frame: object) -> None:
        """Signal handler: the first signal stops the children, a second one kills them."""
        self.signals.append(number)

    def _look_after(self, run: _Run) -> str:
        """Start or restart a due child; a sentence if it never starts."""
        if run.process is not None and not run.alive():
            run.kill_group()
            code, run.process = run.process.returncode, None
            return self._back_off(run, code)
        if run.process is not None or time.monotonic() < run.due:
            return ""
        run.started = time.monotonic()
        nothing, pipe, same = subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT
        try:  # in its own session, so that Ctrl-C reaches the supervisor alone
            run.process = subprocess.Popen(run.child.command, stdin=nothing, stdout=pipe, stderr=same, start_new_session=True)
        except OSError as problem:
            self._say(run.child, f"can't be started: {problem}".encode())
            return self._back_off(run, os.EX_UNAVAILABLE)
        threading.Thread(target=self._drain, args=(run.child, run.process.stdout), daemon=True).start()
        return ""

    def _back_off(self, run: _Run, code: int) -> str:
        """Schedule the restart; a sentence if it never starts."""
        if run.child.once:
            run.due = math.inf
            if code:
                self._say(run.child, f"{run.child.name} ended with code {code}".encode())
            return ""
        now = time.monotonic()
        well = now - run.started >= self.pauses.healthy
        run.was_well = run.was_well or well
        # A signal from outside doesn't show that the child can't start.
        run.false_starts = 0 if well or code < 0 else run.false_starts + 1
        if not run.was_well and run.false_starts >= self.pauses.false_starts:
            return (
                f"“{run.child.name}” ends as soon as it is started, {run.false_starts} times in a row; "
                "its last lines above say why. Everything is stopped."
            )
        pause = self.pauses.shortest if well else run.pause
        run.due, run.pause = now + pause, min(self.pauses.longest, pause * 2)
        self._say(run.child, f"ended with code {code}; it is started again in {pause:.1f} seconds".encode())
        return ""

    def _stop(self, runs: Sequence[_Run]) -> None:
        """Send SIGTERM, then SIGKILL after the timeout or a second signal."""
        for run in runs:
            if run.process is not None and run.alive():
                run.process.terminate()
        began = time.monotonic()
        while len(self.signals) < 2 and any(run.alive() for run in runs):
            patience = self.pauses.interrupted if signal.SIGINT in self.signals else self.pauses.farewell
            if time.monotonic() > began + patience:
                break
            time.sleep(LOOK_SECONDS)
        for run in runs:
            run.kill_group()

    def _drain(self, child: Child, pipe: IO[bytes]) -> None:
        """Pass output on. Keeps draining the pipe if stdout is closed, or the child would block."""
        with pipe:
            for line in pipe:
                if not child.hushed or not re.search(child.hushed.encode(), line.rstrip(b"\n")):
                    self._say(child, line.rstrip(b"\n"))

    def _say(self, child: Child, line: bytes) -> None:
        self._print(line if child.once else f"{child.name:<8}| ".encode() + line)

    def _print(self, line: bytes) -> None:
        with self._writing, contextlib.suppress(OSError, ValueError):
            self.out.write(line + b"\n")
            self.out.flush()


def command(children: Sequence[Child]) -> list[str]:
    """Command that supervises these children, in its own environment and working directory."""
    return [sys.executable, "-P", "-m", "service.ops.supervise", json.dumps([asdict(child) for child in children])]


def main(children: str) -> int:
    supervisor = Supervisor([Child(**given) for given in json.loads(children)])
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, supervisor.take)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    return supervisor.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
