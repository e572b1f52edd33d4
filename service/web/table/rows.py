"""Rows of a form: number shown, and totals. Their buttons are parsed in `answers`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.core.asks import Row, Value, are_rows
from engine.ui.forms import RowsField
from service.common.i18n import gettext, listed

SPARE = 2
"""Empty rows shown, for browsers without scripts."""


def shown(field: RowsField, given: Value | None) -> list[Row]:
    """Rows given, padded with empty ones to the minimum and `SPARE`."""
    rows: list[Row] = [*given] if isinstance(given, list) and are_rows(given) else []
    filled = max((n for n, row in enumerate(rows, 1) if row), default=0)
    wanted = max(field.least, min(field.most, filled + SPARE))
    return rows + [{} for _ in range(wanted - len(rows))]


@dataclass(frozen=True)
class Sum:
    label: str
    n: int
    least: int
    most: int
    fields: str
    """Counted fields, separated by spaces."""
    choice: str = ""
    """The choice counted; empty for sums of numbers."""


def sums(field: RowsField, rows: Sequence[Row]) -> Iterator[Sum]:
    """Sums of numbers, and uses of shared choices; non-numbers count 0."""
    for total in field.totals:
        n = sum(_number(row.get(total.field)) for row in rows)
        yield Sum(total.label, n, total.least, total.most, total.field)
    for shared in field.shared:
        used = Counter(id for row in rows for name in shared.fields for id in _picked(row.get(name)))
        for c in shared.choices:
            yield Sum(c.label, used[c.id], c.least, c.most, " ".join(shared.fields), c.id)


def notes(field: RowsField) -> Iterator[str]:
    labels = {inner.name: inner.label for inner in field.fields}
    for shared in field.shared:
        where = listed(labels.get(name, name) for name in shared.fields)
        if all(c.most == 1 for c in shared.choices):
            yield gettext("%(fields)s: each choice at most once in all rows.", fields=where)
        else:
            yield gettext("%(fields)s: each choice only so often in all rows.", fields=where)


def _number(value: Value | None) -> int:
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0
    return value if isinstance(value, int) else 0


def _picked(value: Value | None) -> list[str]:
    if isinstance(value, dict):
        return list(value.values())
    return [str(v) for v in value] if isinstance(value, list) else [str(value)] if value else []
