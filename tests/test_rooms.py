"""What the contracts of imports in pyproject can't say of the rooms."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from service.table.commands import COMMANDS
from workers.commands import HANDLERS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "service" / "web").glob("*.py"))
STATEMENTS = {"select", "insert", "update", "delete", "text"}
WRITES = {"add", "add_all", "delete", "merge"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_asks_the_database_or_writes_a_row_itself(page: Path) -> None:
    tree = ast.parse(page.read_text("utf-8"))
    taken = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in ("sqlmodel", "sqlalchemy")
        for alias in node.names
    }
    written = {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "session" and node.func.attr in WRITES
    }
    assert not taken & STATEMENTS, "what it needs of the database is for the room that the rows belong to"
    assert not written, "it parses, calls and renders; rows are written in the rooms"


def test_the_workers_can_do_whatever_a_table_can_command() -> None:
    assert set(HANDLERS) == set(COMMANDS)


def test_only_settings_and_errors_stand_outside_the_rooms() -> None:
    loose = {path.stem for path in (ROOT / "service").glob("*.py")}
    assert loose == {"__init__", "settings", "errors"}
