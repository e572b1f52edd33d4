"""Libraries are used by their public names alone: what begins with an underscore may change with any of their releases."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("engine", "service", "workers", "migrations", "translations", "templates", "tests", "bench", "deploy")
INTERNAL = ("jinja2.compiler", "psycopg.pq", "sqlalchemy.orm.attributes", "kombu.transport")
"""Modules without an underscore that are internals all the same."""
NAMED_TUPLES = frozenset(("_fields", "_asdict", "_replace", "_make"))
"""Documented by the standard library."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def files() -> list[Path]:
    return sorted(path for package in OURS for path in (ROOT / package).rglob("*.py"))


@dataclass
class Names:
    """The private names that a file of ours defines, and what it uses of libraries that isn't public."""

    defined: set[str] = field(default_factory=set)
    """Functions, classes, attributes and variables."""
    attributes: list[tuple[str, int]] = field(default_factory=list)
    """Private attributes and their lines; those that our own code defines are no fault."""
    faults: list[str] = field(default_factory=list)

    def all_faults(self, own: Collection[str]) -> list[str]:
        return self.faults + [f"line {line}: .{name}" for name, line in self.attributes if name not in own]


def names(source: str) -> Names:
    """What one file defines and uses, in one walk over its syntax tree."""
    found = Names()
    nodes = list(ast.walk(ast.parse(source)))
    theirs = dict(imported(nodes))
    for module in theirs.values():
        if any(is_private(part) for part in module.split(".")) or module.startswith(INTERNAL):
            found.faults.append(f"imports {module}")
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.defined.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                found.defined.add(name)
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in NAMED_TUPLES:
            found.attributes.append((node.attr, node.lineno))
        if isinstance(node, ast.ClassDef):
            found.faults += overrides(node, theirs)
    return found


def imported(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Name in the file and the module it comes from, for everything that is imported from elsewhere."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level and node.module.split(".")[0] not in OURS:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] not in OURS:
                    yield alias.asname or alias.name.split(".")[0], alias.name


def overrides(node: ast.ClassDef, theirs: Mapping[str, str]) -> Iterator[str]:
    """Private methods by which a class hides those of a library's class."""
    methods = [d.name for d in node.body if isinstance(d, ast.FunctionDef) and is_private(d.name)]
    for base in node.bases:
        first, *rest = ast.unparse(base.value if isinstance(base, ast.Subscript) else base).split(".")
        whole = ".".join([theirs.get(first, ""), *rest])
        yield from (f"line {node.lineno}: {node.name}.{name} overrides {whole}'s" for name in methods if hides(whole, name))


def hides(base: str, name: str) -> bool:
    """Whether a class of a library has an attribute of that name."""
    module, _, kind = base.rpartition(".")
    return bool(module) and hasattr(getattr(importlib.import_module(module), kind, None), name)


def test_only_public_names_of_libraries_are_used() -> None:
    found = {str(path.relative_to(ROOT)): names(path.read_text(encoding="utf-8")) for path in files()}
    own = frozenset[str]().union(*(one.defined for one in found.values()))
    wrong = {path: one.all_faults(own) for path, one in found.items()}
    assert {path: faults for path, faults in wrong.items() if faults} == {}


@pytest.mark.parametrize(
    "source",
    [
        "from psycopg._preparing import Prepare",
        "import jinja2.compiler",
        "from psycopg.pq import TransactionStatus",
        "from flask import Flask\nFlask('x')._check_setup_finished",
        "from kombu.transport import redis",
        "from flask.sessions import SecureCookieSessionInterface\n"
        "from jinja2 import Environment\nclass A(Environment):\n    def _load_template(self): ...",
    ],
)
def test_private_names_are_noticed(source: str) -> None:
    assert names(source).all_faults(frozenset())
