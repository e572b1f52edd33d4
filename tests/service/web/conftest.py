"""An app on a fresh SQLite database, and people who sign in to it as people do: by the links in their letters."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flask import Flask
from flask.sessions import SecureCookieSessionInterface
from flask.testing import FlaskClient
from itsdangerous import BadSignature
from sqlmodel import col, select
from werkzeug.serving import make_server
from werkzeug.test import TestResponse

from engine.games import GAMES
from service.games import lobby
from service.settings import Settings
from service.store import queue
from service.store.database import open_session
from service.store.models import Letter
from service.web import create_app
from service.web.security import limiter
from tests import kept
from tests.house import work
from tests.service.conftest import as_sent
from tests.toy_game import FAIR

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from playwright.sync_api import Page

TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


@pytest.fixture
def settings(tmp_path: Path, empty_sqlite: Path) -> Settings:
    shutil.copy(empty_sqlite, tmp_path / "writ.db")
    return Settings(
        data_folder=tmp_path,
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        base_url="http://writ.test",
        sqlite_synchronous="NORMAL",
    )


@pytest.fixture
def app(settings: Settings) -> Flask:
    return create_app(settings)


@dataclass
class Visitor:
    """A browser: follows links, fills in forms with their CSRF token."""

    client: FlaskClient
    settings: Settings
    email: str = ""
    known: tuple[str, str] = ("", "")
    """What the session's forms are signed for, and a token of one of them: forms that lie open in a browser stay good."""

    def get(self, path: str) -> TestResponse:
        return self.client.get(path, base_url=self.settings.base_url)

    def page(self, path: str) -> str:
        found = self.client.get(path, base_url=self.settings.base_url, follow_redirects=True)
        assert found.status_code == 200, found.text
        return found.text

    def post(self, path: str, form: Mapping[str, object] | None = None, follow: bool = True) -> TestResponse:
        if not self.known[0] or self.known[0] != self._signed_for():
            token = self.token()
            self.known = (self._signed_for(), token)
        data = dict(form or {}) | {"csrf_token": self.known[1]}
        return self.client.post(path, data=data, base_url=self.settings.base_url, follow_redirects=follow)

    def token(self) -> str:
        """A CSRF token of this browser's session."""
        for path in ("/sign-in", "/account"):
            found = TOKEN.search(self.get(path).text)
            if found:
                return found[1]
        raise AssertionError("no form with a token")

    def _signed_for(self) -> str:
        app, cookie = self.client.application, self.client.get_cookie("writ", domain=self.settings.host)
        reader = SecureCookieSessionInterface().get_signing_serializer(app)
        if cookie is None or reader is None:
            return ""
        try:
            return str(reader.loads(cookie.value).get("csrf_token", ""))
        except BadSignature:
            return ""

    def letters(self, kind: str = "") -> list[Letter]:
        """This visitor's letters, the newest last."""
        with open_session(self.settings) as session:
            query = select(Letter).where(Letter.to_address == self.email).order_by(col(Letter.created_at), Letter.id)
            found = [letter for letter in session.exec(query) if not kind or letter.kind == kind]
        return as_sent(self.settings, found)

    def link(self, kind: str, letter: str) -> str:
        """The path of the newest link like `/in/...` in the letters of that kind."""
        found = re.findall(re.escape(self.settings.base_url) + rf"(/{letter}/[A-Za-z0-9._~-]+)", self.letters(kind)[-1].text)
        return str(found[0])

    def sign_in(self, name: str = "") -> Visitor:
        self.post("/sign-in", {"email": self.email})
        link = self.link("sign_in", "in")
        zone = {"zone": "UTC"} if 'name="zone"' in self.get(link).text else {}  # as the browser fills it in
        assert self.post(link, {"choice": "enter", "name": name, **zone}).status_code == 200
        return self


@pytest.fixture
def visitor(app: Flask, settings: Settings) -> Callable[[str], Visitor]:
    """visitor(email) -> a browser of their own."""

    def made(email: str = "") -> Visitor:
        return Visitor(app.test_client(), settings, email)

    return made


@pytest.fixture
def anna(visitor: Callable[[str], Visitor]) -> Visitor:
    return signed_in(visitor("anna@example.org"), "Anna")


@pytest.fixture
def bert(visitor: Callable[[str], Visitor]) -> Visitor:
    return signed_in(visitor("bert@example.org"), "Bert")


def signed_in(visitor: Visitor, name: str) -> Visitor:
    """They sign in; as they did before in this process, where nothing else was done yet."""
    kept.led(visitor.settings, [visitor.client], name, lambda: visitor.sign_in(name).email)
    return visitor


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks run in the request's process, right after the commit, and nothing is limited in number."""
    monkeypatch.setattr(queue, "send", work)
    monkeypatch.setattr(limiter, "enabled", False)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy game is the only one on offer."""
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)
    monkeypatch.setattr(lobby, "offered", lambda: [FAIR])


def begun(anna: Visitor, bert: Visitor, **more: str) -> str:
    """The path of a game that Anna has opened and Bert has joined, with which it begins."""

    def begin() -> str:
        filled = {"name": "Harvest war", "game": "ortus", "seats": "2", "access": "open"} | more
        path = str(anna.post("/games/new", filled, follow=False).location)
        assert bert.post(path + "/join").status_code == 200
        return path

    return kept.led(anna.settings, [anna.client, bert.client], ("begun", *sorted(more.items())), begin)


EMPTY = "/empty-for-tests"
"""A page of no app. From `about:blank`, a browser would go on in another process, and to start one takes longer than a page."""


class Front:
    """A WSGI app on one port for the whole session, behind which stands the app of the test that runs.

    Kept windows have a base address, and what they have cached of our files is good for it alone.
    """

    def __init__(self) -> None:
        self.app: WSGIApplication | None = None
        self.server = make_server("127.0.0.1", 0, self, threaded=True)
        self.address = f"http://127.0.0.1:{self.server.port}"

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == EMPTY:
            start_response("200 OK", [("Content-Type", "text/html"), ("Cache-Control", "no-store")])
            return [b"<!doctype html><title>Nothing</title><link rel=icon href=data:,>"]
        app = self.app
        assert app is not None, "a page of a test that is over still asks for something"
        return app(environ, start_response)


@pytest.fixture(scope="session")
def front() -> Iterator[Front]:
    made = Front()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.02,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()


@pytest.fixture(scope="session")
def windows() -> dict[bool, list[Page]]:
    """Pages that nobody uses now, those with scripts and those without: to open a context takes longer than most tests do."""
    return {True: [], False: []}
