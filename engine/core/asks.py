"""The Ask language: schema of a player's decision, from which pages, letters, reply parser, API and bots are generated. Never
stored in the state.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from engine.language.words import Message, plain, say

Seat = str
"""Seat id, `a` to `f`, clockwise."""
SEATS = "abcdef"

Cell = str | int | list[str] | dict[str, str]
"""Value of a simple field."""
Row = dict[str, Cell]
if TYPE_CHECKING:
    from typing_extensions import TypeIs

    Value = Cell | list[Row]
else:
    # msgspec allows one list type in a union; `check` distinguishes lists of ids and of rows.
    Value = str | int | list[str | Row] | dict[str, str]


class Refused(Exception):
    """A move rejected without changes; `said` is the translatable reason."""

    kind = "refused"

    def __init__(self, said: Message | str, /) -> None:
        super().__init__(said)
        self.said: Message = plain(said) if isinstance(said, str) else said

    def __str__(self) -> str:
        return str(self.said)


class NotUnderstood(Refused):
    """Can't be parsed as an answer."""

    kind = "not understood"


class NotLegal(Refused):
    """Parsed, but not allowed in this position."""

    kind = "not legal"


class Ambiguous(Refused):
    """Parsed, with several legal meanings."""

    kind = "ambiguous"


def refuse_if(broken: object, code: str, /, **facts: object) -> None:
    if broken:
        raise NotUnderstood(say(code, **facts))


def illegal_if(broken: object, code: str, /, **facts: object) -> None:
    if broken:
        raise NotLegal(say(code, **facts))


class Answer(msgspec.Struct, frozen=True, gc=False):
    """An option with field values; see `write` and `read`."""

    option: str
    values: dict[str, Value] = {}

    def pick(self, name: str) -> str:
        """Id in a field; "" if left out."""
        value = self.values.get(name, "")
        return value if isinstance(value, str) else str(value)

    def some(self, name: str) -> list[str]:
        """Ids in a field, in the given order."""
        value = self.values.get(name)
        return value if isinstance(value, list) and not are_rows(value) else []

    def number(self, name: str) -> int:
        """Number in a field; 0 if left out."""
        value = self.values.get(name)
        return value if isinstance(value, int) else 0

    def assigned(self, name: str) -> dict[str, str]:
        value = self.values.get(name)
        return value if isinstance(value, dict) else {}

    def rows(self, name: str) -> list[Answer]:
        return list(self.each_row(name))

    def each_row(self, name: str) -> Iterator[Answer]:
        """Rows of a field, each as an answer to the same option."""
        value = self.values.get(name)
        if isinstance(value, list) and are_rows(value):
            for row in value:
                yield Answer(self.option, {**row})


def are_rows(value: list[str] | list[Row]) -> TypeIs[list[Row]]:
    return bool(value) and isinstance(value[0], dict)


# --- fields -----------------------------------------------------------------------------------------------------------


class Choice(msgspec.Struct, frozen=True, gc=False):
    """One item, picked from `least` to `most` times.

    An id has letters, digits and `_:./#+-`, and isn't a bare number.
    """

    id: str
    most: int = 1
    least: int = 0


def choices(ids: Iterable[str]) -> tuple[Choice, ...]:
    """Count ids into choices, in order of first appearance."""
    return _choices(tuple(ids))


@lru_cache(maxsize=4096)
def _choices(ids: tuple[str, ...]) -> tuple[Choice, ...]:
    counted: dict[str, int] = {}
    for id in ids:
        counted[id] = counted.get(id, 0) + 1
    return tuple([Choice(id, most) for id, most in counted.items()])


class PickOne(msgspec.Struct, frozen=True, tag_field="type", tag="one", gc=False):
    """One choice, or none if `optional`. Value: an id."""

    name: str
    choices: tuple[Choice, ...]
    optional: bool = False


class PickSome(msgspec.Struct, frozen=True, tag_field="type", tag="some", gc=False):
    """`least` to `most` picks within each choice's bounds. Value: a list of ids."""

    name: str
    choices: tuple[Choice, ...]
    least: int
    most: int


class Number(msgspec.Struct, frozen=True, tag_field="type", tag="number", gc=False):
    """A whole number, by default `usual`, else `least`. Value: an int."""

    name: str
    least: int
    most: int
    usual: int | None = None


class Order(msgspec.Struct, frozen=True, tag_field="type", tag="order", gc=False):
    """A permutation of the choices. Value: a list of ids."""

    name: str
    choices: tuple[Choice, ...]


class Assign(msgspec.Struct, frozen=True, tag_field="type", tag="assign", gc=False):
    """A target per item (or some, if `optional`); `distinct` limits targets to their `most`. Value: a dict."""

    name: str
    items: tuple[Choice, ...]
    targets: tuple[Choice, ...]
    optional: bool = False
    distinct: bool = False


Simple = PickOne | PickSome | Number | Order | Assign


class Total(msgspec.Struct, frozen=True):
    """Bounds on a number's sum over all rows."""

    field: str
    most: int
    least: int = 0


class Shared(msgspec.Struct, frozen=True):
    """Bounds on choices' picks over all rows; targets of an `Assign` count."""

    fields: tuple[str, ...]
    choices: tuple[Choice, ...]


class Rows(msgspec.Struct, frozen=True, tag_field="type", tag="rows"):
    """`least` to `most` small forms, not nested; only `totals` and `shared` span them. Value: a list of dicts."""

    name: str
    fields: tuple[Simple, ...]
    least: int
    most: int
    totals: tuple[Total, ...] = ()
    shared: tuple[Shared, ...] = ()


Field = Simple | Rows
Fields = tuple[Field, ...]


About = Mapping[str, Cell]


def own(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Copy facts' lists and dicts, which change with the position."""
    kept: dict[str, Any] | None = None  # few facts are lists, so copy only when one is found
    for name, fact in facts.items():
        if type(fact) is list or type(fact) is dict:
            if kept is None:
                kept = {**facts}
            kept[name] = fact.copy()
    return facts if kept is None else kept


class Option(msgspec.Struct, frozen=True, gc=False):
    """One way to answer. `make` builds the fields on first read, before the state changes.

    `grave`: irreversible, so pages ask for confirmation. `rest`: fields with a `usual` value split one sum; this is the rest.
    """

    id: str
    make: Callable[[], Fields] | Fields = ()
    grave: bool = False
    rest: int | None = None

    @property
    def fields(self) -> Fields:
        make = self.make
        if type(make) is tuple:
            return make
        assert callable(make)
        made = make()
        msgspec.structs.force_setattr(self, "make", made)  # read by the option list, the check and the wording
        return made


class Ask(msgspec.Struct, frozen=True, gc=False):
    """A question to one seat.

    `kind` and `rule` identify its row of the decision table; `default` is safe, played at the deadline. `facts`, maybe lazy,
    are ids for the wording, never others' secrets.
    """

    seat: Seat
    kind: str
    options: tuple[Option, ...]
    default: Answer
    rule: str = ""
    facts: Callable[[], About] | About = {}

    def __post_init__(self) -> None:
        facts = self.facts
        if not callable(facts) and (kept := own(facts)) is not facts:
            msgspec.structs.force_setattr(self, "facts", kept)

    @property
    def about(self) -> About:
        facts = self.facts
        if callable(facts):
            facts = own(facts())
            msgspec.structs.force_setattr(self, "facts", facts)
        return facts

    def listed(self, fact: str) -> list[str]:
        """Ids in a fact; [] if it is no list."""
        found = self.about.get(fact)
        return found if isinstance(found, list) else []

    def option(self, id: str) -> Option:
        """Find an option. Raises NotLegal."""
        for option in self.options:
            if option.id == id:
                return option
        raise NotLegal(say("ask.no_such_option", id=id, options=[o.id for o in self.options]))


def picks(ask: Ask, option: str, field: str) -> list[str]:
    """Ids offered in a field; [] without it."""
    fields = (f for o in ask.options if o.id == option for f in o.fields)
    return next(([c.id for c in f.choices] for f in fields if f.name == field and isinstance(f, PickOne | PickSome)), [])


def settled(ask: Ask) -> Ask:
    """Evaluate lazy fields: the ask outlives its position."""
    options = tuple(Option(o.id, o.fields, o.grave, o.rest) for o in ask.options)
    return Ask(ask.seat, ask.kind, options, ask.default, ask.rule, ask.about)


def prefilled(seat: Seat, kind: str, rule: str, *options: Option, **about: Cell) -> Ask:
    """An Ask with the first option and each field's first choice as default; powers never use it."""
    values: dict[str, Value] = {}
    for field in options[0].fields:
        if isinstance(field, PickOne) and not field.optional:
            values[field.name] = field.choices[0].id
        elif isinstance(field, PickSome) and field.least:
            values[field.name] = [choice.id for choice in field.choices[: field.least]]
        elif isinstance(field, Number):
            values[field.name] = field.least
    return Ask(seat, kind, options, Answer(options[0].id, values), rule, about)


class _StoredOption(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    fields: list[Field] = []
    grave: bool = False
    rest: int | None = None


class _StoredAsk(msgspec.Struct, frozen=True):
    seat: Seat
    kind: str
    options: list[_StoredOption]
    default: Answer
    rule: str
    about: dict[str, Cell]


def stored(ask: Ask) -> dict[str, Any]:
    options = [_StoredOption(o.id, list(o.fields), o.grave, o.rest) for o in ask.options]
    plain: dict[str, Any] = msgspec.to_builtins(_StoredAsk(ask.seat, ask.kind, options, ask.default, ask.rule, dict(ask.about)))
    return plain


def read_ask(stored: Mapping[str, Any]) -> Ask:
    """Deserialise an ask. Raises ValueError."""
    ask = msgspec.convert(stored, _StoredAsk)
    options = tuple(Option(o.id, tuple(o.fields), o.grave, o.rest) for o in ask.options)
    return Ask(ask.seat, ask.kind, options, ask.default, ask.rule, ask.about)


# --- checking ---------------------------------------------------------------------------------------------------------

LIMIT = 400
"""Most picks in one field; longer answers are refused unread."""


def check(ask: Ask, answer: Answer) -> Answer:
    """Validate and normalise an answer. Raises NotUnderstood for wrong shapes and unknown fields, NotLegal for unoffered
    values.
    """
    id, given = answer.option, answer.values
    for option in ask.options:
        if option.id == id:
            break
    else:
        option = ask.option(id)  # raises NotLegal
    fields = option.fields
    if not fields and not given:
        return answer
    values: dict[str, Value] = {}
    known = 0
    try:
        for f in fields:
            name = f.name
            known += name in given
            value = _CHECKS[type(f)](f, given.get(name))
            if value or type(value) is int:
                values[name] = value
    except Refused:
        _check_names(answer, fields)  # unknown fields are reported first
        raise
    if known < len(given):
        _check_names(answer, fields)
    return Answer(answer.option, values)


def fits(ask: Ask, answer: Answer) -> bool:
    """Whether `check` accepts an answer."""
    try:
        check(ask, answer)
    except Refused:
        return False
    return True


def _check_names(answer: Answer, fields: Fields) -> None:
    known = [f.name for f in fields]
    unknown = [name for name in answer.values if name not in known]
    if unknown:
        raise NotUnderstood(say("ask.no_such_field", option=answer.option, field=min(unknown), fields=known))


def _check_one(f: PickOne, value: Value | None) -> str:
    if value is None or value == "":
        if f.optional:
            return ""
        _illegal("needs_a_choice", f, f.choices)
    if isinstance(value, list) and len(value) == 1 and not are_rows(value):
        value = value[0]
    if not isinstance(value, str):
        raise NotUnderstood(say("ask.one_choice", field=f.name, shape=_shape(value)))
    for c in f.choices:
        if c.id == value:
            break
    else:
        _illegal("not_that", f, f.choices, value=_short(value))
    return value


def _check_some(f: PickSome, value: Value | None) -> list[str]:
    picks = _as_list(f.name, value)
    counted: dict[str, int] = {}
    for id in picks:
        counted[id] = counted.get(id, 0) + 1
    canonical: list[str] = []
    for c in f.choices:
        n = counted.get(c.id, 0)
        if not c.least <= n <= c.most:
            break
        if n:
            canonical += [c.id] * n
    if len(canonical) != len(picks) or not f.least <= len(picks) <= f.most:
        _refuse_some(f, picks, counted)
    return canonical


def _refuse_some(f: PickSome, picks: list[str], counted: Mapping[str, int]) -> NoReturn:
    known = {c.id for c in f.choices}
    for id in counted:
        if id not in known:
            _illegal("not_included", f, f.choices, value=_short(id))
    for c in f.choices:
        n = counted.get(c.id, 0)
        illegal_if(n > c.most, "ask.too_many_of", field=f.name, n=n, choice=c.id, most=c.most)
        illegal_if(n < c.least, "ask.too_few_of", field=f.name, n=n, choice=c.id, least=c.least)
    raise NotLegal(say("ask.picked", field=f.name, n=len(picks), bounds=[f.least, f.most]))


def _check_number(f: Number, value: Value | None) -> int:
    if type(value) is int and f.least <= value <= f.most:
        return value
    if value is None or value == "":
        value = f.least if f.usual is None else f.usual
    if isinstance(value, str):
        refuse_if(not re.fullmatch(r"[+-]?\d{1,9}", value), "ask.whole_number", field=f.name, value=_short(value))
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise NotUnderstood(say("ask.whole_number_not", field=f.name, shape=_shape(value)))
    if not f.least <= value <= f.most:
        raise NotLegal(say("ask.out_of_bounds", field=f.name, value=value, bounds=[f.least, f.most]))
    return value


def _check_order(f: Order, value: Value | None) -> list[str]:
    if value is None or value == "" or value == []:
        return [c.id for c in f.choices for _ in range(c.most)]
    picks = _as_list(f.name, value)
    if Counter(picks) != Counter({c.id: c.most for c in f.choices}):
        _illegal("order", f, f.choices)
    return picks


def _check_assign(f: Assign, value: Value | None) -> dict[str, str]:
    if value is None or value == "" or value == []:
        value = {}
    if not isinstance(value, dict):
        raise NotUnderstood(say("ask.pairs", field=f.name, shape=_shape(value)))
    if not all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        raise NotUnderstood(say("ask.pairs_of_words", field=f.name))
    given = {k: v for k, v in value.items() if v != ""}
    items = {c.id for c in f.items}
    targets = {c.id for c in f.targets}
    for item, target in given.items():
        if item not in items:
            _illegal("no_such_item", f, f.items, item=_short(item))
        if target not in targets:
            _illegal("no_such_target", f, f.targets, item=item, target=_short(target))
    if f.distinct:
        used = Counter(given.values())
        over = next((c for c in f.targets if used[c.id] > c.most), None)
        if over is not None:
            raise NotLegal(say("ask.target_used", field=f.name, target=over.id, n=used[over.id], most=over.most))
    missing = [c.id for c in f.items if c.id not in given]
    if missing and not f.optional:
        _illegal("item_left_out", f, f.targets, item=missing[0])
    return {c.id: given[c.id] for c in f.items if c.id in given}


def _as_list(name: str, value: Value | None) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return [value]
    picks = [v for v in value if isinstance(v, str)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(picks) < len(value):
        raise NotUnderstood(say("ask.list_of_choices", field=name, shape=_shape(value)))
    if len(picks) > LIMIT:
        raise NotUnderstood(say("ask.too_many_entries", field=name, n=len(picks), most=LIMIT))
    return picks


def _check_rows(f: Rows, value: Value | None) -> list[Row]:
    if value is None or value == "":
        value = []
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise NotUnderstood(say("ask.rows", field=f.name, shape=_shape(value)))
    if len(value) > LIMIT:
        raise NotUnderstood(say("ask.too_many_entries", field=f.name, n=len(value), most=LIMIT))
    rows = [_check_row(f, n, row) for n, row in enumerate(value, 1) if isinstance(row, dict)]
    if not f.least <= len(rows) <= f.most:
        raise NotLegal(say("ask.row_count", field=f.name, n=len(rows), bounds=[f.least, f.most]))
    for total in f.totals:
        _check_total(f, total, rows)
    for shared in f.shared:
        _check_shared(f, shared, rows)
    return rows


_CHECKS: Mapping[type[Field], Callable[[Any, Value | None], Any]] = {
    PickOne: _check_one,
    PickSome: _check_some,
    Number: _check_number,
    Order: _check_order,
    Assign: _check_assign,
    Rows: _check_rows,
}


def _check_row(f: Rows, n: int, row: Mapping[str, Cell]) -> Row:
    checked: Row = {}
    try:
        unknown = row.keys() - {inner.name for inner in f.fields}
        if unknown:
            known = [inner.name for inner in f.fields]
            raise NotUnderstood(say("ask.no_such_cell", field=min(map(str, unknown)), fields=known))
        for inner in f.fields:
            value = _CHECKS[type(inner)](inner, row.get(inner.name))
            if value or type(value) is int:
                checked[inner.name] = value
    except Refused as refusal:
        raise type(refusal)(of_row(f.name, n, refusal.said)) from None
    return checked


def of_row(field: str, n: int, why: Message) -> Message:
    """Prefix a refusal with its row, from 1."""
    return say("ask.row", field=field, n=n, reason=why)


def _check_total(f: Rows, total: Total, rows: list[Row]) -> None:
    sum_, bounds = 0, [total.least, total.most]
    for n, row in enumerate(rows, 1):
        sum_ += number if isinstance(number := row.get(total.field), int) else 0
        if sum_ > total.most:
            raise NotLegal(of_row(f.name, n, say("ask.total_over", field=total.field, n=sum_, bounds=bounds)))
    if sum_ < total.least:
        raise NotLegal(say("ask.total", field=f.name, of=total.field, n=sum_, bounds=bounds))


def _check_shared(f: Rows, shared: Shared, rows: list[Row]) -> None:
    used: Counter[str] = Counter()
    for n, row in enumerate(rows, 1):
        used.update(used_of(shared, row))
        over = next((c for c in shared.choices if used[c.id] > c.most), None)
        if over is not None:
            raise NotLegal(of_row(f.name, n, say("ask.shared_over", choice=over.id, n=used[over.id], most=over.most)))
    under = next((c for c in shared.choices if used[c.id] < c.least), None)
    if under is not None:
        raise NotLegal(say("ask.shared_under", field=f.name, choice=under.id, n=used[under.id], least=under.least))


def used_of(shared: Shared, row: Mapping[str, Cell]) -> Iterator[str]:
    """Ids that a row picks in a `Shared`'s fields."""
    for value in (row[name] for name in shared.fields if name in row):
        if isinstance(value, str):
            yield value
        elif not isinstance(value, int):
            yield from value.values() if isinstance(value, dict) else value


def _illegal(what: str, f: Simple, legal: tuple[Choice, ...], **facts: str) -> NoReturn:
    shown = [c.id if c.most == 1 else f"{c.id}*{c.most}" for c in legal[:MORE_THAN_SHOWN]]
    raise NotLegal(say(f"ask.{what}", field=f.name, open=shown, **facts))


MORE_THAN_SHOWN = 13
"""Error messages list fewer choices than this."""


def _shape(value: object) -> str:
    return {str: "word", int: "number", list: "list", dict: "pairs"}.get(type(value), "that")


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"


# --- text -------------------------------------------------------------------------------------------------------------

_WORD = re.compile(r"[A-Za-z0-9_:./#+-]{1,80}")
_PART = re.compile(r"([a-z_][a-z0-9_]*)=(\[[^\]\s()]*\]|\{[^}\s]*\}|[^\s\[\]{}]+)")
_ROWS = r"[a-z_][a-z0-9_]*=\[\s*\([^()]*\)(?:\s*,\s*\([^()]*\))*\s*\]"
_PARTS = re.compile(rf"{_ROWS}(?=\s|$)|\S+")
_OF_ROWS = re.compile(_ROWS)
_ROW = re.compile(r"\(([^()]*)\)")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,8}")
_CELL = re.compile(r"([a-z_][a-z0-9_]*)=(\[[^\]]*\]|\{[^}]*\}|[^\s\[\]{},]+)(?:\s*,\s*|\s+|$)")


def write(answer: Answer) -> str:
    """Serialise as one line: `attack target=siege:b:F2 lords=[F1] reserve=[Knight*2]`. Rows use round brackets:
    `moves=[(group=F1,to=[Blaye,Charolles]),(group=F2)]`.
    """
    parts = [answer.option]
    for name, value in answer.values.items():
        if isinstance(value, list) and are_rows(value):
            rows = [",".join(f"{cell}={_written(inner)}" for cell, inner in row.items()) for row in value]
            parts.append(f"{name}=[{','.join(f'({row})' for row in rows)}]")
        else:
            parts.append(f"{name}={_written(value)}")
    return " ".join(parts)


def _written(value: Value) -> str:
    if isinstance(value, list):
        runs = [(v, n) for v, n in _runs(value)]
        return "[" + ",".join(v if n == 1 else f"{v}*{n}" for v, n in runs) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{k}>{v}" for k, v in value.items()) + "}"
    return str(value)


def _runs(values: Iterable[Any]) -> Iterator[tuple[str, int]]:
    last, n = "", 0
    for v in values:
        if n and v == last:
            n += 1
            continue
        if n:
            yield last, n
        last, n = v, 1
    if n:
        yield last, n


def read(text: str) -> Answer:
    """Parse what `write` wrote. Raises NotUnderstood."""
    if len(text) > SHORT or "(" in text:
        return _read(text)
    answer, lists = _known(text)
    if not lists:
        return answer
    # Copy lists of a cached answer: callers may change them.
    values = answer.values.copy()
    for name, value in lists:
        values[name] = value.copy()
    return Answer(answer.option, values)


def _read(text: str) -> Answer:
    refuse_if(len(text) > 20_000, "read.too_long")
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise NotUnderstood(say("read.half_character"))
    option, _, rest = text.strip().partition(" ")
    if not _WORD.fullmatch(option):
        raise NotUnderstood(say("read.no_option", text=_short(option)))
    values: dict[str, Value] = {}
    if rest:
        for part in rest.split() if "(" not in rest else _PARTS.findall(rest):
            name, value = _read_one(part)
            refuse_if(name in values, "read.twice", field=name)
            values[name] = value
    return Answer(option, values)


SHORT = 60
"""Longer texts aren't cached."""


@lru_cache(maxsize=4096)
def _known(text: str) -> tuple[Answer, list[tuple[str, Any]]]:
    """Cached parse: the answer and its mutable values."""
    answer = _read(text)
    return answer, [(name, value) for name, value in answer.values.items() if not isinstance(value, str | int)]


def _read_one(part: str) -> tuple[str, Value]:
    if "(" in part and _OF_ROWS.fullmatch(part):
        return _read_rows(part)
    name, value = _remembered(part) if len(part) <= SHORT else _read_part(part)
    # Copy lists of a cached value: callers may change them.
    return name, value if isinstance(value, (str, int)) else value.copy()


def _read_part(part: str) -> tuple[str, Cell]:
    found = _PART.fullmatch(part)
    if not found:
        raise NotUnderstood(say("read.rows" if "[(" in part else "read.field", text=_short(part)))
    name, raw = found.groups()
    return name, _read_value(raw)


_remembered = lru_cache(maxsize=4096)(_read_part)


def _read_rows(part: str) -> tuple[str, list[Row]]:
    name, _, rest = part.partition("=")
    rows: list[Row] = []
    for raw in _ROW.findall(rest):
        try:
            rows.append(read_row(raw))
        except NotUnderstood as refusal:
            raise NotUnderstood(of_row(name, len(rows) + 1, refusal.said)) from None
    return name, rows


def read_row(text: str) -> Row:
    """Parse a row; cells are separated by commas or spaces. Raises NotUnderstood."""
    row: Row = {}
    text, at = text.strip(), 0
    while at < len(text):
        found = _CELL.match(text, at)
        if not found:
            raise NotUnderstood(say("read.cell", text=_short(text[at:])))
        name, raw = found.groups()
        refuse_if(name in row, "read.twice", field=name)
        row[name] = _read_value("".join(raw.split()))
        at = found.end()
    return row


def _read_value(raw: str) -> Cell:
    if raw[0] == "[":
        return [v for part in raw[1:-1].split(",") if part for v in _read_copies(part)]
    if raw[0] == "{":
        pairs: dict[str, str] = {}
        for part in filter(None, raw[1:-1].split(",")):
            item, arrow, target = part.partition(">")
            refuse_if(not arrow or item in pairs, "read.pair", text=_short(part))
            pairs[item] = target
        return pairs
    return int(raw) if _WHOLE.fullmatch(raw) else raw


def _read_copies(part: str) -> list[str]:
    word, star, n = part.partition("*")
    if not star:
        return [word]
    refuse_if(not re.fullmatch("[0-9]{1,3}", n) or not 0 < int(n) <= LIMIT, "read.copies", text=_short(part))
    return [word] * int(n)
