"""Warm-up of a web process: fills its caches before the first visitor, without opening a connection."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment

from engine.language import i18n
from service.common import bytecode
from service.games import lobby
from service.post import rendering
from service.web import files

LETTERS = "letters/"
"""Folder of templates that no page uses."""


def up(environment: Environment, data_folder: Path) -> None:
    """Compile templates of pages, load the games, read static files and catalogues."""
    bytecode.keep_compiled(environment, data_folder, bytecode.PAGES)
    bytecode.keep_compiled(rendering.environment(), data_folder, bytecode.LETTERS)  # boards of letters are rendered as a check
    for name in environment.list_templates(extensions=["html", "svg", "txt"]):
        if not name.startswith(LETTERS):
            environment.get_template(name)
    lobby.offered()
    i18n.read_catalogues()
    files.read_all()
