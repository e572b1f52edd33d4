"""What is made once and kept is made before the first visitor comes: nobody waits for it.

Nothing is connected here, and nothing asked of anybody.
"""

from __future__ import annotations

from jinja2 import Environment

from service.games import lobby
from service.ground import words
from service.web import files

LETTERS = "letters/"
"""Where templates are that no page uses."""


def up(environment: Environment) -> None:
    """Compile the templates of the pages; look at the games once, and read files and catalogues."""
    for name in environment.list_templates(extensions=["html", "svg", "txt"]):
        if not name.startswith(LETTERS):
            environment.get_template(name)
    lobby.offered()
    words.read_catalogues()
    files.read_all()
