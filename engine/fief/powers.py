"""Asks prefilled with each field's first choice: powers (FF-ASY-5), and questions with one option."""

from __future__ import annotations

from engine.asks import Answer, Ask, Cell, Number, Option, PickOne, PickSome, Seat, Value


def prefilled(seat: Seat, kind: str, rule: str, *options: Option, **about: Cell) -> Ask:
    """An Ask with the first choice of each field of its first option as default, which a power never uses."""
    values: dict[str, Value] = {}
    for field in options[0].fields:
        if isinstance(field, PickOne) and not field.optional:
            values[field.name] = field.choices[0].id
        elif isinstance(field, PickSome) and field.least:
            values[field.name] = [choice.id for choice in field.choices[: field.least]]
        elif isinstance(field, Number):
            values[field.name] = field.least
    return Ask(seat, kind, options, Answer(options[0].id, values), rule, about)
