"""The drawn map (FF-MAP-1 to 3): everything of a board has its place on the sheet, of a host's own board too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.fief.face.chart import HEIGHT, WIDTH, Box, Point, chart_of, slot_cost, weighed
from engine.fief.rules.realm.pieces import MAP, lore_of
from engine.text.notation import as_json
from service.post.rendering import TEMPLATES
from tests.fief.recorded import stays
from tests.fief.test_own_files import towns

SHIPPED: dict[str, Any] = json.loads(MAP)
MOVED = json.dumps({"villages": [{**v, "x": v["y"], "y": v["x"]} for v in SHIPPED["villages"]]})
HEAPED = json.dumps({"villages": [{**v, "x": 5, "y": 5} for v in SHIPPED["villages"]]})
RING = {f"v{n}": n for n in range(6)}
SMALL = json.dumps({
    "villages": [
        {"id": v, "name": v.upper(), "fief": f"f{n // 2}", "bishopric": min(5, n + 1), "x": n, "y": n * n, "principal": n < 5}
        for v, n in RING.items()
    ],
    "roads": [[f"v{n}", f"v{(n + 1) % 6}"] for n in range(6)],
    "fiefs": [
        {"id": f"f{n}", "name": f"F{n}", "rank": "barony", "title_price": 4, "colour": "red",
         "villages": [f"v{2 * n}", f"v{2 * n + 1}"]}
        for n in range(3)
    ],
    "bishoprics": [
        {"number": n, "name": f"B{n}", "colour": "", "principal": f"v{n - 1}", "villages": [f"v{n - 1}"] + ["v5"] * (n == 5)}
        for n in range(1, 6)
    ],
})  # fmt: skip
BOARDS = {"shipped": "", "turned": MOVED, "heaped": HEAPED, "small": SMALL}


@pytest.mark.parametrize("own", BOARDS.values(), ids=BOARDS)
def test_every_board_can_be_drawn(own: str) -> None:
    chart, lore = chart_of(own), lore_of(own)
    wide, high = chart["size"]
    assert set(chart["villages"]) == set(lore.sites)
    for id, village in chart["villages"].items():
        x, y = village["at"]
        assert 40 <= x <= wide - 40 and 40 <= y <= high - 20
        assert village["roads"] == list(lore.roads[id]) and len(village["slots"]) == 3
        assert all(0 <= sx <= wide - 60 and 0 <= sy <= high for sx, sy in village["slots"][:1]), id
    spots = sorted(v["at"] for v in chart["villages"].values())
    assert all(abs(a[0] - b[0]) > 25 or abs(a[1] - b[1]) > 18 for n, a in enumerate(spots) for b in spots[:n])
    assert len(chart["roads"]) == sum(map(len, lore.roads.values())) // 2
    assert sorted(v for row in chart["grid"] for v in row if v) == sorted(lore.sites)
    assert all(land["path"].startswith("M") and land["path"].endswith("Z") for land in chart["lands"].values())
    assert set(chart["sees"]) == {"1", "2", "3", "4", "5"}


def test_every_village_lies_on_its_own_land() -> None:
    """FF-MAP-2, FF-MAP-3: the ground's colour and the dotted border say to which Fief and Bishopric a village belongs."""
    chart = chart_of()
    for id, village in chart["villages"].items():
        x, y = village["at"]
        inside = [f for f, land in chart["lands"].items() if _within(land["path"], x, y - 8)]
        sees = [n for n, see in chart["sees"].items() if _within(see["path"], x, y - 8)]
        assert (inside, sees) == ([village["fief"]], [str(village["see"])]), id


def test_the_name_of_a_fief_covers_nothing_that_may_stand_in_a_village() -> None:
    """A City with mills and its holder's pennant, and the village's own name. Letters are 5.5 wide, one with another."""
    chart = chart_of()
    for fief, land in chart["lands"].items():
        x, y = land["label"]
        half = 2.75 * len(f"{land['rank']} of {land['name']}")
        left, right, top, bottom = x - half, x + half, y - 11, y + 4
        for id, village in chart["villages"].items():
            vx, vy = village["at"]
            name = 3.4 * len(village["name"])
            for a, b, c, d in (
                (vx - 62, vx + 34, vy - 46, vy),
                (vx, vx + 19, vy - 63, vy - 46),
                (vx - name, vx + name, vy, vy + 16),
            ):
                assert right <= a or left >= b or bottom <= c or top >= d, (fief, id)
        assert all(village in land["villages"] for village in _owners(chart, (left, right), y)), (
            f"{fief}: it lies on its own land"
        )


def test_a_further_army_stands_on_no_fief_s_name_and_on_no_village_s() -> None:
    chart = chart_of()
    names = [
        (x, y, 2.75 * len(f"{land['rank']} of {land['name']}"), 11, 4)
        for land in chart["lands"].values()
        for x, y in [land["label"]]
    ]
    names += [(v["at"][0], v["at"][1], 3.4 * len(v["name"]), 0, 16) for v in chart["villages"].values()]
    for id, village in chart["villages"].items():
        for n, (left, top) in enumerate(village["slots"][:2]):
            for x, y, half, over, under in names:
                beside = x + half <= left + 4 or x - half >= left + 56 or y + under <= top - 22 or y - over >= top + 18
                assert beside, (id, n, x, y)


HOUSE = (300.0, 100.0, 370.0, 142.0)
BESIDE = (373.0, 115.0)
"""A slot that takes 371 to 437 and 89 to 137, five from the right place beside the house."""
CORNER = (427.0, 127.0, 500.0, 200.0)
"""It hides ten by ten of this."""


@pytest.mark.parametrize(
    ("way", "houses", "names", "others", "cost"),
    [
        (BESIDE, [], [], [], 4 * 5),
        ((370.0, 111.0), [], [], [], 0.15 * 2 * 33),
        (BESIDE, [CORNER, CORNER], [], [], 4 * 5 + 2 * 4 * 100),
        (BESIDE, [], [CORNER, CORNER], [], 4 * 5 + 2 * 8 * 100),
        (BESIDE, [], [], [CORNER, CORNER], 4 * 5 + 2 * 2.5 * 100),
    ],
    ids=["its distance", "a little for the own house", "another's house", "a name, worst of all", "another army"],
)
def test_an_army_stands_where_it_hides_least(
    way: Point, houses: list[Box], names: list[Box], others: list[Box], cost: float
) -> None:
    there = {"own": HOUSE, **{str(n): box for n, box in enumerate(houses)}}
    assert slot_cost(way, HOUSE, weighed("own", there, names, others)) == pytest.approx(cost)


@pytest.mark.parametrize("x", [20, WIDTH - 82])
@pytest.mark.parametrize("y", [32, HEIGHT - 42])
def test_an_army_stands_on_the_sheet(x: int, y: int) -> None:
    def cost(dx: int, dy: int) -> float:
        return slot_cost((x + dx, y + dy), (x - 70, y + 31, x, y + 31), [])

    out = -1 if x < 100 else 1, -1 if y < 100 else 1
    assert cost(0, 0) == 0
    assert cost(out[0], 0) == cost(0, out[1]) == 9000 + 4
    assert cost(*out) == pytest.approx(9000 + 4 * 2**0.5)


def _owners(chart: dict[str, Any], ends: tuple[float, float], y: float) -> list[str]:
    """Villages of the lands on which these points lie; a point in the sea gives none that is known."""
    whose = [[land for land in chart["lands"].values() if _within(land["path"], x, y - 4)] for x in ends]
    return [land[0]["villages"][0] if land else "" for land in whose]


def _within(path: str, x: float, y: float) -> bool:
    """Whether a point lies within closed lines: an odd number of them is crossed on the way out."""
    crossed = 0
    for line in path.split("Z"):
        points = [(float(a), float(b)) for a, b in re.findall(r"(-?[\d.]+) (-?[\d.]+)", line)]
        for n, (bx, by) in enumerate(points):
            ax, ay = points[n - 1]
            crossed += (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax)
    return crossed % 2 == 1


def test_a_colour_that_is_none_is_replaced() -> None:
    """What a host's file says of colours never reaches a page as it stands."""
    assert all(re.fullmatch("#[0-9a-f]{6}", land["colour"]) for land in chart_of(SMALL)["lands"].values())


def test_light_grounds_bear_dark_text() -> None:
    for land in chart_of()["lands"].values():
        red, green, blue = (int(land["pale"][n : n + 2], 16) for n in (1, 3, 5))
        assert 0.3 * red + 0.59 * green + 0.11 * blue > 200


def test_the_small_drawing_is_light_in_the_dark_too() -> None:
    assert 'height="150" fill="var(--parch)"' in (TEMPLATES / "fief" / "thumb.svg").read_text("utf-8")


@pytest.mark.parametrize("own", BOARDS.values(), ids=BOARDS)
def test_every_board_is_drawn_as_recorded(own: str, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.id
    chart_of.cache_clear()  # an earlier drawing would hide a change of what draws
    lines = []
    for key, value in chart_of(own).items():
        entries = value.items() if isinstance(value, dict) else [("", value)]
        lines += [f"{key} {entry} {as_json(drawn)}" for entry, drawn in entries]
    changed = stays(Path(__file__).parent / "charts" / f"{name}.txt", lines)
    assert not changed, "\n".join(changed)


def test_the_chart_as_a_table_has_a_row_for_four_villages() -> None:  # FF-MAP-1, FF-MAP-5
    own = json.loads(towns(8))
    for n, village in enumerate(own["villages"]):
        village["x"], village["y"] = n % 4 * 100, n // 4 * 50
    grid = chart_of(json.dumps(own))["grid"]
    assert [sum(map(bool, row)) for row in grid] == [4] * 10
