"""What the pages need is made before the first visitor comes."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from jinja2 import DictLoader, Environment

from service import settings as settings_
from service.common import bytecode
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
        pages = Environment(loader=DictLoader({"page": text}), bytecode_cache=bytecode.Compiled(str(tmp_path)))
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


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Environment]:
    """The environment of letters, as it is made in a process that starts."""
    make = rendering.environment.__wrapped__

    def starts() -> Environment:
        made: Environment = make()
        monkeypatch.setattr(rendering, "environment", lambda: made)
        return made

    return starts


def test_no_letter_waits_for_a_template(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, letters: Callable[[], Environment]
) -> None:
    monkeypatch.setattr(settings_, "load", lambda: settings)
    made = letters()
    workers_warm.warm_up(f"{queue.PLAY}+{queue.LETTERS}@here")
    monkeypatch.setattr(Environment, "compile", _never)
    for name in ("letters/turn.txt", "letters/turn.html", "mastery/board_letter.html", "fief/board.txt"):
        made.get_template(name)
    # Nor does the next start compile one, though pages have templates of the same names.
    letters()
    monkeypatch.setattr(Environment, "parse", _never)  # whether a game can be opened is for web processes to check
    workers_warm.warm_up(f"{queue.PLAY}+{queue.LETTERS}@here")


def test_pages_and_letters_do_not_read_each_others_compiled_templates(tmp_path: Path) -> None:
    for names, escaped in ((bytecode.PAGES, True), (bytecode.LETTERS, False)) * 2:
        made = Environment(loader=DictLoader({"one": "{{ word }}"}), autoescape=escaped)
        bytecode.keep_compiled(made, tmp_path, names)
        assert made.get_template("one").render(word="<") == ("&lt;" if escaped else "<")


def test_a_broker_that_is_away_keeps_nobody_from_starting(settings: Settings) -> None:
    for url in ("redis://127.0.0.1:1/0", "memory://"):
        queue.reach(settings.model_copy(update={"broker_url": url}))


def _never(*_: object) -> None:
    raise AssertionError("A template is parsed or compiled.")
