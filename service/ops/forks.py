"""Child processes that are forked from this one, which has read all of Writ: they share the memory that it lies in.

What each of them would read anew takes 100 MB; forked, a child has what it writes to of its own, a third of that. `writ up`
starts its processes so, on one machine; each of `writ web`, `writ worker` and `writ beat` stays a program of its own.

Ours, because the ready-made ones fork before they know what to become: multiprocessing's fork server reads modules by name
and keeps nothing running, and Gunicorn's and Celery's own preloading is for their own workers alone.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import multiprocessing
import os
import runpy
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import BinaryIO, TypeVar

from sqlalchemy import make_url

from engine.games import GAMES
from service.common.settled import settle
from service.ops import leash
from service.ops.children import Child
from service.settings import load

FORK = multiprocessing.get_context("fork")
PR_SET_NAME = 15
T = TypeVar("T")
MODULES = (
    "waitress.server",
    "service.web.warm",
    "workers.tasks",
    "celery.app.amqp",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.app.routes",
    "celery.bin.worker",
    "celery.bin.beat",
    "celery.apps.worker",
    "celery.apps.beat",
    "celery.concurrency.solo",
    "celery.concurrency.thread",
    "billiard.pool",
    "celery.events",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.control",
    "celery.worker.pidbox",
    "celery.worker.strategy",
    "celery.worker.worker",
    "kombu.transport.redis",
    "dbm.dumb",
    "encodings.idna",
    "encodings.latin_1",
)
"""By name, as on a command line: the service knows the workers as programs."""
DATABASES = {"sqlite": ("sqlite3", "sqlalchemy.dialects.sqlite"), "postgresql": ("sqlalchemy.dialects.postgresql.psycopg",)}
"""What each kind of database needs besides."""
WARM = ("service.web.warm", "workers.warm")
"""By name as well: what these make by `share` is made once for all children."""
TOLD_BY = (signal.SIGINT, signal.SIGTERM)


class Running:
    """A forked process, with the face of one that was started by `subprocess`."""

    def __init__(self, deed: Callable[[int], None]) -> None:
        end, begin = os.pipe()
        self._process = FORK.Process(target=deed, args=(begin,))
        # A signal that comes between the fork and the child's own handlers waits for these.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, TOLD_BY)
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.close(begin)
        self.stdout: BinaryIO = os.fdopen(end, "rb")
        self.pid = self._process.pid or 0

    @property
    def returncode(self) -> int:
        """How it ended: negative for the signal that did it."""
        return self._process.exitcode or 0

    def poll(self) -> int | None:
        """The same, or None while it runs."""
        return self._process.exitcode

    def terminate(self) -> None:
        """Tell it to stop."""
        self._process.terminate()

    def wait(self) -> int:
        """Wait until it has ended."""
        self._process.join()
        return self.returncode


class Forked(Child):
    """A process whose command is `python -m MODULE …`, and which does what that would without reading it all anew."""

    def launch(self) -> Running:
        """Fork it."""
        return Running(functools.partial(self._live, os.getpid()))

    def _live(self, parent: int, out: int) -> None:
        """All of the child's life."""
        os.setsid()
        leash.bind(parent)
        for number in TOLD_BY:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, TOLD_BY)
        _call_itself(f"writ-{self.name}")
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.close(out)
        # New ones: a thread of the parent's may have been writing by the old ones, and their locks would never open here.
        sys.stdout = open(1, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115  (for the life of the process)
        sys.stderr = open(2, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115  (the same)
        os.environ.update(self.env)
        os.chdir(self.folder or ".")
        module, *words = self.command[self.command.index("-m") + 1 :]
        sys.argv = [module, *words]
        runpy.run_module(module, run_name="__main__", alter_sys=True)


def aside(deed: Callable[..., T], *args: object) -> T:
    """What a deed gives that is done in a process of its own: what it loads and opens is not there when others are forked."""
    receive, send = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_do_aside, args=(os.getpid(), send, deed, args))
    process.start()
    send.close()
    try:
        given: T | _Failed = receive.recv()
        process.join()
    except EOFError:
        process.join()
        raise RuntimeError(f"A process of its own ended with code {process.exitcode} before it was done.") from None
    finally:
        if process.exitcode is None:  # interrupted: nobody waits for it any more
            process.kill()
            process.join()
    if isinstance(given, _Failed):
        raise given.problem from RuntimeError(given.trace)
    return given


@dataclass
class _Failed:
    """What a deed has raised in its own process, and where."""

    problem: Exception
    trace: str


def _do_aside(parent: int, send: Connection, deed: Callable[..., object], args: tuple[object, ...]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C ends it by its parent
    leash.bind(parent)
    try:
        given = deed(*args)
    except Exception as problem:
        send.send(_Failed(problem, traceback.format_exc()))
    else:
        send.send(given)


def preload() -> None:
    """Load what the children need, and put it aside for good, so that no collection of theirs writes to what they share.

    Nothing is opened: what is connected must not be shared.
    """
    for module in (*MODULES, *DATABASES[make_url(load().database).get_backend_name()]):
        importlib.import_module(module)
    list(GAMES.values())  # each is read when it is first asked for
    for module in WARM:
        importlib.import_module(module).share()
    settle()


def _call_itself(name: str) -> None:
    """Have the system list this process by that name."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0)
