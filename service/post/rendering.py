"""Jinja environment of letters and boards; plain-text parts and their line wrapping."""

from __future__ import annotations

import html
import re
import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.filters import do_urlencode
from rcssmin import cssmin

from engine.language.i18n import language
from engine.ui.forms import by_seat, limits
from engine.ui.heard import ways
from service.common.i18n import for_templates

WIDEST, WIDTH = 78, 76
"""Longest line of a text part, and the wrapping width."""
WHOLE = re.compile(r"://|\b[a-z_]+=[\w\[]")
"""Never wrapped: links, and answers to copy into a reply."""
BUTTON = re.compile(r'<a class="button" href="([^"]*)">([^<]*)</a>')
END_OF_LINES = re.compile(r"</(?:p|h2|ul)>")
TAG = re.compile(r"<[^>]+>")
BEGINS = re.compile(r"\s*(?:[-*] )?")
TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


@cache
def environment() -> Environment:
    env = Environment(
        loader=FileSystemLoader(str(TEMPLATES)),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,  # unlimited
    )
    for_templates(env)
    env.filters["tight"] = lru_cache(64)(cssmin)  # one style sheet per kind and game
    env.filters["urlencode"] = quoted
    env.globals.update(language=language, rows_limits=limits, by_seat=by_seat, ways=ways)
    return env


@lru_cache(2000)
def quoted(word: str) -> str:
    """URL-encode. Cached: ids repeat."""
    return do_urlencode(word)


def render(kind: str, form: str, context: Mapping[str, Any]) -> str:
    """Render a part of a letter, `form` `txt` or `html`. Without a text template, its HTML becomes text."""
    if form == "html":
        return environment().get_template(f"letters/{kind}.html").render(**context)
    template = environment().select_template([f"letters/{kind}.txt", "letters/plain.txt"])
    return laid_out(template.render(**context, of_html=partial(_told, kind, context)))


def _told(kind: str, context: Mapping[str, Any]) -> dict[str, str]:
    """Blocks of a letter's HTML as text."""
    page = environment().get_template(f"letters/{kind}.html")
    return {block: as_text("".join(page.blocks[block](page.new_context({**context})))) for block in ("heading", "body")}


def as_text(page: str) -> str:
    page = END_OF_LINES.sub("\n\n", BUTTON.sub(r"\2\n\1", page)).replace("<li>", "- ").replace("</li>", "\n")
    return html.unescape(TAG.sub("", page)).strip()


def laid_out(text: str) -> str:
    """Wrap long lines, and collapse blank ones."""
    lines = (line if line == "-- " else line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(part for line in lines for part in _wrapped(line)))


def _wrapped(line: str) -> list[str]:
    if len(line) <= WIDEST or WHOLE.search(line):
        return [line]
    begins = BEGINS.match(line)
    hanging = " " * (begins.end() if begins else 0)
    return textwrap.wrap(line, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def compile_all() -> None:
    env = environment()
    for name in env.list_templates():
        if name.startswith("letters/") or name.endswith((".txt", "_letter.html")):
            env.get_template(name)


# --- pixel art: coloured table cells, since mail programs block images ------------------------------------------------


@dataclass(frozen=True)
class Row:
    """Runs of (width, colour), and the commonest colour."""

    background: str
    runs: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class PixelArt:
    width: int
    rows: tuple[Row, ...]


@cache
def pixel_art(game: str) -> PixelArt:
    """A game's picture, or the default. `pixels.txt` has a line for each colour (mark and `#rrggbb`), an empty line, rows of
    marks.
    """
    file = TEMPLATES / game / "pixels.txt"
    text = (file if file.exists() else TEMPLATES / "default" / "pixels.txt").read_text("utf-8")
    palette, _, pixels = text.partition("\n\n")
    colours = dict(line.split() for line in palette.splitlines())
    lines = pixels.splitlines()
    rows = tuple(_row([(len(list(run)), colours[mark]) for mark, run in groupby(line)]) for line in lines)
    return PixelArt(len(lines[0]), rows)


def _row(runs: list[tuple[int, str]]) -> Row:
    ((background, _),) = Counter(colour for _, colour in runs).most_common(1)
    return Row(background, tuple(runs))
