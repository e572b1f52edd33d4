"""Warm-up of a web process: fills its caches before the first visitor, without opening a connection."""

from __future__ import annotations

from jinja2 import Environment

from engine.language import i18n
from service.games import lobby
from service.web import files

LETTERS = "letters/"
"""Folder of templates that no page uses."""


def up(environment: Environment) -> None:
    """Compile the templates of pages, load the games, and read static files and catalogues."""
    for name in environment.list_templates(extensions=["html", "svg", "txt"]):
        if not name.startswith(LETTERS):
            environment.get_template(name)
    lobby.offered()
    i18n.read_catalogues()
    files.read_all()
