"""Standing orders as sentences with fields edited in place. See docs/orders.md."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from engine.core.asks import Answer, Row, Value, are_rows
from engine.language.words import KERNEL, Catalogue
from engine.ui.forms import (
    Form,
    FormOption,
    NumberField,
    OneField,
    OrderField,
    RowsField,
    SimpleField,
    apart,
    day_of,
    is_dated,
    picked,
)

MARK = "\x1f"
"""Delimiter of placeholders; never in a catalogue."""
OPTION, OPEN, DATE = "option", "open", "date"


@dataclass(frozen=True)
class Word:
    """A field within an order's sentence, as a select."""

    name: str
    """Field, or `rows.2.field` in the second row."""
    label: str
    value: str
    choices: list[tuple[str, str]]
    """(id, label); the empty id means unset."""

    @property
    def said(self) -> str:
        return next((label for id, label in self.choices if id == self.value), self.value)


@dataclass(frozen=True)
class Fixed:
    """A value too complex for a word; edited in the form."""

    said: str


@dataclass(frozen=True)
class Day:
    """An editable ISO 8601 date; "" for none."""

    value: str
    said: str
    name: str = DATE


Piece = str | Word | Fixed | Day


@dataclass(frozen=True)
class OrderSentence:
    lead: list[Piece]
    option: str
    ways: dict[str, list[Piece]] = field(default_factory=dict)
    """Option -> text behind the lead."""

    @property
    def words(self) -> str:
        said = [p if isinstance(p, str) else p.said for p in [*self.lead, *self.ways.get(self.option, [])]]
        return " ".join("".join(said).split())


def sentence(words: Catalogue, form: Form, answer: Answer, spare: bool = False) -> OrderSentence | None:
    """Render an order, if it has a sentence. Unset fields show their first choice; `spare` adds an empty row."""
    if not words.has("sentence", form.rule):
        return None
    ways = [o for o in form.options if o.id != "off"]
    chosen = next((o for o in ways if o.id == answer.option), ways[0])
    if len(ways) == 1:
        return OrderSentence(list(_said(words, form, "", chosen, answer.values, spare)), chosen.id)
    called = [(o.id, _called(words, form.rule, OPTION, o.id, o.label)) for o in ways]
    option = Word(OPTION, form.title, chosen.id, called)
    lead = list(_pieces(words, "sentence", form.rule, {OPTION}, lambda _name: [option]))
    found = {}
    for way in ways:
        if words.has("sentence", f"{form.rule}:{way.id}"):
            values = answer.values if way is chosen else {}
            found[way.id] = [" ", *_said(words, form, f":{way.id}", way, values, spare)]
    return OrderSentence(lead, chosen.id, found)


def words_of(sentence: OrderSentence) -> dict[str, str]:
    pieces = [*sentence.lead, *(piece for way in sentence.ways.values() for piece in way)]
    return {piece.name: piece.value for piece in pieces if isinstance(piece, Word | Day)}


def warnings(words: Catalogue, id: str, answer: Answer) -> list[str]:
    """What such an order reveals to others."""
    cells: list[Mapping[str, Value]] = [
        answer.values,
        *(row for f in answer.values.values() if isinstance(f, list) and are_rows(f) for row in f),
    ]
    chosen = dict.fromkeys(f"{id}.{name}.{value}" for row in cells for name, value in row.items() if isinstance(value, str))
    return [words.text("warning", key) for key in (id, *chosen) if words.has("warning", key)]


def answered(form: Form, before: Answer, given: Mapping[str, str]) -> Answer:
    """Build a setting from edited words. Other fields stay as `before`; rows lacking a required word go."""
    ways = [o for o in form.options if o.id != "off"]
    chosen = next((o for o in ways if o.id == given.get(OPTION, before.option)), ways[0])
    own = before.values if before.option == chosen.id else {}
    values: dict[str, Value] = dict(own)
    for f in chosen.fields:
        if isinstance(f, RowsField):
            old = own.get(f.name)
            kept: list[Row] = [*old] if isinstance(old, list) and are_rows(old) else []
            rows = [row for row in _rows(f, kept, given) if row is not None]
            if any(name.startswith(f"{f.name}.") for name in given):
                values[f.name] = rows
        elif f.name in given:
            values[f.name] = _value(f, given[f.name], own.get(f.name))
    if is_dated(chosen) and given.get(DATE):
        values |= apart(chosen, given[DATE])
    return Answer(chosen.id, {name: value for name, value in values.items() if value not in ("", [])})


def _rows(f: RowsField, kept: list[Row], given: Mapping[str, str]) -> Iterator[Row | None]:
    for n in range(1, f.most + 1):
        row: Row = dict(kept[n - 1]) if n <= len(kept) else {}
        named = False
        for cell in f.fields:
            chosen = given.get(f"{f.name}.{n}.{cell.name}")
            if chosen is None:
                continue
            named = True
            value = _value(cell, chosen, row.get(cell.name))
            if value == "":
                row.pop(cell.name, None)
            elif not isinstance(value, list) or not are_rows(value):
                row[cell.name] = value
        needed = [c for c in f.fields if isinstance(c, OneField) and not c.optional]
        if row and (not named or all(row.get(c.name) for c in needed)):
            yield row


def _value(f: SimpleField, chosen: str, old: Value | None) -> Value:
    if isinstance(f, OrderField):
        usual = [c.id for c in f.choices for _ in range(c.most)]
        before = [str(v) for v in old if not isinstance(v, dict)] if isinstance(old, list) else usual
        return [chosen, *(v for v in before if v != chosen)] if chosen in usual else before
    return chosen


def _said(
    words: Catalogue, form: Form, way: str, option: FormOption, values: Mapping[str, Value], spare: bool
) -> Iterator[Piece]:
    key, fields = f"{form.rule}{way}", {f.name: f for f in option.fields}

    def filled(name: str) -> Iterable[Piece]:
        if name not in fields:
            return [_day(words, form.rule, option, values)]
        f, value = fields[name], values.get(name)
        if isinstance(f, RowsField):
            return _said_rows(words, form.rule, f, value, spare)
        return _field(words, form.rule, f, f.name, value, False)

    return _pieces(words, "sentence", key, {*fields, DATE} if is_dated(option) else fields.keys(), filled)


def _day(words: Catalogue, id: str, option: FormOption, values: Mapping[str, Value]) -> Day:
    parts = [f for f in option.fields if f.name in ("day", "month", "year")]
    said = {f.name: picked(f, values.get(f.name)) for f in parts}
    return Day(day_of(option, values), words.text("part", f"{id}.{DATE}", said) if all(said.values()) else "")


def _said_rows(words: Catalogue, id: str, f: RowsField, value: Value | None, spare: bool) -> Iterator[Piece]:
    given: list[Row] = [*value] if isinstance(value, list) and are_rows(value) else []
    key, fields = f"{id}.{f.name}", {c.name: c for c in f.fields}
    if not words.has("sentence", key) or not (given or spare):
        yield Fixed(picked(f, value) or _called(words, id, f.name, OPEN))
        return
    for n, row in enumerate(given or [{}], 1):
        if n > 1:
            yield " "

        def filled(name: str, n: int = n, row: Row = row) -> Iterator[Piece]:
            return _field(words, id, fields[name], f"{f.name}.{n}.{name}", row.get(name), True)

        yield from _pieces(words, "sentence", key, fields.keys(), filled)


def _field(words: Catalogue, id: str, f: SimpleField, name: str, value: Value | None, in_row: bool) -> Iterator[Piece]:
    part = next((key for key in (f"{id}.{f.name}", f"*.{f.name}") if words.has("part", key)), "")
    if not part:
        yield _word(words, id, f, name, value, in_row)
    elif value:
        yield from _pieces(words, "part", part, {f.name}, lambda _name: [_word(words, id, f, name, value, in_row)])


def _word(words: Catalogue, id: str, f: SimpleField, name: str, value: Value | None, in_row: bool) -> Word | Fixed:
    match f:
        case OneField():
            choices = [(c.id, _called(words, id, f.name, c.id, c.label)) for c in f.choices]
            chosen = str(value or "")
            if f.optional or in_row:
                choices.append(("", _called(words, id, f.name, OPEN)))
            elif not chosen:
                chosen = choices[0][0]
            return Word(name, f.label, chosen, choices)
        case NumberField():
            numbers = [(str(n), _called(words, id, f.name, str(n), str(n))) for n in range(f.least, f.most + 1)]
            return Word(name, f.label, str(f.usual if value is None else value), numbers)
        case OrderField():
            usual = [c.id for c in f.choices]
            first = str(value[0]) if isinstance(value, list) and value else usual[0]
            return Word(name, f.label, first, [(c.id, KERNEL.text("phrase", "first", {"what": c.label})) for c in f.choices])
        case _:
            return Fixed(picked(f, value) or _called(words, id, f.name, OPEN))


def _called(words: Catalogue, id: str, name: str, choice: str, label: str = "") -> str:
    found = words.first("word", f"{id}.{name}.{choice}", f"{id}.{choice}", f"*.{name}.{choice}")
    return found or label or KERNEL.text("phrase", OPEN)


class _Marks(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"{MARK}{name}{MARK}"


def _pieces(
    words: Catalogue, section: str, key: str, names: Collection[str], filled: Callable[[str], Iterable[Piece]]
) -> Iterator[Piece]:
    """An entry's text, its placeholders `filled`; those not in `names` are left out."""
    for at, piece in enumerate(words.text(section, key, _Marks({MARK: MARK})).split(MARK)):
        if at % 2 == 0:
            if piece:
                yield piece
        elif piece in names:
            yield from filled(piece)
