"""Limits count in the broker for all processes together, and without it each process counts for itself, at once."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator

import pytest

from service.settings import Settings
from service.store import broker
from service.web import create_app
from service.web.security import limiter
from tests.service.web.conftest import Visitor


@pytest.fixture(autouse=True)
def limited(monkeypatch: pytest.MonkeyPatch, at_once: None) -> Iterator[None]:
    monkeypatch.setattr(limiter, "enabled", True)
    yield
    limiter._storage_dead = False


def asked(settings: Settings) -> int:
    """How often a fresh process lets somebody ask for a letter, up to 70 times."""
    stranger = Visitor(create_app(settings).test_client(), settings)
    statuses = [stranger.post("/sign-in", {"email": "nobody"}).status_code for _ in range(70)]
    return statuses.count(422)


def test_the_embedded_broker_counts_for_all_processes(settings: Settings) -> None:
    server = subprocess.Popen(broker.command(settings))
    try:
        while not broker.answers(settings):
            time.sleep(0.05)
        first, second = asked(settings), asked(settings)
        assert 0 < first < 70 and second == 0
    finally:
        server.terminate()
        server.wait()


def test_who_is_held_up_is_told_for_how_long_and_nobody_else_is_told_of_limits(settings: Settings) -> None:
    server = subprocess.Popen(broker.command(settings))
    try:
        while not broker.answers(settings):
            time.sleep(0.05)
        stranger = Visitor(create_app(settings).test_client(), settings)
        stranger.post("/sign-in", {"email": "nobody"})
        with broker.client(settings) as count:
            before = count.info("commandstats")
            free = stranger.post("/sign-in", {"email": "nobody"}, follow=False)
            after = count.info("commandstats")
        asked_for = {name for name in after if after[name]["calls"] != before.get(name, {"calls": 0})["calls"]}
        assert asked_for <= {"cmdstat_evalsha", "cmdstat_incrby", "cmdstat_expire", "cmdstat_info"}
        assert free.status_code == 422 and not {"Retry-After", "X-RateLimit-Limit"} & {*free.headers.keys()}
        while (last := stranger.post("/sign-in", {"email": "nobody"})).status_code != 429:
            assert last.status_code == 422
        assert 0 < int(last.headers["Retry-After"]) <= 3600
        assert re.search(r"try again in \d+ (s|min|h)", last.text)
    finally:
        server.terminate()
        server.wait()


@pytest.mark.parametrize("there", ["nobody", "somebody who says nothing"])
def test_without_its_broker_a_process_counts_for_itself_and_waits_for_nobody(settings: Settings, there: str) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as deaf:
        if there != "nobody":
            deaf.bind(str(broker.socket_path(settings)))
            deaf.listen(100)
        began = time.monotonic()
        assert 0 < asked(settings) < 70
        assert time.monotonic() - began < 25
