"""What is made once and kept is made before the first visitor comes: nobody waits for it.

Nothing is connected here, and nothing asked of anybody.
"""

from __future__ import annotations

from functools import cache

from flask import Flask
from jinja2 import Environment

from service.common import i18n
from service.games import lobby
from service.settings import Settings, load
from service.web import create_app, files

LETTERS = "letters/"
"""Where templates are that no page uses."""


def up(environment: Environment) -> None:
    """Compile the templates of the pages; look at the games once, and read files and catalogues."""
    for name in environment.list_templates(extensions=["html", "svg", "txt"]):
        if not name.startswith(LETTERS):
            environment.get_template(name)
    lobby.offered()
    i18n.read_catalogues()
    files.read_all()


@cache
def app_for(settings: Settings) -> Flask:
    """The app for these settings, its templates compiled; made once. It opens no connection."""
    app = create_app(settings)
    up(app.jinja_env)
    return app


def share() -> None:
    """Make the app before web processes are forked from this one."""
    app_for(load())
