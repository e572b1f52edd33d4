"""Reply parser for natural language: `2 please`, `#2`, `two`, `2. End the Turn`, `Beaujeu`, `1 Beaujeu`, `Settle there:
Beaujeu`.

Matches a form's labels, ignoring case, accents, punctuation and polite phrases. Unknown words and ambiguity give no answer.
`engine.core.asks.read` parses notation.
"""

from __future__ import annotations

import difflib
import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

import msgspec

from engine.core.asks import Answer, Cell, Row, Value, read, write
from engine.language import lore
from engine.language.i18n import ENGLISH, language
from engine.ui.forms import (
    AssignField,
    Form,
    FormChoice,
    FormField,
    FormOption,
    NumberField,
    OneField,
    OrderField,
    RowsField,
    SimpleField,
    SomeField,
    choices_of,
    first_values,
    row_pattern,
)

Words = tuple[str, ...]

LONGEST = 400
"""Most characters of a line that are parsed."""
WORD = re.compile(r"\+?[^\W_]+")
APOSTROPHES = re.compile("['’‘ʼ`´]")
BREAK = re.compile(r"[,;:\n|>→]|\s[-–—]\s")
NUMBERED = re.compile(r"\s*([0-9]{1,3})\s*:")
WRITTEN_NUMBER = re.compile(r"[\s(\[#*_\"“]*(?:no\.|n°|nº|nr\.|№)\s*(?=\d)", re.I)


class _Vocabularies(msgspec.Struct):
    """Words of several languages, in `lore/heard.toml`."""

    numbers: list[str]
    leading: list[str]
    trailing: list[str]
    fillers: frozenset[str]
    stop: frozenset[str]
    negations: frozenset[str]
    articles: frozenset[str]


KNOWN = lore.table("engine.ui", "heard.toml", _Vocabularies)
NUMBERS = {word: n for n, words in enumerate(KNOWN.numbers, 1) for word in words.split()}
LEADING, TRAILING = ([tuple(phrase.split()) for phrase in phrases] for phrases in (KNOWN.leading, KNOWN.trailing))
STOP = KNOWN.stop


@dataclass
class Heard:
    """Result: an answer, an incomplete option, several readings, or nothing."""

    answer: Answer | None = None
    option: FormOption | None = None
    """The option named, complete or not."""
    among: list[FormOption] = field(default_factory=list)
    number: int = 0
    """A number that no option has."""


def words_of(text: str) -> tuple[list[str], set[int]]:
    """Normalised words, and the indices before which punctuation separates them."""
    plain = unicodedata.normalize("NFKD", text[:LONGEST].casefold())
    plain = APOSTROPHES.sub("", "".join(c for c in plain if not unicodedata.combining(c)))
    found: list[str] = []
    breaks: set[int] = set()
    end = 0
    for hit in WORD.finditer(plain):
        if BREAK.search(plain, end, hit.start()):
            breaks.add(len(found))
        found.append(hit[0])
        end = hit.end()
    return found, breaks


def _words(text: str) -> Words:
    return tuple(words_of(text)[0])


# --- options ----------------------------------------------------------------------------------------------------------


def understand(form: Form, line: str, names: Iterable[str] = ()) -> Heard:
    """Parse a line; `names` are possible signatures. A question mark outside a label means doubt."""
    exact = _exactly(form, _words(line))
    if exact is not None and ("?" not in line or "?" in str(exact.label)):
        return _as_it_is(exact)
    if DOUBTFUL.search(line) or len(line) > LONGEST:
        return Heard()
    shown = NUMBERED.match(line)
    if shown and 1 <= int(shown[1]) <= len(form.options):
        # As examples are written, so the choice Banner precedes the option Display a Banner.
        heard = _with_picks(form.options[int(shown[1]) - 1], *words_of(line[shown.end() :]))
        if heard.answer is not None:
            return heard
    found = Heard()
    for spoken in _polite(*words_of(WRITTEN_NUMBER.sub("", line)), names):
        heard = _heard(form, *spoken)
        if heard.answer or heard.among or heard.number:
            return heard if found.option is None or (heard.answer and not heard.answer.values) else found
        found = found if found.option is not None else heard
    return found


DOUBTFUL = re.compile(r"[?？¿²³¹½¼¾]|\d\s*[%€$£¥°]|[€$£¥]\s*\d|^\s*-\d|^\W*well done\b", re.I)
"""Not an answer: questions, other amounts, praise."""


def _polite(words: list[str], breaks: set[int], names: Iterable[str]) -> Iterator[tuple[list[str], set[int]]]:
    """The words, then without polite phrases, step by step."""
    signed = [part for name in names if (found := _words(name)) for part in (found, found[:1])]
    yield words, breaks
    while words:
        lead = max((len(p) for p in LEADING if tuple(words[: len(p)]) == p), default=0)
        trail = max((len(p) for p in (*TRAILING, *signed) if len(words) > len(p) and tuple(words[-len(p) :]) == p), default=0)
        if trail:
            words = words[:-trail]
        elif lead and lead < len(words):
            words, breaks = words[lead:], {n - lead for n in breaks if n >= lead}
        else:
            return
        yield words, breaks


def _heard(form: Form, words: list[str], breaks: set[int]) -> Heard:
    if not words:
        return Heard()
    exact = _exactly(form, tuple(words)) or _after_verb(form, words) or _before_its_number(form, words)
    if exact is not None:
        return _as_it_is(exact)
    first = words[0]
    if first.isascii() and first.isdigit():
        return _by_number(form, int(first[:6]), words[1:], {n - 1 for n in breaks})
    if len(words) == 1 and first in NUMBERS:
        return _by_number(form, NUMBERS[first], [], set())
    found = _by_label(form, words, breaks)
    return found if found.option or found.among else _by_picks(form, words, breaks)


DO_YOU = re.compile(r"\bdo you (\w+)\?", re.I)


def _after_verb(form: Form, words: list[str]) -> FormOption | None:
    """`Draw a Lords card` names `A Lords card` in reply to `What do you draw?`; only labels with an article are nouns."""
    asked = DO_YOU.search(form.title)
    option = _exactly(form, tuple(words[1:])) if asked is not None and words[:1] == [*_words(asked[1])] else None
    return option if option is not None and _words(option.label)[0] in KNOWN.articles else None


def _before_its_number(form: Form, words: list[str]) -> FormOption | None:
    """`No 2`, if option 2 is No: the label and the number agree. Elsewhere that may mean another option, or none."""
    option = _exactly(form, tuple(words[:-1])) if words[-1].isascii() and words[-1].isdigit() else None
    same = option is not None and not option.fields and form.options.index(option) + 1 == int(words[-1][:6])
    return option if same else None


def _as_it_is(option: FormOption) -> Heard:
    return Heard(None if needed(option) else Answer(option.id), option)


def needed(option: FormOption) -> list[FormField]:
    return [one for one in option.fields if not (isinstance(one, OneField) and one.optional)]


def _exactly(form: Form, words: Words) -> FormOption | None:
    """The only option with this label, with or without its bracket or the part after a colon."""
    found = [option for option in form.options if words and words in _variants(option)]
    if not found and len(words) > 1:
        plain = _without_articles(words)
        found = [o for o in form.options if len(plain) > 1 and plain in {_without_articles(v) for v in _variants(o)}]
    return found[0] if len(found) == 1 else None


def _without_articles(words: Words) -> Words:
    return tuple(word for word in words if word not in ("the", "a", "an", "my"))


def _variants(option: FormOption, ids: bool = True) -> list[Words]:
    label = option.label
    texts = [label, label.partition(" (")[0], label.partition(":")[0], option.id.replace("_", " ") if ids else ""]
    texts += [option.short] if isinstance(option.short, str) else []
    called = {found for text in texts if (found := _words(text))}
    called |= {words[1:] for words in called if len(words) > 1 and words[0] in KNOWN.articles}
    return sorted(called, key=len, reverse=True)


def _by_number(form: Form, n: int, rest: list[str], breaks: set[int]) -> Heard:
    if not 1 <= n <= len(form.options):
        return Heard(number=n) if not rest else _by_picks(form, [str(n), *rest], {at + 1 for at in breaks})
    option = form.options[n - 1]
    if not rest:
        return _as_it_is(option)
    if tuple(rest) in _variants(option):
        heard = _with_picks(option, rest, breaks)
        return heard if heard.answer else _as_it_is(option)
    if any(tuple(rest) in _variants(other, ids=False) for other in form.options):
        return Heard()
    if tuple(rest) in {_words(option.label)[: len(rest)]} and not _negated(option, len(rest)):
        return _as_it_is(option)
    return _with_picks(option, rest, breaks)


def _with_picks(option: FormOption, rest: list[str], breaks: set[int]) -> Heard:
    for skipped in _skips(option, rest):
        values = _picked(option, rest[skipped:], {n - skipped for n in breaks})
        if values is not None:
            return Heard(Answer(option.id, values), option)
    return Heard()


def _skips(option: FormOption, words: list[str]) -> list[int]:
    """Possible lengths of the option's label, longest first, then 0."""
    most = {len(v) for v in _variants(option) if tuple(words[: len(v)]) == v}
    label = _words(option.label)
    same = next((n for n, (a, b) in enumerate(zip(words, label, strict=False)) if a != b), min(len(words), len(label)))
    if same and not _negated(option, same):
        most.add(same)
    return sorted(most | {0}, reverse=True)


def _negated(option: FormOption, n: int) -> bool:
    return bool(KNOWN.negations & set(_words(option.label)[n:]))


def _by_label(form: Form, words: list[str], breaks: set[int]) -> Heard:
    begun = [
        o
        for o in form.options
        if _words(o.label)[: len(words)] == tuple(words) and (set(words) - STOP) and len("".join(words)) >= SHORTEST
    ]
    if len(begun) > 1:
        return Heard(among=begun)
    if begun:
        return Heard() if _negated(begun[0], len(words)) else _as_it_is(begun[0])
    whole, named = [], []
    for option in form.options:
        skips = [n for n in _skips(option, words) if n and set(words[:n]) - STOP]
        if not skips:
            continue
        heard = _with_picks(option, words, breaks) if option.fields else Heard()
        if heard.answer is not None:
            whole.append(heard)
        elif tuple(words[: skips[0]]) in _variants(option) and option.fields:
            named.append(option)
    if len(whole) == 1:
        return whole[0]
    if whole:
        return Heard(among=[heard.option for heard in whole if heard.option is not None])
    return Heard(option=named[0]) if len(named) == 1 else Heard()


SHORTEST = 3
"""Fewest letters of an unambiguous label prefix."""


MOST_OTHERS = 2
"""Most other options where choices may be named alone."""


def _by_picks(form: Form, words: list[str], breaks: set[int]) -> Heard:
    """Parse picks without an option, if only one fits and needs nothing else."""
    found = [option for option in form.options if _names_some(option, words, breaks)]
    if len(found) != 1:
        return Heard(among=found)
    option = found[0]
    others = [one for one in form.options if not one.grave and one is not option]
    if len(others) > MOST_OTHERS or any(one.fields for one in others):
        return Heard()  # a name alone is ambiguous where much can be done
    fields = needed(option) or option.fields
    if option.grave or len(fields) != 1 or not isinstance(fields[0], OneField | SomeField):
        return Heard(option=option)
    values = _picked(option, words, breaks)
    return Heard(Answer(option.id, values) if values else None, option)


# --- picks ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pick:
    name: str
    id: str
    role: str = "choice"


def _names_of(choice: FormChoice) -> tuple[list[Words], list[Words]]:
    label = choice.label
    head, _, bracket = label.partition(" (")
    strong = [_words(label), tuple(_words(choice.id.replace("_", " ")))]
    short = [_words(head), _words(label.partition(",")[0]), _words(label.partition(":")[0])]
    inside = _words(bracket.partition(")")[0])
    short += [inside] if 0 < len(inside) <= 2 else []
    short += [_words(label.rpartition(" of ")[2])] if " of " in label and label.lower().startswith("the ") else []
    whole = _words(label)
    short += [whole[1:]] if whole and whole[0] in KNOWN.articles else []
    short += [(word,) for word in whole if len(whole) > 1 and not word.isdigit() and any(c.isdigit() for c in word)]
    return strong, short


class _Vocabulary:
    def __init__(self, option: FormOption) -> None:
        self.strong: dict[Words, set[_Pick]] = {}
        self.short: dict[Words, set[_Pick]] = {}
        self.numbers: dict[str, set[str]] = {}
        for one in option.fields:
            self._add(self.strong, [_words(one.label)], _Pick(one.name, "", "field"))
            if isinstance(one, NumberField):
                plural = set(_words(one.label)) - STOP
                self.numbers[one.name] = plural | (
                    {word.removesuffix("s") for word in plural} if language() == ENGLISH else set()
                )
            elif isinstance(one, AssignField):
                self._choices(one.name, one.items, "item")
                self._choices(one.name, one.targets, "target")
            elif not isinstance(one, RowsField):
                self._choices(one.name, one.choices, "choice")
        self.longest = max((len(words) for words in (*self.strong, *self.short)), default=0)

    def _choices(self, name: str, choices: list[FormChoice], role: str) -> None:
        for choice in choices:
            strong, short = _names_of(choice)
            self._add(self.strong, strong, _Pick(name, choice.id, role))
            self._add(self.short, short, _Pick(name, choice.id, role))

    @staticmethod
    def _add(names: dict[Words, set[_Pick]], said: list[Words], pick: _Pick) -> None:
        for words in said:
            if words:
                names.setdefault(words, set()).add(pick)

    def at(self, words: list[str], n: int) -> tuple[int, set[_Pick]]:
        for length in range(min(self.longest, len(words) - n), 0, -1):
            said = tuple(words[n : n + length])
            found = self.strong.get(said) or self.short.get(said)
            if found:
                return length, found
        return 0, set()


class _Picker:
    def __init__(self, option: FormOption, words: list[str], breaks: set[int]) -> None:
        self.option, self.words, self.breaks = option, words, breaks
        self.known = _Vocabulary(option)
        self.picked: dict[str, list[str]] = {}
        self.pairs: dict[str, dict[str, str]] = {}
        self.amounts: dict[str, int] = {}
        self.only = ""
        self.item = ""
        self.loose: list[str] = []
        self.said = False

    def understands(self) -> bool:
        """Whether all words are understood. Consumes them."""
        n = 0
        while n < len(self.words):
            step = self._step(n)
            if not step:
                return False
            n += step
        return self.said and not self.item and set(self.loose) <= KNOWN.fillers

    def values(self) -> dict[str, Value] | None:
        return self._complete() if self.understands() else None

    def _step(self, n: int) -> int:
        word = self.words[n]
        if _is_number(word):
            return self._number(n)
        length, found = self.known.at(self.words, n)
        if length:
            after = n + length
            count = self._count(after)
            return (length + (1 if count else 0)) if self._take(found, count or 1) else 0
        if any(word in vocabulary for vocabulary in self.known.numbers.values()):
            self.loose.append(word)
            self.said = True
            return 1
        return 1 if word in KNOWN.fillers else 0

    def _count(self, n: int) -> int:
        """Multiplier after a name: `Castle 6`, `Castle x6`."""
        if n >= len(self.words) or n in self.breaks or self.known.numbers:
            return 0
        word = self.words[n].removeprefix("x")
        alone = n + 1 >= len(self.words) or n + 1 in self.breaks
        return int(word) if alone and _is_number(word) else 0

    def _number(self, n: int) -> int:
        amount = int(self.words[n].rstrip("x")[:6])
        at = n + 1
        if at < len(self.words) and at not in self.breaks and self.words[at] in ("x", "times"):
            at += 1
        if at not in self.breaks:
            length, found = self.known.at(self.words, at)
            counted = {f.name for f in self.option.fields if isinstance(f, SomeField)}
            if length and any(pick.name in counted for pick in found):
                return at - n + length if self._take(found, amount) else 0
        behind = 0
        while at + behind < len(self.words) and at + behind not in self.breaks and self._of_numbers(self.words[at + behind]):
            behind += 1
        own = {*self.loose, *self.words[at : at + behind]} - KNOWN.fillers - STOP
        fits = [name for name, vocabulary in self.known.numbers.items() if name not in self.amounts and own <= vocabulary]
        if self.only in self.known.numbers and self.only not in self.amounts:
            fits = [self.only]
        if len(fits) != 1:
            return 0
        self.amounts[fits[0]], self.loose, self.only = amount, [], ""
        self.said = self.said or bool(own)
        return at - n + behind

    def _of_numbers(self, word: str) -> bool:
        return word in STOP or any(word in vocabulary for vocabulary in self.known.numbers.values())

    def _take(self, found: set[_Pick], count: int) -> bool:
        self.said = True
        fields = [pick for pick in found if pick.role == "field"]
        picks = [pick for pick in found if pick.role != "field" and (not self.only or pick.name == self.only)]
        if not picks and len(fields) == 1:
            self.only = fields[0].name
            return True
        if self.item:
            picks = [pick for pick in picks if pick.role == "target"]
        if len(picks) != 1:
            return False
        pick = picks[0]
        match pick.role:
            case "item":
                self.item = pick.id
            case "target" if self.item:
                self.pairs.setdefault(pick.name, {})[self.item] = pick.id
                self.item = ""
            case "target":
                return False
            case _:
                self.picked.setdefault(pick.name, []).extend([pick.id] * min(count, 100))
        return True

    def _complete(self) -> dict[str, Value] | None:
        values: dict[str, Value] = {}
        for one in self.option.fields:
            value = self._value(one)
            if value is None:
                return None
            if value != "" and value != [] and value != {}:
                values[one.name] = value
        return values

    def _value(self, one: FormField) -> Value | None:
        picked = self.picked.get(one.name, [])
        match one:
            case OneField():
                return picked[0] if len(picked) == 1 else "" if not picked and one.optional else None
            case SomeField():
                return picked if one.least <= len(picked) <= one.most else None
            case OrderField():
                return picked if Counter(picked) == Counter({c.id: c.most for c in one.choices}) else None
            case AssignField():
                pairs = self.pairs.get(one.name, {})
                return pairs if one.optional or len(pairs) == len(one.items) else None
            case NumberField():
                return self.amounts.get(one.name, one.usual if one.share or one.least == one.most else None)
            case RowsField():
                return None


def _is_number(word: str) -> bool:
    return word.isascii() and word.removesuffix("x").isdigit() and len(word) < 6


def _names_some(option: FormOption, words: list[str], breaks: set[int]) -> bool:
    picker = _Picker(option, words, breaks)
    return picker.understands() and bool(picker.picked or picker.pairs)


def _picked(option: FormOption, words: list[str], breaks: set[int]) -> dict[str, Value] | None:
    if not words or not option.fields:
        return None
    rows = only_rows(option)
    if rows is not None:
        values = _row_picked(rows, words, breaks)
        return {rows.name: [values]} if values else None
    if any(isinstance(one, RowsField) for one in option.fields):
        return None
    return _Picker(option, words, breaks).values()


def only_rows(option: FormOption) -> RowsField | None:
    """The rows field of an option that needs nothing else, so one line can be one row."""
    found = [one for one in needed(option) if isinstance(one, RowsField)]
    return found[0] if len(found) == len(needed(option)) == 1 and found[0].least <= 1 <= found[0].most else None


def row_in_words(rows: RowsField, text: str) -> Row | None:
    """Parse a row: `Isabelle, Lambert`; None if unknown or ambiguous."""
    words, breaks = words_of(text)
    return _row_picked(rows, words, breaks) if words and not DOUBTFUL.search(text) else None


def _row_picked(rows: RowsField, words: list[str], breaks: set[int]) -> Row | None:
    values = _RowPicker(_of_row(rows), words, breaks).values()
    return cast(Row, values) if values else None


def _of_row(rows: RowsField) -> FormOption:
    return FormOption("", "", False, [*rows.fields])


class _RowPicker(_Picker):
    """Parser of a row: numbers may be left out; a name that fits two fields counts for the required one."""

    def _take(self, found: set[_Pick], count: int) -> bool:
        lone = {one.name for one in self.option.fields if isinstance(one, OneField)}
        free = {pick for pick in found if pick.role == "field" or pick.name not in self.picked or pick.name not in lone}
        must = {one.name for one in needed(self.option)} - self.picked.keys()
        first = {pick for pick in free if pick.role != "field" and pick.name in must}
        return super()._take(first if len(first) == 1 and not self.only else free, count)

    def _value(self, one: FormField) -> Value | None:
        return self.amounts.get(one.name, "") if isinstance(one, NumberField) else super()._value(one)


# --- how an answer is written in words ----------------------------------------------------------------------------------


Filled = Callable[[FormOption], Answer | None]


def example(form: Form, option: FormOption, filled: Filled | None = None) -> str:
    """Example of a reply: `1: Beaujeu`. In notation if words would be parsed differently; "" for options without fields.
    `filled`: `with_row` by the rules, computed once for a letter.
    """
    answer = (filled or with_row)(option)
    if answer is None:
        values = _usual_values(form, option) or first_values(option)
        if not values:
            return ""
        answer = Answer(option.id, values)
    said = f"{form.options.index(option) + 1}: {_in_words(option, answer)}"
    return said if understand(form, said).answer == answer else write(answer)


def row_example(option: FormOption, rows: RowsField, filled: Filled | None = None) -> str:
    """A filled row as a line of a reply, or with placeholders."""
    answer = (filled or with_row)(option)
    if answer is None:
        return f"- {row_pattern(rows)}"
    row, said = answer.rows(rows.name)[0], _in_words(option, answer)
    return f"- {said}" if row_in_words(rows, said) == row.values else write(Answer("-", row.values))


MOST_TRIED = 200
SEVERAL = 2


def with_row(option: FormOption, fits: Callable[[Answer], bool] | None = None) -> Answer | None:
    """The first answer with one row that the rules allow (`fits`): required fields, then also optional ones, with a number if 2
    is legal.
    """
    rows = only_rows(option) if not option.grave else None
    if rows is None:
        return None
    must = [_cells(one) for one in rows.fields]
    for cells in (must, [_cells(one, spare=True) for one in rows.fields]):
        for tried in itertools.islice(itertools.product(*cells), MOST_TRIED):
            row = {one.name: cell for one, cell in zip(rows.fields, tried, strict=True) if cell != "" and cell != []}
            answer = Answer(option.id, {rows.name: [row]})
            if row and (fits is None or fits(answer)):
                return (_with_number(option, rows, row, fits) if fits is not None else None) or answer
    return None


def _with_number(option: FormOption, rows: RowsField, row: Row, fits: Callable[[Answer], bool]) -> Answer | None:
    """The row with the number 2, which shows where numbers are written and fits every plural label."""
    for one in rows.fields:
        if isinstance(one, NumberField) and one.least <= SEVERAL <= one.most:
            counted: Row = {**row, one.name: SEVERAL}
            answer = Answer(option.id, {rows.name: [counted]})
            if fits(answer) and row_in_words(rows, _in_words(option, answer)) == counted:
                return answer
    return None


def _cells(one: SimpleField, spare: bool = False) -> list[Cell]:
    """Values to try; "" leaves a number as usual."""
    match one:
        case OneField():
            chosen: list[Cell] = [choice.id for choice in one.choices]
            return ["", *(chosen if spare else [])] if one.optional else chosen
        case SomeField():
            several: list[Cell] = [[choice.id] for choice in one.choices]
            return ([[]] if not one.least else []) + (several if one.least or spare else []) if one.least < 2 else []
        case NumberField():
            return [""]
        case _:
            return []


def _usual_values(form: Form, option: FormOption) -> dict[str, Value]:
    """The default's values where several must be picked: the first 24 cards make no deck."""
    if option.grave or not any(isinstance(one, SomeField) and one.least > 1 for one in option.fields):
        return {}
    usual = read(form.default)
    return usual.values if usual.option == option.id else {}


def _in_words(option: FormOption, answer: Answer) -> str:
    rows = only_rows(option)
    if rows is not None:
        option, answer = _of_row(rows), answer.rows(rows.name)[0]
        for one in rows.fields:
            if isinstance(one, NumberField) and one.name in answer.values and not set(_words(one.label)) - STOP:
                # `How many` has no unit, so the number stands in front: `2 Knights, Sigy`.
                rest = Answer(answer.option, {name: v for name, v in answer.values.items() if name != one.name})
                return f"{answer.values[one.name]} {_fields_in_words(option, rest)}"
    return _fields_in_words(option, answer)


def _fields_in_words(option: FormOption, answer: Answer) -> str:
    return ", ".join(_value_in_words(one, answer.values[one.name]) for one in option.fields if one.name in answer.values)


def _value_in_words(one: FormField, value: Value) -> str:
    labels = {c.id: _short_label(one, c) for c in choices_of(one)}
    if isinstance(value, dict):
        return ", ".join(f"{labels.get(k, k)} > {labels.get(v, v)}" for k, v in value.items())
    if isinstance(value, list):
        counted = Counter(str(v) for v in value)
        return ", ".join(labels.get(v, v) if n == 1 else f"{n} {labels.get(v, v)}" for v, n in counted.items())
    return labels.get(value, value) if isinstance(value, str) else f"{value} {_unit(one.label)}"


def _unit(label: str) -> str:
    """The unit in a label: `With how many knights of the castle`."""
    words = label.split()
    while language() == ENGLISH and len(words) > 1 and words[0].casefold() in STOP:
        words = words[1:]
    return " ".join(words)


def _short_label(one: FormField, choice: FormChoice) -> str:
    short = _beginning(choice.label)
    return short if [_beginning(c.label) for c in choices_of(one)].count(short) == 1 else choice.label


def _beginning(label: str) -> str:
    return label.partition(":")[0].partition(" (")[0] if language() == ENGLISH else label


MOST_WAYS = 4
LONGEST_WAY = 24


def ways(form: Form) -> list[str]:
    """Shortest replies to a small question: `+2`, `+1`, `pass`; [] for larger ones."""
    found: list[str] = []
    for option in (o for o in form.options if not o.grave):
        fields = needed(option)
        picks = fields[0] if len(fields) == 1 else None
        if not fields:
            found.append(
                _way(form, Answer(option.id), [_beginning(option.label), *([option.id] if language() == ENGLISH else [])])
            )
        elif isinstance(picks, OneField) or (isinstance(picks, SomeField) and picks.least < 2):
            for choice in picks.choices[: MOST_WAYS + 1]:
                short = [word for word in choice.label.split() if any(c.isdigit() for c in word) and not word.isdigit()]
                value: Value = choice.id if isinstance(picks, OneField) else [choice.id]
                found.append(_way(form, Answer(option.id, {picks.name: value}), [*short, choice.label]))
        else:
            return []
    return found if len(found) <= MOST_WAYS and all(found) else []


def _way(form: Form, answer: Answer, said: list[str]) -> str:
    return next((one for one in said if len(one) <= LONGEST_WAY and understand(form, one).answer == answer), "")


# --- what may have been meant -------------------------------------------------------------------------------------------


def nearest(form: Form, line: str) -> list[tuple[int, FormOption]]:
    """The two options most similar to a line (difflib), numbered, without grave ones."""
    said = " ".join(_words(line))

    def likeness(option: FormOption) -> float:
        called = {*_variants(option), *(_words(c.label) for f in option.fields for c in choices_of(f)[:60])}
        return max(difflib.SequenceMatcher(None, said, " ".join(words)).ratio() for words in called)

    open_ = [(n, o) for n, o in enumerate(form.options, 1) if not o.grave]
    ranked = sorted(open_, key=lambda one: (-likeness(one[1]), one[0]))[:2]
    return sorted(ranked, key=lambda one: one[0])
