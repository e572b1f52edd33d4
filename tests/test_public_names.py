"""Libraries are used by their public names alone: what begins with an underscore may change with any of their releases."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("engine", "service", "workers", "migrations", "translations")
INTERNAL = ("jinja2.compiler", "psycopg.pq", "sqlalchemy.orm.attributes", "kombu.transport")
"""Modules without an underscore that are internals all the same."""
NAMED_TUPLES = frozenset(("_fields", "_asdict", "_replace", "_make"))
"""Documented by the standard library."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def files() -> list[Path]:
    return sorted(path for package in OURS for path in (ROOT / package).rglob("*.py"))


def defined() -> frozenset[str]:
    """Every private name that our own code defines: functions, classes, attributes and variables."""
    found = set[str]()
    for path in files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    found.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    found.add(name)
    return frozenset(found)


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Name in the file and the module it comes from, for everything that is imported from elsewhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level and node.module.split(".")[0] not in OURS:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] not in OURS:
                    yield alias.asname or alias.name.split(".")[0], alias.name


def faults(source: str, own: frozenset[str]) -> list[str]:
    """What a file uses of a library that isn't public."""
    tree, found = ast.parse(source), list[str]()
    theirs = dict(imported(tree))
    for module in theirs.values():
        if any(is_private(part) for part in module.split(".")) or module.startswith(INTERNAL):
            found.append(f"imports {module}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own | NAMED_TUPLES:
            found.append(f"line {node.lineno}: .{node.attr}")
        if isinstance(node, ast.ClassDef):
            methods = [d.name for d in node.body if isinstance(d, ast.FunctionDef) and is_private(d.name)]
            for base in node.bases:
                first, *rest = ast.unparse(base.value if isinstance(base, ast.Subscript) else base).split(".")
                whole = ".".join([theirs.get(first, ""), *rest])
                found += [
                    f"line {node.lineno}: {node.name}.{name} overrides {whole}'s" for name in methods if hides(whole, name)
                ]
    return found


def hides(base: str, name: str) -> bool:
    """Whether a class of a library has an attribute of that name."""
    module, _, kind = base.rpartition(".")
    return bool(module) and hasattr(getattr(importlib.import_module(module), kind, None), name)


def test_only_public_names_of_libraries_are_used() -> None:
    own = defined()
    wrong = {str(path.relative_to(ROOT)): faults(path.read_text(encoding="utf-8"), own) for path in files()}
    assert {path: found for path, found in wrong.items() if found} == {}


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
    assert faults(source, frozenset())
