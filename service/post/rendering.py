"""The templates of letters and boards. By itself, for who asks whether a game can be shown needs no database."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.filters import do_urlencode

from engine.forms import by_seat, limits, row_pattern
from engine.heard import example, ways
from engine.words import language
from service.common.i18n import for_templates

BLANK = re.compile(r"\s*([{};])\s*|(?<=[:,])\s+|;\s*(?=})")
"""What a style sheet can do without, and every letter would carry: blanks around braces and semicolons, behind colons and
commas, the last semicolon."""
WIDEST, WIDTH = 78, 76
"""How wide a line of a text part may be, and how wide those are made of one that is wider."""
WHOLE = re.compile(r"://|\b[a-z_]+=[\w\[]")
"""What a line of a text part isn't broken for: a link, and an answer as one writes it in a reply."""
BEGINS = re.compile(r"\s*(?:[-*] )?")
TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


@cache
def environment() -> Environment:
    """The templates of letters and boards; anything missing fails loudly."""
    env = Environment(
        loader=FileSystemLoader(str(TEMPLATES)),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,  # all templates stay in memory
    )
    for_templates(env)
    env.filters["tight"] = tight
    env.filters["urlencode"] = quoted
    env.globals.update(
        language=language, rows_limits=limits, row_pattern=row_pattern, by_seat=by_seat, example=example, ways=ways
    )
    return env


@lru_cache(64)
def tight(css: str) -> str:
    """A style sheet without what it can do without. Kept: there is one for each kind of letter of each game."""
    return BLANK.sub(lambda found: found[1] or "", css)


@lru_cache(2000)
def quoted(word: str) -> str:
    """A word as it may stand in a link. Kept: options and their choices have the same ids in letter after letter."""
    return do_urlencode(word)


def render(kind: str, form: str, context: Mapping[str, Any]) -> str:
    """One part of a letter: `form` is `txt` or `html`."""
    part = environment().get_template(f"letters/{kind}.{form}").render(**context)
    return laid_out(part) if form == "txt" else part


def laid_out(text: str) -> str:
    """A text part as it is read: no line wider than a mail program shows, and never two blank lines together."""
    lines = (line if line == "-- " else line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(part for line in lines for part in _wrapped(line)))


def _wrapped(line: str) -> list[str]:
    if len(line) <= WIDEST or WHOLE.search(line):
        return [line]
    begins = BEGINS.match(line)
    hanging = " " * (begins.end() if begins else 0)
    return textwrap.wrap(line, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def compile_all() -> None:
    """Compile all that letters are rendered from, which takes a while."""
    env = environment()
    for name in env.list_templates():
        if name.startswith("letters/") or name.endswith((".txt", "_letter.html")):
            env.get_template(name)
