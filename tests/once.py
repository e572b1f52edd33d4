"""What every app and every database of a test would work out anew, worked out once in a process and kept.

Each test has an app and a database of its own. What they do is their own, too; only what depends on the program alone is
shared: compiled templates, the map of addresses, and compiled statements.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket
from sqlalchemy import Dialect, Engine, create_engine
from werkzeug.routing import Map, RuleFactory

from service.common import bytecode
from service.post import rendering
from service.store import encryption

TEMPLATES: list[Path] = []
"""The folder of compiled templates that all processes of this test run share; empty before `once`."""


class Templates(FileSystemBytecodeCache):
    """Compiled templates: in a folder that several processes share, and at hand in this one."""

    def __init__(self, folder: Path, names: str) -> None:
        super().__init__(str(folder), names)
        self.codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Put the code of this source into the bucket, if there is any."""
        known = (bucket.key, bucket.checksum)
        if known not in self.codes:
            super().load_bytecode(bucket)
            if bucket.code is None:
                return
            self.codes[known] = bucket.code
        bucket.code = self.codes[known]


class Routes(Map):
    """The addresses of every app of this process: a rule that one app has added is compiled once."""

    def __init__(self) -> None:
        super().__init__()
        self.known: set[Hashable] = set()

    def add(self, rulefactory: RuleFactory) -> None:
        for rule in rulefactory.get_rules(self):
            known = (rule.rule, rule.endpoint, frozenset(rule.methods or ()))
            if known not in self.known:
                self.known.add(known)
                super().add(rule)


def statements(give: Callable[[Engine, Sequence[str]], None]) -> Callable[[Engine, Sequence[str]], None]:
    """Engines of SQLite that have the same keys compile a statement once, and not once for each test's database."""
    first: dict[Hashable, tuple[Dialect, dict[Any, Any]]] = {}

    def give_and_share(engine: Engine, keys: Sequence[str]) -> None:
        if engine.dialect.name != "sqlite":
            give(engine, keys)
            return
        if tuple(keys) not in first:
            shared = create_engine("sqlite://")
            give(shared, keys)
            with shared.connect():  # by which its dialect comes to know the version
                pass
            first[tuple(keys)] = shared.dialect, {}
        engine.dialect, compiled = first[tuple(keys)]
        engine.update_execution_options(compiled_cache=compiled)

    return give_and_share


@contextmanager
def once(folder: Path) -> Iterator[None]:
    """Share all of that meanwhile; the folder is for what processes share."""
    folder.mkdir(mode=0o700, exist_ok=True)
    TEMPLATES[:] = [folder]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Flask, "jinja_options", {**Flask.jinja_options, "bytecode_cache": Templates(folder, bytecode.PAGES)})
        patch.setattr(rendering.environment(), "bytecode_cache", Templates(folder, bytecode.LETTERS))
        routes = Routes()
        patch.setattr(Flask, "url_map_class", lambda *_, **__: routes)
        patch.setattr(encryption, "give_keys", statements(encryption.give_keys))
        yield


def started_before(data_folder: Path) -> None:
    """Link the shared compiled templates into a data folder: web processes and workers start there as on any day but the first.

    To compile them takes 2.5 s of CPU. `test_at_rest.py` starts all of Writ in an empty folder.
    """
    for folder in TEMPLATES:
        (data_folder / bytecode.COMPILED).symlink_to(folder)
