"""Ids of rules as tests, cases and comments name them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ASSERTING = ("asked",)
"""Helpers of tests that assert: see tests/ortus/test_decisions.py."""


def listed(file: Path) -> list[str]:
    """The ids of a list, one a line; lines with `#` are remarks."""
    return [line for line in file.read_text("utf-8").split("\n") if line and line[0] != "#"]


def named(text: str, areas: str) -> set[str]:
    """The ids in a text whose areas fit the pattern; `OR-POL-1, 2 and 5` names three, `D-41 to 43` too."""
    found: set[str] = set()
    for area, first, more in re.findall(rf"\b({areas})-(\d+)((?:(?:, | and | to |…|–)\d+\b)*)", text):
        last = int(first)
        found.add(f"{area}-{first}")
        for joint, number in re.findall(r"(, | and | to |…|–)(\d+)", more):
            n = int(number)
            found |= {f"{area}-{k}" for k in (range(last, n + 1) if joint in (" to ", "…", "–") else (n,))}
            last = n
    return found


def missing(ids: list[str], files: list[Path], areas: str) -> list[str]:
    """The ids that no test and no case of these files shows."""
    found = set[str]().union(*(named(shown(p), areas) for p in files))
    return [id for id in ids if id not in found]


def shown(file: Path) -> str:
    """The text in which a rule is named beside what shows it.

    Of a case its `rules:`, for all that it expects belongs to them. Of a file of tests the tests that assert something, with
    the remarks in them and the positions that they are given: a name in a module's first lines, in a helper, or between two
    tests shows nothing.
    """
    text = file.read_text("utf-8")
    lines = text.split("\n")
    if file.suffix != ".py":
        return "\n".join(line for line in lines if line.startswith(("case:", "rules:")))
    tests = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")]
    return "\n".join("\n".join(lines[_first(t) - 1 : t.end_lineno]) for t in tests if _asserts(t))


def _first(test: ast.FunctionDef) -> int:
    return min([test.lineno, *(d.lineno for d in test.decorator_list)])


def _asserts(test: ast.FunctionDef) -> bool:
    """Whether it can fail by itself: with `assert`, with `pytest.raises`, or through a helper that asserts."""
    return any(
        isinstance(n, ast.Assert)
        or (isinstance(n, ast.Attribute) and n.attr == "raises")
        or (isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ASSERTING)
        for n in ast.walk(test)
    )
