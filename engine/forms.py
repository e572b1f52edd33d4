"""Asks as plain data with words: what pages, letters, the API and the reply parser are made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from engine.asks import Answer, Ask, Assign, Choice, Field, Number, Option, Order, PickOne, PickSome, Seat, Value, write
from engine.game import Game, labels_of
from engine.labels import Labels
from engine.words import KERNEL


class FormChoice(msgspec.Struct, frozen=True):
    """One thing that can be picked, and within which bounds."""

    id: str
    label: str
    most: int
    least: int


class OneField(msgspec.Struct, frozen=True, tag_field="type", tag="one"):
    """Exactly one of the choices, or none where it is optional."""

    type: ClassVar[str] = "one"

    name: str
    label: str
    choices: list[FormChoice]
    optional: bool


class SomeField(msgspec.Struct, frozen=True, tag_field="type", tag="some"):
    """Several of the choices."""

    type: ClassVar[str] = "some"

    name: str
    label: str
    choices: list[FormChoice]
    least: int
    most: int


class NumberField(msgspec.Struct, frozen=True, tag_field="type", tag="number"):
    """A whole number; a `share` is a part of the option's `rest`."""

    type: ClassVar[str] = "number"

    name: str
    label: str
    least: int
    most: int
    usual: int
    share: bool


class OrderField(msgspec.Struct, frozen=True, tag_field="type", tag="order"):
    """All of the choices, in an order of one's own."""

    type: ClassVar[str] = "order"

    name: str
    label: str
    choices: list[FormChoice]


class AssignField(msgspec.Struct, frozen=True, tag_field="type", tag="assign"):
    """A target for each item."""

    type: ClassVar[str] = "assign"

    name: str
    label: str
    items: list[FormChoice]
    targets: list[FormChoice]
    optional: bool
    distinct: bool


FormField = OneField | SomeField | NumberField | OrderField | AssignField


class Rest(msgspec.Struct, frozen=True):
    """What the numbers of an option don't take: how much lies there now, and where that is."""

    now: int
    label: str


class FormOption(msgspec.Struct, frozen=True):
    """One way to answer; `grave` ones are asked twice."""

    id: str
    label: str
    grave: bool
    fields: list[FormField]
    rest: Rest | UnsetType = UNSET


class Form(msgspec.Struct, frozen=True):
    """An ask as plain data, every label in words. `default` is the safe answer as text."""

    seat: Seat
    kind: str
    rule: str
    serial: int
    title: str
    default: str
    about: dict[str, Value]
    options: list[FormOption]
    fate: str | UnsetType = UNSET
    """What the safe answer does, where somebody has asked the game for it."""

    def option(self, id: str) -> FormOption | None:
        """The option of that id, if there is one."""
        return next((o for o in self.options if o.id == id), None)


def describe(game: Game, ask: Ask, names: Mapping[Seat, str], serial: int) -> Form:
    """The ask as plain data, every label in the language spoken."""
    labels = labels_of(game, ask)
    options = [_option(labels, ask, option, names) for option in ask.options]
    title = labels.title(ask, names)
    return Form(ask.seat, ask.kind, ask.rule, serial, title, write(ask.default), dict(ask.about), options)


def stored(form: Form) -> dict[str, Any]:
    """The form as it stands in a row or goes over the wire; see `schema`."""
    plain: dict[str, Any] = msgspec.to_builtins(form)
    return plain


def read_form(stored: Mapping[str, Any]) -> Form:
    """The form that was stored. Raises ValueError for what is none."""
    return msgspec.convert(stored, Form)


def schema() -> dict[str, Any]:
    """The JSON schema of a form."""
    return msgspec.json.schema(Form)


def _option(labels: Labels, ask: Ask, option: Option, names: Mapping[Seat, str]) -> FormOption:
    fields = [_field(labels, ask, option, f, names) for f in option.fields]
    rest = Rest(option.rest, labels.field(ask, option.id, "rest", names)) if option.rest is not None else UNSET
    return FormOption(option.id, labels.option(ask, option.id, names), option.grave, fields, rest)


def _field(labels: Labels, ask: Ask, option: Option, f: Field, names: Mapping[Seat, str]) -> FormField:
    def shown(choices: tuple[Choice, ...]) -> list[FormChoice]:
        return [FormChoice(c.id, labels.choice(ask, option.id, f.name, c.id, names), c.most, c.least) for c in choices]

    label = labels.field(ask, option.id, f.name, names)
    match f:
        case PickOne():
            return OneField(f.name, label, shown(f.choices), f.optional)
        case PickSome():
            return SomeField(f.name, label, shown(f.choices), f.least, f.most)
        case Number():
            return NumberField(f.name, label, f.least, f.most, f.least if f.usual is None else f.usual, f.usual is not None)
        case Order():
            return OrderField(f.name, label, shown(f.choices))
        case Assign():
            return AssignField(f.name, label, shown(f.items), shown(f.targets), f.optional, f.distinct)


def said(form: Form, answer: Answer) -> str:
    """An answer to the form in words: the option, and what is picked in its fields. Ids that it lacks stay as they are."""
    option = form.option(answer.option)
    if option is None:
        return write(answer)
    parts = [words for field in option.fields if (words := picked(field, answer.values.get(field.name)))]
    return with_parts(option.label, parts)


def with_parts(label: str, parts: Iterable[str]) -> str:
    """A label with what belongs to it behind: `Attack: Fief 1 of Bob; Knight`."""
    whole = KERNEL.listed("semicolon", parts) if (parts := list(parts)) else ""
    if not whole or not label:
        return label or whole
    return KERNEL.text("phrase", "answer", {"option": label, "picked": whole})


def picked(field: FormField, value: Value | None) -> str:
    """What is picked in a field, in words; empty for nothing."""
    if value is None or value in ("", [], {}):
        return ""
    labels = {c.id: c.label for c in choices_of(field)}
    if isinstance(value, dict):
        pairs = [{"item": labels.get(k, k), "target": labels.get(v, v)} for k, v in value.items()]
        return KERNEL.listed("comma", [KERNEL.text("phrase", "to", pair) for pair in pairs])
    if isinstance(value, list):
        counted = [(labels.get(v, v), n) for v, n in Counter(value).items()]
        return KERNEL.listed(
            "comma", [what if n == 1 else KERNEL.text("phrase", "times", {"n": n, "what": what}) for what, n in counted]
        )
    return labels.get(str(value), str(value))


def choices_of(field: FormField) -> list[FormChoice]:
    """Everything that can be named in a field: choices, or items and targets."""
    match field:
        case AssignField():
            return [*field.items, *field.targets]
        case NumberField():
            return []
        case _:
            return field.choices
