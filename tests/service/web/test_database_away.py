"""A database that goes away in the middle of a request: 503 with Retry-After and a sentence, never a 500; and the broker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
import time_machine
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, make_url
from sqlalchemy.exc import OperationalError
from sqlmodel import select

from engine.core import procedure
from engine.core.asks import write
from service.seat import submissions
from service.seat.state import known_to
from service.settings import Settings
from service.store import database, queue
from service.store.database import engine_for, is_away, open_session
from service.store.models import Match, Submission, now
from service.web import create_app
from service.web.security import limiter
from tests.service.web.conftest import Visitor, begun
from workers import sweep

BASE = "http://writ.test"
SEND = queue.send
"""What sends a task to the broker; the tests' own does it at once."""
MOST = 60
"""Statements of one request."""


@pytest.fixture
def settings(tmp_path: Path, migrated_postgres_url: str) -> Iterator[Settings]:
    found = Settings(
        data_folder=tmp_path,
        database_url=migrated_postgres_url,
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        base_url=BASE,
    )
    yield found
    database.engine_for(found).dispose()


@pytest.fixture
def app(settings: Settings) -> Flask:
    return create_app(settings)


class Axe:
    """Ends the server's side of the connection that sends the n-th statement from now on."""

    def __init__(self, settings: Settings) -> None:
        self.address = make_url(settings.database).set(drivername="postgresql").render_as_string(hide_password=False)
        self.left, self.fell = 0, False
        event.listen(engine_for(settings), "before_cursor_execute", self.look)

    def at(self, n: int) -> None:
        self.left, self.fell = n, False

    def look(self, connection: Any, *_: object) -> None:
        self.left -= 1
        if self.left == 0:
            self.fell = True
            pid = connection.connection.dbapi_connection.info.backend_pid
            with psycopg.connect(self.address, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 2000)", (pid,))


def every_statement(axe: Axe, ask: Callable[[], Any]) -> int:
    """Ask once for each of its statements, with the connection ended there; how many there are."""
    for n in range(1, MOST):
        axe.at(n)
        found = ask()
        axe.left = 0
        if not axe.fell:
            assert found.status_code < 400, found.text
            return n - 1
        assert found.status_code in (200, 302, 303, 503), (n, found.status_code, found.text[:2000])
        if found.status_code == 503:
            assert found.headers["Retry-After"] == "10" and "Our database" in found.text, n
    raise AssertionError("no end of statements")


def carry_cookie(before: FlaskClient, after: FlaskClient) -> None:
    """Let another app's client be the same browser."""
    kept = before.get_cookie("writ", domain="writ.test")
    assert kept is not None
    after.set_cookie("writ", kept.value, domain="writ.test")


def test_a_page_whose_connection_ends_is_a_503_at_every_statement(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path, axe = begun(anna, bert), Axe(settings)
    for address in ("/games", path + "/table", path + "/orders", path + "/history"):
        assert every_statement(axe, partial(anna.client.get, address, base_url=BASE)) > 0


def test_a_form_whose_connection_ends_is_a_503_and_can_be_sent_again(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path, axe = begun(anna, bert), Axe(settings)
    form = {"csrf_token": anna.token(), "text": "remember the fort"}
    assert every_statement(axe, lambda: anna.client.post(path + "/notes", data=form, base_url=BASE)) > 0
    sign_in = {"csrf_token": anna.token(), "email": "cleo@example.org"}
    assert every_statement(axe, lambda: anna.client.post("/sign-in", data=sign_in, base_url=BASE)) > 0


def test_a_database_that_cannot_be_reached_is_a_503(anna: Visitor, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("SELECT 1", {}, psycopg.OperationalError("connection refused"))

    form = {"csrf_token": anna.token(), "email": "c@example.org"}
    monkeypatch.setattr("service.web.context.open_session", refuse)
    monkeypatch.setattr("service.post.disclosure.transaction", refuse)
    for found in (anna.client.get("/games", base_url=BASE), anna.client.post("/sign-in", data=form, base_url=BASE)):
        assert found.status_code == 503 and found.headers["Retry-After"] == "10"
    assert anna.client.get("/games", base_url="http://elsewhere.test").status_code == 400, "without a look at the database"


def test_a_statement_that_is_wrong_is_no_database_that_is_away() -> None:
    assert not is_away(OperationalError("SELECT x", {}, Exception("no such column: x")))
    assert is_away(OperationalError("SELECT x", {}, Exception("database is locked")))


def test_pages_and_forms_work_while_the_broker_is_away(
    anna: Visitor, bert: Visitor, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = begun(anna, bert)
    monkeypatch.undo()  # tasks go to the broker, and limits are counted
    assert limiter.enabled and queue.send.__module__ == "service.store.queue"
    gone = Settings(**{**settings.model_dump(), "broker_url": "redis://127.0.0.1:9/0"})
    client = create_app(gone).test_client()
    carry_cookie(anna.client, client)
    assert client.get("/games", base_url=BASE).status_code == 200
    assert client.get(path + "/orders", base_url=BASE).status_code == 200


def default(settings: Settings, path: str) -> dict[str, str]:
    """Form of the safe default of what seat a is asked."""
    with open_session(settings) as session:
        match = session.get_one(Match, path.rpartition("/")[2])
        ask = procedure.ask_of(known_to(session, match, "a"), "a")
        return {"serial": str(match.serial), "kind": ask.kind, "answer": write(ask.default)}


def moves(settings: Settings) -> list[tuple[str, str]]:
    with open_session(settings) as session:
        return [(row.seat, row.status) for row in session.exec(select(Submission))]


def test_a_move_whose_connection_ends_is_neither_lost_nor_doubled(
    anna: Visitor, bert: Visitor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, axe = begun(anna, bert), Axe(settings)
    monkeypatch.setattr(queue, "send", lambda *_: None)  # no worker is there; the sweep sends it again
    monkeypatch.setattr(submissions, "wait", partial(submissions.wait, seconds=0.05))
    form = default(settings, path) | {"csrf_token": anna.token(), "key": "k" * 32}
    assert every_statement(axe, lambda: anna.client.post(path + "/answer", data=form, base_url=BASE)) > 0
    for _ in range(2):
        assert anna.client.post(path + "/answer", data=form, base_url=BASE).status_code < 400
    assert moves(settings) == [("a", "queued")]


def test_a_move_is_kept_while_the_broker_is_away_and_played_by_the_sweep(
    anna: Visitor, bert: Visitor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = begun(anna, bert)
    gone = Settings(**{**settings.model_dump(), "broker_url": "redis://127.0.0.1:9/0"})
    client = create_app(gone).test_client()
    carry_cookie(anna.client, client)
    form = default(settings, path) | {"csrf_token": anna.token(), "key": "k" * 32}
    with monkeypatch.context() as patch:
        patch.setattr(queue, "send", SEND)
        patch.setattr(submissions, "wait", partial(submissions.wait, seconds=0.05))
        assert client.post(path + "/answer", data=form, base_url=BASE).status_code < 400
        assert client.post(path + "/answer", data=form, base_url=BASE).status_code < 400
    assert moves(settings) == [("a", "queued")]
    with time_machine.travel(now() + timedelta(seconds=5)):  # by then it counts as lost
        sweep.sweep(settings)
    assert moves(settings) == [("a", "accepted")]
