"""Slow, idle and half-open connections against the real web process: they hold up nobody, and are cut."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import random
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from uvicorn import Config, Server

from service.ops import leash, supervise
from service.ops.demo import free_port
from service.ops.robot import Browser
from service.post import links
from service.settings import Settings
from service.store import database as db
from service.store.models import SeatRow
from service.web import front, serve
from tests.aside import aside
from tests.service.conftest import open_table

CROWD = int(os.environ.get("WRIT_CROWD", "100"))
"""Connections of each kind."""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """`writ web` with two processes, without workers and broker: what is posted stays on its way."""
    folder, port = tmp_path_factory.mktemp("front"), free_port()
    found = Settings(
        data_folder=folder,
        secret_keys=("a-key-for-tests-of-the-front-of-32-letters",),
        base_url=f"http://127.0.0.1:{port}",
        port=port,
        sqlite_synchronous="NORMAL",
    )
    db.migrate(found)
    env = supervise.environment(found) | {"WRIT_SECRET_KEYS": found.secret_keys[0], "WRIT_SQLITE_SYNCHRONOUS": "NORMAL"}
    with open(folder / "web.log", "wb") as out:
        process = leash.begin([sys.executable, "-m", "service.ops.cli", "web"], env=env, stdout=out, stderr=out)
    try:
        assert supervise.answers(f"{found.base_url}/healthz"), (folder / "web.log").read_text()
        yield found
        process.terminate()
        assert process.wait(30) == 0
        assert "Traceback" not in (folder / "web.log").read_text()
    finally:
        process.kill()
        process.wait()
        db.engine_for(found).dispose()


def connect(settings: Settings, sends: bytes) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", settings.port), 5)
    made.sendall(sends)
    return made


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


@pytest.mark.parametrize(("sends", "seconds"), [(b"", 30), (HALF, 30), (FORM, 60)], ids=["idle", "half a header", "slow form"])
def test_connections_that_say_little_hold_up_nobody_and_are_cut(settings: Settings, sends: bytes, seconds: float) -> None:
    alone = max(page(settings) for _ in range(3))
    crowd = [connect(settings, sends) for _ in range(CROWD)]
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(1):
            for one in crowd:
                try:
                    one.send(b"x" if sends else b"")
                except OSError:
                    continue

    slowly = threading.Thread(target=drip)
    slowly.start()
    try:
        among = max(page(settings) for _ in range(10))
        assert among < alone + 3, (alone, among)
        until = time.monotonic() + seconds
        while open_still(crowd) and time.monotonic() < until:
            time.sleep(0.2)
        assert open_still(crowd) == 0
    finally:
        stop.set()
        slowly.join()
        for one in crowd:
            one.close()
    print(f"{CROWD} connections: a page in {among:.3f} s among them, {alone:.3f} s alone; all cut")


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
    with connect(settings, before + HALF) as one:
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
    with connect(settings, asked[:-10]) as one:
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
        at = browser.submit(at, next(f for f in at.forms if f.hidden("serial") not in ("", "0")), {}, button="")
        return browser, at, next(f for f in at.forms if f.has("answer") and f.has("serial"))  # it asks once more

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


def test_who_never_takes_the_answer_is_cut_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "LATE_SECONDS", 0.3)

    def long(_environ: dict[str, Any], start: Any) -> list[bytes]:
        start("200 OK", [])
        return [bytes(8_000_000)]

    async def run() -> list[int]:
        config = Config(
            front.Front(long),
            http=serve.Patient,
            ws="none",
            log_level="error",
            timeout_keep_alive=1,
            timeout_graceful_shutdown=1,
        )
        server = Server(config)
        with socket.socket() as door, socket.socket() as one:
            door.bind(("127.0.0.1", 0))
            serving = asyncio.create_task(server._serve([door]))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            while not server.started:
                await asyncio.sleep(0.01)
            one.connect(door.getsockname())
            one.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            counts = []
            for seconds in (0.5, 5.0):
                until = time.monotonic() + seconds
                while time.monotonic() < until and (seconds < 1 or server.server_state.connections):
                    await asyncio.sleep(0.05)
                counts.append(len(server.server_state.connections))
            server.should_exit = True
            await serving
        return counts

    assert aside(run()) == [1, 0]


# --- the door by itself -----------------------------------------------------------------------------------------------


def ask(door: front.Front, *messages: dict[str, Any], **scope: Any) -> list[dict[str, Any]]:
    """What the door sends to somebody who sends these messages, and then nothing more."""
    sent: list[dict[str, Any]] = []
    rest = list(messages)

    async def receive() -> dict[str, Any]:
        if rest:
            return rest.pop(0)
        await asyncio.sleep(600)
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    given = {"type": "http", "http_version": "1.1", "method": "POST", "path": "/", "query_string": b"", "headers": []}
    aside(door(given | scope, receive, send))
    return sent


def echo(environ: dict[str, Any], start: Any) -> list[bytes]:
    start("200 OK", [("X-Who", environ.get("HTTP_X_FORWARDED_FOR", ""))])
    return [environ["REQUEST_METHOD"].encode(), b" ", environ["wsgi.input"].read(), environ["CONTENT_LENGTH"].encode()]


def test_a_form_that_never_comes_whole_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "BODY_SECONDS", 0.1)
    sent = ask(front.Front(echo), {"type": "http.request", "body": b"a", "more_body": True})
    assert [m.get("status") for m in sent] == [408, None]


def test_a_whole_form_reaches_the_page_and_one_that_is_too_long_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    part = {"type": "http.request", "body": b"abc", "more_body": True}
    sent = ask(front.Front(echo), part, part | {"more_body": False})
    assert (sent[0]["status"], sent[1]["body"]) == (200, b"POST abcabc6")
    monkeypatch.setattr(front, "LONGEST_BODY", 4)
    assert ask(front.Front(echo), part, part, part)[1]["body"] == b"POST abcabc6"


def test_a_visitor_who_goes_costs_nothing() -> None:
    assert ask(front.Front(echo), {"type": "http.disconnect"}) == []


def test_a_header_with_an_underscore_does_not_pass_for_a_proxy_s() -> None:
    headers = [(b"x-forwarded-for", b"198.51.100.7"), (b"x_forwarded_for", b"203.0.113.9"), (b"content-length", b"99")]
    sent = ask(front.Front(echo), {"type": "http.request", "body": b""}, headers=headers)
    assert dict(sent[0]["headers"])[b"x-who"] == b"198.51.100.7" and sent[1]["body"].endswith(b"0")
