"""What the pages need is made before the first visitor comes."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from jinja2 import DictLoader, Environment

from service.post import rendering
from service.settings import Settings
from service.store import queue
from service.web import create_app, files, warm
from workers import warm as workers_warm


def test_no_visitor_waits_for_a_template_or_a_file(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(settings)
    warm.up(app.jinja_env, settings.data_folder)
    made = files.file.cache_info().misses
    monkeypatch.setattr(Environment, "compile", _never)
    client = app.test_client()
    for path in ("/", "/help", "/help/ortus", "/help/fief", "/sign-in", "/static/writ.css", "/nowhere"):
        assert client.get(path, base_url=settings.base_url).status_code in (200, 404)
    assert files.file.cache_info().misses == made
    # Nor does the next start wait for one that this one has compiled.
    folder = settings.data_folder / "compiled"
    assert folder.stat().st_mode & 0o077 == 0 and not [file for file in folder.iterdir() if file.stat().st_mode & 0o077]
    warm.up(create_app(settings).jinja_env, settings.data_folder)


def test_a_template_that_has_changed_is_compiled_again(tmp_path: Path) -> None:
    for text in ("one", "two"):
        pages = Environment(loader=DictLoader({"page": text}), bytecode_cache=warm.Compiled(str(tmp_path)))
        assert pages.get_template("page").render() == text


def test_a_full_disk_stops_no_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", mock.Mock(side_effect=OSError(errno.ENOSPC, "full")))
    pages = Environment(loader=DictLoader({"page.html": "read"}))
    warm.up(pages, tmp_path)
    assert pages.get_template("page.html").render() == "read" and not list((tmp_path / "compiled").iterdir())


def test_a_folder_that_cannot_be_written_stops_no_start(tmp_path: Path) -> None:
    (tmp_path / "compiled").write_text("A file, and no folder.")
    pages = Environment(loader=DictLoader({"page.html": "read"}))
    warm.up(pages, tmp_path)
    assert pages.get_template("page.html").render() == "read"


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
