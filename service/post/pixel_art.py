"""Pixel art for letters, as coloured table cells, since mail programs block images.

`templates/GAME/woven.txt` holds a line for each colour (mark and `#rrggbb`), an empty line, then rows of marks.
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

    ground: str
    runs: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Woven:
    width: int
    rows: tuple[Row, ...]


@cache
def woven(game: str) -> Woven:
    """A game's picture, or the default."""
    file = TEMPLATES / game / "woven.txt"
    text = (file if file.exists() else TEMPLATES / "default" / "woven.txt").read_text("utf-8")
    palette, _, stitches = text.partition("\n\n")
    colours = dict(line.split() for line in palette.splitlines())
    lines = stitches.splitlines()
    return Woven(len(lines[0]), tuple(_row([(len(list(run)), colours[mark]) for mark, run in groupby(line)]) for line in lines))


def _row(runs: list[tuple[int, str]]) -> Row:
    ((ground, _),) = Counter(colour for _, colour in runs).most_common(1)
    return Row(ground, tuple(runs))
