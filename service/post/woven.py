"""Small pictures for letters, woven of cells: mail programs show no drawings, but every one of them shows a table with colours.

A game's is `templates/GAME/woven.txt`: a line for each colour (its mark and `#rrggbb`), an empty line, then the rows, a mark
for each stitch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import groupby

from service.post.rendering import TEMPLATES


@dataclass(frozen=True)
class Woven:
    """A picture: rows of runs of one colour, each with its width in stitches."""

    width: int
    rows: tuple[tuple[tuple[int, str], ...], ...]


@cache
def woven(game: str) -> Woven:
    """The picture of a game, or the plain one where it has none."""
    file = TEMPLATES / game / "woven.txt"
    text = (file if file.exists() else TEMPLATES / "default" / "woven.txt").read_text("utf-8")
    palette, _, stitches = text.partition("\n\n")
    colours = dict(line.split() for line in palette.splitlines())
    lines = stitches.splitlines()
    rows = tuple(tuple((len(list(run)), colours[mark]) for mark, run in groupby(line)) for line in lines)
    return Woven(len(lines[0]), rows)
