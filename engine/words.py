"""Words: the language that is spoken, catalogues of sentences, and sentences that are kept as data.

Every text that a player may read stands in a catalogue, `lore/words.LANG.toml` of the kernel or of a game, by section and
key. What a translation lacks is taken from the English one, key by key. An entry is

* a sentence, with facts in braces: `"{Seat} draws {count:cards}."`; or
* a table that chooses among sentences `by` one of the facts: by its plural form where it is a number (`one`, `few`, `many`,
  `other` as the language has them, or the number itself), else by its value.

What stands behind the colon says how the fact is put into words; several, joined by `|`, are applied one after the other:

* `seat` is the name of a seat, `capital` gives a text a capital letter, `said` is a sentence that is kept as data;
* an entry of `[list]` joins a list: `two`, `middle`, `end` say how two parts `{a}` and `{b}` are put together, `none` what no
  items are called; longer ones than `most` are cut and wrapped in `more`;
* an entry of `[range]` tells two numbers: `one` where they are the same, `two` where they are neighbours, else `more`;
* an entry of `[amount]` or `[phrase]` is a sentence of its own: it sees all facts and the value as `{n}`, or a value that is
  a table of facts as those; of a list, each item by itself;
* the name of a whole section looks the value up in it; of a list, each item, like ones counted: they are its `{n}`;
* a form of the game's own, which is given to its catalogue.

So a translator decides by editing the file alone. The kernel's lists and ranges are there for every game.
"""

from __future__ import annotations

import string
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple, Protocol

import msgspec

from engine import lore

Names = Mapping[str, str]
"""Seat to the name that is shown."""


class Named(dict[str, str]):
    """Names of seats, with what a host has brought that calls things by names of its own: see `Game.names`."""

    own: str = ""
    """That file."""

    @classmethod
    def by(cls, names: Names, own: str) -> Named:
        """The names, with that file beside them."""
        found = cls(names)
        found.own = own
        return found


NOBODY: Names = {}
"""Names where none are known: a seat is called by its capital letter."""
ENGLISH = "en"

_here: ContextVar[Names] = ContextVar("names", default=NOBODY)


def names_here() -> Names:
    """What sentences call things by that are told without names: nothing, or a host's own names while `calling`."""
    return _here.get()


@contextmanager
def calling(names: Names) -> Iterator[None]:
    """Call things by these names for a while, also in sentences that are told without any: in refusals."""
    before = _here.set(names)
    try:
        yield
    finally:
        _here.reset(before)


# --- the language that is spoken --------------------------------------------------------------------------------------

_spoken: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """The language that is spoken here and now: `en`, `de`."""
    return _spoken.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language for a while."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


Change = Callable[[str], str]
"""A piece of English text between facts -> the same piece in a language that is made up."""
_made: dict[str, Change] = {}


@contextmanager
def made_up(language: str, change: Change) -> Iterator[None]:
    """Add a language for a while that is made from the English catalogues: each piece of text between facts is changed."""
    _made[language] = change
    _known.pop(language, None)
    try:
        yield
    finally:
        del _made[language]
        _known.pop(language, None)


# --- catalogues -------------------------------------------------------------------------------------------------------

Entry = Callable[[Mapping[str, Any], Names], str]
"""Facts and names -> the sentence."""
Way = Callable[[Any, Mapping[str, Any], Names], Any]
"""A value, all facts, names -> the value in words, or nearer to them."""
Own = Callable[[Any, Names], Any]
"""A form of a game's own: a value and names -> the value in words."""


class Miswritten(Exception):
    """An entry of a catalogue that can't be used: it names a form that there isn't, or lacks a part. A mistake in a file."""


class Missing(KeyError):
    """There is no such entry, or it was given too few facts. A mistake of the program."""

    def __str__(self) -> str:
        return str(self.args[0])


class Catalogue:
    """The words of a package: `lore/NAME.LANG.toml` for every language that it is translated to."""

    def __init__(self, package: str, name: str = "words", forms: Mapping[str, Own] | None = None) -> None:
        self.package, self.name, self.forms = package, name, forms or {}

    def text(self, section: str, key: str, facts: Mapping[str, Any] | None = None, names: Names = NOBODY) -> str:
        """An entry in the language spoken, with the facts put in. Raises Missing."""
        try:
            tables = _known[_spoken.get()][self]
        except KeyError:
            tables = self._tables()
        try:
            entry = tables.entries[section][key]
        except KeyError:
            raise Missing(f"{self}: there is no entry “{key}” in the section “{section}”.") from None
        if isinstance(entry, str):
            return entry
        try:
            return entry(facts or {}, names)
        except KeyError as problem:
            if isinstance(problem, Missing):
                raise
            given = ", ".join(facts or ()) or "no facts"
            raise Missing(f"{self}, {section}.{key}: there is no fact {problem} here; there are: {given}.") from None

    def amount(self, key: str, n: int) -> str:
        """A number of things: `2 Knights`."""
        return self.text("amount", key, {"n": n})

    def listed(self, key: str, items: Iterable[str]) -> str:
        """Items as a list in words."""
        way = self._tables().way(key, f"the list {key}")
        return str(way(list(items), {}, NOBODY))

    def ranged(self, key: str, least: int, most: int) -> str:
        """Two numbers in words: `from 2 to 5`."""
        return str(self._tables().way(key, f"the range {key}")((least, most), {}, NOBODY))

    def has(self, section: str, key: str) -> bool:
        """Whether there is such an entry."""
        return key in self._tables().entries.get(section, ())

    def keys(self, section: str) -> list[str]:
        """The keys of a section, in the order of the English file."""
        return list(_read(self.package, self.name, ENGLISH).get(section, {}))

    def line(self, section: str, key: str, facts: Mapping[str, Any] | None = None) -> Line:
        """An entry that is put into words whenever it is read."""
        return Line(self, section, key, facts)

    def lines(self, section: str, keys: Iterable[str], facts: Mapping[str, Any] | None = None) -> Mapping[str, str]:
        """Several entries by their keys, each put into words whenever it is read."""
        return _Lines(self, section, tuple(keys), facts)

    def _tables(self) -> _Tables:
        spoken = _spoken.get()
        try:
            return _known[spoken][self]
        except KeyError:
            made = _known.setdefault(spoken, {})[self] = _Tables(self, spoken)
            return made

    def __str__(self) -> str:
        return f"{self.package}, lore/{self.name}.{_spoken.get()}.toml"


@dataclass(frozen=True)
class Line:
    """An entry of a catalogue, put into words whenever it is read: for texts that are laid out before anybody speaks."""

    catalogue: Catalogue
    section: str
    key: str
    facts: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return self.catalogue.text(self.section, self.key, self.facts)


class _Lines(Mapping[str, str]):
    def __init__(self, catalogue: Catalogue, section: str, keys: tuple[str, ...], facts: Mapping[str, Any] | None) -> None:
        self._catalogue, self._section, self._keys, self._facts = catalogue, section, keys, facts

    def __getitem__(self, key: str) -> str:
        if key not in self._keys:
            raise KeyError(key)
        return self._catalogue.text(self._section, key, self._facts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


_known: dict[str, dict[Catalogue, _Tables]] = {}
"""Language -> catalogue -> its entries, ready to use."""

Raw = str | dict[str, Any]


@cache
def _read(package: str, name: str, language: str) -> dict[str, dict[str, Raw]]:
    try:
        return tomllib.loads(lore.text(package, f"{name}.{language}.toml"))
    except FileNotFoundError:
        return {}


@lru_cache(maxsize=4096)
def _plural(language: str, n: int) -> str:
    """The plural form of a number in a language: `one`, `few`, `other`."""
    from babel.core import Locale  # here: most sentences count nothing, and it takes long to load

    return Locale.parse(language, sep="-").plural_form(n)


class _Slot(NamedTuple):
    """The place of a fact in a sentence."""

    fact: str
    ways: tuple[Way, ...]


class _Tables:
    """The entries of a catalogue in one language."""

    def __init__(self, catalogue: Catalogue, language: str) -> None:
        self.catalogue, self.language = catalogue, language
        english, own = _read(catalogue.package, catalogue.name, ENGLISH), {}
        if language not in (ENGLISH, *_made):
            own = _read(catalogue.package, catalogue.name, language)
        self.raw: dict[str, dict[str, tuple[Raw, str]]] = {}  # with the language that the entry is in
        for section in {**english, **own}:
            entries = {key: (raw, ENGLISH) for key, raw in english.get(section, {}).items()}
            self.raw[section] = entries | {key: (raw, language) for key, raw in own.get(section, {}).items()}
        change = _made.get(language)
        if change is not None:
            self.raw = {s: {k: (_changed(raw, change), ENGLISH) for k, (raw, _) in e.items()} for s, e in self.raw.items()}
        self.entries: dict[str, dict[str, str | Entry]] = {
            section: {key: self._entry(raw, said_in, f"{section}.{key}") for key, (raw, said_in) in entries.items()}
            for section, entries in self.raw.items()
            if section not in ("list", "range")
        }

    def _entry(self, raw: Raw, said_in: str, where: str, implicit: str = "n") -> str | Entry:
        if isinstance(raw, str):
            return self._sentence(raw, where)
        by = raw.get("by", implicit)
        branches = {key: self._entry(text, said_in, f"{where}.{key}") for key, text in raw.items() if key != "by"}

        @lru_cache(maxsize=128, typed=True)  # True is another value than 1
        def branch(value: Any) -> str | Entry:
            found = branches.get(str(value))
            if found is None and isinstance(value, int):
                found = branches.get(_plural(said_in, value))
            found = branches.get("other") if found is None else found
            if found is None:
                raise Miswritten(f"{self.catalogue}, {where}: it says nothing for “{value}”, and has no “other”.")
            return found

        def choose(facts: Mapping[str, Any], names: Names) -> str:
            chosen = branch(facts[by])
            return chosen if isinstance(chosen, str) else chosen(facts, names)

        return choose

    def _sentence(self, text: str, where: str) -> str | Entry:
        try:
            pieces = list(string.Formatter().parse(text))
        except ValueError as problem:
            raise Miswritten(f"{self.catalogue}, {where}: {problem}.") from None
        if all(fact is None for _, fact, _, _ in pieces):
            return "".join(literal for literal, _, _, _ in pieces)
        if not any(forms for _, _, forms, _ in pieces):
            fill = text.format_map
            return lambda facts, _names: fill(facts)
        parts: list[str | _Slot] = []
        for literal, fact, forms, _ in pieces:
            parts.append(literal)
            if fact is not None:
                parts.append(_Slot(fact, tuple(self.way(form, where) for form in (forms or "").split("|") if form)))

        def fill_in(facts: Mapping[str, Any], names: Names) -> str:
            said = []
            for part in parts:
                if isinstance(part, str):
                    said.append(part)
                    continue
                value = facts[part.fact]
                for way in part.ways:
                    value = way(value, facts, names)
                said.append(str(value))
            return "".join(said)

        return fill_in

    def way(self, form: str, where: str) -> Way:
        """How a form puts a value into words. Raises Miswritten for one that there isn't."""
        own = self.catalogue.forms.get(form)
        if own is not None:
            return lambda value, _facts, names: own(value, names)
        if form in WAYS:
            return WAYS[form]
        for tables in (self, KERNEL._tables()) if self.catalogue is not KERNEL else (self,):
            for section, make in (("list", _list), ("range", _range)):
                if form in tables.raw.get(section, {}):
                    parts, _ = tables.raw[section][form]
                    return make(parts, f"{self.catalogue}, {section}.{form}")
        for section in ("amount", "phrase"):
            if form in self.raw.get(section, {}):
                return self._part(section, form)
        if form in self.raw:
            return self._lookup(form)
        raise Miswritten(f"{self.catalogue}, {where}: there is no form “{form}”, in no list, range, amount or phrase.")

    def _part(self, section: str, key: str) -> Way:
        def way(value: Any, facts: Mapping[str, Any], names: Names) -> Any:
            if isinstance(value, (list, tuple)):
                return [way(item, facts, names) for item in value]
            entry = self.entries[section][key]
            inner = {**facts, **value} if isinstance(value, Mapping) else {**facts, "n": value}
            return entry if isinstance(entry, str) else entry(inner, names)

        return way

    def _lookup(self, section: str) -> Way:
        def way(value: Any, facts: Mapping[str, Any], names: Names) -> Any:
            if isinstance(value, (list, tuple)):
                return [one(str(item), n, facts, names) for item, n in Counter(value).items()]
            return one(str(value), 1, facts, names)

        def one(key: str, n: int, facts: Mapping[str, Any], names: Names) -> str:
            entry = self.entries[section][key]
            if isinstance(entry, str):
                return entry if n == 1 else KERNEL.text("phrase", "times", {"n": n, "what": entry})
            return entry({**facts, "n": n}, names)

        return way


def _changed(raw: Raw, change: Change) -> Raw:
    if isinstance(raw, dict):
        return {key: inner if key in ("by", "most") else _changed(inner, change) for key, inner in raw.items()}
    changed = ""
    for literal, fact, form, _ in string.Formatter().parse(raw):
        changed += change(literal).replace("{", "{{").replace("}", "}}") if literal else ""
        changed += "" if fact is None else "{" + fact + (f":{form}" if form else "") + "}"
    return changed


def _list(parts: Any, where: str) -> Way:
    middle = parts.get("middle", "{a}, {b}")
    two, end, none, most = parts.get("two"), parts.get("end", middle), parts.get("none"), parts.get("most")

    def way(value: Any, _facts: Mapping[str, Any], _names: Names) -> str:
        items = [str(item) for item in value]
        if not items:
            if none is None:
                raise Miswritten(f"{where}: it has no word for an empty list (`none`).")
            return str(none)
        cut = most is not None and len(items) > most
        items = items[:most] if cut else items
        if len(items) == 2 and two is not None and not cut:
            return str(two).format(a=items[0], b=items[1])
        said = items[0]
        for place, item in enumerate(items[1:], 2):
            said = (end if place == len(items) and not cut else middle).format(a=said, b=item)
        return str(parts["more"]).format(list=said) if cut else said

    return way


def _range(parts: Any, _where: str) -> Way:
    def way(value: Any, _facts: Mapping[str, Any], _names: Names) -> str:
        least, most = value
        kind = "one" if least == most else "two" if most == least + 1 else "more"
        return str(parts[kind]).format(n=least, least=least, most=most)

    return way


# --- sentences as data ------------------------------------------------------------------------------------------------


class Sentence(Protocol):
    """A sentence that is put into words when it is read, in the language of whom it is read to."""

    def __str__(self) -> str:
        """The sentence in the language spoken, with seats by their letters."""

    def text(self, names: Names, /) -> str:
        """The sentence in the language spoken, with seats by their names."""

    def stored(self) -> dict[str, Any]:
        """The sentence as plain data, for a row."""


class Said(msgspec.Struct, frozen=True):
    """A sentence of a catalogue: its code and its facts, which are plain data.

    `ortus.action_used` is the entry `action_used` in the section `refusal` of that game's words, `ortus.event.turn` one of
    another section. The kernel's own codes are `SECTION.KEY`.
    """

    code: str
    facts: dict[str, Any] = {}

    def __str__(self) -> str:
        return self.text(names_here())

    def text(self, names: Names, /) -> str:
        """The sentence in the language spoken. Raises Missing for a code that there isn't."""
        head, _, rest = self.code.partition(".")
        if KERNEL.has(head, rest):
            return KERNEL.text(head, rest, self.facts, names)
        section, dot, key = rest.partition(".")
        return _words_of(head).text(*((section, key) if dot else ("refusal", rest)), self.facts, names)

    def stored(self) -> dict[str, Any]:
        """As plain data: `code` and `facts`; `read_said` gives it back."""
        return {"code": self.code, "facts": self.facts}


class Plain(msgspec.Struct, frozen=True):
    """A sentence of which only the words are known."""

    words: str

    def __str__(self) -> str:
        return self.words

    def text(self, _names: Names, /) -> str:
        """The words, whatever is spoken."""
        return self.words

    def stored(self) -> dict[str, Any]:
        """As plain data."""
        return {"words": self.words}


def say(code: str, /, **facts: Any) -> Said:
    """A sentence as data. Facts may be sentences themselves."""
    for name, fact in facts.items():
        if type(fact) is Said or type(fact) is Plain:
            facts[name] = fact.stored()
    return Said(code, facts)


def read_said(stored: Mapping[str, Any]) -> Said | Plain:
    """The sentence that was stored. Raises ValueError for what is none."""
    return msgspec.convert(stored, Said) if "code" in stored else msgspec.convert(stored, Plain)


_find: list[Callable[[str], Catalogue | None]] = []


def find_words_by(find: Callable[[str], Catalogue | None]) -> None:
    """Let the table of games say where a game's words are; it knows the games, and this module doesn't."""
    _find[:] = [find]


def _words_of(game: str) -> Catalogue:
    found = _find[0](game) if _find else None
    if found is None:
        raise Missing(f"There are no words of “{game}”: no game is called so, and the kernel has no such section.")
    return found


def _seat(value: Any, _facts: Mapping[str, Any], names: Names) -> Any:
    return [name(v, names) for v in value] if isinstance(value, (list, tuple)) else name(value, names)


def _said(value: Any, _facts: Mapping[str, Any], names: Names) -> str:
    return value.text(names) if isinstance(value, (Said, Plain)) else read_said(value).text(names)


def name(seat: str, names: Names) -> str:
    """A seat's name; its letter where nobody has told one."""
    return names.get(seat, seat.upper())


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


WAYS: Mapping[str, Way] = {"seat": _seat, "said": _said, "capital": lambda value, _facts, _names: capital(str(value))}
"""Forms that every catalogue has."""
KERNEL = Catalogue("engine")
"""The kernel's own words."""
