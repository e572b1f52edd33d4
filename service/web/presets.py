"""Links that prefill the turn page's form, `?option=march&from=B3`, or an offer's, `?offer=uprising&at=blaye`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

from engine.core.asks import Answer, Row, Value, are_rows
from engine.play.match import OFFER
from engine.ui.forms import AssignField, Form, FormField, FormOption, NumberField, OneField, OrderField, RowsField, SomeField

OPTION = "option"
"""Query argument of the option; others are fields."""
OFFER_ARG = "offer"
"""Query argument of the offer."""
MOST = 40
"""Most arguments read."""


@dataclass(frozen=True)
class Way:
    address: str
    """Query string with this value added."""
    chosen: bool
    """Whether the value is already filled in."""


class Ways(dict[str, Way]):
    def part(self, code: str) -> Way | None:
        """The link for a part of compound values (`blaye` of `blaye/b`), the closest to the choice first."""
        return next((self[value] for value in self._by_likeness if code in _parts(value)), None)

    @cached_property
    def _by_likeness(self) -> list[str]:
        compound = [value for value in self if _parts(value)]
        now = {part for value in compound if self[value].chosen for part in _parts(value)}
        return sorted(compound, key=lambda value: (not self[value].chosen, -len(now & {*_parts(value)})))


def named(form: Form) -> str:
    return f"{form.kind}{form.serial or ''}"


def given_for_offer(args: MultiDict[str, str], forms: Sequence[Form]) -> tuple[Form, Answer] | None:
    form = next((form for form in forms if args.get(OFFER_ARG) == named(form)), None) if OFFER_ARG in args else None
    if form is None or not form.options:
        return None
    rest = MultiDict((name, value) for name, value in args.items(multi=True) if name != OFFER_ARG)
    return form, given(rest, form) or Answer(form.options[0].id, {})


def given(args: MultiDict[str, str], form: Form | None) -> Answer | None:
    """The prefilled answer, without invalid values. Without an option: the first that takes all values."""
    if form is None or not args:
        return None
    wanted = [(name, value) for name, value in args.items(multi=True) if name != OPTION][:MOST]
    named = form.option(args.get(OPTION, ""))
    if named is not None:
        return _filled(named, wanted)
    fitting = [option for option in form.options if wanted and all(_fits(option, *one) for one in wanted)]
    return _filled(fitting[0], wanted) if fitting else None


def ways(form: Form | None, begun: Answer | None, last: Collection[str] = ()) -> Ways:
    """Links for all values of the form's fields, given the answer `begun`; options in `last` take what no other does."""
    found = Ways()
    if form is None:
        return found
    options = sorted(form.options, key=lambda o: (begun is None or o.id != begun.option, o.id in last))
    for option in options:
        own = begun.values if begun is not None and begun.option == option.id else {}
        taking = [(field.name, code) for field in option.fields for code in _codes(field)]
        lists = {field.name for field in option.fields if isinstance(field, SomeField)}
        # A chosen value is removed; empty fields are filled before others are overwritten.
        for name, code in sorted(
            taking, key=lambda p: (p[0] not in lists or p[1] not in _written(own.get(p[0])), bool(own.get(p[0])))
        ):
            if code in found:
                continue
            field = next(f for f in option.fields if f.name == name)
            value = _with(field, own.get(name), code, code in _written(own.get(name)))
            chosen = any(code in _written(other) for other in own.values())
            found[code] = Way(_address(form, option, {**own, name: value}), chosen)
    return found


def address(form: Form, begun: Answer) -> str:
    """Query string for an answer, if the form has its option."""
    option = form.option(begun.option)
    return _address(form, option, begun.values) if option is not None else ""


def _parts(value: str) -> list[str]:
    found = re.split("[/+]", value)
    return found if len(found) > 1 else []


def _fits(option: FormOption, name: str, value: str) -> bool:
    field = next((f for f in option.fields if f.name == name), None)
    if isinstance(field, NumberField):
        return value.isascii() and value.isdigit() and len(value) < 6
    return field is not None and value in set(_codes(field))


def _filled(option: FormOption, wanted: list[tuple[str, str]]) -> Answer:
    values: dict[str, Value] = {}
    for name, value in wanted:
        if not _fits(option, name, value):
            continue
        field = next(f for f in option.fields if f.name == name)
        values[name] = int(value) if isinstance(field, NumberField) else _with(field, values.get(name), value, False)
    return Answer(option.id, values)


def _codes(field: FormField) -> Iterator[str]:
    match field:
        case OneField() | SomeField():
            yield from (c.id for c in field.choices)
        case RowsField():
            for cell in field.fields:
                if isinstance(cell, OneField | SomeField):
                    yield from (c.id for c in cell.choices)
        case NumberField() | OrderField() | AssignField():
            return


def _with(field: FormField, old: Value | None, code: str, chosen: bool) -> Value:
    if isinstance(field, SomeField):
        kept = [str(v) for v in old if not isinstance(v, dict)] if isinstance(old, list) else []
        if chosen:
            return [v for v in kept if v != code]
        most = next((c.most for c in field.choices if c.id == code), 1)
        return [*kept, code] if kept.count(code) < most and len(kept) < field.most else kept
    if isinstance(field, RowsField):
        return _rows_with(field, [*old] if isinstance(old, list) and are_rows(old) else [], code)
    return "" if chosen else code


def _rows_with(field: RowsField, rows: list[Row], code: str) -> list[Row]:
    """Add a code to the last row's first empty cell for it, else to a new row."""
    cells = [cell for cell in field.fields if isinstance(cell, OneField | SomeField) and code in {c.id for c in cell.choices}]
    last = rows[-1] if rows else None
    cell = next((cell for cell in cells if last is not None and cell.name not in last), None)
    if last is not None and cell is not None:
        return [*rows[:-1], {**last, cell.name: [code] if isinstance(cell, SomeField) else code}]
    if len(rows) >= field.most:
        return rows
    return [*rows, {cells[0].name: [code] if isinstance(cells[0], SomeField) else code}]


def _written(value: Value | None) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return _of_rows(value) if are_rows(value) else [str(v) for v in value]
    return [] if isinstance(value, Mapping) else [str(value)]


def _of_rows(rows: list[Row]) -> list[str]:
    return [code for row in rows for cell in row.values() for code in (cell if isinstance(cell, list) else [str(cell)])]


def _address(form: Form, option: FormOption, values: Mapping[str, Value]) -> str:
    pairs = [(name, code) for name, value in values.items() for code in _written(value)]
    # Without scripts the anchor scrolls to the option.
    if form.serial <= OFFER:
        return f"?{urlencode([(OFFER_ARG, named(form)), (OPTION, option.id), *pairs])}#verb-{named(form)}-{option.id}"
    return f"?{urlencode([(OPTION, option.id), *pairs])}#verb-{option.id}"
