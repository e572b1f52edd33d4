"""What the pages need is made before the first visitor comes."""

from __future__ import annotations

import pytest
from jinja2 import Environment

from service.post import rendering
from service.settings import Settings
from service.store import queue
from service.web import create_app, files, warm
from workers import warm as workers_warm


def test_no_visitor_waits_for_a_template_or_a_file(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(settings)
    warm.up(app.jinja_env)
    made = files.file.cache_info().misses
    monkeypatch.setattr(Environment, "compile", _never)
    client = app.test_client()
    for path in ("/", "/help", "/help/ortus", "/help/fief", "/sign-in", "/static/writ.css", "/nowhere"):
        assert client.get(path, base_url=settings.base_url).status_code in (200, 404)
    assert files.file.cache_info().misses == made


def test_apps_of_one_process_share_what_templates_compile_to(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    warm.up(create_app(settings).jinja_env)
    monkeypatch.setattr(Environment, "compile", _never)
    for name in ("pages/turn.html", "ortus/board.html", "layout.html"):
        create_app(settings).jinja_env.get_template(name)


def test_no_letter_waits_for_a_template(monkeypatch: pytest.MonkeyPatch) -> None:
    workers_warm.warm_up(f"{queue.PLAY}+{queue.LETTERS}@here")
    monkeypatch.setattr(Environment, "compile", _never)
    for name in ("letters/turn.txt", "letters/turn.html", "mastery/board_letter.html", "fief/board.txt"):
        rendering.environment().get_template(name)


def test_a_broker_that_is_away_keeps_nobody_from_starting(settings: Settings) -> None:
    for url in ("redis://127.0.0.1:1/0", "memory://"):
        queue.reach(settings.model_copy(update={"broker_url": url}))


def _never(*_: object) -> None:
    raise AssertionError("A template is compiled.")
