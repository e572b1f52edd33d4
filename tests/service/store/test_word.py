"""The worker's word: told after the commit, heard by whoever waits, lost without harm."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from service.settings import Settings
from service.store import database as db
from service.store import word
from service.store.models import Submission
from service.web import front, waiting
from tests.aside import aside
from tests.service.conftest import Players, open_table

T = TypeVar("T")


@pytest.fixture
def heard_by(tmp_path: Path, redis_url: str) -> Settings:
    return Settings(data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",), broker_url=redis_url)


def listening(settings: Settings, deed: Callable[[word.Ear], Awaitable[T]]) -> T:
    """What comes of the deed while an ear listens."""

    async def run() -> T:
        ear = word.Ear(settings)
        task = asyncio.create_task(ear.listen())
        until = time.monotonic() + 5
        while not ear.listening and time.monotonic() < until:
            await asyncio.sleep(0.01)
        assert ear.listening
        try:
            return await deed(ear)
        finally:
            task.cancel()

    return aside(run())


def test_houses_that_share_a_server_of_redis_do_not_hear_each_other(heard_by: Settings) -> None:
    where, _, number = heard_by.broker_url.rpartition("/")
    neighbour = heard_by.model_copy(update={"broker_url": f"{where}/{(int(number) + 1) % 16}"})

    async def deed(ear: word.Ear) -> list[str]:
        await asyncio.to_thread(word.tell, neighbour, [(ear.mark, "one", "accepted")])
        await asyncio.to_thread(word.tell, heard_by, [(ear.mark, "two", "accepted")])
        return [await ear.word("two", 5), await ear.word("one", 0.2)]

    assert listening(heard_by, deed) == ["accepted", ""]


def test_a_word_is_heard_by_all_who_wait_for_it_and_by_who_comes_late(heard_by: Settings) -> None:
    async def deed(ear: word.Ear) -> list[str]:
        waits = [asyncio.create_task(ear.word("one", 5)) for _ in range(3)]
        await asyncio.sleep(0.05)
        await asyncio.to_thread(word.tell, heard_by, [(ear.mark, "one", "accepted"), (ear.mark, "two", "refused")])
        return [*await asyncio.gather(*waits), await ear.word("two", 5), await ear.word("three", 0.05)]

    assert listening(heard_by, deed) == ["accepted"] * 3 + ["refused", ""]


def test_who_gives_up_takes_nobody_s_word_away(heard_by: Settings) -> None:
    async def deed(ear: word.Ear) -> str:
        patient = asyncio.create_task(ear.word("one", 5))
        await asyncio.sleep(0.01)
        assert await ear.word("one", 0.02) == ""
        await asyncio.to_thread(word.tell, heard_by, [(ear.mark, "one", "accepted")])
        return await asyncio.wait_for(patient, 5)

    assert listening(heard_by, deed) == "accepted"


def test_without_a_broker_nobody_waits_and_nothing_fails(tmp_path: Path) -> None:
    for address in ("memory://", "redis://127.0.0.1:1/0"):
        settings = Settings(data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",), broker_url=address)
        word.tell(settings, [("ear", "one", "accepted")])

        async def run(settings: Settings = settings) -> str:
            ear = word.Ear(settings)
            task = asyncio.create_task(ear.listen())
            await asyncio.sleep(0.05)
            said = await ear.word("one", 60)
            task.cancel()
            return said

        began = time.monotonic()
        assert aside(run()) == "" and time.monotonic() - began < 5


def test_the_worker_s_word_is_told_to_who_waits_when_it_is_committed_and_what_stays_queued_is_not(
    settings: Settings, sent: list[tuple[str, ...]], rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[word.Word] = []
    monkeypatch.setattr(word, "tell", lambda _settings, words: told.extend(words))
    table: Players = open_table(settings)
    table.adjudicate()
    first, second = table.submit("a", rng), table.submit("b", rng)
    with db.transaction(settings) as session:
        session.get_one(Submission, second).ear = "an-ear"
    table.adjudicate()
    assert told == [("an-ear", second, "accepted")]
    assert table.status(first) == "accepted", "as if somebody had waited"
    with db.open_session(settings) as session:
        row = Submission(id="x", match_id="", seat="a", serial=1, kind="", move="", via="page", order=1, ear="an-ear")
        word.after_commit(session, [row])
        session.commit()
    assert len(told) == 1


def test_a_word_is_for_one_ear_alone(heard_by: Settings) -> None:
    async def deed(ear: word.Ear) -> list[str]:
        other = word.Ear(heard_by)
        await asyncio.to_thread(word.tell, heard_by, [(other.mark, "one", "accepted"), (ear.mark, "two", "accepted")])
        return [await ear.word("two", 5), await ear.word("one", 0.2)]

    assert listening(heard_by, deed) == ["accepted", ""]


# --- the door ---------------------------------------------------------------------------------------------------------


def test_fifty_who_wait_hold_no_thread_and_go_where_the_word_sends_them(
    heard_by: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def page(environ: dict[str, object], start: Callable[..., object]) -> list[bytes]:
        held = environ.get(waiting.KEY)
        assert isinstance(held, waiting.Hold)
        asked.append(str(environ["PATH_INFO"])[1:])
        if asked[-1] != "quick":
            held.id, held.then = asked[-1], "/table"
        start("303 SEE OTHER", [("Location", "/look-again")])
        return [b""]

    async def deed(ear: word.Ear) -> list[str]:
        door = front.Front(page, threads=2, ear=ear)

        async def ask(path: str) -> str:
            sent: list[front.Message] = []

            async def receive() -> front.Message:
                return {"type": "http.request", "body": b""}

            async def send(message: front.Message) -> None:
                sent.append(message)

            scope = {"type": "http", "http_version": "1.1", "method": "POST", "path": path, "query_string": b"", "headers": []}
            await door(scope, receive, send)
            place: bytes = dict(sent[0]["headers"])[b"location"]
            return place.decode()

        monkeypatch.setattr(waiting, "MOMENT", 600.0)
        crowd = [asyncio.create_task(ask(f"/{n}")) for n in range(50)]
        async with asyncio.timeout(60):
            while len(asked) < 50:
                await asyncio.sleep(0.01)
            quick = await ask("/quick")
        assert not any(one.done() for one in crowd)
        words = [(ear.mark, str(n), "accepted" if n % 2 else "refused") for n in range(50)]
        await asyncio.to_thread(word.tell, heard_by, words)
        told = await asyncio.wait_for(asyncio.gather(*crowd), 60)
        monkeypatch.setattr(waiting, "MOMENT", 0.1)
        return [quick, *told, await asyncio.wait_for(ask("/nobody-says"), 60)]

    assert listening(heard_by, deed) == ["/look-again", *["/look-again", "/table"] * 25, "/look-again"]
