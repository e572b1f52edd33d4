"""Tasks on their way to the workers, in a real Redis."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from celery import Celery

from service.settings import Settings
from service.store import broker, queue


@pytest.fixture
def house(tmp_path: Path, redis_url: str) -> Iterator[Settings]:
    settings = Settings(data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",), broker_url=redis_url)
    with broker.client(settings) as server:
        server.delete(queue.PLAY, queue.LETTERS)
        yield settings
        server.delete(queue.PLAY, queue.LETTERS)


def waiting(settings: Settings, name: str) -> list[dict[str, Any]]:
    """The messages of a queue, the oldest first."""
    with broker.client(settings) as server:
        return [json.loads(found) for found in reversed(server.lrange(name, 0, -1))]


def test_tasks_go_to_the_queue_of_their_kind(house: Settings) -> None:
    queue.send(house, queue.ADJUDICATE, "it’s “one”")
    queue.send(house, queue.DELIVER, countdown=0.4)
    queue.send(house, queue.DELIVER)
    (play,) = waiting(house, queue.PLAY)
    assert play["headers"]["task"] == queue.ADJUDICATE and not play["headers"]["eta"]
    assert [bool(message["headers"]["eta"]) for message in waiting(house, queue.LETTERS)] == [True, False]


def test_workers_read_the_arguments_of_a_task(house: Settings) -> None:
    for id in ("one", "two", "three"):
        queue.send(house, queue.ADJUDICATE, id)
    with queue.celery_for(house).connection_for_read() as connection, connection.SimpleQueue(queue.PLAY) as taken:
        found = [taken.get(timeout=5) for _ in range(3)]
        for message in found:
            message.ack()
    assert [message.payload[0] for message in found] == [["one"], ["two"], ["three"]]
    assert {message.headers["task"] for message in found} == {queue.ADJUDICATE}


def test_tables_against_bots_are_taken_after_everything_else(house: Settings) -> None:
    queue.send(house, queue.PRACTISE, "bots")
    queue.send(house, queue.ADJUDICATE, "people")
    with queue.celery_for(house).connection_for_read() as connection, connection.SimpleQueue(queue.PLAY) as taken:
        found = [taken.get(timeout=5) for _ in range(2)]
        for message in found:
            message.ack()
    assert [message.headers["task"] for message in found] == [queue.ADJUDICATE, queue.PRACTISE]


def test_a_task_that_cannot_be_sent_is_left_to_the_sweep(house: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    queue.send(house, queue.ADJUDICATE, "one")

    def gone(*_: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(Celery, "send_task", gone)
    with structlog.testing.capture_logs() as lines:
        queue.send(house, queue.ADJUDICATE, "two")
        queue.send(house, queue.ADJUDICATE, "three")  # within the silence
    queue._silent_until.clear()
    assert [line["event"] for line in lines] == ["task not sent"]
    assert len(waiting(house, queue.PLAY)) == 1
