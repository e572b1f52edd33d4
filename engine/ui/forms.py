"""Forms: asks serialised with labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from engine.core import asks
from engine.core.asks import Answer, Ask, Cell, Refused, Row, Seat, Value, are_rows, write
from engine.core.procedure import Shut
from engine.game import Game, labels_of
from engine.language.words import KERNEL, Message, read_said
from engine.text.labels import Labels

LET_BE = "pass"
"""Id of the choice that leaves everything as it is."""


class FormChoice(msgspec.Struct, frozen=True):
    id: str
    label: str
    most: int
    least: int


class Labelled(msgspec.Struct, frozen=True, tag_field="type"):
    """A field with its label; `type` is its tag in JSON."""

    name: str
    label: str

    @property
    def type(self) -> str:
        return str(self.__struct_config__.tag)


class OneField(Labelled, frozen=True, tag="one"):
    choices: list[FormChoice]
    optional: bool
    open: str | UnsetType = UNSET
    """Label of choosing nothing, where it means something."""


class SomeField(Labelled, frozen=True, tag="some"):
    choices: list[FormChoice]
    least: int
    most: int


class NumberField(Labelled, frozen=True, tag="number"):
    """A whole number; `share`: part of the option's `rest`."""

    least: int
    most: int
    usual: int
    share: bool


class OrderField(Labelled, frozen=True, tag="order"):
    choices: list[FormChoice]


class AssignField(Labelled, frozen=True, tag="assign"):
    items: list[FormChoice]
    targets: list[FormChoice]
    optional: bool
    distinct: bool


SimpleField = OneField | SomeField | NumberField | OrderField | AssignField


class FormTotal(msgspec.Struct, frozen=True):
    """Bounds on a number field's sum over all rows."""

    field: str
    label: str
    least: int
    most: int


class FormShared(msgspec.Struct, frozen=True):
    """Bounds on choices shared by these fields of all rows."""

    fields: list[str]
    choices: list[FormChoice]


class RowsField(Labelled, frozen=True, tag="rows"):
    fields: list[SimpleField]
    least: int
    most: int
    totals: list[FormTotal]
    shared: list[FormShared]


FormField = SimpleField | RowsField


class Rest(msgspec.Struct, frozen=True):
    """Unallocated remainder of numbers: current size and place."""

    now: int
    label: str


class FormOption(msgspec.Struct, frozen=True):
    """One way to answer; pages ask for confirmation if `grave`."""

    id: str
    label: str
    grave: bool
    fields: list[FormField]
    rest: Rest | UnsetType = UNSET
    short: str | UnsetType = UNSET
    """Short label for use under an icon."""


class FormShut(msgspec.Struct, frozen=True):
    """A disabled option, its reason, and the option before it."""

    id: str
    label: str
    why: str
    after: str
    short: str | UnsetType = UNSET


class Form(msgspec.Struct, frozen=True):
    """An ask with labels. `default` is the safe answer as text."""

    seat: Seat
    kind: str
    rule: str
    serial: int
    title: str
    default: str
    about: dict[str, Cell]
    options: list[FormOption]
    fate: str | UnsetType = UNSET
    """What the default answer costs for certain, if the caller added it."""
    risk: str | UnsetType = UNSET
    """What it may cost."""
    shut: list[FormShut] | UnsetType = UNSET
    """Disabled options, if the caller added them."""
    heading: str | UnsetType = UNSET
    """Headline of a letter."""
    public: str | UnsetType = UNSET
    """Subject of a letter: public information only."""

    def verbs(self) -> list[FormOption | FormShut]:
        found: list[FormOption | FormShut] = [*self.options]
        for one in self.shut or ():
            ids = [verb.id for verb in found]
            found.insert(ids.index(one.after) + 1 if one.after in ids else 0, one)
        return found

    def option(self, id: str) -> FormOption | None:
        return next((o for o in self.options if o.id == id), None)


def is_dated(option: FormOption) -> bool:
    fields = {f.name: f for f in option.fields}
    return {"day", "year"} <= fields.keys() and len(_months(option)) == 12


def _months(option: FormOption) -> list[str]:
    return [c.id for f in option.fields if isinstance(f, OneField) and f.name == "month" for c in f.choices]


def day_of(option: FormOption, values: Mapping[str, Value]) -> str:
    """Date of an option's values, in ISO 8601; "" if unset."""
    months = _months(option)
    if values.get("month") not in months or not all(str(values.get(name, "")).isdigit() for name in ("day", "year")):
        return ""
    return f"{int(str(values['year'])):04}-{months.index(str(values['month'])) + 1:02}-{int(str(values['day'])):02}"


def apart(option: FormOption, day: str) -> dict[str, Value]:
    """Split an ISO 8601 date into an option's three values."""
    year, month, of_month = (int(n) for n in day.split("-"))
    return {"day": of_month, "month": _months(option)[month - 1], "year": year}


def describe(game: Game, ask: Ask, names: Mapping[Seat, str], serial: int, heads: bool = True) -> Form:
    """Serialise an ask in the current language; `heads` adds letters' headline and subject."""
    labels = labels_of(game, ask)
    options = [_option(labels, ask, option, names) for option in ask.options]
    title, heading, public = labels.title(ask, names), "", ""
    if heads:
        heading, public = labels.heading(ask, names), labels.public(ask, names)
    about, default = dict(ask.about), write(ask.default)
    return Form(
        ask.seat, ask.kind, ask.rule, serial, title, default, about, options, heading=heading or UNSET, public=public or UNSET
    )


def hindered(game: Game, ask: Ask, shut: Iterable[Shut], names: Mapping[Seat, str]) -> list[FormShut]:
    """Serialise disabled options with the ask's labels."""
    labels = labels_of(game, ask)
    return [
        FormShut(one.id, labels.option(ask, one.id, names), one.why.text(names), one.after, labels.short(one.id) or UNSET)
        for one in shut
    ]


def stored(form: Form) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(form)
    return plain


def _option(labels: Labels, ask: Ask, option: asks.Option, names: Mapping[Seat, str]) -> FormOption:
    fields = [_field(labels, ask, option, f, names) for f in option.fields]
    rest = Rest(option.rest, labels.field(ask, option.id, "rest", names)) if option.rest is not None else UNSET
    short = labels.short(option.id) or UNSET
    return FormOption(option.id, labels.option(ask, option.id, names), option.grave, fields, rest, short)


def _field(labels: Labels, ask: Ask, option: asks.Option, f: asks.Field, names: Mapping[Seat, str]) -> FormField:
    return _rows(labels, ask, option, f, names) if isinstance(f, asks.Rows) else _simple(labels, ask, option, f, names)


def _rows(labels: Labels, ask: Ask, option: asks.Option, f: asks.Rows, names: Mapping[Seat, str]) -> RowsField:
    def label(name: str) -> str:
        return labels.field(ask, option.id, name, names)

    def shown(shared: asks.Shared) -> list[FormChoice]:
        named = [(c, labels.choice(ask, option.id, shared.fields[0], c.id, names)) for c in shared.choices]
        return [FormChoice(c.id, words, c.most, c.least) for c, words in named]

    fields = [_simple(labels, ask, option, inner, names) for inner in f.fields]
    totals = [FormTotal(t.field, label(t.field), t.least, t.most) for t in f.totals]
    shared = [FormShared(list(s.fields), shown(s)) for s in f.shared]
    return RowsField(f.name, label(f.name), fields, f.least, f.most, totals, shared)


def _simple(labels: Labels, ask: Ask, option: asks.Option, f: asks.Simple, names: Mapping[Seat, str]) -> SimpleField:
    def shown(choices: tuple[asks.Choice, ...]) -> list[FormChoice]:
        return [FormChoice(c.id, labels.choice(ask, option.id, f.name, c.id, names), c.most, c.least) for c in choices]

    label = labels.field(ask, option.id, f.name, names)
    match f:
        case asks.PickOne():
            left_open = labels.open(ask, option.id, f.name, names) if f.optional else ""
            return OneField(f.name, label, shown(f.choices), f.optional, left_open or UNSET)
        case asks.PickSome():
            return SomeField(f.name, label, shown(f.choices), f.least, f.most)
        case asks.Number():
            return NumberField(f.name, label, f.least, f.most, f.least if f.usual is None else f.usual, f.usual is not None)
        case asks.Order():
            return OrderField(f.name, label, shown(f.choices))
        case asks.Assign():
            return AssignField(f.name, label, shown(f.items), shown(f.targets), f.optional, f.distinct)


WORDED = frozenset(("field", "fields", "of", "value", "choice", "item", "target", "open", "option", "options"))


def worded(form: Form, refused: Refused, word: Callable[[str], str]) -> Refused:
    """Replace ids in a refusal by labels, for display only: stored refusals keep ids. `word` names cards."""
    told = refused.said
    if not told.code.startswith("ask."):
        return refused
    options = form.options
    fields = {
        f.name: f.label for o in options for one in o.fields for f in (*(one.fields if isinstance(one, RowsField) else ()), one)
    }
    labels = {o.id: o.label for o in options} | {c.id: c.label for o in options for f in o.fields for c in choices_of(f)}

    def put(key: str, value: Any) -> Any:
        if isinstance(value, dict) and "code" in value:
            return {**value, "facts": {k: put(k, v) for k, v in value["facts"].items()}}
        if isinstance(value, list):
            return [put(key, one) for one in value]
        if not isinstance(value, str) or key not in WORDED:
            return value
        if key in ("field", "fields", "of"):
            return fields.get(value, value)
        id, times, n = value.partition("*")
        return (labels.get(id) or word(id) or id) + times + n

    code = "ask.row_shown" if told.code == "ask.row" else told.code
    return type(refused)(Message(code, {key: put(key, value) for key, value in told.facts.items()}))


def without_row(refused: Refused, answer: Answer | None = None) -> Refused:
    """Drop a refusal's row number, unless the answer has several rows in that field."""
    told = refused.said
    if told.code != "ask.row":
        return refused
    rows = answer.values.get(told.facts["field"]) if answer is not None else None
    several = isinstance(rows, list) and len(rows) > 1
    return refused if several else type(refused)(read_said(told.facts["reason"]))


def said(form: Form, answer: Answer) -> str:
    """Describe an answer by its labels; unknown ids stay."""
    option = form.option(answer.option)
    if option is None:
        return write(answer)
    parts = [words for field in option.fields if (words := _part(field, answer.values.get(field.name)))]
    return with_parts(option.label, parts)


def _part(field: FormField, value: Value | None) -> str:
    """A field of an answer; "" for an unchanged share."""
    if not isinstance(field, NumberField) or value is None:
        return picked(field, value)
    if field.share and value == field.usual:
        return ""
    return KERNEL.text("phrase", "cell", {"label": field.label, "picked": str(value)})


def with_parts(label: str, parts: Iterable[str]) -> str:
    """Append details: `Attack: Fief 1 of Bob; Knight`."""
    whole = KERNEL.listed("semicolon", parts) if (parts := list(parts)) else ""
    if not whole or not label:
        return label or whole
    return KERNEL.text("phrase", "answer", {"option": label, "picked": whole})


def picked(field: FormField, value: Value | None) -> str:
    if value is None or value in ("", [], {}):
        return ""
    if isinstance(field, RowsField):
        if not isinstance(value, list) or not are_rows(value):
            return ""
        return KERNEL.listed("semicolon", [_row(field, n, row) for n, row in enumerate(value, 1)])
    labels = {c.id: c.label for c in choices_of(field)}
    if isinstance(value, dict):
        pairs = [{"item": labels.get(k, k), "target": labels.get(v, v)} for k, v in value.items()]
        return KERNEL.listed("comma", [KERNEL.text("phrase", "to", pair) for pair in pairs])
    if isinstance(value, list):
        counted = [(labels.get(v, v), n) for v, n in Counter(map(str, value)).items()]
        return KERNEL.listed(
            "comma", [what if n == 1 else KERNEL.text("phrase", "times", {"n": n, "what": what}) for what, n in counted]
        )
    return labels.get(str(value), str(value))


def _row(field: RowsField, n: int, row: Row) -> str:
    cells = [(inner.label, picked(inner, row.get(inner.name))) for inner in field.fields]
    said = [KERNEL.text("phrase", "cell", {"label": label, "picked": words}) for label, words in cells if words]
    return KERNEL.text("phrase", "row", {"n": n, "cells": KERNEL.listed("comma", said)})


def limits(field: RowsField) -> str:
    """Bounds on all rows together, in words. A single row can't pick one thing twice."""

    def limit(key: str, what: str | list[str], least: int, most: int) -> str:
        return KERNEL.text("phrase", key, {"what": what, "least": least, "most": most, "bounds": [least, most]})

    said = [limit("limit", t.label, t.least, t.most) for t in field.totals]
    once = {f.name for f in field.fields if isinstance(f, OneField)} if field.most == 1 else set()
    for shared in field.shared:
        if len(shared.fields) == 1 and once.issuperset(shared.fields) and not any(c.least for c in shared.choices):
            continue
        for least, most in dict.fromkeys((c.least, c.most) for c in shared.choices):
            like = [c.label for c in shared.choices if (c.least, c.most) == (least, most)]
            said.append(limit("limit" if len(like) == 1 else "each", like[0] if len(like) == 1 else like, least, most))
    return KERNEL.listed("semicolon", said) if said else ""


def by_seat(field: FormField, seats: Collection[Seat], few: int) -> list[tuple[Seat, list[FormChoice]]]:
    """Group choices by the seat in their ids; [] for at most `few`, one seat, or choices without a seat."""
    if not isinstance(field, OneField):
        return []
    found: dict[Seat, list[FormChoice]] = {}
    for choice in field.choices:
        named = [part for part in choice.id.split(":") if part in seats]
        if len(named) != 1:
            return []
        found.setdefault(named[0], []).append(choice)
    return list(found.items()) if len(field.choices) > few and len(found) > 1 else []


def row_pattern(field: RowsField) -> str:
    """A row with placeholders: `group=… to=[…] knights=…`."""
    shapes = {"some": "[…]", "order": "[…]", "assign": "{…>…}"}
    return " ".join(f"{cell.name}={shapes.get(cell.type, '…')}" for cell in field.fields)


def example(option: FormOption) -> str:
    """Example in notation, with first choices: `attack target=siege:b:F1`. "" for options without fields, grave or rows."""
    values = first_values(option)
    return write(Answer(option.id, values)) if values else ""


def first_values(option: FormOption) -> dict[str, Value]:
    """Values of the `example`; {} where it is ""."""
    if option.grave or any(isinstance(f, RowsField) for f in option.fields):
        return {}
    free = [f for f in option.fields if isinstance(f, OneField | AssignField) and f.optional]
    picked = any(not isinstance(f, NumberField) for f in option.fields if f not in free)
    # If everything is optional, show the first field.
    shown = [f for f in option.fields if f not in free[0 if picked else 1 :]]
    return {f.name: _first(f) for f in shown}


def _first(field: FormField) -> Value:
    match field:
        case OneField():
            return next((c.id for c in field.choices if c.id != LET_BE), field.choices[0].id)
        case SomeField():
            return [c.id for c in field.choices for _ in range(c.most)][: max(1, field.least)]
        case OrderField():
            return [c.id for c in field.choices for _ in range(c.most)]
        case AssignField():
            targets = len(field.targets) if field.distinct else 1
            return {c.id: field.targets[i % targets].id for i, c in enumerate(field.items)}
        case NumberField():
            return field.usual or field.most
        case RowsField():
            return []


def choices_of(field: FormField) -> list[FormChoice]:
    match field:
        case AssignField():
            return [*field.items, *field.targets]
        case RowsField():
            return [c for inner in field.fields for c in choices_of(inner)]
        case NumberField():
            return []
        case _:
            return field.choices
