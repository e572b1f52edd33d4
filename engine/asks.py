"""The Ask language: every decision that a player ever makes, as a small form.

An `Ask` has options, an option has fields, a field has choices. From this one description come the page's form, the
letter's list, the reply parser, the API and its schema, the bots' choices, the fuzzers' inputs and the error messages.
Asks are derived from a state and never stored in it, so an option may compute its fields only when somebody reads them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from engine.words import KERNEL, Plain, Sentence, say

Seat = str
"""A seat's letter, `a` to `f`, clockwise."""

Cell = str | int | list[str] | dict[str, str]
"""What a field is answered with: an id, a number, several ids (repeats allowed), or items and their targets."""
Row = dict[str, Cell]
"""One row of a field of rows: a value for each field of the row."""
if TYPE_CHECKING:
    from typing_extensions import TypeIs

    Value = Cell | list[Row]
else:
    # msgspec reads one type of list in a union; `check` tells lists of ids and of rows apart.
    Value = str | int | list[str | Row] | dict[str, str]
"""What a field of an option is answered with: as a `Cell`, or rows of them."""


class Refused(Exception):
    """A move that changes nothing; `said` says what is wrong and what would be right, in the language of who reads it."""

    kind = "refused"

    def __init__(self, said: Sentence | str, /) -> None:
        super().__init__(said)
        self.said: Sentence = Plain(said) if isinstance(said, str) else said

    def __str__(self) -> str:
        return str(self.said)


class NotUnderstood(Refused):
    """The text or form can't be read as an answer."""

    kind = "not understood"


class NotLegal(Refused):
    """The answer is readable, but not allowed in this position."""

    kind = "not legal"


class Ambiguous(Refused):
    """The answer could mean several legal things."""

    kind = "ambiguous"


class Answer(msgspec.Struct, frozen=True, gc=False):
    """One option of an ask with a value for each of its fields. Its text form is one line; see `write` and `read`."""

    option: str
    values: dict[str, Value] = {}

    def pick(self, name: str) -> str:
        """The id picked in the field `name`; the empty string where it was left out."""
        value = self.values.get(name, "")
        return value if isinstance(value, str) else str(value)

    def some(self, name: str) -> list[str]:
        """The ids picked in the field `name`, in the order given, repeats included."""
        value = self.values.get(name)
        return value if isinstance(value, list) and not are_rows(value) else []

    def number(self, name: str) -> int:
        """The number given in the field `name`; 0 where it was left out."""
        value = self.values.get(name)
        return value if isinstance(value, int) else 0

    def assigned(self, name: str) -> dict[str, str]:
        """Item to target, as given in the field `name`."""
        value = self.values.get(name)
        return value if isinstance(value, dict) else {}

    def rows(self, name: str) -> list[Answer]:
        """The rows given in the field `name`, each to be read like an answer to the same option."""
        return list(self.each_row(name))

    def each_row(self, name: str) -> Iterator[Answer]:
        """The same one by one, for who may stop at the first that is wrong."""
        value = self.values.get(name)
        if isinstance(value, list) and are_rows(value):
            for row in value:
                yield Answer(self.option, {**row})


def are_rows(value: list[str] | list[Row]) -> TypeIs[list[Row]]:
    """Whether a list that isn't empty holds rows, and not ids."""
    return bool(value) and isinstance(value[0], dict)


# --- fields -----------------------------------------------------------------------------------------------------------


class Choice(msgspec.Struct, frozen=True, gc=False):
    """One thing that can be picked. `most` is how many like copies there are; `least` how many must be picked.

    An id is a word of letters, digits and `_:./#+-`, and never a bare whole number, which text would read as a number.
    """

    id: str
    most: int = 1
    least: int = 0


def choices(ids: Iterable[str]) -> tuple[Choice, ...]:
    """Choices for `ids`, like ids counted together, in order of first appearance."""
    return _choices(tuple(ids))


@lru_cache(maxsize=4096)
def _choices(ids: tuple[str, ...]) -> tuple[Choice, ...]:
    """Remembered: the same hand or the same places are asked about again and again, and choices can't change."""
    counted: dict[str, int] = {}
    for id in ids:
        counted[id] = counted.get(id, 0) + 1
    return tuple([Choice(id, most) for id, most in counted.items()])


class PickOne(msgspec.Struct, frozen=True, tag_field="type", tag="one", gc=False):
    """Exactly one of the choices; none is allowed too when `optional`. Value: an id."""

    name: str
    choices: tuple[Choice, ...]
    optional: bool = False


class PickSome(msgspec.Struct, frozen=True, tag_field="type", tag="some", gc=False):
    """At least `least` and at most `most` picks in all, each choice within its own bounds. Value: a list of ids."""

    name: str
    choices: tuple[Choice, ...]
    least: int
    most: int


class Number(msgspec.Struct, frozen=True, tag_field="type", tag="number", gc=False):
    """A whole number from `least` to `most`; `usual`, or else `least`, when it is left out. Value: an int."""

    name: str
    least: int
    most: int
    usual: int | None = None


class Order(msgspec.Struct, frozen=True, tag_field="type", tag="order", gc=False):
    """All of the choices, in an order of one's own. Value: a list of ids."""

    name: str
    choices: tuple[Choice, ...]


class Assign(msgspec.Struct, frozen=True, tag_field="type", tag="assign", gc=False):
    """A target for each item. Value: a dict.

    Items may be left out when `optional`; when `distinct`, no target is used more often than it is there.
    """

    name: str
    items: tuple[Choice, ...]
    targets: tuple[Choice, ...]
    optional: bool = False
    distinct: bool = False


Simple = PickOne | PickSome | Number | Order | Assign
"""A field with one value; what a row is made of."""


class Total(msgspec.Struct, frozen=True):
    """The sum of a number of all rows together: from `least` to `most`."""

    field: str
    most: int
    least: int = 0


class Shared(msgspec.Struct, frozen=True):
    """Choices that all rows share: each may be picked in these fields at most `most` times in all, and at least `least`.

    The targets of an `Assign` count as picked.
    """

    fields: tuple[str, ...]
    choices: tuple[Choice, ...]


class Rows(msgspec.Struct, frozen=True, tag_field="type", tag="rows"):
    """A list of small forms, from `least` to `most` of them, in an order of one's own. Value: a list of dicts.

    Rows hold no rows. What they may come to together stands in `totals` and `shared`; nothing else ties one to another.
    """

    name: str
    fields: tuple[Simple, ...]
    least: int
    most: int
    totals: tuple[Total, ...] = ()
    shared: tuple[Shared, ...] = ()


Field = Simple | Rows
Fields = tuple[Field, ...]


About = Mapping[str, Cell]
"""What an ask is about, for its wording: ids, and amounts of them."""


def own(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Facts whose lists are theirs alone: a position's own would change under those who keep what was asked or told."""
    kept: dict[str, Any] | None = None  # few have any, so nothing is copied before one is found
    for name, fact in facts.items():
        if type(fact) is list or type(fact) is dict:
            if kept is None:
                kept = {**facts}
            kept[name] = fact.copy()
    return facts if kept is None else kept


class Option(msgspec.Struct, frozen=True, gc=False):
    """One way to answer an ask. `make` builds the fields when they are first read; read them before anything is played.

    A `grave` option gives up what can't be had back: pages ask twice, and random players leave it alone. With a `rest`, the
    numbers that have a usual value are shares of one sum: what they don't take lies where so many lie now, and the other
    numbers are taken from there.
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
        msgspec.structs.force_setattr(self, "make", made)  # asked for the list of options, by the check, by the wording
        return made


class Ask(msgspec.Struct, frozen=True, gc=False):
    """A question to one seat.

    `kind` names the decision (a row of the game's decision table); `default` is the safe answer that the clock plays;
    `rule` is the row's id; `about` holds ids for the wording (who attacks what, say), never a secret of another seat. Where
    it costs something, `facts` makes it when it is first read.
    """

    seat: Seat
    kind: str
    options: tuple[Option, ...]
    default: Answer
    rule: str = ""
    facts: Callable[[], About] | About = {}

    def __post_init__(self) -> None:
        facts = self.facts
        if not callable(facts):
            for fact in facts.values():  # few have a list, so nothing else is done before one is found
                if type(fact) is list or type(fact) is dict:
                    msgspec.structs.force_setattr(self, "facts", own(facts))
                    return

    @property
    def about(self) -> About:
        facts = self.facts
        if callable(facts):
            facts = own(facts())
            msgspec.structs.force_setattr(self, "facts", facts)
        return facts

    def option(self, id: str) -> Option:
        """The option called `id`. Raises NotLegal when there is none."""
        for option in self.options:
            if option.id == id:
                return option
        raise NotLegal(say("ask.no_such_option", id=id, options=[o.id for o in self.options]))


def settled(ask: Ask) -> Ask:
    """The same ask with its fields made now, for one that outlives the position that it is made of."""
    options = tuple(Option(o.id, o.fields, o.grave, o.rest) for o in ask.options)
    return Ask(ask.seat, ask.kind, options, ask.default, ask.rule, ask.about)


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
    """The ask as plain data, with all its fields and without words: to be described to its reader whenever he looks."""
    options = [_StoredOption(o.id, list(o.fields), o.grave, o.rest) for o in ask.options]
    plain: dict[str, Any] = msgspec.to_builtins(_StoredAsk(ask.seat, ask.kind, options, ask.default, ask.rule, dict(ask.about)))
    return plain


def read_ask(stored: Mapping[str, Any]) -> Ask:
    """The ask that was stored. Raises ValueError for what is none."""
    ask = msgspec.convert(stored, _StoredAsk)
    options = tuple(Option(o.id, tuple(o.fields), o.grave, o.rest) for o in ask.options)
    return Ask(ask.seat, ask.kind, options, ask.default, ask.rule, ask.about)


# --- checking ---------------------------------------------------------------------------------------------------------

LIMIT = 400
"""No field of any game is answered with more picks than this; longer answers are refused unread."""


def check(ask: Ask, answer: Answer) -> Answer:
    """`answer` in canonical form (fields in the ask's order, defaults of empty fields filled in).

    Raises NotUnderstood for values of the wrong shape and unknown fields, NotLegal for values that are not on offer.
    What fields can't say is left to the procedure that takes the answer.
    """
    id, given = answer.option, answer.values
    for option in ask.options:
        if option.id == id:
            break
    else:
        option = ask.option(id)  # which refuses it
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
        _check_names(answer, fields)  # what is no field at all is said first
        raise
    if known < len(given):
        _check_names(answer, fields)
    return Answer(answer.option, values)


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
    """Say what is wrong with picks: what is no choice at all comes first."""
    known = {c.id for c in f.choices}
    for id in counted:
        if id not in known:
            _illegal("not_included", f, f.choices, value=_short(id))
    for c in f.choices:
        n = counted.get(c.id, 0)
        if n > c.most:
            raise NotLegal(say("ask.too_many_of", field=f.name, n=n, choice=c.id, most=c.most))
        if n < c.least:
            raise NotLegal(say("ask.too_few_of", field=f.name, n=n, choice=c.id, least=c.least))
    raise NotLegal(say("ask.picked", field=f.name, n=len(picks), bounds=[f.least, f.most]))


def _check_number(f: Number, value: Value | None) -> int:
    if type(value) is int and f.least <= value <= f.most:
        return value
    if value is None or value == "":
        value = f.least if f.usual is None else f.usual
    if isinstance(value, str):
        if not re.fullmatch(r"[+-]?\d{1,9}", value):
            raise NotUnderstood(say("ask.whole_number", field=f.name, value=_short(value)))
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
"""How a value is checked, by the type of its field."""


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


def of_row(field: str, n: int, why: Sentence) -> Sentence:
    """A refusal's sentence with the row that it is about, counted from 1."""
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
    """What a row picks in the fields that share their choices with other rows."""
    for value in (row[name] for name in shared.fields if name in row):
        if isinstance(value, str):
            yield value
        elif not isinstance(value, int):
            yield from value.values() if isinstance(value, dict) else value


def _illegal(what: str, f: Simple, legal: tuple[Choice, ...], **facts: str) -> NoReturn:
    shown = [c.id if c.most == 1 else f"{c.id}*{c.most}" for c in legal[:MORE_THAN_SHOWN]]
    raise NotLegal(say(f"ask.{what}", field=f.name, open=shown, **facts))


MORE_THAN_SHOWN = 13
"""A sentence names fewer choices than this; how many, the catalogue says."""


def _shape(value: object) -> str:
    return {str: "word", int: "number", list: "list", dict: "pairs"}.get(type(value), "that")


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"


def span(least: int, most: int) -> str:
    """Words for a range: `exactly 2`, `2 or 3`, `from 2 to 5`."""
    return KERNEL.ranged("span", least, most)


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
    """The answer as one line: `attack target=siege:b:F2 lords=[F1] reserve=[Knight*2]`. `read` gives it back.

    Rows stand in round brackets: `moves=[(group=F1,to=[Blaye,Charolles]),(group=F2)]`.
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
    """The answer that `write` wrote. Raises NotUnderstood with what can't be read.

    Between rows, and between what stands in one, spaces are read too.
    """
    if len(text) > SHORT or "(" in text:
        return _read(text)
    answer, lists = _known(text)
    if not lists:
        return answer
    # What is remembered stays as it is: who plays an answer may go on with its lists.
    values = answer.values.copy()
    for name, value in lists:
        values[name] = value.copy()
    return Answer(answer.option, values)


def _read(text: str) -> Answer:
    if len(text) > 20_000:
        raise NotUnderstood(say("read.too_long"))
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise NotUnderstood(say("read.half_character"))
    option, _, rest = text.strip().partition(" ")
    if not _WORD.fullmatch(option):
        raise NotUnderstood(say("read.no_option", text=_short(option)))
    values: dict[str, Value] = {}
    if rest:
        for part in rest.split() if "(" not in rest else _PARTS.findall(rest):
            name, value = _read_one(part)
            if name in values:
                raise NotUnderstood(say("read.twice", field=name))
            values[name] = value
    return Answer(option, values)


SHORT = 60
"""Longer texts, and longer parts of a text, are not remembered."""


@lru_cache(maxsize=4096)
def _known(text: str) -> tuple[Answer, list[tuple[str, Any]]]:
    """The answer, and what of it can be changed. Remembered, for logs say the same again and again."""
    answer = _read(text)
    return answer, [(name, value) for name, value in answer.values.items() if not isinstance(value, str | int)]


def _read_one(part: str) -> tuple[str, Value]:
    """A field's name and its value, with rows or without."""
    if "(" in part and _OF_ROWS.fullmatch(part):
        return _read_rows(part)
    name, value = _remembered(part) if len(part) <= SHORT else _read_part(part)
    # What is remembered stays as it is: who plays an answer may go on with its lists.
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
    """One row of what `write` wrote, without its brackets; spaces part cells as commas do. Raises NotUnderstood."""
    row: Row = {}
    text, at = text.strip(), 0
    while at < len(text):
        found = _CELL.match(text, at)
        if not found:
            raise NotUnderstood(say("read.cell", text=_short(text[at:])))
        name, raw = found.groups()
        if name in row:
            raise NotUnderstood(say("read.twice", field=name))
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
            if not arrow or item in pairs:
                raise NotUnderstood(say("read.pair", text=_short(part)))
            pairs[item] = target
        return pairs
    return int(raw) if _WHOLE.fullmatch(raw) else raw


def _read_copies(part: str) -> list[str]:
    word, star, n = part.partition("*")
    if not star:
        return [word]
    if not re.fullmatch("[0-9]{1,3}", n) or not 0 < int(n) <= LIMIT:
        raise NotUnderstood(say("read.copies", text=_short(part)))
    return [word] * int(n)
