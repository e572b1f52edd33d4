"""Standing orders as sentences: the words of an order, with a place in them for each field that can be tapped and changed.

A game's catalogue of orders says them, so that a translator moves the places about as the language wants it:

* `[sentence]` has an entry an order, by its id, with its fields in braces: `"Damage goes to {damage}."`. Where an order has
  several ways beside *off*, that one has the place `{option}`, and each way that has fields an entry `ID:option`. A field
  of rows has the sentence of a row in `ID.field`.
* `[part]` has what is said of a field only where something is chosen in it, in `ID.field`: `", on {where}"`;
  `*.field` is for all orders.
* `[word]` calls a choice otherwise than its form does, in `ID.field.choice`, `ID.choice` or `*.field.choice`; what is left
  open is the choice `open`, and is called as the kernel does where nothing is said.
* `[warning]` has what an order tells the others by its answers, in `ID`, or in `ID.field.choice` where one choice does.

A way that ends with a day (`forms.is_dated`) has the place `{date}` for it, and how the three are said is the part `ID.date`.

An order without an entry has no sentence: its form serves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from engine.asks import Answer, Row, Value, are_rows
from engine.forms import (
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
from engine.words import KERNEL, Catalogue

MARK = "\x1f"
"""Stands around a place while a sentence is taken apart; no catalogue has it."""
OPTION, OPEN, DATE = "option", "open", "date"


@dataclass(frozen=True)
class Word:
    """A word that can be changed: what it may be, and what it is."""

    name: str
    """The field, or `rows.2.field` for a cell of the second row."""
    label: str
    value: str
    choices: list[tuple[str, str]]
    """Ids and what they are called; the empty id leaves it open."""

    @property
    def said(self) -> str:
        return next((label for id, label in self.choices if id == self.value), self.value)


@dataclass(frozen=True)
class Fixed:
    """What is chosen, but is too much for a word: the form changes it."""

    said: str


@dataclass(frozen=True)
class Day:
    """A day of the calendar that can be changed: as 2026-12-24, or empty where none is set."""

    value: str
    said: str
    name: str = DATE


Piece = str | Word | Fixed | Day


@dataclass(frozen=True)
class Sentence:
    """An order in words. What stands in `lead` counts whatever its way is."""

    lead: list[Piece]
    option: str
    """The way that is chosen,"""
    ways: dict[str, list[Piece]] = field(default_factory=dict)
    """and what each way says behind the lead."""

    @property
    def words(self) -> str:
        """The sentence as text, as it stands."""
        said = [p if isinstance(p, str) else p.said for p in [*self.lead, *self.ways.get(self.option, [])]]
        return " ".join("".join(said).split())


def sentence(words: Catalogue, form: Form, answer: Answer, spare: bool = False) -> Sentence | None:
    """The order as a sentence, with what the answer sets; None where the game has none for it. Fields that it doesn't set
    stand at their first choice; `spare`: with an empty row where there is none."""
    if not words.has("sentence", form.rule):
        return None
    ways = [o for o in form.options if o.id != "off"]
    chosen = next((o for o in ways if o.id == answer.option), ways[0])
    if len(ways) == 1:
        return Sentence(list(_said(words, form, "", chosen, answer.values, spare)), chosen.id)
    lead: list[Piece] = []
    for piece in _pieces(words, "sentence", form.rule, {OPTION}):
        if isinstance(piece, str):
            lead.append(piece)
        else:
            called = [(o.id, _called(words, form.rule, OPTION, o.id, o.label)) for o in ways]
            lead.append(Word(OPTION, form.title, chosen.id, called))
    found = {}
    for way in ways:
        if words.has("sentence", f"{form.rule}:{way.id}"):
            values = answer.values if way is chosen else {}
            found[way.id] = [" ", *_said(words, form, f":{way.id}", way, values, spare)]
    return Sentence(lead, chosen.id, found)


def words_of(sentence: Sentence) -> dict[str, str]:
    """The words of a sentence as they stand: name to id, or day."""
    pieces = [*sentence.lead, *(piece for way in sentence.ways.values() for piece in way)]
    return {piece.name: piece.value for piece in pieces if isinstance(piece, Word | Day)}


def warnings(words: Catalogue, id: str, answer: Answer) -> list[str]:
    """What an order that is set so tells others by its answers, a sentence each."""
    cells: list[Mapping[str, Value]] = [
        answer.values,
        *(row for f in answer.values.values() if isinstance(f, list) and are_rows(f) for row in f),
    ]
    chosen = dict.fromkeys(f"{id}.{name}.{value}" for row in cells for name, value in row.items() if isinstance(value, str))
    return [words.text("warning", key) for key in (id, *chosen) if words.has("warning", key)]


def answered(form: Form, before: Answer, given: Mapping[str, str]) -> Answer:
    """The setting that words make which were chosen in the sentence: by their names, ids. What the sentence has no place for,
    or is too much for a word, stays as it is in `before`; a row in which a word that is needed was left open is no more."""
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
    for piece in _pieces(words, "sentence", key, {*fields, DATE} if is_dated(option) else fields.keys()):
        if isinstance(piece, str):
            yield piece
        elif piece.name not in fields:
            yield _day(words, form.rule, option, values)
        else:
            f = fields[piece.name]
            value = values.get(f.name)
            if isinstance(f, RowsField):
                yield from _said_rows(words, form.rule, f, value, spare)
            else:
                yield from _field(words, form.rule, f, f.name, value, False)


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
        for piece in _pieces(words, "sentence", key, fields.keys()):
            if isinstance(piece, str):
                yield piece
            else:
                cell = fields[piece.name]
                yield from _field(words, id, cell, f"{f.name}.{n}.{cell.name}", row.get(cell.name), True)


def _field(words: Catalogue, id: str, f: SimpleField, name: str, value: Value | None, in_row: bool) -> Iterator[Piece]:
    part = next((key for key in (f"{id}.{f.name}", f"*.{f.name}") if words.has("part", key)), "")
    if part:
        if value:
            for piece in _pieces(words, "part", part, {f.name}):
                yield piece if isinstance(piece, str) else _word(words, id, f, name, value, in_row)
    else:
        yield _word(words, id, f, name, value, in_row)


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
    """What a choice is called in the sentence of an order."""
    for key in (f"{id}.{name}.{choice}", f"{id}.{choice}", f"*.{name}.{choice}"):
        if words.has("word", key):
            return words.text("word", key)
    return label or KERNEL.text("phrase", OPEN)


@dataclass(frozen=True)
class _Place:
    name: str


class _Marks(dict[str, str]):
    """Facts that say only where they stand."""

    def __missing__(self, name: str) -> str:
        return f"{MARK}{name}{MARK}"


def _pieces(words: Catalogue, section: str, key: str, names: Collection[str]) -> Iterator[str | _Place]:
    """An entry taken apart: texts, and the places between them. A place that is none of the names is left out."""
    for at, piece in enumerate(words.text(section, key, _Marks({MARK: MARK})).split(MARK)):
        if at % 2 == 0:
            if piece:
                yield piece
        elif piece in names:
            yield _Place(piece)
