"""Pixel art for letters, as coloured table cells, since mail programs block images.

`templates/GAME/pixels.txt` holds a line for each colour (mark and `#rrggbb`), an empty line, then rows of marks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from service.post.rendering import TEMPLATES


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
    """A game's picture, or the default."""
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
