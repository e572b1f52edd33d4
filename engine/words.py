"""Message catalogues: translation with plural forms, and messages stored as data (i18n).

Catalogues are `lore/words.LANG.toml`, by section and key; English is the fallback for each key. An entry is a message with
facts in braces, `"{Seat} draws {count:cards}."`, or a table that selects one `by` a fact: by a number's plural form (`one`,
`few`, `many`, `other`) or the number itself, else by value.

Formats stand behind the colon; several, joined by `|`, are applied in order:

* `seat`: a seat's name; `capital`: capitalise; `said`: a stored message;
* an entry of `[list]` joins a list: `two`, `middle`, `end` combine `{a}` and `{b}`, `none` is for an empty list; lists longer
  than `most` are cut and wrapped in `more`;
* an entry of `[range]` formats two numbers: `one` if equal, `two` if adjacent, else `more`;
* an entry of `[amount]` or `[phrase]` is a message with all facts and the value as `{n}`, or a table's own facts; applied to
  each item of a list;
* a section's name looks up each value; equal items of a list are counted as `{n}`;
* a format that the game's catalogue defines.

The kernel's lists and ranges are available to every game.
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
"""Seat -> display name."""


class Named(dict[str, str]):
    """Seat names with the host's renamings: see `Game.names`."""

    own: str = ""
    """Text of the host's file."""

    @classmethod
    def by(cls, names: Names, own: str) -> Named:
        found = cls(names)
        found.own = own
        return found


NOBODY: Names = {}
"""No names: seats are their capital letters."""
ENGLISH = "en"

_here: ContextVar[Names] = ContextVar("names", default=NOBODY)


def names_here() -> Names:
    """Names of messages formatted without any: those of `calling`."""
    return _here.get()


@contextmanager
def calling(names: Names) -> Iterator[None]:
    """Set the default names, also for refusals, within a context."""
    before = _here.set(names)
    try:
        yield
    finally:
        _here.reset(before)


# --- the language that is spoken --------------------------------------------------------------------------------------

_spoken: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """The current language: `en`, `de`."""
    return _spoken.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Set the language within a context."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


Change = Callable[[str], str]
"""Transforms literal text of a pseudo-locale."""
_made: dict[str, Change] = {}


@contextmanager
def made_up(language: str, change: Change) -> Iterator[None]:
    """Register a pseudo-locale within a context."""
    _made[language] = change
    _known.pop(language, None)
    try:
        yield
    finally:
        del _made[language]
        _known.pop(language, None)


_lacks: ContextVar[dict[str, str] | None] = ContextVar("lacks", default=None)


@contextmanager
def lacking() -> Iterator[dict[str, str]]:
    """Collect missing entries and facts, `section.key` -> sentence, instead of raising Missing; their text is the key."""
    found: dict[str, str] = {}
    before = _lacks.set(found)
    try:
        yield found
    finally:
        _lacks.reset(before)


# --- catalogues -------------------------------------------------------------------------------------------------------

Entry = Callable[[Mapping[str, Any], Names], str]
"""Facts and names -> message."""
Way = Callable[[Any, Mapping[str, Any], Names], Any]
"""Format: value, all facts, names -> formatted value."""
Own = Callable[[Any, Names], Any]
"""A game's own format: value, names -> formatted value."""


class Miswritten(Exception):
    """Error in a catalogue: unknown format or missing part."""


class Missing(KeyError):
    """Programming error: no such entry, or missing facts."""

    def __str__(self) -> str:
        return str(self.args[0])


class Catalogue:
    """Messages of a package: `lore/NAME.LANG.toml` for each language."""

    def __init__(self, package: str, name: str = "words", forms: Mapping[str, Own] | None = None) -> None:
        self.package, self.name, self.forms = package, name, forms or {}

    def text(self, section: str, key: str, facts: Mapping[str, Any] | None = None, names: Names = NOBODY) -> str:
        """Format an entry in the current language. Raises Missing."""
        try:
            tables = _known[_spoken.get()][self]
        except KeyError:
            tables = self._tables()
        try:
            entry = tables.entries[section][key]
        except KeyError:
            return self._missing(section, key, f"{self}: there is no entry “{key}” in the section “{section}”.")
        if isinstance(entry, str):
            return entry
        try:
            return entry(facts or {}, names)
        except KeyError as problem:
            if isinstance(problem, Missing):
                raise
            given = ", ".join(facts or ()) or "no facts"
            return self._missing(section, key, f"{self}, {section}.{key}: there is no fact {problem} here; there are: {given}.")

    def _missing(self, section: str, key: str, why: str) -> str:
        lacks = _lacks.get()
        if lacks is None:
            raise Missing(why) from None
        lacks.setdefault(f"{section}.{key}", why)
        return key

    def amount(self, key: str, n: int) -> str:
        """Format an amount: `2 Knights`."""
        return self.text("amount", key, {"n": n})

    def listed(self, key: str, items: Iterable[str]) -> str:
        way = self._tables().way(key, f"the list {key}")
        return str(way(list(items), {}, NOBODY))

    def ranged(self, key: str, least: int, most: int) -> str:
        """Format a range: `from 2 to 5`."""
        return str(self._tables().way(key, f"the range {key}")((least, most), {}, NOBODY))

    def has(self, section: str, key: str) -> bool:
        return key in self._tables().entries.get(section, ())

    def first(self, section: str, *keys: str, facts: Mapping[str, Any] | None = None, names: Names = NOBODY) -> str:
        """Format the first of these entries that there is; "" for none."""
        return next((self.text(section, key, facts, names) for key in keys if self.has(section, key)), "")

    def keys(self, section: str) -> list[str]:
        """Keys of a section, in the English order."""
        return list(_read(self.package, self.name, ENGLISH).get(section, {}))

    def line(self, section: str, key: str, facts: Mapping[str, Any] | None = None) -> Line:
        """A lazily translated entry."""
        return Line(self, section, key, facts)

    def lines(self, section: str, keys: Iterable[str], facts: Mapping[str, Any] | None = None) -> Mapping[str, str]:
        """Lazily translated entries by key."""
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
    """A lazily translated entry, for texts built before the language is known."""

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

Raw = str | dict[str, Any]


@cache
def _read(package: str, name: str, language: str) -> dict[str, dict[str, Raw]]:
    try:
        return tomllib.loads(lore.text(package, f"{name}.{language}.toml"))
    except FileNotFoundError:
        return {}


@lru_cache(maxsize=4096)
def _plural(language: str, n: int) -> str:
    from babel.core import Locale  # lazy import: slow, and most messages have no plural

    return Locale.parse(language, sep="-").plural_form(n)


class _Slot(NamedTuple):
    fact: str
    ways: tuple[Way, ...]


class _Tables:
    def __init__(self, catalogue: Catalogue, language: str) -> None:
        self.catalogue, self.language = catalogue, language
        english, own = _read(catalogue.package, catalogue.name, ENGLISH), {}
        if language not in (ENGLISH, *_made):
            own = _read(catalogue.package, catalogue.name, language)
        self.raw: dict[str, dict[str, tuple[Raw, str]]] = {}  # with the entry's language
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

        @lru_cache(maxsize=128, typed=True)  # typed: True isn't 1
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
        """Resolve a format. Raises Miswritten."""
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
    """A message, translated when it is read."""

    def __str__(self) -> str:
        """Format with seats by their letters."""

    def text(self, names: Names, /) -> str:
        """Format with seats by their names."""

    def stored(self) -> dict[str, Any]:
        """As JSON-compatible data."""


class Said(msgspec.Struct, frozen=True):
    """A catalogue's message as code and facts (JSON-compatible).

    `ortus.action_used` is entry `action_used` of that game's section `refusal`, `ortus.event.turn` of section `event`; the
    kernel's codes are `SECTION.KEY`.
    """

    code: str
    facts: dict[str, Any] = {}

    def __str__(self) -> str:
        return self.text(names_here())

    def text(self, names: Names, /) -> str:
        """Translate and format. Raises Missing."""
        head, _, rest = self.code.partition(".")
        if KERNEL.has(head, rest):
            return KERNEL.text(head, rest, self.facts, names)
        section, dot, key = rest.partition(".")
        return _words_of(head).text(*((section, key) if dot else ("refusal", rest)), self.facts, names)

    def stored(self) -> dict[str, Any]:
        """Serialise; `read_said` is the inverse."""
        return {"code": self.code, "facts": self.facts}


class Plain(msgspec.Struct, frozen=True):
    """An untranslated message."""

    words: str

    def __str__(self) -> str:
        return self.words

    def text(self, _names: Names, /) -> str:
        return self.words

    def stored(self) -> dict[str, Any]:
        return {"words": self.words}


def say(code: str, /, **facts: Any) -> Said:
    """Build a message; facts may be messages."""
    for name, fact in facts.items():
        if type(fact) is Said or type(fact) is Plain:
            facts[name] = fact.stored()
    return Said(code, facts)


def read_said(stored: Mapping[str, Any]) -> Said | Plain:
    """Deserialise. Raises ValueError."""
    return msgspec.convert(stored, Said) if "code" in stored else msgspec.convert(stored, Plain)


_find: list[Callable[[str], Catalogue | None]] = []


def find_words_by(find: Callable[[str], Catalogue | None]) -> None:
    """Register the lookup of games' catalogues, which avoids an import cycle."""
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
    """A seat's name, or its letter."""
    return names.get(seat, seat.upper())


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


WAYS: Mapping[str, Way] = {"seat": _seat, "said": _said, "capital": lambda value, _facts, _names: capital(str(value))}
"""Formats of every catalogue."""
KERNEL = Catalogue("engine")
