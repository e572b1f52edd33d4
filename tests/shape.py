"""An ask as a few lines of text: every option with its fields and what can be picked in them, the default, the rule."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.asks import Ask, Assign, Choice, Field, Number, Order, PickOne, PickSome, Rows, write


def shape(ask: Ask) -> str:
    """`kind RULE: default`, and a line for each option and each field."""
    lines = [f"{ask.kind} {ask.rule}: {write(ask.default)}"]
    for option in ask.options:
        marks = " grave" * option.grave + (f" rest {option.rest}" if option.rest is not None else "")
        lines += [f"  {option.id}{marks}", *(f"    {of_field(f)}" for f in option.fields)]
    return "\n".join(lines)


def of_field(field: Field) -> str:
    """What can be picked: `card=Land*2|Church?` one of them or none, `towers[0..2]=...` some, `top<...>` an order."""
    match field:
        case PickOne(name, choices, optional):
            return f"{name}={_all(choices)}{'?' * optional}"
        case PickSome(name, choices, least, most):
            return f"{name}[{least}..{most}]={_all(choices)}"
        case Number(name, least, most, usual):
            return f"{name} {least}..{most} ({usual})"
        case Order(name, choices):
            return f"{name}<{_all(choices)}>"
        case Assign(name, items, targets, optional, distinct):
            return f"{name} {_all(items)} -> {_all(targets)}{'?' * optional}{'!' * distinct}"
        case Rows(name, fields, least, most, totals, shared):
            sums = [f" {t.field} {t.least}..{t.most}" for t in totals]
            among = [f" {'+'.join(s.fields)} {_all(s.choices)}" for s in shared]
            return f"{name}[{least}..{most}] ({'; '.join(map(of_field, fields))}){''.join(sums + among)}"


def _all(choices: Iterable[Choice]) -> str:
    return "|".join(f"{c.id}{f'*{c.most}' if c.most != 1 else ''}{f'>={c.least}' if c.least else ''}" for c in choices)
