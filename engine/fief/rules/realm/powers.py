"""Prefilled asks, for powers (FF-ASY-5) and questions with one option, and the field that ends a turn."""

from __future__ import annotations

from engine.core.asks import Answer, Ask, Cell, Number, Option, PickOne, PickSome, Seat, Value, choices

AFTER = PickOne("after", choices(("end",)), optional=True)
"""Ends a turn with its answer, so that no second question follows."""


def prefilled(seat: Seat, kind: str, rule: str, *options: Option, **about: Cell) -> Ask:
    """An Ask whose default takes each field's first choice; a power never uses it."""
    values: dict[str, Value] = {}
    for field in options[0].fields:
        if isinstance(field, PickOne) and not field.optional:
            values[field.name] = field.choices[0].id
        elif isinstance(field, PickSome) and field.least:
            values[field.name] = [choice.id for choice in field.choices[: field.least]]
        elif isinstance(field, Number):
            values[field.name] = field.least
    return Ask(seat, kind, options, Answer(options[0].id, values), rule, about)
