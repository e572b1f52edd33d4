"""All of Writ as real processes: whatever is killed comes back by itself, and nothing that was answered is lost."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from sqlmodel import select

from service.ops import leash, supervise
from service.settings import Settings
from service.store import broker
from service.store import database as db
from service.store.models import Letter, MatchStatus
from service.tools.demo import free_port
from tests.conftest import absent
from tests.service.conftest import Players, open_table

WRIT = (sys.executable, "-m", "service.ops.cli")
INSTALLED = (str(Path(sys.executable).with_name("writ")),)
"""The command as it is installed: Python doesn't look where one stands."""
WRONG = "raise SystemExit('the wrong one')\n"
KEY = "a-key-for-tests-of-processes-of-32-letters"


def until(what: Callable[[], object], why: str, seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, why
        time.sleep(0.1)


def environment(settings: Settings) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("WRIT_")}
    return kept | {
        "WRIT_DATA_FOLDER": str(settings.data_folder),
        "WRIT_SECRET_KEYS": KEY,
        "WRIT_BASE_URL": settings.base_url,
        "WRIT_PORT": str(settings.port),
        "WRIT_BROKER_URL": settings.broker_url,
        "WRIT_SMTP_URL": settings.smtp_url,
        "WRIT_SWEEP_SECONDS": "1",
        "WRIT_HOLD_SECONDS": "0",
        "WRIT_SQLITE_SYNCHRONOUS": "NORMAL",
    }


@contextmanager
def running(
    settings: Settings, *command: str, folder: Path | None = None, writ: Sequence[str] = WRIT
) -> Iterator[subprocess.Popen[bytes]]:
    """A `writ` command, its output in a file beside the data."""
    with open(settings.data_folder / f"{command[0]}.log", "ab") as out:
        process = leash.begin(
            [*writ, *command], env=environment(settings), stdout=out, stderr=out, start_new_session=True, cwd=folder
        )
    try:
        yield process
        assert process.poll() is None, said(settings, command[0])
        process.terminate()
        assert process.wait(40) == 0, said(settings, command[0])
    finally:
        process.kill()
        process.wait()


def said(settings: Settings, command: str) -> str:
    return (settings.data_folder / f"{command}.log").read_text(errors="replace")


def children(pid: int) -> dict[str, int]:
    """The processes that a supervisor has started, by what they are."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            status = (entry / "status").read_text()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode() + (entry / "comm").read_text()
        except (FileNotFoundError, NotADirectoryError, ProcessLookupError):
            continue
        if f"\nPPid:\t{pid}\n" in status and "\nState:\tZ" not in status:
            words = ("valkey-server", "service.web.serve", "writ-play", "writ-letters", " beat ")
            forked = {"writ-web": "service.web.serve", "writ-beat": "beat"}
            name = next((word.strip() for word in words if word in command), command)
            name = next((known for word, known in forked.items() if command.endswith(f"{word}\n")), name)
            found[name] = int(entry.name)
    return found


def house(folder: Path, **more: object) -> Settings:
    """A house in this folder; the database is there."""
    port = free_port()
    given = {"data_folder": folder, "secret_keys": (KEY,), "base_url": f"http://127.0.0.1:{port}", "port": port}
    found = Settings.model_validate(given | {"sqlite_synchronous": "NORMAL", "hold_seconds": 0} | more)
    db.migrate(found)
    return found


class Traffic(threading.Thread):
    """Two people who answer whatever they are asked, at random, game after game, until they are told to stop."""

    def __init__(self, players: Players) -> None:
        super().__init__(daemon=True)
        self.players, self.stopped = players, threading.Event()
        self.keys: list[str] = []

    def run(self) -> None:
        rng = random.Random(5)
        while not self.stopped.wait(0.05):
            if self.over():
                self.players = open_table(self.players.settings)
            for seat in self.players.asked():
                try:
                    self.keys.append(self.players.submit(seat, rng))
                except Exception:  # asked already, say
                    continue

    def over(self) -> bool:
        """Whether the game that they play is over."""
        with db.open_session(self.players.settings) as session:
            return self.players.match(session).status == MatchStatus.FINISHED

    def accepted(self) -> int:
        return sum(self.players.status(key) == "accepted" for key in self.keys)


def moves_on(traffic: Traffic, what: str) -> None:
    """Wait until an answer is accepted that was given from now on."""
    before = len(traffic.keys)
    until(lambda: any(traffic.players.status(key) == "accepted" for key in traffic.keys[before:]), f"no play after {what}")


def nothing_is_lost(traffic: Traffic) -> None:
    traffic.stopped.set()
    traffic.join()

    def statuses() -> list[str]:
        return [traffic.players.status(key) for key in traffic.keys]

    until(lambda: "queued" not in statuses(), "an answer was never taken up")
    assert statuses().count("accepted") > 3


def another(parent: int, name: str, pid: int) -> bool:
    """Whether a child of that name is there, and it is not that one."""
    return children(parent).get(name, pid) != pid


def kill_each(tmp_path: Path, rounds: int) -> None:
    settings = house(tmp_path)
    players = open_table(settings)
    traffic = Traffic(players)
    kills = 0
    with running(settings, "up", "--no-first-game") as process:
        until(lambda: len(children(process.pid)) == 5, "not everything starts")
        assert supervise.answers(f"{settings.base_url}/healthz")
        traffic.start()
        moves_on(traffic, "the start")
        for _ in range(rounds):
            for name in ("writ-play", "valkey-server", "service.web.serve", "writ-letters", "beat"):
                pid = children(process.pid)[name]
                os.kill(pid, signal.SIGKILL)
                kills += 1
                until(partial(another, process.pid, name, pid), f"{name} stays away")
                moves_on(traffic, name)
        assert supervise.answers(f"{settings.base_url}/healthz") and broker.answers(settings)
        nothing_is_lost(traffic)
        until(lambda: {letter.status for letter in players.letters("started")} == {"sent"}, "letters lie about")
    assert "Traceback" not in said(settings, "up").replace('"exception": "Traceback', "")
    db.engine_for(settings).dispose()
    print(f"{kills} kills, {len(traffic.keys)} answers")


def test_whatever_is_killed_comes_back_and_play_goes_on(tmp_path: Path) -> None:
    kill_each(tmp_path, 1)


@pytest.mark.soak
def test_whatever_is_killed_again_and_again_comes_back(tmp_path: Path) -> None:
    kill_each(tmp_path, 12)


def lose_redis(tmp_path: Path, times: int) -> None:
    server = shutil.which("redis-server") or absent("There is no redis-server on this machine")
    port = free_port()
    settings = house(tmp_path, broker_url=f"redis://127.0.0.1:{port}/0")
    redis: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        command = [server, "--port", str(port), "--save", "", "--appendonly", "no"]
        redis.append(leash.begin(command, stdout=subprocess.DEVNULL))
        until(lambda: broker.answers(settings), "redis doesn't start")

    start()
    players = open_table(settings)
    traffic, rng = Traffic(players), random.Random(3)
    try:
        with running(settings, "worker", "--queues", "play", "--concurrency", "1") as worker, running(settings, "beat") as beat:
            until(lambda: children(worker.pid) and children(beat.pid), "nothing starts")
            traffic.start()
            moves_on(traffic, "the start")
            before = children(worker.pid) | children(beat.pid)
            for _ in range(times):
                redis[-1].kill()
                redis[-1].wait()
                time.sleep(rng.choice([0.2, 1.0]))
                start()
                moves_on(traffic, "redis was away")
                time.sleep(rng.uniform(0, 1))
            assert children(worker.pid) | children(beat.pid) == before, "a process didn't outlive the broker"
            nothing_is_lost(traffic)
    finally:
        redis[-1].kill()
        redis[-1].wait()
        db.engine_for(settings).dispose()
    assert "Unrecoverable" not in said(settings, "worker")
    print(f"redis killed {times} times, {len(traffic.keys)} answers")


@pytest.mark.services
def test_worker_and_beat_outlive_a_redis_that_dies(tmp_path: Path) -> None:
    lose_redis(tmp_path, 2)


@pytest.mark.soak
@pytest.mark.services
def test_worker_and_beat_outlive_a_redis_that_dies_often(tmp_path: Path) -> None:
    lose_redis(tmp_path, 20)


def test_a_mail_server_that_takes_its_time_holds_up_no_game(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        settings = house(tmp_path, smtp_url=f"smtp://127.0.0.1:{deaf.getsockname()[1]}")
        command = broker.command(settings)
        valkey = leash.begin(command)
        try:
            until(lambda: broker.answers(settings), "the broker doesn't start")
            tables = [open_table(settings) for _ in range(4)]  # their letters fill every thread for letters
            with running(settings, "worker", "--concurrency", "1") as worker:
                until(lambda: len(children(worker.pid)) == 2, "not every worker starts")
                until(lambda: all(len(table.asked()) == 2 for table in tables), "the games don't open")
                until(lambda: sending(settings) >= supervise.LETTER_THREADS, "no letter is on its way")
                began = time.monotonic()
                keys = [tables[0].submit(seat, random.Random(1)) for seat in tables[0].asked()]
                until(lambda: all(tables[0].status(key) == "accepted" for key in keys), "play is held up")
                took = time.monotonic() - began
                assert took < 5, took
                assert sending(settings) >= supervise.LETTER_THREADS
                worker.send_signal(signal.SIGINT)
                time.sleep(0.5)
                worker.send_signal(signal.SIGINT)  # at once: the letters would wait for their half minute
                assert worker.wait(20) == 0
                worker.poll = lambda: None  # type: ignore[method-assign]  # it has ended, as it should
                print(f"{sending(settings)} letters stuck, answers taken up after {took:.2f} s")
        finally:
            valkey.terminate()
            valkey.wait()
            db.engine_for(settings).dispose()


def sending(settings: Settings) -> int:
    with db.open_session(settings) as session:
        return len(session.exec(select(Letter.id).where(Letter.status == "sending")).all())


def test_tasks_for_a_dead_mail_server_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from service.store import queue
    from workers import sweep

    settings = house(tmp_path)
    monkeypatch.setattr(sweep, "MOST", 3)
    valkey = leash.begin(broker.command(settings))
    try:
        until(lambda: broker.answers(settings), "the broker doesn't start")
        open_table(settings).adjudicate()
        with broker.client(settings) as desk:
            desk.flushdb()
        for _ in range(6):
            sweep.sweep(settings)
        assert 0 < broker.waiting(settings, queue.LETTERS) <= 3
    finally:
        valkey.terminate()
        valkey.wait()
        db.engine_for(settings).dispose()


@pytest.fixture
def misleading(tmp_path: Path) -> Path:
    """A folder with folders and modules of our names, and of those that we lean on; each ends whoever takes it."""
    stands = tmp_path / "elsewhere"
    for package in ("engine", "service", "workers", "templates", "migrations"):
        (stands / package).mkdir(parents=True)
        (stands / package / "__init__.py").write_text(WRONG)
    for module in ("celery", "flask", "service/settings", "workers/app", "workers/__main__", "migrations/env"):
        (stands / f"{module}.py").write_text(WRONG)
    (stands / "templates" / "layout.html").write_text("the wrong one")
    return stands


def stand_in(settings: Settings, pid: int) -> bool:
    """Whether all that the process has started stands in the data folder."""
    folders = [Path(f"/proc/{child}/cwd").resolve() for child in children(pid).values()]
    return bool(folders) and set(folders) == {settings.data_folder.resolve()}


def test_all_of_writ_starts_in_a_folder_whose_modules_are_called_as_ours(tmp_path: Path, misleading: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    settings = house(data)
    try:
        with running(settings, "up", "--no-first-game", folder=misleading, writ=INSTALLED) as process:
            players = open_table(settings)
            assert supervise.answers(f"{settings.base_url}/healthz"), said(settings, "up")
            until(lambda: len(players.asked()) == 2, "the worker doesn't play")
            with urllib.request.urlopen(settings.base_url) as page:
                assert b"the wrong one" not in page.read()
            until(lambda: len(children(process.pid)) == 5, "not everything starts")
            assert stand_in(settings, process.pid)
        assert "the wrong one" not in said(settings, "up")
    finally:
        db.engine_for(settings).dispose()


def test_its_parts_start_in_such_a_folder_too(tmp_path: Path, misleading: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    settings = house(data)
    valkey = leash.begin(broker.command(settings))
    parts = {"web": ("web", "--workers", "1"), "worker": ("worker", "--concurrency", "1"), "beat": ("beat",)}
    try:
        until(lambda: broker.answers(settings), "the broker doesn't start")
        with ExitStack() as house_:
            pids = [
                house_.enter_context(running(settings, *command, folder=misleading, writ=INSTALLED)).pid
                for command in parts.values()
            ]
            assert supervise.answers(f"{settings.base_url}/healthz"), said(settings, "web")
            players = open_table(settings)
            until(lambda: len(players.asked()) == 2, "the worker doesn't play")
            until(lambda: all(stand_in(settings, pid) for pid in pids), "they stand elsewhere")
        assert not any("the wrong one" in said(settings, name) for name in parts)
    finally:
        valkey.terminate()
        valkey.wait()
        db.engine_for(settings).dispose()


@pytest.mark.parametrize(
    ("given", "passed_on"),
    [
        ("sqlite:///writ.db", "sqlite:///{here}/writ.db"),
        ("sqlite:////srv/writ.db", "sqlite:////srv/writ.db"),
        ("postgresql+psycopg://writ:se%40cret@db.example/writ", "postgresql+psycopg://writ:se%40cret@db.example/writ"),
    ],
)
def test_children_find_the_same_database_from_where_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, passed_on: str
) -> None:
    monkeypatch.chdir(tmp_path)
    env = supervise.environment(Settings(database_url=given))
    assert env["WRIT_DATABASE_URL"] == passed_on.format(here=tmp_path.resolve())
    assert env["WRIT_DATA_FOLDER"] == str(tmp_path.resolve() / "data")


def test_the_mailbox_is_named_only_where_it_opens(tmp_path: Path) -> None:
    spoken: list[str] = []
    settings = house(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervise, "answers", lambda _url: True)
        for given in ({}, {"base_url": "https://writ.example"}, {"proxies": 1}, {"smtp_url": "smtp://127.0.0.1"}):
            supervise._announce(settings.model_copy(update=given), "", spoken.append)
    assert len([line for line in spoken if re.search("/mailbox", line)]) == 1


@pytest.mark.parametrize("user", [0, 1000])
def test_that_it_runs_as_root_is_said_once_and_in_a_line(tmp_path: Path, user: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spoken: list[str] = []
    monkeypatch.setattr(supervise, "answers", lambda _url: True)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    supervise._announce(house(tmp_path), "", spoken.append)
    assert len([line for line in spoken if "runs as root" in line]) == (user == 0)


def test_workers_that_run_as_root_leave_it_at_that(tmp_path: Path) -> None:
    asked = "import os, workers.app; os.getuid = os.geteuid = lambda: 0; from celery import platforms as p; "
    ran = subprocess.run(
        (sys.executable, "-c", asked + "p.check_privileges(['json'])"),
        env=environment(house(tmp_path)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("after", ["migration", "start"])
def test_a_ctrl_c_ends_the_first_start_at_once(tmp_path: Path, after: str) -> None:
    """While the tables are made, while processes are started: it doesn't go on with what comes next."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("WRIT_")}
    env |= {"WRIT_DATA_FOLDER": str(tmp_path), "WRIT_PORT": str(free_port())}
    with open(tmp_path / "said.log", "wb") as out:
        process = subprocess.Popen([*WRIT, "up"], env=env, stdout=out, stderr=out, start_new_session=True)
    there = tmp_path / ("writ.db" if after == "migration" else "valkey.sock")
    try:
        until(there.exists, "nothing begins")
        os.killpg(process.pid, signal.SIGINT)
        began = time.monotonic()
        process.wait(60)
        # Two seconds on a machine that has nothing else to do.
        assert time.monotonic() - began < 8
        told = (tmp_path / "said.log").read_text(errors="replace")
        assert "Traceback" not in told and "Writ is up" not in told, told
        assert not broker.answers(Settings(data_folder=tmp_path))
    finally:
        process.kill()
        process.wait()
