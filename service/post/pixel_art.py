"""Small pictures for letters, woven of cells: mail programs show no drawings, but every one of them shows a table with colours.

A game's is `templates/GAME/woven.txt`: a line for each colour (its mark and `#rrggbb`), an empty line, then the rows, a mark
for each stitch.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from service.post.rendering import TEMPLATES


@dataclass(frozen=True)
class Row:
    """A row: runs of one colour, each with its width in stitches, and the colour of most, of which it isn't said again."""

    ground: str
    runs: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Woven:
    """A picture: its width in stitches, and its rows."""

    width: int
    rows: tuple[Row, ...]


@cache
def woven(game: str) -> Woven:
    """The picture of a game, or the plain one where it has none."""
    file = TEMPLATES / game / "woven.txt"
    text = (file if file.exists() else TEMPLATES / "default" / "woven.txt").read_text("utf-8")
    palette, _, stitches = text.partition("\n\n")
    colours = dict(line.split() for line in palette.splitlines())
    lines = stitches.splitlines()
    return Woven(len(lines[0]), tuple(_row([(len(list(run)), colours[mark]) for mark, run in groupby(line)]) for line in lines))


def _row(runs: list[tuple[int, str]]) -> Row:
    ((ground, _),) = Counter(colour for _, colour in runs).most_common(1)
    return Row(ground, tuple(runs))
