"""Upcasts old answers with numbered fields, `deed_1=call deed_2=march slot_2=B1`, to rows."""

from __future__ import annotations

import re
from collections.abc import Collection

from engine.asks import Answer, Row, Value, are_rows

_NUMBERED = re.compile(r"([a-z_]+)_([0-9]{1,2})")


def numbers(answer: Answer, field: str) -> list[int]:
    """Numbers of a field in an old answer, ascending."""
    found = (_NUMBERED.fullmatch(name) for name in answer.values)
    return sorted(int(hit[2]) for hit in found if hit and hit[1] == field)


def gathered(answer: Answer, into: str, fields: Collection[str], needs: str) -> Answer:
    """Convert numbered `fields` to rows of the field `into`; other answers are returned unchanged.

    Numbers without the field `needs` are dropped.
    """
    rows: dict[int, Row] = {n: {} for n in numbers(answer, needs)}
    values: dict[str, Value] = {into: []}
    older = False
    for name, value in answer.values.items():
        found = _NUMBERED.fullmatch(name)
        if found is None or found[1] not in fields or (isinstance(value, list) and are_rows(value)):
            values[name] = value
            continue
        older = True
        if int(found[2]) in rows:
            rows[int(found[2])][found[1]] = value
    return Answer(answer.option, values | {into: list(rows.values())}) if older else answer
