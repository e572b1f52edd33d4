"""What every app and every database of a test would work out anew, worked out once in a process and kept.

Each test has an app and a database of its own. What they do is their own, too; only what depends on the program alone is
shared: compiled templates, the rules of addresses and the functions that write them, and statements as text.
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
from sqlalchemy import Engine, create_engine
from werkzeug.routing import Rule

from service.store import sealing


class Templates(FileSystemBytecodeCache):
    """Compiled templates: in a folder that several processes share, and at hand in this one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
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


def rules(read: Callable[[Rule], None]) -> Callable[[Rule], None]:
    """What a rule is made of is read out of its text once for all rules of that text, whatever app they are of."""
    made: dict[Hashable, Rule] = {}

    def read_once(rule: Rule) -> None:
        routing = rule.map
        if rule.defaults or routing is None:
            read(rule)
            return
        kinds = frozenset(routing.converters.items())
        known = (rule.rule, rule.host, rule.subdomain, rule.merge_slashes, routing.host_matching, kinds)
        if known not in made:
            read(rule)
            made[known] = rule
            return
        first = made[known]
        rule._parts, rule._trace, rule._converters = first._parts, first._trace, first._converters
        rule.arguments |= first.arguments
        rule._build = rule._compile_builder(False).__get__(rule, None)
        rule._build_unknown = rule._compile_builder(True).__get__(rule, None)

    return read_once


def routes(compiled: Callable[[Rule, bool], Any]) -> Callable[[Rule, bool], Any]:
    """The function that writes a rule's address, made once for each rule: it is given the rule when it is called."""
    made: dict[Hashable, Any] = {}

    def compile_once(rule: Rule, append_unknown: bool = True) -> Any:
        if rule.defaults:
            return compiled(rule, append_unknown)
        known = (rule.rule, tuple(rule._trace), append_unknown)
        if known not in made:
            made[known] = compiled(rule, append_unknown)
        return made[known]

    return compile_once


def statements(give: Callable[[Engine, Sequence[str]], None]) -> Callable[[Engine, Sequence[str]], None]:
    """Engines of SQLite that have the same keys compile a statement once, and not once for each test's database."""
    first: dict[Hashable, Engine] = {}

    def give_and_share(engine: Engine, keys: Sequence[str]) -> None:
        if engine.dialect.name != "sqlite":
            give(engine, keys)
            return
        if tuple(keys) not in first:
            shared = first[tuple(keys)] = create_engine("sqlite://")
            give(shared, keys)
            with shared.connect():  # by which its dialect comes to know the version
                pass
        shared = first[tuple(keys)]
        engine.dialect, engine._compiled_cache = shared.dialect, shared._compiled_cache

    return give_and_share


@contextmanager
def once(folder: Path) -> Iterator[None]:
    """Share all of that meanwhile; the folder is for what processes share."""
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Flask, "jinja_options", {**Flask.jinja_options, "bytecode_cache": Templates(folder)})
        patch.setattr(Rule, "_compile_builder", routes(Rule._compile_builder))
        patch.setattr(Rule, "compile", rules(Rule.compile))
        patch.setattr(sealing, "give_keys", statements(sealing.give_keys))
        yield
