"""Geometry of the line plot on the result page, drawn by `templates/pages/_plot.html`.

pygal writes inline styles and scripts, which the CSP blocks; no library found uses the palette's variables, patterns and
markers, or keeps names at the lines' ends from overlapping.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.core.asks import Seat
from engine.play.ending import Course
from service.log.story import StoryLine

WIDTH, HEIGHT = 384, 300
LEFT, RIGHT, TOP, BOTTOM = 30, 104, 34, 30
"""Margins; names are on the right."""
LABELS = 21
"""Least distance of two names."""
APART = 2.4
"""Distance by which equal lines are set apart."""
NUMBERS = 16
"""Least distance of the numbers of two turning points."""
TICKS, MARKERS = 8, 12
"""Most numbers on the x axis, and markers on a line."""


@dataclass(frozen=True)
class Line:
    seat: Seat
    points: str
    """For `polyline`."""
    markers: Sequence[tuple[float, float]]
    end: tuple[float, float]
    label: float
    """Y of its name."""


@dataclass(frozen=True)
class Turn:
    number: int
    x: float
    of: float
    """X of its chapter; several may share one."""


@dataclass(frozen=True)
class Plot:
    lines: Sequence[Line]
    across: Sequence[tuple[float, int]]
    """Ticks of the chapters: x and number."""
    up: Sequence[tuple[float, int]]
    goal: tuple[float, int] | None
    """Y and number of the points to win."""
    turns: Sequence[Turn]


def plot(course: Course, goal: int | None, turns: Sequence[StoryLine]) -> Plot | None:
    """Line plot; None without chapters. `goal`: points to win, if the same for all."""
    n = len(course.chapters)
    if not n:
        return None
    most = max(goal or 0, 1, *(max(levels) for levels in course.levels.values()))
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(chapter: float) -> float:
        return round(LEFT + wide * chapter / max(1, n - 1), 1)

    def y(level: float) -> float:
        return round(HEIGHT - BOTTOM - high * level / most, 1)

    apart = min(APART, high / most / 3)
    shift = {seat: round((i - (len(course.levels) - 1) / 2) * apart, 1) for i, seat in enumerate(course.levels)}
    every = -(-n // MARKERS)
    paths = {
        seat: [(x(i), round(y(level) + shift[seat], 1)) for i, level in enumerate(levels)]
        for seat, levels in course.levels.items()
    }
    labels = _spread({seat: path[-1][1] for seat, path in paths.items()})
    lines = [
        Line(seat, " ".join(f"{px},{py}" for px, py in path), path[::-every], path[-1], labels[seat])
        for seat, path in paths.items()
    ]
    step, ticks = -(-most // 7), -(-n // TICKS)
    across = [(x(i), i + 1) for i in range(n) if i % ticks == 0 or (i == n - 1 and (n - 1) % ticks > ticks // 2)]
    up = [(y(level), level) for level in range(0, most + 1, step)]
    return Plot(lines, across, up, (y(goal), goal) if goal else None, _numbered(turns, x))


def _spread(wanted: Mapping[Seat, float]) -> dict[Seat, float]:
    found, below = dict[Seat, float](), 12.0
    for seat in sorted(wanted, key=lambda seat: wanted[seat]):
        found[seat] = below = max(wanted[seat], below)
        below += LABELS
    above = HEIGHT - 12.0
    for seat in sorted(found, key=lambda seat: found[seat], reverse=True):
        found[seat] = above = min(found[seat], above)
        above -= LABELS
    return found


def _numbered(turns: Sequence[StoryLine], x: Callable[[float], float]) -> list[Turn]:
    found = list[Turn]()
    for number, turn in enumerate(turns, 1):
        least_x = found[-1].x + NUMBERS if found else 0
        of = x(max(turn.chapter, 0))
        found.append(Turn(number, max(of, least_x), of))
    return found
