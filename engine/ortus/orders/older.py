"""Upgrades old settings written before rows, such as `forces_1=none`, `limit_hand=h2l0`. Keep: stored games have them."""

from __future__ import annotations

import re

from engine.asks import Answer, Row, Value
from engine.numbered import gathered
from engine.ortus.orders.politics import ANY, CLASSES

ROWS = {
    "SO-05": ("rules", ("what", "who", "where", "when", "forces"), "forces"),
    "SO-12": ("attacks", ("aim", "earl", "which"), "aim"),
    "SO-13": ("tilters", ("tilter",), "tilter"),
    "SO-14": ("turns", ("turn",), "turn"),
}
"""Order -> (rows field, row fields, the required one)."""
STRUGGLES = ("SO-03", "SO-04")
_LIMIT = re.compile(r"h([0-9])l([0-9])")


def renewed(id: str, setting: Answer) -> Answer:
    """Convert a setting to today's form."""
    if id in STRUGGLES:
        return _limits(setting)
    return gathered(setting, *ROWS[id]) if id in ROWS else setting


def _limits(setting: Answer) -> Answer:
    found = {c: _LIMIT.fullmatch(setting.pick(f"limit_{c}")) for c in CLASSES}
    rows: list[Row] = [{"of": c, "vassals": int(hit[1]), "lords": int(hit[2])} for c, hit in found.items() if hit]
    if not rows:
        return setting
    if len(rows) == len(CLASSES) and all(row | {"of": ANY} == rows[0] | {"of": ANY} for row in rows):
        rows = [rows[0] | {"of": ANY}]
    rest: dict[str, Value] = {name: value for name, value in setting.values.items() if not name.startswith("limit_")}
    return Answer(setting.option, rest | {"limits": rows})
