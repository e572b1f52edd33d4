"""A house of real processes for the soak run: PostgreSQL, Redis, SMTP, web, worker and beat, each killed and started again."""

from __future__ import annotations

import contextlib
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from service.tools.demo import free_port


@dataclass
class Process:
    """One process of the house, in a group of its own."""

    name: str
    command: list[str]
    env: dict[str, str]
    log: Path
    user: str = ""
    running: subprocess.Popen[bytes] | None = None
    kills: int = 0

    def start(self) -> None:
        with open(self.log, "ab") as out:
            self.running = subprocess.Popen(
                self.command, env=self.env, stdout=out, stderr=out, start_new_session=True, user=self.user or None
            )

    def kill(self) -> None:
        """Kill the process and all that it started, without a word of warning."""
        if self.running is not None:
            for pid in (self.running.pid, *_offspring(self.running.pid)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.running.wait()
            self.running = None
            self.kills += 1


def _offspring(pid: int) -> list[int]:
    """What a process has started, and what that has started."""
    try:
        own = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []
    return own + [found for child in own for found in _offspring(child)]


@dataclass
class House:
    """The processes and where they are reached."""

    folder: Path
    base: str
    database: str
    broker: str
    smtp: str
    mail: Path
    env: dict[str, str]
    processes: list[Process] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    calm: threading.Event = field(default_factory=threading.Event)
    """Set as soon as nothing is killed any more."""

    def process(self, name: str) -> Process:
        return next(p for p in self.processes if p.name == name)

    def haunt(self, seconds: float, rng: random.Random) -> None:
        """For so long, kill a process every few seconds and start it again after a while.

        It returns when the house is closed and not before: what a thread has started ends with it.
        """
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.stopped.wait(rng.uniform(4, 14)):
            victim = rng.choice(self.processes)
            victim.kill()
            self.stopped.wait(rng.uniform(0.2, 6))
            victim.start()
        for process in self.processes:
            if process.running is None or process.running.poll() is not None:
                process.start()
        self.calm.set()
        self.stopped.wait()

    def close(self) -> None:
        self.stopped.set()
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            if "-D" in process.command:
                shutil.rmtree(process.command[process.command.index("-D") + 1], ignore_errors=True)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _await(port: int, seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not _listens(port):
        assert time.monotonic() < until, f"nothing listens on port {port}"
        time.sleep(0.1)


def _postgres(folder: Path, env: dict[str, str]) -> tuple[Process, str]:
    """A PostgreSQL cluster of its own; it won't run as root, so root runs it as `postgres`."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    user = "postgres" if os.geteuid() == 0 else ""
    # Not below the folder of the test, which nobody but its owner may enter.
    data = Path(tempfile.mkdtemp(prefix="writ-soak-"))
    if user:
        found = pwd.getpwnam(user)
        os.chown(data, found.pw_uid, found.pw_gid)
    init = [str(binaries / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "--no-sync"]
    subprocess.run(init, user=user or None, check=True, stdout=subprocess.DEVNULL, cwd="/")
    port = free_port()
    command = [str(binaries / "postgres"), "-D", str(data), "-p", str(port), "-k", str(data), "-h", "127.0.0.1"]
    return Process("postgres", command, env, folder / "postgres.log", user), (
        f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres?connect_timeout=3"
    )


@contextlib.contextmanager
def open_house(folder: Path) -> Iterator[House]:
    """All processes, started; killed at the end."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("WRIT_")}
    postgres, database = _postgres(folder, env)
    web, redis, smtp = free_port(), free_port(), free_port()
    server = shutil.which("redis-server")
    assert server, "the soak run needs redis-server"
    base, mail = f"http://127.0.0.1:{web}", folder / "mail"
    broker = f"redis://127.0.0.1:{redis}/0"
    own = env | {
        "WRIT_BASE_URL": base,
        "WRIT_PORT": str(web),
        "WRIT_DATA_FOLDER": str(folder / "data"),
        "WRIT_DATABASE_URL": database,
        "WRIT_BROKER_URL": broker,
        "WRIT_SMTP_URL": f"smtp://127.0.0.1:{smtp}",
        "WRIT_SECRET_KEYS": "a-key-for-the-soak-run-of-32-letters-and-more",
        "WRIT_HOLD_SECONDS": "1",
        "WRIT_SWEEP_SECONDS": "1",
        "WRIT_DOWN_SECONDS": "5",
        "PYTHONUNBUFFERED": "1",
    }
    house = House(folder, base, database, broker, f"smtp://127.0.0.1:{smtp}", mail, own)
    writ = [sys.executable, "-m", "service.ops.cli"]
    sink = [sys.executable, str(Path(__file__).with_name("sink.py")), str(smtp), str(mail)]
    house.processes = [
        postgres,
        Process("redis", [server, "--port", str(redis), "--save", "", "--appendonly", "no"], env, folder / "redis.log"),
        Process("smtp", sink, env, folder / "smtp.log"),
        Process("web", [*writ, "web"], own, folder / "web.log"),
        Process("worker", [*writ, "worker"], own, folder / "worker.log"),
        Process("beat", [*writ, "beat"], own, folder / "beat.log"),
    ]
    try:
        for process in house.processes[:3]:
            process.start()
        for port in (int(database.partition("127.0.0.1:")[2].partition("/")[0]), redis, smtp):
            _await(port)
        subprocess.run([*writ, "migrate"], env=own, check=True, stdout=subprocess.DEVNULL)
        for process in house.processes[3:]:
            process.start()
        _await(web, 180)
        yield house
    finally:
        house.close()
