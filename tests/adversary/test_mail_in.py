"""Messages that were made to take long: the work grows no faster than their size, and nobody waits for it."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import Envelope
from hypothesis import given
from hypothesis import settings as run
from hypothesis import strategies as st

from bench.inbox import CASES, read, seconds
from service.inbox import mime, replies, server
from service.inbox import receiving as inbox
from service.post import links
from service.settings import Settings
from service.store import database as db
from service.store.models import Account
from tests.aside import aside
from tests.service.conftest import Players, open_table

seen: Counter[str] = Counter()


@pytest.fixture
def table(tmp_path: Path, empty_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Players]:
    monkeypatch.setattr("service.store.queue.send", lambda *_, **_later: None)
    settings = Settings(
        data_folder=tmp_path,
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        inbox="writ@writ.test",
        sqlite_synchronous="NORMAL",
    )
    shutil.copy(empty_sqlite, tmp_path / "writ.db")
    players = open_table(settings)
    players.adjudicate()
    yield players
    db.engine_for(settings).dispose()


@pytest.mark.parametrize("case", CASES)
def test_the_work_grows_no_faster_than_the_message(case: str) -> None:
    small, large = (statistics.median(seconds(CASES[case](size), 1) for _ in range(3)) for size in (50_000, 200_000))
    # Four times the size may take four times as long, and a little for what the machine does meanwhile.
    assert large <= 8 * small + 0.05
    seen["cases"] += 1


TEXT = [
    "\n",
    " \n",
    ">",
    "> ",
    "&#",
    "&",
    "On ",
    "wrote:",
    "From: x\n",
    "=",
    "=3D",
    "=\n",
    "\x00",
    "\r",
    "a",
    "-" * 5,
    "_" * 20,
]
PAGE = ["<", "</", "<!--", "<p>", "<div>", "<blockquote>", "</blockquote>", "<style>", "</style>"]
PARTS = ["--b", "--b\n", "--b--", "Content-Type: multipart/mixed; boundary=b\n\n"]
units = st.sampled_from([*TEXT, *PAGE, *PARTS])
heads = st.sampled_from(
    [
        "",
        "Content-Type: text/html\n\n",
        "Content-Type: text/plain\n\n",
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n",
        "Content-Transfer-Encoding: base64\n\n",
        "Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: quoted-printable\n\n",
    ]
)


@run(max_examples=60, deadline=None)
@given(heads, st.lists(units, min_size=1, max_size=6).map("".join), st.integers(1, 3))
def test_no_pattern_that_is_repeated_takes_long(head: str, unit: str, repeated: int) -> None:
    def made(size: int) -> bytes:
        return (head * repeated + unit * (size // len(unit))).encode()

    small, large = seconds(made(50_000), 3), seconds(made(200_000), 3)
    assert large <= 8 * small + 0.05
    seen["patterns"] += 1


@run(max_examples=200, deadline=None)
@given(
    st.binary(max_size=3000)
    | st.lists(units | st.text(max_size=5), max_size=80).map(lambda x: "".join(x).encode(errors="replace"))
)
def test_whatever_comes_is_read_without_a_fault(data: bytes) -> None:
    assert len(read(data)) <= replies.LONGEST + 100
    seen["messages"] += 1


def reply(players: Players, body: bytes) -> str:
    (letter, *_) = players.letters("started")
    to = links.mail_address(players.settings, "r", letter.id)
    return inbox.receive(players.settings, body, (to,), "anna@example.org")


def test_nobody_waits_while_a_reply_is_read(table: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading takes as long as it likes here; meanwhile others write."""
    reading, go_on = threading.Event(), threading.Event()
    words = replies.words

    def slowly(*given: Any, **named: Any) -> str:
        reading.set()
        assert go_on.wait(20)
        return words(*given, **named)

    monkeypatch.setattr(replies, "words", slowly)
    became: list[str] = []
    thread = threading.Thread(target=lambda: became.append(reply(table, b"Message-ID: <a@b>\n\nhello\n")))
    thread.start()
    assert reading.wait(20)
    began = time.monotonic()
    with db.transaction(table.settings) as session:
        session.add(Account(email="other@example.org"))
    assert time.monotonic() - began < 5 and not became
    go_on.set()
    thread.join(20)
    assert became == ["refused"]


def test_sixty_kilobytes_of_blank_lines_are_answered_at_once(table: Players) -> None:
    began = time.thread_time()
    assert reply(table, b"\n\nend" + b"\n" * 60_000) == "refused"
    assert reply(table, b"\n\n" + b"\n" * 60_000 + b"end") == "refused"
    assert time.thread_time() - began < 5


def test_what_is_too_long_is_refused_with_a_letter_that_says_so(table: Players) -> None:
    assert reply(table, b"Message-ID: <long@b>\n\n" + b"word " * 20_000) == "refused"
    assert "longer than 64 KB" in table.letters("reply_refused")[-1].text
    # A long letter that is quoted below a short answer is no fault.
    message = mime.read(b"\nend\n\nOn Monday Writ wrote:\n" + b"> word\n" * 30_000)
    assert replies.words(message, ("writ@writ.test",)) == "end"


def test_one_sender_does_not_occupy_the_inbox(table: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than can wait is put off; the rest is taken, a few at a time."""
    at_once, most, lock = 0, 0, threading.Lock()

    def slowly(*_: object) -> str:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.01)
        with lock:
            at_once -= 1
        return "dropped"

    monkeypatch.setattr(server, "receive", slowly)
    handler = server.Handler(table.settings)

    async def all_of_them() -> list[str]:
        return await asyncio.gather(*(handler.handle_DATA(None, None, Envelope()) for _ in range(server.WAITING + 10)))

    said = Counter(answer[:3] for answer in aside(all_of_them()))
    assert said == {"250": server.WAITING, "451": 10} and most <= server.AT_ONCE


def test_recipients_are_bounded(table: Players) -> None:
    handler, envelope = server.Handler(table.settings), Envelope()
    to = links.mail_address(table.settings, "b", "0" * 32)
    said = [aside(handler.handle_RCPT(None, None, envelope, to, [])) for _ in range(server.MOST_RECIPIENTS + 1)]
    assert said[-1].startswith("452") and len(envelope.rcpt_tos) == server.MOST_RECIPIENTS


def test_counts_are_told() -> None:
    print(f"mail that comes in: {dict(seen)}")
