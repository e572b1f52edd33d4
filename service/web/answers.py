"""Parses a posted form: the inverse of `templates/forms.html`."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from werkzeug.datastructures import MultiDict

from engine.core.asks import LIMIT, Answer, Cell, NotUnderstood, Row, Value, are_rows, read
from engine.core.offers import AMEND
from engine.play.match import OFFER
from engine.ui.forms import (
    AssignField,
    Form,
    FormField,
    FormOption,
    NumberField,
    OneField,
    OrderField,
    RowsField,
    SimpleField,
    SomeField,
    apart,
    is_dated,
)
from service.common.dates import day_read
from service.common.i18n import gettext

KNOWN = frozenset(("csrf_token", "key", "serial", "kind", "option", "answer", "once"))
"""Fields of every form; `once` is sent by pages opened before an upgrade."""
LONGEST = 200
"""Most characters in one field."""
LONGEST_TEXT = 20_000


class Asked(NamedTuple):
    """Number and kind of the question, offer or proposal that a form answers."""

    serial: int
    kind: str

    @property
    def is_offer(self) -> bool:
        return self.serial <= OFFER


def asked(data: MultiDict[str, str]) -> Asked:
    """Parse the hidden fields. Raises NotUnderstood."""
    return Asked(number(data, "serial"), once(data, "kind"))


def number(data: MultiDict[str, str], name: str) -> int:
    """An integer of a hidden field; negative for a proposal. Raises NotUnderstood."""
    raw = data.get(name, "")
    digits = raw.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(raw) > 9:
        raise NotUnderstood(gettext("The form's “%(name)s” is missing or broken; open the page again.", name=name))
    return int(raw)


def once(data: MultiDict[str, str], name: str, longest: int = LONGEST) -> str:
    """A field that occurs at most once, trimmed. Raises NotUnderstood."""
    values = data.getlist(name)
    if len(values) > 1:
        raise NotUnderstood(gettext("The form has “%(name)s” %(n)s times; once is right.", name=name[:40], n=len(values)))
    text = values[0].strip() if values else ""
    if len(text) > longest:
        raise NotUnderstood(gettext("“%(name)s” is longer than any answer to it.", name=name[:40]))
    return text


def parse(data: MultiDict[str, str], form: Form | None) -> Answer:
    """Parse an answer by the ask's form, or from a line of text in `answer`. Raises NotUnderstood for unknown, repeated or
    misshapen fields, and an unknown option.
    """
    text = once(data, "answer", LONGEST_TEXT)
    if text:
        _no_strangers(data, set())
        return read(text)
    chosen = once(data, "option")
    option = form.option(chosen) if form else None
    if option is None:
        # It may be open on an older page: the engine gives the reason.
        if not chosen or not chosen.replace("_", "").isalnum():
            raise NotUnderstood(gettext("The form names no option; open the page again and choose one."))
        return Answer(chosen)
    inputs: set[str] = set()
    values = _values(data, option, inputs)
    _no_strangers(data, inputs)
    # Drop empty rows.
    return Answer(chosen, {name: _written(value) for name, value in values.items()})


def rearranged(data: MultiDict[str, str], form: Form | None) -> Answer:
    """The fields, changed by the button `rows`: `add:FIELD`, `drop:FIELD:2`, `up:FIELD:2`, `down:FIELD:2`;
    `add:FIELD:CELL=VALUE,…` adds such a row, `more:FIELD:…` and `less:FIELD:…` change its count. Keeps empty rows. Raises
    NotUnderstood.
    """
    option = form.option(once(data, "option")) if form else None
    what, _, where = once(data, "rows").partition(":")
    name, _, at = where.partition(":")
    field = next((f for f in option.fields if f.name == name), None) if option else None
    if option is None or not isinstance(field, RowsField):
        raise NotUnderstood(gettext("The form has no such rows; open the page again."))
    inputs = {"rows"}
    values = _values(data, option, inputs)
    _no_strangers(data, inputs)
    given = values.get(name, [])
    rows = given if isinstance(given, list) and are_rows(given) else []
    n = int(at) if at.isascii() and at.isdigit() and len(at) < 4 else 0
    cells = _begun(field, at) if at and not n else {}
    values[name] = _counted(rows, what, cells) if what in ("more", "less") else _moved(rows, what, n, cells)
    return Answer(option.id, values)


def fitting(answer: Answer | None, form: Form | None) -> Answer | None:
    if answer is None:
        return None
    option = form.option(answer.option) if form is not None else None
    fields = {field.name: field for field in option.fields} if option is not None else {}
    return Answer(answer.option, {k: v for k, v in answer.values.items() if k in fields and _fits(fields[k], v)})


def _fits(field: FormField, value: Value) -> bool:
    if not isinstance(field, RowsField):
        return isinstance(value, SHAPES[type(field)]) and not (isinstance(value, list) and are_rows(value))
    cells = {cell.name: cell for cell in field.fields}
    rows = value if isinstance(value, list) and are_rows(value) else None
    return rows is not None and all(k in cells and _fits(cells[k], v) for row in rows for k, v in row.items())


def is_begun(form: Form | None, answer: Answer, n: int) -> bool:
    """Whether row `n` is incomplete: its fault isn't shown yet."""
    option = form.option(answer.option) if form is not None else None
    for field in option.fields if option is not None else ():
        rows = answer.values.get(field.name)
        if isinstance(field, RowsField) and isinstance(rows, list) and are_rows(rows) and n <= len(rows):
            return any(_is_needed(cell) and not rows[n - 1].get(cell.name) for cell in field.fields)
    return False


def _is_needed(cell: SimpleField) -> bool:
    return (isinstance(cell, OneField) and not cell.optional) or (isinstance(cell, SomeField) and cell.least > 0)


def terms(form: Form) -> Answer | None:
    option = form.option(AMEND)
    found: dict[str, Value] = {f.name: form.about[f.name] for f in option.fields if f.name in form.about} if option else {}
    return Answer(AMEND, found) if found else None


SHAPES: dict[type[SimpleField], type | tuple[type, ...]] = {
    OneField: str,
    NumberField: (int, str),
    SomeField: list,
    OrderField: list,
    AssignField: dict,
}
"""Value types by field."""


def standing(data: MultiDict[str, str], option: FormOption) -> Answer:
    """An option's fields, perhaps incomplete. Raises NotUnderstood."""
    if data.get(DATE) and is_dated(option):
        data = _dated(data, option)
    return Answer(option.id, _values(data, option, set()))


def typed(data: MultiDict[str, str], option: FormOption, given: Answer | None) -> Answer | None:
    """An option's fields if they differ from a page that showed `given`, else None. Raises NotUnderstood."""
    now = standing(data, option)
    values = given.values if given is not None else {}
    shown = {field.name: _shown(field, values.get(field.name)) for field in option.fields}
    if is_dated(option) and "year" not in values:
        shown.update(day="", month="", year="")  # one empty field replaces these three
    before = {name: value for name, value in shown.items() if value not in ("", [], {})}
    return now if {name: _written(value) for name, value in now.values.items() if _written(value)} != before else None


def _shown(field: FormField, value: Value | None) -> Value:
    """What a browser posts: without a value, the choice that `forms.html` preselects."""
    if not isinstance(field, RowsField):
        return _cell_shown(field, value, False)
    given = value if isinstance(value, list) and are_rows(value) else []
    rows = [{cell.name: _cell_shown(cell, row.get(cell.name), True) for cell in field.fields} for row in given]
    return [{name: cell for name, cell in row.items() if cell not in ("", [], {})} for row in rows]


def _cell_shown(field: SimpleField, value: Value | None, in_row: bool) -> Cell:
    match field:
        case OneField():
            alone = len(field.choices) == 1 and not field.optional and not in_row
            return field.choices[0].id if alone else str(value or "")
        case NumberField():
            return str(value) if value is not None else "" if in_row else str(field.usual)
        case SomeField():
            picks = [str(v) for v in value] if isinstance(value, list) else [value] if isinstance(value, str) else []
            least = {c.id: c.least for c in field.choices if c.most > 1 and not in_row}
            return [v for c in field.choices for v in [c.id] * (picks.count(c.id) or least.get(c.id, 0))]
        case OrderField():
            usual = [v for c in field.choices for v in [c.id] * c.most if not in_row]
            return [str(v) for v in value] if isinstance(value, list) and value else usual
        case AssignField():
            pairs = value if isinstance(value, dict) else {}
            first = "" if field.optional or in_row or not field.targets else field.targets[0].id
            return {item.id: pairs.get(item.id) or first for item in field.items if pairs.get(item.id) or first}


COUNT = "n"
"""Number cell that `more` and `less` change."""


def _begun(field: RowsField, cells: str) -> Row:
    """Parse a button's cells: `what=mill,at=sigy`. Raises NotUnderstood for unknown ones."""
    kinds, row = {cell.name: cell for cell in field.fields}, Row()
    for pair in cells[:LONGEST].split(","):
        name, _, value = pair.partition("=")
        if name not in kinds or not value:
            raise NotUnderstood(gettext("The form has no such rows; open the page again."))
        row[name] = [value] if isinstance(kinds[name], SomeField) else value
    return row


def _counted(rows: list[Row], what: str, cells: Row) -> list[Row]:
    """Change the count of the last row with these cells."""
    alike = [i for i, row in enumerate(rows) if all(row.get(name) == value for name, value in cells.items())]
    if not alike:
        return [*rows, {**cells, COUNT: "1"}] if what == "more" and len(rows) < LIMIT else rows
    at = alike[-1]
    held = str(rows[at].get(COUNT) or 1)
    n = (int(held) if held.isdecimal() else 1) + (1 if what == "more" else -1)
    return [*rows[:at], *([{**rows[at], COUNT: str(n)}] if n else []), *rows[at + 1 :]]


def _moved(rows: list[Row], what: str, n: int, cells: Row) -> list[Row]:
    place = n - 1
    if what == "add" and len(rows) < LIMIT:
        empty = next((i for i, row in enumerate(rows) if not row), len(rows)) if cells else len(rows)
        return [*rows[:empty], cells, *rows[empty + 1 :]]
    if what == "drop" and 0 <= place < len(rows):
        return [*rows[:place], *rows[place + 1 :]]
    to = place - 1 if what == "up" else place + 1
    if what in ("up", "down") and min(place, to) >= 0 and max(place, to) < len(rows):
        moved = list(rows)
        moved[place], moved[to] = moved[to], moved[place]
        return moved
    return rows


def _no_strangers(data: MultiDict[str, str], inputs: set[str]) -> None:
    for name in data:
        if name not in KNOWN and name not in inputs:
            raise NotUnderstood(gettext("The form has a field “%(name)s” that does not belong there.", name=name[:40]))


DATE = "f_date"
"""One date field for an option's day, month and year."""


def day_typed(text: str) -> date:
    """Parse a date: 2026-12-24, or localised. Raises NotUnderstood."""
    try:
        return day_read(text)
    except ValueError:
        raise NotUnderstood(gettext("“%(raw)s” isn’t a day; write it as 2026-12-24.", raw=text[:20])) from None


def _dated(data: MultiDict[str, str], option: FormOption) -> MultiDict[str, str]:
    day = day_typed(once(data, DATE))
    rest = MultiDict([(name, value) for name, value in data.items(multi=True) if name != DATE])
    rest.update({f"f_{name}": str(value) for name, value in apart(option, day.isoformat()).items()})
    return rest


def _values(data: MultiDict[str, str], option: FormOption, inputs: set[str]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    if DATE in data and is_dated(option):
        inputs.add(DATE)
        data = _dated(data, option)
    for field in option.fields:
        name = f"f_{field.name}"
        value = _rows(data, name, field, inputs) if isinstance(field, RowsField) else _value(data, name, field, inputs)
        if value not in ("", [], {}):
            values[field.name] = value
    return values


def _written(value: Value) -> Value:
    return [row for row in value if row] if isinstance(value, list) and are_rows(value) else value


def _rows(data: MultiDict[str, str], name: str, field: RowsField, inputs: set[str]) -> list[Row]:
    inputs.add(f"{name}__rows")
    rows: list[Row] = []
    for n in range(1, _count(data, f"{name}__rows", field.label) + 1):
        row: Row = {}
        for cell in field.fields:
            value = _value(data, f"{name}__{n}__{cell.name}", cell, inputs)
            if value not in ("", [], {}):
                row[cell.name] = value
        rows.append(row)
    return rows


def _value(data: MultiDict[str, str], name: str, field: SimpleField, inputs: set[str]) -> Cell:
    match field:
        case OneField() | NumberField():
            inputs.add(name)
            return once(data, name)
        case SomeField():
            return _some(data, name, field, inputs)
        case OrderField():
            n = sum(c.most for c in field.choices)
            names = [f"{name}__{i}" for i in range(1, n + 1)]
            inputs.update(names)
            return [v for v in (once(data, x) for x in names) if v]
        case AssignField():
            pairs: dict[str, str] = {}
            for item in field.items:
                inputs.add(f"{name}__{item.id}")
                target = once(data, f"{name}__{item.id}")
                if target:
                    pairs[item.id] = target
            return pairs


def _some(data: MultiDict[str, str], name: str, field: SomeField, inputs: set[str]) -> list[str]:
    picks: list[str] = []
    for choice in field.choices:
        input = f"{name}__{choice.id}"
        inputs.add(input)
        picks += [choice.id] * _count(data, input, choice.label)
    return picks


def _count(data: MultiDict[str, str], name: str, label: str) -> int:
    """A number from 0, the value of an empty field, to LIMIT. Raises NotUnderstood."""
    raw = once(data, name) or "0"
    if not (raw.isascii() and raw.isdigit()) or len(raw) > 4 or int(raw) > LIMIT:
        raise NotUnderstood(gettext("“%(label)s” takes a number, not “%(raw)s”.", label=label, raw=raw[:20]))
    return int(raw)
