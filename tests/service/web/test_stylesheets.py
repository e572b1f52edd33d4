"""Style sheets can be read: a rule begins a line of its own, no line is too long for a window, and every brace is closed.

And nothing is sent that no page uses: no class without an element, no symbol that isn't drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[3] / "service" / "web" / "static"
TEMPLATES = STATIC.parents[2] / "templates"
SHEETS = sorted(STATIC.glob("*.css"))
SPRITES = sorted(STATIC.glob("*.svg"))
COMPOSED = re.compile(r"([\w-]*[a-z-])(?:\{\{|\$\{|['\"] ~)")
"""The beginning of a class or an id that a template or a script goes on with a value: `of-{{ seat }}`, `"v-" ~ option`."""
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


@pytest.mark.parametrize(
    "sheet", [*SHEETS, *TEMPLATES.glob("*/letter.css")], ids=lambda file: f"{file.parent.name}-{file.stem}"
)
def test_no_rule_is_nested(sheet: Path) -> None:
    """The minifier takes the space before a colon away: `& :is(a)` would become `&:is(a)`."""
    open_rules: list[str] = []
    for head, brace in re.findall(r"([^{};]*)([{};])", re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.DOTALL)):
        if brace == "{":
            assert all(outer.startswith("@") for outer in open_rules), head
            open_rules.append(head.strip())
        elif brace == "}":
            open_rules.pop()


def _used() -> Callable[[str], bool]:
    """Tells whether a class or the id of a symbol is written somewhere, whole or as a beginning and a value."""
    files = [*TEMPLATES.rglob("*"), *STATIC.glob("*.js"), *SPRITES]
    files += [file for folder in ("engine", "service") for file in (TEMPLATES.parent / folder).rglob("*")]
    texts = [f.read_text("utf-8") for f in files if f.suffix in (".html", ".svg", ".txt", ".js", ".py", ".toml", ".json")]
    written = {word for text in texts for word in re.findall(r"[\w-]+", re.sub(r'<symbol id="[^"]+"', "", text))}
    begun = {beginning for text in texts for beginning in COMPOSED.findall(text)}
    return lambda name: name in written or any(name[:n] in begun and name[n:] in written for n in range(1, len(name)))


def test_every_class_and_every_symbol_is_used() -> None:
    used = _used()
    rules = {sheet.name: re.sub(r"/\*.*?\*/|\{[^{}]*\}", "{}", sheet.read_text("utf-8"), flags=re.DOTALL) for sheet in SHEETS}
    classes = {(name, one) for name, text in rules.items() for one in re.findall(r"\.([a-zA-Z][\w-]*)", text)}
    symbols = {(file.name, one) for file in SPRITES for one in re.findall(r'<symbol id="([^"]+)"', file.read_text("utf-8"))}
    assert len(classes) > 500 and len(symbols) > 250
    assert sorted((file, one) for file, one in classes | symbols if not used(one)) == []
