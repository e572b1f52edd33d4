"""Map geometry. The shipped map's coordinates are in `lore/chart.json`; a host's map is stretched over the sheet, its villages
pushed apart.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any

from engine.fief.rules.realm.pieces import Land, Lore, Site, lore_of

WIDTH, HEIGHT = 928, 518
PALETTE = ("#c8432f", "#d9b8a4", "#a58197", "#b7b13a", "#d9a520", "#d9752b", "#4d6b35", "#5a86ad")
BLOCK = (64.0, 46.0)
"""An army's size."""
HELP = (0.16, 0.32, 0.46)
"""Fractions of a road owned by its village, so that its land is connected."""

Point = tuple[float, float]
Box = tuple[float, float, float, float]
Edge = tuple[int, int]

_SHIPPED: dict[str, Any] = json.loads(resources.files("engine.fief").joinpath("lore", "chart.json").read_text("utf-8"))


@lru_cache(maxsize=64)
def chart_of(text: str = "") -> dict[str, Any]:
    """Chart of a host's file `text`, or the shipped one; don't modify it."""
    lore = lore_of(text)
    at = _places(lore)
    ground = _Ground(lore, at)
    slots: dict[str, list[Point]] = {v: [] for v in lore.sites}
    _stand(lore, at, slots, {})
    taken = [box for v, s in lore.sites.items() for box in (_village_box(at[v], s), _pennant_box(at[v]), _name_box(at[v], s))]
    taken += [_slot_box(two[0]) for two in slots.values()]
    labels = _labels(lore, ground, taken)
    for _ in range(2):  # further armies avoid Fief names
        _stand(lore, at, slots, labels)
    own = at == _shipped_places(lore)
    return {
        "mark": hashlib.sha256(text.encode()).hexdigest()[:16] if text else "",
        "size": [WIDTH, HEIGHT],
        "coast": ground.outline(lore.sites),
        "lands": {
            f: {
                "name": land.name, "rank": land.rank, "price": land.title_price, "colour": _colour(land.colour, n),
                "pale": _pale(_colour(land.colour, n)),
                "villages": list(land.villages), "path": ground.outline(land.villages),
                "label": _rounded(labels[f]),
            }
            for n, (f, land) in enumerate(lore.lands.items())
        },
        "sees": {
            str(n): {
                "name": see.name, "principal": see.principal, "villages": list(see.villages),
                "path": ground.outline(see.villages),
            }
            for n, see in lore.sees.items()
        },
        "borders": ground.border({v: s.fief for v, s in lore.sites.items()}),
        "dots": ground.border({v: s.bishopric for v, s in lore.sites.items()}),
        "roads": [[a, b, _road(at[a], at[b])] for a, b in _roads(lore)],
        "rivers": list(_SHIPPED["rivers"]) if own else [],
        "marks": _marks(lore, at, labels.values()),
        "grid": _grid(at),
        "villages": {
            v: {
                "name": s.name, "fief": s.fief, "see": s.bishopric, "principal": s.principal, "roads": list(lore.roads[v]),
                "at": _rounded(at[v]), "slots": [_rounded(slot) for slot in slots[v]],
            }
            for v, s in lore.sites.items()
        },
    }  # fmt: skip


# --- places -----------------------------------------------------------------------------------------------------------


def _shipped_places(lore: Lore) -> dict[str, Point] | None:
    places: dict[str, list[float]] = _SHIPPED["places"]
    known = lore_of().sites
    if all(v in known and (s.x, s.y) == (known[v].x, known[v].y) for v, s in lore.sites.items()) and len(lore.sites) == len(
        known
    ):
        return {v: (places[v][0], places[v][1]) for v in lore.sites}
    return None


def _places(lore: Lore) -> dict[str, Point]:
    shipped = _shipped_places(lore)
    if shipped is not None:
        return shipped
    xs, ys = [s.x for s in lore.sites.values()], [s.y for s in lore.sites.values()]
    wide, high = max(xs) - min(xs) or 1, max(ys) - min(ys) or 1
    at = {v: [70 + (s.x - min(xs)) / wide * 770, 78 + (s.y - min(ys)) / high * 388] for v, s in lore.sites.items()}
    room = math.sqrt(24 / max(24, len(at)))
    for _ in range(120):
        _push_apart(list(at.values()), 128 * room, 84 * room)
    return {v: (x, y) for v, (x, y) in at.items()}


def _push_apart(spots: list[list[float]], wide: float, high: float) -> None:
    for n, a in enumerate(spots):
        for m, b in enumerate(spots[:n]):
            dx, dy = (a[0] - b[0]) / wide, (a[1] - b[1]) / high
            far = math.hypot(dx, dy)
            if far >= 1:
                continue
            if far < 0.01:  # same spot: move one in a fixed direction
                dx, dy, far = math.cos(n * 2.4 + m), math.sin(n * 2.4 + m), 1.0
            push = (1 - min(far, 0.99)) / 2
            a[0], a[1] = a[0] + dx / far * push * wide, a[1] + dy / far * push * high
            b[0], b[1] = b[0] - dx / far * push * wide, b[1] - dy / far * push * high
    for spot in spots:
        spot[0], spot[1] = min(max(spot[0], 62), WIDTH - 88), min(max(spot[1], 72), HEIGHT - 48)


def _roads(lore: Lore) -> Iterator[tuple[str, str]]:
    return ((a, b) for a, near in lore.roads.items() for b in near if list(lore.sites).index(a) < list(lore.sites).index(b))


def _colour(told: str, n: int) -> str:
    return told if re.fullmatch(r"#[0-9a-fA-F]{6}", told) else PALETTE[n % len(PALETTE)]


def _pale(colour: str) -> str:
    """Keeps text readable, even inverted by mail clients."""
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(
        f"{round(part * 0.24 + ground * 0.76):02x}" for part, ground in zip(parts, (0xFB, 0xF3, 0xDF), strict=True)
    )


def _grid(at: Mapping[str, Point]) -> list[list[str]]:
    """Villages in the nearest free cells."""
    columns = 7 if len(at) <= 30 else 9
    rows = max(6, math.ceil(len(at) / 4))
    grid = [[""] * columns for _ in range(rows)]
    for v, (x, y) in sorted(at.items(), key=lambda item: (item[1][1], item[1][0])):
        free = [(r, c) for r in range(rows) for c in range(columns) if not grid[r][c]]
        spot = (y - 60) / (HEIGHT - 100) * (rows - 1), (x - 60) / (WIDTH - 120) * (columns - 1)
        row, column = min(free, key=lambda cell: (cell[0] - spot[0]) ** 2 * 1.4 + (cell[1] - spot[1]) ** 2)
        grid[row][column] = v
    return [row for row in grid if any(row)]


def _rounded(point: Point) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]


def _odd(*of: object) -> float:
    """Deterministic pseudo-random number from -1 to 1."""
    digest = hashlib.sha256(repr(of).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**31 - 1


def _mid(a: Point, b: Point) -> Point:
    bend = _odd("road", round(a[0] + b[0]), round(a[1] + b[1])) * 0.06
    return (a[0] + b[0]) / 2 - (b[1] - a[1]) * bend, (a[1] + b[1]) / 2 - 8 + (b[0] - a[0]) * bend


def _road(a: Point, b: Point) -> str:
    x, y = _mid(a, b)
    return f"M{a[0]:.1f} {a[1] - 8:.1f}Q{x:.1f} {y:.1f} {b[0]:.1f} {b[1] - 8:.1f}"


# --- land -------------------------------------------------------------------------------------------------------------


def _shore() -> list[Point]:
    found = []
    for n in range(96):
        c, s = math.cos(2 * math.pi * n / 96), math.sin(2 * math.pi * n / 96)
        x, y = math.copysign(abs(c) ** 0.28, c), math.copysign(abs(s) ** 0.28, s)
        far = 1 + 0.006 * _odd("shore", n)
        found.append((WIDTH / 2 + x * far * (WIDTH / 2 - 17), HEIGHT / 2 + y * far * (HEIGHT / 2 - 13)))
    return found


def _inland(x: float, y: float) -> bool:
    across, down = abs(x - WIDTH / 2) / (WIDTH / 2 - 34), abs(y - HEIGHT / 2) / (HEIGHT / 2 - 28)
    return math.pow(across, 2 / 0.28) + math.pow(down, 2 / 0.28) < 1


class _Ground:
    """Voronoi cells of the villages and of points on their roads."""

    def __init__(self, lore: Lore, at: dict[str, Point]) -> None:
        sites = [((x, y - 8), v) for v, (x, y) in at.items()]
        for a, b in _roads(lore):
            sites += [(_along(at[a], at[b], t), a) for t in HELP] + [(_along(at[b], at[a], t), b) for t in HELP]
        self.corners: list[Point] = []
        self.owner: dict[Edge, str] = {}
        self._near: dict[tuple[int, int], list[int]] = {}
        self._by_x = sorted((spot, n, v) for n, (spot, v) in enumerate(sites))
        spots, shore = [spot for spot, _ in sites], _shore()
        for spot, v in sites:
            cell = _cell(spot, spots, shore)
            ids = [self._corner(p) for p in cell]
            for n, one in enumerate(ids):
                if one != ids[n - 1]:
                    self.owner[ids[n - 1], one] = v

    def whose(self, p: Point) -> str:
        """Village of the nearest site, searched from the point's column outwards."""
        start = bisect_left(self._by_x, (p,))
        least, owner = (math.inf, 0), ""
        for side in (range(start, len(self._by_x)), range(start - 1, -1, -1)):
            for at in side:
                (x, y), n, v = self._by_x[at]
                if (x - p[0]) ** 2 > least[0]:
                    break
                far = ((x - p[0]) ** 2 + (y - p[1]) ** 2, n)
                if far < least:
                    least, owner = far, v
        return owner

    def _corner(self, p: Point) -> int:
        x, y = round(p[0]), round(p[1])
        for near in ((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
            for n in self._near.get(near, ()):
                if math.dist(self.corners[n], p) < 0.6:
                    return n
        self.corners.append(p)
        self._near.setdefault((x, y), []).append(len(self.corners) - 1)
        return len(self.corners) - 1

    def _beyond(self, edge: Edge) -> str:
        """The village across an edge; '' for the sea."""
        return self.owner.get((edge[1], edge[0]), "")

    def outline(self, villages: Collection[str]) -> str:
        edges = [e for e, v in self.owner.items() if v in villages and self._beyond(e) not in villages]
        return "".join(self._drawn(line) + "Z" for line in _chains(edges))

    def border(self, of: Mapping[str, object]) -> str:
        """Borders between lands with different values in `of`, without the coast."""
        edges = [e for e, v in self.owner.items() if e[0] < e[1] and self._beyond(e) and of[v] != of[self._beyond(e)]]
        return "".join(self._drawn(line) for line in _chains(_turned(edges)))

    def _drawn(self, line: list[int]) -> str:
        """SVG path through corners, roughened the same from both sides."""
        points = [self.corners[line[0]]]
        for a, b in pairwise(line):
            points += [*self._uneven(a, b), self.corners[b]]
        return "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in points)

    def _uneven(self, a: int, b: int) -> list[Point]:
        p, q = self.corners[min(a, b)], self.corners[max(a, b)]
        far = math.dist(p, q)
        steps = round(far / 15)
        found = []
        for n in range(1, steps):
            t, off = n / steps, _odd("wobble", round(p[0]), round(q[1]), n) * 2.6 / far
            found.append((p[0] + (q[0] - p[0]) * t - (q[1] - p[1]) * off, p[1] + (q[1] - p[1]) * t + (q[0] - p[0]) * off))
        return found if a < b else found[::-1]


def _along(a: Point, b: Point, t: float) -> Point:
    m = _mid(a, b)
    x, y = ((1 - t) ** 2 * one + 2 * t * (1 - t) * two + t * t * three for one, two, three in zip(a, m, b, strict=True))
    return x, y - 8 * ((1 - t) ** 2 + t * t)


def _cell(spot: Point, others: list[Point], shore: list[Point]) -> list[Point]:
    cell = shore
    for other in sorted(others, key=lambda o: math.dist(o, spot)):
        if math.dist(other, spot) > 2 * max(math.dist(p, spot) for p in cell):
            break
        if other != spot:
            cell = _cut(cell, spot, other)
    return cell


def _cut(cell: list[Point], spot: Point, other: Point) -> list[Point]:
    """Clip a cell to the half-plane nearer the spot."""
    nx, ny = other[0] - spot[0], other[1] - spot[1]
    middle = (nx * (spot[0] + other[0]) + ny * (spot[1] + other[1])) / 2
    kept = []
    for n, p in enumerate(cell):
        before = cell[n - 1]
        here, there = nx * p[0] + ny * p[1] - middle, nx * before[0] + ny * before[1] - middle
        if (here < 0) != (there < 0):
            t = there / (there - here)
            kept.append((before[0] + (p[0] - before[0]) * t, before[1] + (p[1] - before[1]) * t))
        if here < 0:
            kept.append(p)
    return kept


def _chains(edges: Iterable[Edge]) -> Iterator[list[int]]:
    after: dict[int, list[int]] = {}
    before: dict[int, int] = {}
    for a, b in sorted(edges):
        after.setdefault(a, []).append(b)
        before[b] = before.get(b, 0) + 1
    starts = [a for a in after if len(after[a]) > before.get(a, 0)]
    while after:
        at = next((a for a in starts if a in after), next(iter(after)))
        line = [at]
        while at in after:
            following = after[at].pop()
            if not after[at]:
                del after[at]
            at = following
            line.append(at)
        yield line


def _turned(edges: list[Edge]) -> list[Edge]:
    meet: dict[int, list[Edge]] = {}
    for e in edges:
        for corner in e:
            meet.setdefault(corner, []).append(e)
    left, found = set(edges), []
    ends = [c for c in meet if len(meet[c]) != 2] + list(meet)
    for at in ends:
        while step := next((e for e in meet[at] if e in left), None):
            left.discard(step)
            on = step[1] if step[0] == at else step[0]
            found.append((at, on))
            at = on
    return found


# --- room for what stands on it ---------------------------------------------------------------------------------------


def _village_box(at: Point, site: Site) -> Box:
    half = 4 * len(site.name)
    return at[0] - max(62, half), at[1] - 48, at[0] + max(34, half), at[1] + 17


def _pennant_box(at: Point) -> Box:
    return at[0] - 4, at[1] - 66, at[0] + 24, at[1] - 48


def _name_box(at: Point, site: Site) -> Box:
    letters = len(site.name)
    if site.principal:
        return at[0] - 5 * letters - 18, at[1] - 8, at[0] + 4 * letters + 21, at[1] + 20
    return at[0] - 3.4 * letters, at[1] + 2, at[0] + 3.4 * letters, at[1] + 16


def _slot_box(slot: Point) -> Box:
    return slot[0] - 2, slot[1] - BLOCK[1] + 20, slot[0] + BLOCK[0], slot[1] + 22


def _overlap(a: Box, b: Box) -> float:
    """Area of overlap. Disjoint boxes return early: a large map compares millions."""
    if a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]:
        return 0.0
    return (min(a[2], b[2]) - max(a[0], b[0])) * (min(a[3], b[3]) - max(a[1], b[1]))


def _stand(lore: Lore, at: dict[str, Point], slots: dict[str, list[Point]], labels: Mapping[str, Point]) -> None:
    houses = {v: (at[v][0] - 36, at[v][1] - 40, at[v][0] + 34, at[v][1] + 2) for v in lore.sites}
    names = {v: _name_box(at[v], s) for v, s in lore.sites.items()}
    fiefs = [_label_box(lore.lands[fief], spot) for fief, spot in labels.items()]
    below = [_slot_box(slot) for before in slots.values() for slot in before]
    chosen: dict[str, Point] = {}
    for v in (*lore.sites, *lore.sites, *lore.sites):  # repeat once all have a first choice
        around = (at[v][0] - 120, at[v][1] - 120, at[v][0] + 130, at[v][1] + 90)
        near = [box for box in below + [_slot_box(slot) for u, slot in chosen.items() if u != v] if _overlap(box, around)]
        over = [box for box in fiefs if _overlap(box, around)]
        own = {u: box for u, box in houses.items() if u == v or _overlap(box, around)}
        said = [box for box in names.values() if _overlap(box, around)]
        x, y = at[v]
        ways = [(x + dx, y + dy) for dx, dy in _SHIPPED["slots"]]
        if slots[v]:
            ways += [(x + dx, y + dy) for dx in range(-116, 60, 11) for dy in range(-68, 64, 11)]
        chosen[v] = _best(ways, houses[v], weighed(v, own, [*said, *over], near))
    for v, slot in chosen.items():
        slots[v].append(slot)


def _best(ways: list[Point], house: Box, hidden: list[tuple[Box, float]]) -> Point:
    best, least = ways[0], math.inf
    for way in ways:
        cost = slot_cost(way, house, hidden, least)
        if cost < least:
            best, least = way, cost
    return best


def weighed(v: str, houses: dict[str, Box], names: list[Box], others: list[Box]) -> list[tuple[Box, float]]:
    """What an army at `v` may hide, with penalties per area."""
    return (
        [(name, 8.0) for name in names] + [(h, 0.15 if u == v else 4.0) for u, h in houses.items()] + [(b, 2.5) for b in others]
    )


def slot_cost(way: Point, house: Box, hidden: list[tuple[Box, float]], most: float = math.inf) -> float:
    """Penalty for a slot's place and overlap, counted up to `most`."""
    cost, box = _strayed(way, house), _slot_box(way)
    for other, weight in hidden:
        if cost >= most:
            break
        cost += _overlap(box, other) * weight
    return cost


def _strayed(way: Point, house: Box) -> float:
    box = _slot_box(way)
    off = box[0] < 18 or box[1] < 6 or box[2] > WIDTH - 18 or box[3] > HEIGHT - 20
    return 9000 * off + 4 * math.dist(way, (house[2], house[3] - 31))


def _label_half(land: Land) -> float:
    return 2.85 * len(f"{land.rank} of {land.name}") + 2


def _label_box(land: Land, spot: Point) -> Box:
    half = _label_half(land)
    return spot[0] - half, spot[1] - 12, spot[0] + half, spot[1] + 4


def _labels(lore: Lore, ground: _Ground, taken: list[Box]) -> dict[str, Point]:
    grid = {(x, y): ground.whose((x, y)) for x in range(70, WIDTH - 60, 14) for y in range(30, HEIGHT - 16, 9)}
    found = {}
    for fief, land in lore.lands.items():
        half = _label_half(land)
        best, least = (WIDTH / 2, HEIGHT / 2), math.inf
        own = {spot for spot, v in grid.items() if lore.sites[v].fief == fief}
        for x, y in sorted(own):
            box = (x - half, y - 12, x + half, y + 4)
            cost = 0.0 if _inland(box[0], y - 6) and _inland(box[2], y - 6) else 9000.0
            # Cheap tests first: most spots fail them, and ownership of the ends is the slowest test.
            if cost < least:
                cost += sum(_overlap(box, b) for b in taken)
            if cost < least:
                cost += 140 * sum(lore.sites[ground.whose((x + part * half, y))].fief != fief for part in (-1, -0.5, 0.5, 1))
            if cost < least:
                best, least = (float(x), float(y)), cost
        found[fief] = best
        taken = [*taken, (best[0] - half - 2, best[1] - 12, best[0] + half + 2, best[1] + 5)]
    return found


def _marks(lore: Lore, at: dict[str, Point], labels: Collection[Point]) -> list[list[Any]]:
    roads = [_along(at[a], at[b], t / 14) for a, b in _roads(lore) for t in range(15)]
    taken = [(x - 44, y - 44, x + 36, y + 18) for x, y in at.values()] + [(x - 52, y - 12, x + 52, y + 4) for x, y in labels]
    found: list[list[Any]] = []
    for row in range(16):
        for column in range(26):
            x = 34 + column * 34 + 13 * _odd("x", row, column)
            y = 26 + row * 30 + 11 * _odd("y", row, column)
            kind = ("hill", "pine", "tree", "hill")[int(abs(_odd("kind", row, column)) * 4)]
            wide, high = (46, 20) if kind == "hill" else (26, 26)
            box = (x - 3, y - 3, x + wide + 3, y + high + 3)
            on_land = x > 26 and x + wide < WIDTH - 26 and y > 20 and y + high < HEIGHT - 22
            if not on_land or any(_overlap(box, b) for b in taken):
                continue
            if all(not (x - 6 < px < x + wide + 6 and y - 4 < py < y + high + 4) for px, py in roads):
                taken = [*taken, (x - 16, y - 12, x + wide + 16, y + high + 12)]
                found.append([kind, round(x), round(y)])
    return found
