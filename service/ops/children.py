"""Child processes that are kept running: one that ends is started again by itself, later and later while it keeps ending.

Ours, because honcho stops all when one ends, and supervisord and circus are services with files and sockets of their own.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO, Protocol

from service.ops import leash

SHORTEST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds before a child is started again; they double with every time that it ends soon after its start."""
HEALTHY_SECONDS = 15.0
"""A child that ran this long counts as well: the next pause is the shortest again."""
MOST_FALSE_STARTS = 6
"""A child that has never been well and has stopped this often by itself is not going to start here."""
FAREWELL_SECONDS = 20.0
"""How long children may take to finish what they are at when all is to stop."""
INTERRUPTED_SECONDS, BASIS_SECONDS = 0.8, 0.3
"""The same after a Ctrl-C, for the children and then for those on which they lean: who presses it waits for the prompt. What is
ended in the middle of something does it again after the next start."""
LOOK_SECONDS = 0.1


class CannotRun(Exception):
    """A child doesn't start, however often it is tried; the sentence says which."""


class Stopped(BaseException):
    """This process was told to stop while it was starting its children."""


class Process(Protocol):
    """What is asked of a running process."""

    pid: int

    @property
    def stdout(self) -> IO[bytes] | None: ...
    @property
    def returncode(self) -> Any: ...
    def poll(self) -> int | None: ...
    def terminate(self) -> None: ...
    def wait(self) -> int: ...


@dataclass
class Child:
    """One process to be kept running, and how it has fared."""

    name: str
    command: list[str]
    env: dict[str, str]
    folder: str = ""
    """Its working directory; empty for this process's own."""
    basis: bool = False
    """Whether the others lean on it: it is stopped after them."""
    hushed: re.Pattern[bytes] | None = None
    """Lines of its output that nobody needs to read."""
    process: Process | None = None
    started: float = 0.0
    due: float = 0.0
    """When it is to be started again, on the monotonic clock."""
    pause: float = SHORTEST_PAUSE
    false_starts: int = 0
    was_well: bool = False
    farewell: str = ""
    """How it ended last, in words."""

    def start(self) -> None:
        """Start it in a process group of its own, so that a Ctrl-C reaches the parent alone, and it can be ended whole."""
        self.started = time.monotonic()
        self.process = self.launch()

    def launch(self) -> Process:
        """Make the process."""
        return leash.begin(
            self.command,
            env=self.env,
            cwd=self.folder or None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def ended(self) -> bool:
        """Whether it runs no more; what it has left behind is ended then, and its next start set."""
        if self.process is None or self.process.poll() is None:
            return False
        self.end_group()
        code, self.process = self.process.returncode, None
        now = time.monotonic()
        well = now - self.started >= HEALTHY_SECONDS
        self.was_well = self.was_well or well
        # A signal says that somebody else has ended it, and nothing about whether it can start.
        self.false_starts = 0 if well or code < 0 else self.false_starts + 1
        self.pause = SHORTEST_PAUSE if well else self.pause
        self.due, self.pause = now + self.pause, min(LONGEST_PAUSE, self.pause * 2)
        self.farewell = f"ended with code {code}; it is started again in {self.due - now:.1f} seconds"
        return True

    def end_group(self) -> None:
        """End the process and all that it has started, at once."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


@dataclass
class Family:
    """The children of this process. Everything here is called from the main thread, to which they are bound."""

    out: BinaryIO = field(default_factory=lambda: sys.stdout.buffer)
    width: int = 8
    children: list[Child] = field(default_factory=list)
    stopping: int = 0
    """How often this process was told to stop."""
    interrupted: bool = False
    """Whether by a Ctrl-C."""
    starting: bool = False
    """Whether a word to stop breaks off what this process does: see `starting_up`."""
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def add(self, child: Child) -> None:
        """Start a child; it is kept running from then on."""
        self.children.append(child)
        self._start(child)

    @contextlib.contextmanager
    def starting_up(self) -> Iterator[None]:
        """A block that a word to stop breaks off at once: it raises Stopped, but never in the middle of starting a child."""
        self.starting = True
        try:
            self._break_off()
            yield
        finally:
            self.starting = False

    def _break_off(self) -> None:
        if self.starting and self.stopping:
            raise Stopped

    def told(self, number: int, _frame: object) -> None:
        """Take a signal to stop."""
        self.stopping += 1
        self.interrupted = self.interrupted or number == signal.SIGINT
        self._break_off()

    def _start(self, child: Child) -> None:
        starting, self.starting = self.starting, False
        try:
            child.start()
        finally:
            self.starting = starting
        assert child.process is not None and child.process.stdout is not None
        threading.Thread(target=self._pass_on, args=(child, child.process.stdout), daemon=True).start()
        self._break_off()

    def _pass_on(self, child: Child, said: IO[bytes]) -> None:
        """Write what a child says, each line after its name. Keeps draining the pipe when nobody reads, or the child blocks."""
        with said:
            for line in said:
                if child.hushed is None or not child.hushed.search(line):
                    self._say(child.name, line.rstrip(b"\n"))

    def _say(self, name: str, line: bytes) -> None:
        with self._writing, contextlib.suppress(OSError, ValueError):
            self.out.write(f"{name:<{self.width}}| ".encode() + line + b"\n")
            self.out.flush()

    def keep(self) -> None:
        """Start again whatever ends, until this process is told to stop. Raises CannotRun if a child never gets going."""
        while not self.stopping:
            for child in self.children:
                if child.ended():
                    self._mourn(child)
                if child.process is None and time.monotonic() >= child.due:
                    self._start(child)
            time.sleep(LOOK_SECONDS)

    def _mourn(self, child: Child) -> None:
        if not child.was_well and child.false_starts >= MOST_FALSE_STARTS:
            raise CannotRun(
                f"“{child.name}” ends as soon as it is started, {child.false_starts} times in a row; "
                "its last lines above say why. Everything is stopped."
            )
        self._say(child.name, child.farewell.encode())

    def wait_for(self, there: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is there; False when it isn't in time, or this process is told to stop."""
        until = time.monotonic() + seconds
        while not (found := there()) and not self.stopping and time.monotonic() < until:
            time.sleep(LOOK_SECONDS / 2)
        return found

    def stop(self) -> None:
        """Tell all children to stop, those last on which the others lean. Who takes too long is ended."""
        for batch in ([c for c in self.children if not c.basis], [c for c in self.children if c.basis]):
            for child in batch:
                if child.process is not None and child.process.poll() is None:
                    with contextlib.suppress(ProcessLookupError):
                        child.process.terminate()
            began = time.monotonic()
            while any(c.process is not None and c.process.poll() is None for c in batch):
                if time.monotonic() > began + self._farewell(batch) or self.stopping > 1:
                    break  # told twice is meant at once
                time.sleep(LOOK_SECONDS / 2)
            for child in batch:
                child.end_group()
                if child.process is not None:
                    child.process.wait()

    def _farewell(self, batch: Sequence[Child]) -> float:
        """Seconds that these may take to finish what they are at."""
        if not self.interrupted:
            return FAREWELL_SECONDS
        return BASIS_SECONDS if any(child.basis for child in batch) else INTERRUPTED_SECONDS


@contextlib.contextmanager
def family() -> Iterator[Family]:
    """A family that ends with the block; Ctrl-C and SIGTERM tell it to stop."""
    found = Family()
    before = {number: signal.signal(number, found.told) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield found
    finally:
        found.stop()
        for number, handler in before.items():
            signal.signal(number, handler)


def commanded(children: Sequence[Child]) -> list[str]:
    """The command of a small process that does nothing but keep these running, in its own environment."""
    described = json.dumps([[child.name, child.command, child.folder] for child in children])
    return [sys.executable, "-P", "-m", "service.ops.children", described]


def main(described: str) -> int:
    """Keep the children of such a command running until told to stop; the exit code."""
    with family() as running:
        for name, command, folder in json.loads(described):
            running.add(Child(name, command, dict(os.environ), folder))
        try:
            running.keep()
        except CannotRun as reason:
            print(f"Error: {reason}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
