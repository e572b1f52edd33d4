"""Style sheets can be read: a rule begins a line of its own, no line is too long for a window, and every brace is closed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[3] / "service" / "web" / "static"
SHEETS = sorted(STATIC.glob("*.css"))
WIDEST = 181
"""What can't be broken: a gradient, a selector of one part."""


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda file: file.stem)
def test_a_rule_begins_a_line_and_no_line_is_wider_than_a_window(sheet: Path) -> None:
    lines = sheet.read_text("utf-8").splitlines()
    # A query around a single rule may share its line.
    assert [line for line in lines if line.count("{") > 1 + line.lstrip().startswith("@")] == []
    assert [line for line in lines if len(line) > WIDEST] == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda file: file.stem)
def test_every_brace_has_its_other_half(sheet: Path) -> None:
    """One too many takes the next rule with it, and no browser says so."""
    depth = 0
    for number, line in enumerate(re.sub(r"/\*.*?\*/", _blank, sheet.read_text("utf-8"), flags=re.DOTALL).splitlines(), 1):
        before, depth = depth, depth + line.count("{") - line.count("}")
        assert depth >= 0, f"{sheet.name}, line {number}"
        assert not line or line.startswith("  " * min(before, depth)), f"{sheet.name}, line {number}: in which query?"
    assert depth == 0


def _blank(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")
