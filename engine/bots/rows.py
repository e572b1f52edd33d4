"""Random rows, each within what earlier rows leave of totals and shared choices."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from engine.core.asks import (
    LIMIT,
    Answer,
    Ask,
    Assign,
    Choice,
    Number,
    Option,
    Order,
    PickOne,
    PickSome,
    Row,
    Rows,
    Simple,
    Total,
    fits,
    used_of,
)

TRIES = 12
"""Draws until rows that violate a constraint are returned all the same."""
Draw = Mapping[type[Any], Callable[[Any, random.Random], Any]]


def drawn_between(least: int, most: int, rng: random.Random) -> int:
    """`rng.randint` in half the time, with the same result."""
    n = most - least + 1
    if n < 1:
        raise ValueError(f"there is no number from {least} to {most}")
    bits = n.bit_length()
    drawn = rng.getrandbits(bits)
    while drawn >= n:
        drawn = rng.getrandbits(bits)
    return least + drawn


FEW = 21
"""Up to this size `rng.sample` draws from a pool."""


def sampled(of: Sequence[str], k: int, rng: random.Random) -> list[str]:
    """`rng.sample` in half the time, with the same result; [] if `k` is below 1."""
    if len(of) > FEW and k > 0:
        return rng.sample(of, k)
    pool, drawn = [*of], []
    for last in range(len(of) - 1, len(of) - 1 - k, -1):
        at = drawn_between(0, last, rng)
        drawn.append(pool[at])
        pool[at] = pool[last]
    return drawn


def rows_at_random(f: Rows, rng: random.Random, draw: Draw) -> list[Row]:
    """Lower bounds first. If no try satisfies the constraints, returns the last."""
    rows: list[Row] = []
    for _ in range(TRIES):
        n = drawn_between(f.least, f.most, rng)
        rows = _drawn(f, n, rng, draw)
        if (not f.totals and not f.shared and len(rows) == n) or _fits(f, rows):
            break
    return rows


def _drawn(f: Rows, n: int, rng: random.Random, draw: Draw) -> list[Row]:
    rows: list[Row] = []
    if not f.totals and not f.shared:
        # Inlined draws for the two commonest field types: a call for each cell costs more.
        one, bits = rng.random, rng.getrandbits
        cells = []
        for c in f.fields:
            least, span = (c.least, c.most - c.least + 1) if type(c) is Number else (0, 0)
            cells.append((c.name, c, draw[type(c)], c.choices if type(c) is PickOne else (), least, span))
        for _ in range(n):
            row: Row = {}
            for name, inner, drawn, of, least, span in cells:
                if of:
                    row[name] = of[int(one() * len(of))].id
                elif span > 0:
                    size = span.bit_length()  # as `drawn_between`
                    while (number := bits(size)) >= span:
                        pass
                    row[name] = least + number
                elif (value := drawn(inner, rng)) or type(value) is int:
                    row[name] = value
            rows.append(row)
        return rows
    while len(rows) < n:
        found = _row(f, rows, rng, draw)
        if found is None:
            break
        rows.append(found)
    for total in f.totals:
        _make_up(f, total, rows, rng)
    return rows


def _row(f: Rows, rows: list[Row], rng: random.Random, draw: Draw) -> Row | None:
    row: Row = {}
    for inner in f.fields:
        left = left_for(f, inner, rows, row, owing=True)
        if left is None:
            if isinstance(inner, PickOne) and inner.optional:
                continue
            return None
        value = draw[type(left)](left, rng)
        if value or type(value) is int:
            row[inner.name] = value
    return row


def left_for(f: Rows, inner: Simple, rows: list[Row], row: Row, owing: bool = False) -> Simple | None:
    """Narrow a field to what earlier rows and this one leave. `owing`: only choices still below their lower bound, if any."""
    if isinstance(inner, Number):
        return _number_left(f, inner, rows)
    for shared in f.shared:
        if inner.name not in shared.fields:
            continue
        used: dict[str, int] = {}
        for before in (*rows, row):
            for id in used_of(shared, before):
                used[id] = used.get(id, 0) + 1
        left = {c.id: c.most - used.get(c.id, 0) for c in shared.choices}
        owed = {c.id for c in shared.choices if c.least and owing and used.get(c.id, 0) < c.least}
        narrowed = _narrowed(inner, left, owed)
        if narrowed is None:
            return None
        inner = narrowed
    return inner


def _number_left(f: Rows, inner: Number, rows: list[Row]) -> Number | None:
    most = inner.most
    for total in f.totals:
        if total.field == inner.name:
            to_come = max(0, f.least - len(rows) - 1) * inner.least
            most = min(most, total.most - _sum(total, rows) - to_come)
    return replace(inner, most=most) if most >= inner.least else None


def _narrowed(inner: Simple, left: dict[str, int], owed: set[str]) -> Simple | None:
    def open_(choices: tuple[Choice, ...], most: bool) -> tuple[Choice, ...]:
        kept = []
        for c in choices:
            n = min(c.most if most else LIMIT, left.get(c.id, LIMIT))
            if n > 0:
                kept.append(c if n == c.most else replace(c, most=n))
        return tuple(kept)

    match inner:
        case PickOne():
            may = open_(inner.choices, True)
            first = tuple([c for c in may if c.id in owed]) if owed else ()
            return PickOne(inner.name, first or may, inner.optional) if may else None
        case PickSome():
            some = open_(inner.choices, True)
            room = sum(c.most for c in some)
            short = room < inner.least or any(c.least > left.get(c.id, LIMIT) for c in inner.choices)
            return None if short else replace(inner, choices=some, most=min(inner.most, room))
        case Order():
            return None if any(c.most > left.get(c.id, LIMIT) for c in inner.choices) else inner
        case Assign():
            targets = open_(inner.targets, inner.distinct)
            short = not inner.optional and sum(c.most for c in targets) < len(inner.items)
            return None if short else replace(inner, targets=targets, distinct=True)
        case _:
            return inner


def _sum(total: Total, rows: list[Row]) -> int:
    return sum(n for row in rows if isinstance(n := row.get(total.field, 0), int))


def _make_up(f: Rows, total: Total, rows: list[Row], rng: random.Random) -> None:
    most = next(inner.most for inner in f.fields if isinstance(inner, Number) and inner.name == total.field)
    lacks = total.least - _sum(total, rows)
    for row in rng.sample(rows, len(rows)):
        now = row.get(total.field, 0)
        if lacks <= 0 or not isinstance(now, int):
            return
        more = min(lacks, most - now)
        row[total.field] = now + more
        lacks -= more


def _fits(f: Rows, rows: list[Row]) -> bool:
    return fits(Ask("", "", (Option("rows", (f,)),), Answer("rows")), Answer("rows", {f.name: rows}))
