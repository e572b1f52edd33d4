"""Tasks on their way to the workers: what is sent without Celery is what Celery sends."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from celery import Celery
from redis import Redis

from service.settings import Settings
from service.store import broker, channel, queue

OF_ITS_OWN = {("headers", "id"), ("headers", "root_id"), ("properties", "correlation_id"), ("properties", "delivery_tag")}
"""What differs from message to message."""


@pytest.fixture
def house(tmp_path: Path, redis_url: str) -> Iterator[Settings]:
    settings = Settings(data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",), broker_url=redis_url)
    channel._patterns.clear()
    with broker.client(settings) as server:
        server.delete(queue.PLAY, queue.LETTERS)
        yield settings
        server.delete(queue.PLAY, queue.LETTERS)
    channel._patterns.clear()


def waiting(settings: Settings, name: str) -> list[dict[str, Any]]:
    """The messages of a queue, the oldest first."""
    with broker.client(settings) as server:
        return [json.loads(found) for found in reversed(server.lrange(name, 0, -1))]


def whole(message: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """All of a message that isn't its own, its body read."""
    found = {("", name): value for name, value in message.items() if name not in ("headers", "properties")}
    for part in ("headers", "properties"):
        found |= {(part, name): value for name, value in message[part].items() if (part, name) not in OF_ITS_OWN}
    return found | {("", "body"): json.loads(base64.b64decode(message["body"]))}


def test_a_task_is_sent_as_celery_has_sent_one_before(house: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, task in ((queue.PLAY, queue.ADJUDICATE), (queue.LETTERS, queue.DELIVER)):
        queue.send(house, task, "the-first")
        queue.celery_for(house).send_task(task, args=("it’s “the second”",))
        with monkeypatch.context() as alone:
            alone.setattr(Celery, "send_task", lambda *_, **__: pytest.fail("sent by Celery"))
            queue.send(house, task, "it’s “the second”")
        first, by_celery, alike = waiting(house, name)
        assert whole(alike) == whole(by_celery) != whole(first)
        assert alike["headers"]["id"] == alike["headers"]["root_id"] == alike["properties"]["correlation_id"]
        own = [{message[part][name] for message in (first, by_celery, alike)} for part, name in OF_ITS_OWN]
        assert [len(values) for values in own] == [3] * len(OF_ITS_OWN)


def test_what_is_to_be_done_later_is_no_pattern_for_what_is_to_be_done_now(house: Settings) -> None:
    for countdown in (0.4, 0.0, 0.0):
        queue.send(house, queue.DELIVER, countdown=countdown)
    assert [bool(message["headers"]["eta"]) for message in waiting(house, queue.LETTERS)] == [True, False, False]


def test_workers_read_what_was_sent_so(house: Settings) -> None:
    for id in ("one", "two", "three"):
        queue.send(house, queue.ADJUDICATE, id)
    with queue.celery_for(house).connection_for_read() as connection, connection.SimpleQueue(queue.PLAY) as taken:
        found = [taken.get(timeout=5) for _ in range(3)]
        for message in found:
            message.ack()
    assert [message.payload[0] for message in found] == [["one"], ["two"], ["three"]]
    assert {message.headers["task"] for message in found} == {queue.ADJUDICATE}


def test_what_cannot_be_sent_so_is_left_to_the_sweep(house: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    queue.send(house, queue.ADJUDICATE, "one")

    def gone(*_: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(Redis, "lpush", gone)
    with structlog.testing.capture_logs() as lines:
        queue.send(house, queue.ADJUDICATE, "two")
        queue.send(house, queue.ADJUDICATE, "three")  # within the silence
    queue._silent_until.clear()
    assert [line["event"] for line in lines] == ["task not sent"]
    assert len(waiting(house, queue.PLAY)) == 1
