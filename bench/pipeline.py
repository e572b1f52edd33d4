"""Benchmark: moves per second from post to commit (PostgreSQL, Redis), and CPU time per move.

    python bench/pipeline.py [--seconds 20] [--games 24] [--game ortus] [--webs N] [--workers 1,2,4]
    python bench/pipeline.py --against TREE [--rounds 5]

Six random players per game; twelve games would leave a fast service idle. The client knows each seed, so its work is one POST
per move; a move counts once it is logged. CPU time covers web, workers and PostgreSQL (/proc). First, one game alone measures
latency; no-op tasks and single-row commits are baselines. Web processes and workers are as in `writ up`, or `--webs`;
`--workers` measures these numbers of playing processes in turn, with one more worker for letters. `--against` alternates with
the same benchmark of another tree. `WRIT_TEST_POSTGRES` and `WRIT_TEST_REDIS` name the servers; the Redis database is flushed.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import uuid
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
# Not bench/: its engine.py would shadow the package.
sys.path[:1] = [str(HERE)]

import msgspec
import psycopg
import redis
from sqlalchemy import create_engine, make_url, text

from bench import noop
from bench.figures import compared, family, figure, machine
from engine.bots.random import legal_at_random
from engine.core.asks import write
from engine.core.chance import Chance
from engine.play import match as matches
from engine.play import orders
from service.games import lobby
from service.ops import up
from service.people import accounts
from service.post import links
from service.settings import Settings
from service.store import queue
from service.store.database import migrate, open_session, transaction
from service.store.seats import by_match_id, seats_of
from service.tools.demo import free_port
from service.tools.robot import Browser

POSTGRES = os.environ.get("WRIT_TEST_POSTGRES", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
REDIS = os.environ.get("WRIT_TEST_REDIS", "redis://127.0.0.1:6379/15")
SEATS = 6
WORKERS = 2
TASKS = 3000
ALONE = 60
"""Posts in the lone game."""
LISTENS = "0A"
"""LISTEN in /proc/net/tcp."""
READY_SECONDS = 300
"""All processes start at once on a busy machine."""


@contextlib.contextmanager
def database() -> Iterator[str]:
    """The URL of a temporary database."""
    server = create_engine(POSTGRES, isolation_level="AUTOCOMMIT")
    name = f"writ_bench_{uuid.uuid4().hex[:10]}"
    with server.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    try:
        yield make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    finally:
        with server.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@contextlib.contextmanager
def process(command: list[str], settings: Settings) -> Iterator[int]:
    """Run a process of the service; yields its pid."""
    given = {"WRIT_DATABASE_URL": settings.database_url, "WRIT_BROKER_URL": settings.broker_url}
    env = {**up.environment(settings), **given, "WRIT_SECRET_KEYS": ",".join(settings.secret_keys)}
    with open(settings.data_folder / "processes.log", "ab") as log:
        running = subprocess.Popen(command, env={**env, "PYTHONPATH": str(HERE)}, stdout=log, stderr=log, cwd=HERE)
        try:
            yield running.pid
        finally:
            running.terminate()
            try:
                running.wait(10)
            except subprocess.TimeoutExpired:  # Celery's pool may wait for a child for ever
                running.kill()
                running.wait()


def commits(url: str, seconds: float) -> float:
    """Single-row commits per second on one connection."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("CREATE TABLE bench_rows (id serial PRIMARY KEY, word text)")
        connection.commit()
        done, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            connection.execute("INSERT INTO bench_rows (word) VALUES ('a move')")
            connection.commit()
            done += 1
        return done / (time.perf_counter() - began)


def tasks(settings: Settings) -> float:
    """No-op tasks per second, same broker and workers."""
    app = queue.celery_for(settings)
    desk = redis.Redis.from_url(settings.broker_url)
    module = ["--app", "bench.noop", "worker", "--queues", noop.QUEUE, "--concurrency", str(WORKERS)]
    with process([sys.executable, "-m", "celery", "--quiet", *module, "--loglevel", "ERROR"], settings):
        app.send_task(noop.NOTHING, queue=noop.QUEUE)
        _until_empty(desk)
        began = time.perf_counter()
        for _ in range(TASKS):
            app.send_task(noop.NOTHING, queue=noop.QUEUE)
        _until_empty(desk)
        return TASKS / (time.perf_counter() - began)


def _until_empty(desk: redis.Redis) -> None:
    while desk.llen(noop.QUEUE) or desk.hlen("unacked"):
        time.sleep(0.01)


# --- processor time -----------------------------------------------------------------------------------------------------


def spent(pids: set[int]) -> float:
    """CPU seconds."""
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def backends(url: str) -> set[int]:
    """PostgreSQL's backend processes for a database; none if remote."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()").fetchall()
    return {pid for (pid,) in rows}


class Game(threading.Thread):
    """A game with six players in turn, until stopped."""

    def __init__(self, settings: Settings, game: str, number: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.settings, self.number, self.stop = settings, number, stop
        self.moves, self.late = 0, 0
        with transaction(settings) as session:
            people = [accounts.by_email(session, f"{s}{number}@bench.example") for s in "abcdef"[:SEATS]]
            match = lobby.open_match(session, people[0], f"Bench {number}", game, SEATS, "open")
            for person in people[1:]:
                lobby.join(session, match, person)
            self.id = match.id

    def prepare(self) -> None:
        """Wait for the start and sign its players in."""
        with transaction(self.settings) as session:
            match = by_match_id(session, self.id)
            assert match.header is not None
            self.live = matches.start(msgspec.json.decode(match.header, type=matches.Header), match.seed)
            seats = seats_of(session, match)
            urls = {s.seat: links.url(self.settings, links.turn_link(session, match, s)) for s in seats}
        self.people = {
            s: Person(self.settings, f"127.{1 + self.number}.0.{i}", url) for i, (s, url) in enumerate(urls.items(), 1)
        }

    def run(self) -> None:
        rng, state = random.Random(self.number), self.live.state
        while state.waiting and not self.stop.is_set():
            seat = state.waiting[0]
            # House orders are logged before anybody could post.
            given = orders.answer(self.live.game, state, seat, {}, Chance("bench"))
            if given is not None:
                self.live.play(seat, given, "2026-01-01T00:00:00Z", "house")
                continue
            answer = legal_at_random(state, seat, rng)
            self.people[seat].post(self.id, state.serial, self.live.ask_kind(), write(answer))
            self.live.play(seat, answer, "2026-01-01T00:00:00Z", "page")
            if not self.stop.is_set():
                self.moves += 1


class Person:
    """A seat's HTTP client: cookie and CSRF token."""

    def __init__(self, settings: Settings, source: str, link: str) -> None:
        self.port, self.source = settings.port, source
        self.waited: list[float] = []
        """Seconds from post to the page with the result."""
        browser = Browser(settings.base_url, source)
        page = browser.settle(browser.get(link))
        found = re.search(r'name="csrf_token" value="([^"]+)"', page.html)
        assert found is not None, page.words()
        self.token = found[1]
        self.cookie = "; ".join(f"{c.name}={c.value}" for c in browser.jar)

    def post(self, match: str, serial: int, kind: str, answer: str) -> None:
        """Post an answer and poll until it is logged, on one connection."""
        form = {"csrf_token": self.token, "key": secrets.token_hex(16), "serial": serial, "kind": kind, "answer": answer}
        path, method, body, began = f"/g/{match}/answer", "POST", urllib.parse.urlencode(form), time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=(self.source, 0))
        with contextlib.closing(connection):
            while True:
                status, said, where = self._ask(connection, method, path, body)
                if status == 303 and where.endswith("/table"):
                    break
                if status not in (200, 303):
                    raise RuntimeError(f"{status}: {said[:2000].decode()}")
                # Still queued: poll the given address.
                path, method, body = where or path, "GET", ""
                time.sleep(0.05)
            status, _, _ = self._ask(connection, "GET", where)
            if status != 200:
                raise RuntimeError(f"{where}: {status}")
        self.waited.append(time.perf_counter() - began)

    def _ask(self, connection: http.client.HTTPConnection, method: str, path: str, body: str = "") -> tuple[int, bytes, str]:
        """Status, body, location."""
        form = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        connection.request(method, path, body or None, {"Cookie": self.cookie} | form)
        reply = connection.getresponse()
        return reply.status, reply.read(), reply.getheader("Location", "")


@contextlib.contextmanager
def house(settings: Settings, webs: int, workers: int = 0) -> Iterator[dict[str, set[int]]]:
    """Run the service; yields processes by part. `workers`: processes that play; 0: as in `writ up`."""
    with contextlib.ExitStack() as stack:
        parts: dict[str, set[int]] = {"web": set(), "workers": set()}
        for command in [up.web(settings)] * webs:
            parts["web"].add(stack.enter_context(process(command, settings)))
        for command in _workers(settings, workers):
            parts["workers"].add(stack.enter_context(process(command, settings)))
        if not up.answers(f"{settings.base_url}/healthz", READY_SECONDS):
            raise RuntimeError("The web process does not answer.")
        _until_all_listen(settings.port, webs)
        yield parts


def _workers(settings: Settings, number: int) -> list[list[str]]:
    """The commands of workers and beat; 0: as in `writ up`."""
    if number:
        return [up.worker(settings, [queue.PLAY], number), up.worker(settings, [queue.LETTERS], 1), up.beat()]
    return [up.worker(settings, [queue.PLAY, queue.LETTERS], 1, beat=True)]


def _until_all_listen(port: int, webs: int) -> None:
    """Wait for all web processes: start-up isn't part of a move."""
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until:
        sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        if sum(fields[1].endswith(f":{port:04X}") and fields[3] == LISTENS for fields in sockets) >= webs:
            return
        time.sleep(0.1)
    raise RuntimeError("Not all web processes listen.")


def alone(settings: Settings, game: str) -> list[float]:
    """Latencies of a game alone, in seconds."""
    stop = threading.Event()
    played = Game(settings, game, 100, stop)
    played.prepare()
    played.start()
    while played.is_alive() and played.moves < ALONE:
        time.sleep(0.01)
    stop.set()
    played.join(60)
    return [seconds for person in played.people.values() for seconds in person.waited]


def pipeline(
    settings: Settings, parts: dict[str, set[int]], game: str, games: int, seconds: float
) -> tuple[int, float, dict[str, float]]:
    """Moves committed, seconds, and CPU milliseconds per move by part."""
    stop = threading.Event()
    running = [Game(settings, game, number, stop) for number in range(games)]
    for one in running:
        one.prepare()
    groups = {name: family(pids) for name, pids in parts.items()} | {"postgresql": backends(settings.database)}
    costs = {name: spent(pids) for name, pids in groups.items()}
    letters, own = _sent(settings), time.process_time()
    before, began = _entries(settings), time.perf_counter()
    for one in running:
        one.start()
    time.sleep(seconds)
    after, took = _entries(settings), time.perf_counter() - began
    groups = {name: family(pids) for name, pids in parts.items()} | {"postgresql": backends(settings.database)}
    moves = max(1, after - before)
    each = {name: 1000 * (spent(pids) - costs[name]) / moves for name, pids in groups.items()}
    figure("cpu_of_the_bench", 1000 * (time.process_time() - own) / moves, "ms/move", moves=moves)
    figure("letters_sent", (_sent(settings) - letters) / moves, "letters/move", moves=moves)
    stop.set()
    for one in running:
        one.join(60)
    return moves, took, each


def _entries(settings: Settings) -> int:
    with open_session(settings) as session:
        return int(session.execute(text("SELECT count(*) FROM entries")).scalar_one())


def _sent(settings: Settings) -> int:
    with open_session(settings) as session:
        return int(session.execute(text("SELECT count(*) FROM letters WHERE status = 'sent'")).scalar_one())


def against(bench: str, tree: Path, rounds: int) -> None:
    """Run a bench with this call's options, alternating with the one of this name in another tree; print medians, ranges and
    ratios. Each tree runs in its own `.venv`, if it has one.
    """
    trees = argparse.ArgumentParser(add_help=False)
    trees.add_argument("--against")
    trees.add_argument("--rounds")
    _, options = trees.parse_known_args()
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for _ in range(rounds):
        for name, where in (("this", HERE), ("other", tree.resolve())):
            python = where / ".venv/bin/python"
            command = [str(python) if python.exists() else sys.executable, str(where / "bench" / bench), *options]
            said = subprocess.run(command, cwd=where, check=True, stdout=subprocess.PIPE, text=True).stdout
            for line in map(json.loads, said.splitlines()):
                if "value" in line:
                    found.setdefault((line["figure"], line["unit"]), {}).setdefault(name, []).append(line["value"])
    for (what, unit), by_tree in found.items():
        for name, values in by_tree.items():
            figure(what, statistics.median(values), unit, tree=name, least=min(values), most=max(values), rounds=len(values))
        if all(by_tree.get("other", [])) and len(by_tree) == 2:
            compared(f"{what}, this to other", by_tree["this"], by_tree["other"], "ratio")


def measured(settings: Settings, webs: int, workers: int, game: str, games: int, seconds: float) -> None:
    """Run the service, and print the figures of a game alone and of many."""
    more = {"game": game, "workers": workers or "as writ up", "webs": webs}
    with house(settings, webs, workers) as parts:
        waits = sorted(alone(settings, game))
        figure("post_to_page_p50", 1000 * statistics.median(waits), "ms", posts=len(waits), **more)
        figure("post_to_page_p95", 1000 * waits[int(0.95 * len(waits))], "ms", posts=len(waits), **more)
        moves, took, each = pipeline(settings, parts, game, games, seconds)
    figure("pipeline", moves / took, "moves/s", games=games, moves=moves, **more)
    for part, cost in each.items():
        figure(f"cpu_{part}", cost, "ms/move", moves=moves, **more)
    figure("cpu_in_all", sum(each.values()), "ms/move", moves=moves, **more)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--games", type=int, default=24)
    parser.add_argument("--game", default="ortus")
    parser.add_argument("--webs", type=int, default=0, help="web processes; else as many as `writ up` runs")
    parser.add_argument("--workers", default="0", help="numbers of worker processes, as 1,2,4; 0: as in `writ up`")
    parser.add_argument("--against", type=Path, help="another tree, to be measured in turns with this one")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    machine()
    if given.against is not None:
        against(Path(__file__).name, given.against, given.rounds)
        return
    redis.Redis.from_url(REDIS).flushdb()
    with database() as url, tempfile.TemporaryDirectory(prefix="writ-bench-") as folder:
        port = free_port()
        settings = Settings(
            base_url=f"http://127.0.0.1:{port}",
            port=port,
            data_folder=Path(folder),
            secret_keys=("a-key-for-the-benchmarks-of-32-letters-and-more",),
            database_url=url,
            broker_url=REDIS,
        )
        migrate(settings)
        figure("single_row_commits", commits(url, 3.0), "commits/s", connections=1)
        figure("no_op_tasks", tasks(settings), "tasks/s", workers=WORKERS)
        for workers in [int(number) for number in given.workers.split(",")]:
            measured(settings, given.webs or up.WEB_PROCESSES, workers, given.game, given.games, given.seconds)
    redis.Redis.from_url(REDIS).flushdb()


if __name__ == "__main__":
    main()
