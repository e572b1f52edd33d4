"""`writ` commands run in a forked copy of this process, with the face of `subprocess.Popen`.

A real process spends one or two seconds of processor time on imports, a fork none. At least one test per command starts a real
process; what the others print and return is the same in a fork.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence

import alembic.command  # noqa: F401  (what commands import when they run: each copy would do it again)

import service.inbox.receiving
import service.ops.up  # noqa: F401  (as above)
from service import settings
from service.ops.cli import main

FORK = multiprocessing.get_context("fork")


class Forked:
    """A forked command. Dispose of an engine of this process first if the command uses the same database."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str], given: bytes = b"") -> None:
        self.files = tuple(tempfile.TemporaryFile() for _ in range(3))  # noqa: SIM115  (for the life of the process)
        self.files[0].write(given)
        self.files[0].seek(0)
        self._process = FORK.Process(target=self._live, args=(list(words), dict(env)))
        self._process.start()

    def _live(self, words: list[str], env: dict[str, str]) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for number, file in enumerate(self.files):
            os.dup2(file.fileno(), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  (for the life of the process)
        sys.stdout = open(1, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115  (as above)
        sys.stderr = open(2, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115  (as above)
        for handler in list(logging.getLogger().handlers):  # those of pytest
            logging.getLogger().removeHandler(handler)
        warnings.simplefilter("ignore")
        os.environ.clear()
        os.environ.update(env)
        settings.load.cache_clear()
        main(words, prog_name="writ")

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def communicate(self, timeout: float) -> tuple[bytes, bytes]:
        """Wait until it has ended; what it has written to standard output and to standard error."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            self.kill()
            raise subprocess.TimeoutExpired("writ", timeout)
        return self.written(1), self.written(2)

    def written(self, number: int) -> bytes:
        """What it has written to that file up to now."""
        length = os.fstat(self.files[number].fileno()).st_size
        return os.pread(self.files[number].fileno(), length, 0)

    def send_signal(self, number: int) -> None:
        if self._process.pid is not None and self._process.exitcode is None:
            os.kill(self._process.pid, number)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
