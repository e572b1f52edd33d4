"""Warm-up of a web process: fills its caches before the first visitor, without opening a connection."""

from __future__ import annotations

import contextlib
from pathlib import Path

from jinja2 import Environment, FileSystemBytecodeCache
from jinja2.bccache import Bucket

from engine.language import i18n
from service.games import lobby
from service.web import files

LETTERS = "letters/"
"""Folder of templates that no page uses."""
COMPILED = "compiled"
"""Folder of compiled templates in the data folder."""


class Compiled(FileSystemBytecodeCache):
    """Bytecode cache of templates: a start takes 2.7 s of CPU instead of 5.0."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):  # a full disk makes the next start slower, and stops none
            super().dump_bytecode(bucket)


def up(environment: Environment, data_folder: Path) -> None:
    """Compile templates of pages, load the games, read static files and catalogues."""
    with contextlib.suppress(OSError):
        (data_folder / COMPILED).mkdir(mode=0o700, exist_ok=True)
        environment.bytecode_cache = Compiled(str(data_folder / COMPILED))
    for name in environment.list_templates(extensions=["html", "svg", "txt"]):
        if not name.startswith(LETTERS):
            environment.get_template(name)
    lobby.offered()
    i18n.read_catalogues()
    files.read_all()
