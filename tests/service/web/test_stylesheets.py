"""Style sheets can be read: a rule begins a line of its own, no line is too long for a window, and every brace is closed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[3] / "service" / "web" / "static"
TEMPLATES = STATIC.parents[2] / "templates"
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


def test_every_custom_property_that_is_read_is_set_and_those_of_seats_say_so() -> None:
    """A renamed one that is read somewhere still would leave its part without a colour."""
    drawn = [*SHEETS, *STATIC.glob("*.js"), *(f for f in TEMPLATES.rglob("*") if f.suffix in (".svg", ".html"))]
    texts = {file: file.read_text("utf-8") for file in drawn}
    is_set = {name for text in texts.values() for name in re.findall(r"(?<![-\w(])(--[a-z][\w-]*)['\"]?[:,]", text)}
    read = {(file.name, name) for file, text in texts.items() for name in re.findall(r"var\((--[\w-]+)\)", text)}
    assert {(file, name) for file, name in read if name not in is_set} == set()
    assert {f"--seat-{seat}{part}" for seat in "abcdef" for part in ("", "-charge", "-on", "-wash")} <= is_set
    assert not any(re.fullmatch(r"--[a-f](m|-on|-wash)?", name) for name in is_set)
