"""Slow, idle and half-open connections against the real web process: they hold up nobody, and are cut."""

from __future__ import annotations

import contextlib
import http.client
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, request

from service.ops import up
from service.post import links
from service.settings import Settings
from service.store import database as db
from service.store.models import SeatRow
from service.tools.demo import free_port
from service.tools.robot import Browser
from service.web import create_app, serve
from tests.once import started_before
from tests.service.conftest import open_table

CROWD = int(os.environ.get("WRIT_CROWD", "100"))
"""Connections of each kind."""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """`writ web`, twice on one port, without workers and broker: what is posted stays on its way."""
    folder, port = tmp_path_factory.mktemp("front"), free_port()
    found = Settings(
        data_folder=folder,
        secret_keys=("a-key-for-tests-of-the-front-of-32-letters",),
        base_url=f"http://127.0.0.1:{port}",
        port=port,
        sqlite_synchronous="NORMAL",
    )
    db.migrate(found)
    started_before(folder)
    env = up.environment(found) | {"WRIT_SECRET_KEYS": found.secret_keys[0], "WRIT_SQLITE_SYNCHRONOUS": "NORMAL"}
    with open(folder / "web.log", "wb") as out:
        command = [sys.executable, "-m", "service.ops.cli", "web"]
        both = [subprocess.Popen(command, env=env, stdout=out, stderr=out) for _ in range(2)]
    try:
        assert up.answers(f"{found.base_url}/healthz", 180), (folder / "web.log").read_text()
        until = time.monotonic() + 180
        while listeners(port) < len(both):  # one that still starts would die of SIGTERM, not end by it
            assert time.monotonic() < until, (folder / "web.log").read_text()
            time.sleep(0.1)
        yield found
        for process in both:
            assert process.poll() is None
            process.terminate()
            assert process.wait(30) == 0
        assert "Traceback" not in (folder / "web.log").read_text()
    finally:
        for process in both:
            process.kill()
            process.wait()
        db.engine_for(found).dispose()


def listeners(port: int) -> int:
    """How many sockets listen at the port (Linux)."""
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(fields[1].endswith(f":{port:04X}") and fields[3] == "0A" for fields in sockets)


def connect(port: int, sends: bytes) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), 5)
    made.sendall(sends)
    return made


@contextlib.contextmanager
def served(app: Flask) -> Iterator[int]:
    """The port at which this process serves the app meanwhile, as a web process does."""
    bound = serve.listen("127.0.0.1", 0)
    server = serve.server_for(app, bound)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield bound.getsockname()[1]
    finally:
        server.close()
        thread.join(10)


def page(settings: Settings, path: str = "/") -> float:
    """Seconds that a page takes."""
    began = time.monotonic()
    desk = http.client.HTTPConnection("127.0.0.1", settings.port, timeout=20)
    desk.request("GET", path)
    reply = desk.getresponse()
    reply.read()
    desk.close()
    assert reply.status == 200
    return time.monotonic() - began


def open_still(crowd: list[socket.socket]) -> int:
    """How many of the connections the server has not closed."""
    count = 0
    for one in crowd:
        one.setblocking(False)
        try:
            count += one.recv(65536) != b""
        except BlockingIOError:
            count += 1
        except OSError:
            pass
    return count


HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
FORM = (
    b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 5000\r\n\r\nemail="
)


LITTLE = {"idle": b"", "half a header": HALF, "slow form": FORM}


def test_connections_that_say_little_hold_up_nobody(settings: Settings) -> None:
    alone = max(page(settings) for _ in range(3))
    crowd = [connect(settings.port, sends) for sends in LITTLE.values() for _ in range(CROWD)]
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(1):
            for one in crowd[CROWD:]:
                with contextlib.suppress(OSError):
                    one.send(b"x")

    slowly = threading.Thread(target=drip)
    slowly.start()
    try:
        among = max(page(settings) for _ in range(10))
        assert among < alone + 3, (alone, among)
    finally:
        stop.set()
        slowly.join()
        for one in crowd:
            one.close()
    print(f"{len(crowd)} connections: a page in {among:.3f} s among them, {alone:.3f} s alone")


@pytest.mark.parametrize("sends", LITTLE.values(), ids=LITTLE)
def test_connections_that_say_little_are_cut_when_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sends: bytes) -> None:
    """One that says a little for ever isn't cut here: a proxy in front does that."""
    monkeypatch.setattr(serve, "CHANNEL_TIMEOUT", 1)
    monkeypatch.setattr(serve, "CLEANUP_INTERVAL", 1)
    with served(create_app(Settings(data_folder=tmp_path, base_url="http://127.0.0.1"))) as port:
        crowd = [connect(port, sends) for _ in range(CROWD)]
        try:
            assert open_still(crowd) == CROWD
            until = time.monotonic() + 30
            while open_still(crowd) and time.monotonic() < until:
                time.sleep(0.05)
            assert open_still(crowd) == 0
        finally:
            for one in crowd:
                one.close()


def test_an_answer_that_nobody_takes_holds_no_thread(settings: Settings) -> None:
    crowd = []
    for _ in range(60):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        one.connect(("127.0.0.1", settings.port))
        one.sendall(b"GET /static/writ.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20)
        crowd.append(one)
    assert max(page(settings) for _ in range(10)) < 5
    for one in crowd:
        one.close()


@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], ids=["first", "behind another"])
def test_a_head_without_end_is_refused_however_fast_it_comes(settings: Settings, before: bytes) -> None:
    with connect(settings.port, before + HALF) as one:
        sent = 0
        one.settimeout(5)
        with contextlib.suppress(ConnectionError):
            while sent < 100 * serve.LONGEST_HEAD:
                sent += one.send(b"x" * 4096)
        assert sent < 100 * serve.LONGEST_HEAD
        said = b""
        with contextlib.suppress(ConnectionError):
            while part := one.recv(65536):
                said += part
    assert b"HTTP/1.1 200" not in said.replace(b"HTTP/1.1 200 OK", b"", 1 if before else 0)


def test_requests_that_come_together_are_answered_one_after_the_other(settings: Settings) -> None:
    asked = b"".join(b"GET /healthz?%d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % n for n in range(5))
    with connect(settings.port, asked[:-10]) as one:
        time.sleep(0.2)
        one.sendall(asked[-10:])
        one.settimeout(10)
        said = b""
        while said.count(b"HTTP/1.1 200") < 5:
            said += one.recv(65536)


def test_fifty_posts_at_once_without_a_worker_are_all_answered_soon(settings: Settings) -> None:
    tables = [open_table(settings) for _ in range(25)]
    doors = []
    for table in tables:
        table.adjudicate()
        with db.transaction(settings) as session:
            match = table.match(session)
            for seat in table.asked():
                row = session.get(SeatRow, (match.id, seat))
                assert row is not None
                doors.append(links.url(settings, links.turn_link(session, match, row)))
    assert len(doors) == 50
    rng = random.Random(1)

    def prepared(door: str) -> tuple[Browser, Any, Any]:
        browser = Browser(settings.base_url)
        at = browser.get(door)
        return browser, at, next(f for f in at.forms if f.hidden("serial") not in ("", "0"))

    ready = [prepared(door) for door in doors]
    starts = threading.Barrier(len(ready))

    def post(one: tuple[Browser, Any, Any]) -> float:
        browser, at, form = one
        starts.wait()
        began = time.monotonic()
        reply = browser.submit(at, form, {}, button="")
        assert reply.status < 500, reply.status
        return time.monotonic() - began

    rng.shuffle(ready)
    with ThreadPoolExecutor(len(ready)) as pool:
        took = sorted(pool.map(post, ready))
    with db.open_session(settings) as session:
        from sqlmodel import select

        from service.store.models import Submission

        queued = session.exec(select(Submission).where(Submission.status == "queued")).all()
    assert len(queued) >= 40, "the posts were no answers"
    print(f"50 posts: median {took[25]:.2f} s, longest {took[-1]:.2f} s; {len(queued)} queued")
    assert took[-1] < 30  # two processes that wait for each in turn need 37 s


def test_a_body_that_is_too_long_is_refused_before_a_page_sees_it(settings: Settings) -> None:
    head = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % (serve.LONGEST_BODY + 1)
    with connect(settings.port, head + b"email=") as one:
        one.settimeout(10)
        assert b" 413 " in one.recv(65536)


@pytest.mark.parametrize(("proxies", "seen"), [(0, "127.0.0.1 http"), (1, "203.0.113.9 https"), (2, "198.51.100.7 https")])
def test_as_many_proxies_are_believed_as_there_are(tmp_path: Path, proxies: int, seen: str) -> None:
    app = create_app(Settings(data_folder=tmp_path, proxies=proxies, base_url="http://127.0.0.1"))
    app.before_request(lambda: f"{request.remote_addr} {request.scheme}")
    asks = (
        b"GET /who HTTP/1.1\r\nHost: 127.0.0.1\r\nX_Forwarded_For: 192.0.2.1\r\nConnection: close\r\n"
        b"X-Forwarded-For: 198.51.100.7, 203.0.113.9\r\nX-Forwarded-Proto: https, https\r\n\r\n"
    )
    with served(app) as port, connect(port, asks) as one:
        one.settimeout(5)
        said = b"".join(iter(lambda: one.recv(4096), b""))
    assert said.decode().endswith(f"\r\n\r\n{seen}"), said
