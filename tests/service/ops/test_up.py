"""All of Writ as real processes: whatever is killed is restarted, and nothing that was answered is lost."""

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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from sqlmodel import select

from engine.game import Game
from engine.games import GAMES
from engine.language.words import Message
from service.games import boards
from service.ops import up
from service.people import accounts
from service.post import letters, links
from service.settings import Settings
from service.store import broker, queue
from service.store import database as db
from service.store.models import Letter, MatchStatus
from service.tools.demo import free_port
from tests.conftest import absent
from tests.once import started_before
from tests.service.conftest import Players, open_table
from tests.until import until
from workers import sweep
from workers.letters import delivery

WRIT = (sys.executable, "-m", "service.ops.cli")
INSTALLED = (str(Path(sys.executable).with_name("writ")),)
"""The command as it is installed: Python doesn't look where one stands."""
WRONG = "raise SystemExit('the wrong one')\n"
KEY = "a-key-for-tests-of-processes-of-32-letters"


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
    """A `writ` command, its output in a file in the data folder; it has to run to the end of the block, and to stop well."""
    with open(settings.data_folder / f"{command[0]}.log", "ab") as out:
        process = subprocess.Popen(
            [*writ, *command], env=environment(settings), stdout=out, stderr=out, start_new_session=True, cwd=folder
        )
    try:
        yield process
        assert process.poll() is None, said(settings, command[0])
        process.terminate()
        assert process.wait(40) == 0, said(settings, command[0])
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(40)


def said(settings: Settings, command: str) -> str:
    return (settings.data_folder / f"{command}.log").read_text(errors="replace")


def children(pid: int) -> dict[str, int]:
    """The processes that a process has started, by what they are."""
    found = {}
    for child in started(pid):
        try:
            status = Path(f"/proc/{child}/status").read_text()
            command = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if "\nState:\tZ" not in status:
            words = ("valkey-server", "service.web.serve", "-m workers", "service.ops.up")
            found[next((word for word in words if word in command), command)] = child
    return found


def started(pid: int) -> set[int]:
    """The process ids of what a process has started, in any of its threads."""
    found = set[int]()
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found |= {int(word) for word in (thread / "children").read_text().split()}
    return found


def house(folder: Path, **more: object) -> Settings:
    """A house in this folder; the database is there."""
    port = free_port()
    given = {"data_folder": folder, "secret_keys": (KEY,), "base_url": f"http://127.0.0.1:{port}", "port": port}
    found = Settings.model_validate(given | {"sqlite_synchronous": "NORMAL", "hold_seconds": 0} | more)
    db.migrate(found)
    started_before(folder)
    return found


class Traffic(threading.Thread):
    """Two people who answer whatever they are asked, at random, game after game, until they are told to stop."""

    def __init__(self, players: Players) -> None:
        super().__init__(daemon=True)
        self.players, self.stopped = players, threading.Event()
        self.keys: list[str] = []

    def run(self) -> None:
        rng = random.Random(5)
        while not self.stopped.wait(0.2):
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


PROGRAMS = {"valkey-server", "service.web.serve", "-m workers"}
POOL = 1 + Settings().letter_slots
"""Processes in the pool of `writ up`: one for games at least, and those that letters may take."""


def kill(up_: subprocess.Popen[bytes], pid: int, traffic: Traffic) -> None:
    """Kill a process of the house, and wait until it is whole again and plays."""
    os.kill(pid, signal.SIGKILL)

    def whole() -> bool:
        found = children(up_.pid)
        others = started(found.get("-m workers", 0))
        return set(found) == PROGRAMS and len(others) == POOL and pid not in {*found.values(), *others}

    until(whole, "what was killed stays away")
    moves_on(traffic, "the kill")


def kill_each(tmp_path: Path, rounds: int) -> None:
    settings = house(tmp_path)
    players = open_table(settings)
    traffic = Traffic(players)
    with running(settings, "up", "--no-first-game") as process:
        until(lambda: set(children(process.pid)) == PROGRAMS, "not everything starts")
        assert up.answers(f"{settings.base_url}/healthz")
        traffic.start()
        moves_on(traffic, "the start")
        for _ in range(rounds):
            for name in sorted(PROGRAMS):
                kill(process, children(process.pid)[name], traffic)
            for pid in sorted(started(children(process.pid)["-m workers"])):
                kill(process, pid, traffic)
        assert up.answers(f"{settings.base_url}/healthz") and broker.answers(settings)
        nothing_is_lost(traffic)
        until(lambda: {letter.status for letter in players.letters("started")} == {"sent"}, "letters lie about")
    db.engine_for(settings).dispose()
    print(f"{len(traffic.keys)} answers")


def test_whatever_is_killed_comes_back_and_play_goes_on(tmp_path: Path) -> None:
    kill_each(tmp_path, 1)


def test_a_worker_ends_with_its_beat_and_is_started_again(tmp_path: Path) -> None:
    """No sweep would come any more."""
    settings = house(tmp_path)
    for name in ("beat", "beat.db", "beat.dat", "beat.dir"):  # the names of its schedule, by kind of dbm
        (settings.data_folder / name / "in the way").mkdir(parents=True)
    with running(settings, "up", "--no-first-game"):
        until(
            lambda: re.search(r"worker +\| ended with code 0; it is started again", said(settings, "up")), "it goes on without"
        )


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
        redis.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        until(lambda: broker.answers(settings), "redis doesn't start")

    start()
    players = open_table(settings)
    traffic, rng = Traffic(players), random.Random(3)
    try:
        with running(settings, "worker", "--queues", "play", "--concurrency", "1") as worker, running(settings, "beat") as beat:
            traffic.start()
            moves_on(traffic, "the start")
            for _ in range(times):
                redis[-1].kill()
                redis[-1].wait()
                time.sleep(rng.choice([0.2, 1.0]))
                start()
                moves_on(traffic, "redis was away")
                time.sleep(rng.uniform(0, 1))
            assert worker.poll() is None and beat.poll() is None, "a process didn't outlive the broker"
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


def test_a_mail_server_that_hangs_holds_up_no_game(tmp_path: Path) -> None:
    """Letters take all of their slots, and many more tasks for letters wait; a move is still committed at once."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        settings = house(tmp_path, smtp_url=f"smtp://127.0.0.1:{deaf.getsockname()[1]}")
        valkey = subprocess.Popen(broker.command(settings))
        worker = subprocess.Popen([*WRIT, "worker", "--concurrency", "1"], env=environment(settings), start_new_session=True)
        try:
            until(lambda: broker.answers(settings), "the broker doesn't start")
            table = open_table(settings)
            until(lambda: len(table.asked()) == 2, "the game doesn't open")
            until(lambda: sending(settings) > 0, "no game letter is on its way")
            with db.transaction(settings) as session:
                account = accounts.by_email(session, "late@example.org")
                letters.sign_in(session, account, links.sign_in_link(session, account))
            until(lambda: all_slots_taken(settings), "letters don't take all of their slots")
            for _ in range(20):
                queue.send(settings, queue.DELIVER)
            began = time.monotonic()
            keys = [table.submit(seat, random.Random(1)) for seat in table.asked()]
            until(lambda: all(table.status(key) == "accepted" for key in keys), "play is held up")
            took = time.monotonic() - began
            assert took < 2, took
            assert all_slots_taken(settings)
        finally:
            for group in (worker, valkey):
                group.kill()
                group.wait()
            os.killpg(worker.pid, signal.SIGKILL)
            db.engine_for(settings).dispose()


def all_slots_taken(settings: Settings) -> bool:
    with delivery.letter_slot(settings) as slot:
        return slot is None


def test_a_worker_for_letters_alone_and_one_for_play_alone(tmp_path: Path) -> None:
    settings = house(tmp_path)
    valkey = subprocess.Popen(broker.command(settings))
    try:
        until(lambda: broker.answers(settings), "the broker doesn't start")
        with running(settings, "worker", "--queues", "play", "--concurrency", "1"):
            players = open_table(settings)
            until(lambda: len(players.asked()) == 2, "the worker doesn't play")
            time.sleep(1)
            assert all(letter.status == "queued" for letter in players.letters("started"))
        with running(settings, "worker", "--queues", "letters"):
            queue.send(settings, queue.DELIVER)
            until(lambda: {letter.status for letter in players.letters("started")} == {"sent"}, "letters lie about")
    finally:
        valkey.terminate()
        valkey.wait()
        db.engine_for(settings).dispose()


def sending(settings: Settings) -> int:
    with db.open_session(settings) as session:
        return len(session.exec(select(Letter.id).where(Letter.status == "sending")).all())


def test_tasks_for_a_dead_mail_server_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = house(tmp_path)
    monkeypatch.setattr(sweep, "MOST", 3)
    valkey = subprocess.Popen(broker.command(settings))
    try:
        until(lambda: broker.answers(settings), "the broker doesn't start")
        open_table(settings).adjudicate()
        with broker.client(settings) as desk:
            desk.flushdb()
        for _ in range(6):
            sweep.sweep(settings)
        assert 0 < broker.lengths(settings, (queue.LETTERS,))[queue.LETTERS] <= 3
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


def stand_in(settings: Settings, pids: Iterable[int]) -> bool:
    """Whether the data folder is the working directory of all these."""
    return {Path(f"/proc/{pid}/cwd").resolve() for pid in pids} == {settings.data_folder.resolve()}


def test_all_of_writ_starts_in_a_folder_whose_modules_are_called_as_ours(tmp_path: Path, misleading: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    settings = house(data)
    try:
        with running(settings, "up", "--no-first-game", folder=misleading, writ=INSTALLED) as process:
            players = open_table(settings)
            assert up.answers(f"{settings.base_url}/healthz"), said(settings, "up")
            until(lambda: len(players.asked()) == 2, "the worker doesn't play")
            with urllib.request.urlopen(settings.base_url) as page:
                assert b"the wrong one" not in page.read()
            until(lambda: set(children(process.pid)) == PROGRAMS, "not everything starts")
            assert stand_in(settings, children(process.pid).values())
        assert "the wrong one" not in said(settings, "up")
    finally:
        db.engine_for(settings).dispose()


PARTS = {"web": ("web",), "worker": ("worker", "--concurrency", "1"), "beat": ("beat",)}


@pytest.mark.parametrize("names", [["beat"], pytest.param([*PARTS], marks=pytest.mark.soak)], ids=["beat", "all"])
def test_its_parts_start_in_such_a_folder_too(tmp_path: Path, misleading: Path, names: list[str]) -> None:
    """`writ up` runs the others by the same commands (`up.web`, `up.worker`), and goes into the data folder as they do
    (`up.run`).
    """
    data = tmp_path / "data"
    data.mkdir()
    settings = house(data)
    valkey = subprocess.Popen(broker.command(settings))
    try:
        until(lambda: broker.answers(settings), "the broker doesn't start")
        with ExitStack() as house_:
            pids = [
                house_.enter_context(running(settings, *PARTS[name], folder=misleading, writ=INSTALLED)).pid for name in names
            ]
            if "web" in names:
                assert up.answers(f"{settings.base_url}/healthz"), said(settings, "web")
            if "worker" in names:
                players = open_table(settings)
                until(lambda: len(players.asked()) == 2, "the worker doesn't play")
            else:
                until(lambda: broker.lengths(settings, (queue.PLAY,))[queue.PLAY], "beat sends no sweep")
            until(lambda: stand_in(settings, pids), "they stand elsewhere")
        assert not any("the wrong one" in said(settings, name) for name in names)
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
    env = up.environment(Settings(database_url=given))
    assert env["WRIT_DATABASE_URL"] == passed_on.format(here=tmp_path.resolve())
    assert env["WRIT_DATA_FOLDER"] == str(tmp_path.resolve() / "data")


def test_the_mailbox_is_named_only_where_it_opens(tmp_path: Path) -> None:
    spoken: list[str] = []
    settings = house(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(up, "answers", lambda _url: True)
        for given in ({}, {"base_url": "https://writ.example"}, {"proxies": 1}, {"smtp_url": "smtp://127.0.0.1"}):
            up.announce(settings.model_copy(update=given), False, spoken.append)
    assert len([line for line in spoken if re.search("/mailbox", line)]) == 1


@pytest.mark.parametrize(("registration", "offered"), [("open", True), ("invitation", False)])
def test_tables_against_bots_come_first_and_the_table_by_letter_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registration: str, offered: bool
) -> None:
    spoken: list[str] = []
    monkeypatch.setattr(up, "answers", lambda _url: True)
    monkeypatch.setattr(up, "first_seat", lambda _settings: "http://127.0.0.1:1/t/seat")
    settings = house(tmp_path).model_copy(update={"registration": registration})
    up.announce(settings, True, spoken.append)
    first, second = spoken[:2]
    assert settings.base_url in first and ("play against bots there" in first) == offered
    assert second.endswith("by letter: http://127.0.0.1:1/t/seat")


def test_the_first_start_checks_the_one_game_that_it_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The web process checks all: here the others' templates would be parsed and compiled again."""
    settings, checked, real = house(tmp_path), list[str](), boards.fault
    db.migrate(settings)

    def fault(game: Game) -> Message | None:
        checked.append(game.name)
        return real(game)

    monkeypatch.setattr(queue, "send", lambda *_args, **_later: None)
    monkeypatch.setattr(boards, "fault", fault)
    assert "/t/" in up.first_seat(settings)
    assert set(checked) == {next(iter(GAMES))}


@pytest.mark.parametrize("user", [0, 1000])
def test_that_it_runs_as_root_is_said_once_and_in_a_line(tmp_path: Path, user: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spoken: list[str] = []
    monkeypatch.setattr(up, "answers", lambda _url: True)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    up.announce(house(tmp_path), False, spoken.append)
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
