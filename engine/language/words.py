"""Words of a game: catalogues of English messages (`lore/words.en.toml`), and messages as data. See docs/words.md.

An entry is a message (`engine.language.i18n`), or a table that selects one `by` a fact: by a number's plural category or
the number itself, else by value. `one` and `other` together are one message with the language's plurals. A fact's colon is
followed by ways, its formats; several, joined by `|`, are applied in order:

* `seat`: a seat's name, or "you" for the reader's; `subject`: the same at the beginning of a sentence, in English a pronoun
  after a sentence about that seat; `possessive`: `Emma’s`, `your`; `they`, `them`, `their`: its pronoun;
* `capital`: capitalise; `said`: a stored message;
* an entry of `[list]` joins a list: `two`, `middle`, `end` combine `{a}` and `{b}`, `none` is for an empty list; lists longer
  than `most` are cut and wrapped in `more`;
* an entry of `[range]` formats two numbers: `one` if equal, `two` if adjacent, else `more`;
* an entry of `[amount]` or `[phrase]` is a message with all facts and the value as `{n}`, or a table's own facts; applied to
  each item of a list;
* a section's name looks up each value; equal items of a list are counted as `{n}`;
* a way that the game's catalogue defines. The kernel's lists and ranges are available to every game.
"""

from __future__ import annotations

import gettext
import tomllib
from collections import Counter, UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from copy import copy
from functools import cache, lru_cache
from typing import Any

import msgspec

from engine.language import i18n, lore
from engine.language.i18n import ENGLISH, Entry, Miswritten, Way
from engine.language.i18n import Names as Names


class Named(dict[str, str]):
    """Seat names and forms of address."""

    own: str = ""
    """Text of the host's file, with its renamings: see `Variants.names`."""
    reader: str = ""
    """The seat that is called "you"; "" for spectators and public pages."""
    again: str = ""
    """The seat that the sentence before has named: a pronoun where it is the subject."""
    pronouns: Mapping[str, str] = {}
    """Seat -> `she` or `he`; others are `they`."""

    @classmethod
    def of(cls, names: Names) -> Named:
        return copy(names) if isinstance(names, cls) else cls(names)

    @classmethod
    def by(cls, names: Names, own: str) -> Named:
        found = cls.of(names)
        found.own = own
        return found


def after(names: Names, seat: str) -> Names:
    """Names for a sentence that follows one about `seat`."""
    found = Named.of(names)
    found.again = seat
    return found


def addressed(names: Names, reader: str | None) -> Names:
    """Names for a reader: that seat is called "you"; None or "": unchanged."""
    if not reader or getattr(names, "reader", "") == reader:
        return names
    found = Named.of(names)
    found.reader = reader
    return found


NOBODY: Names = {}
"""No names: seats are their capital letters."""

_here: ContextVar[Names] = ContextVar("names", default=NOBODY)


def names_here() -> Names:
    return _here.get()


def calling(names: Names) -> AbstractContextManager[None]:
    """Context manager: set default names, also for refusals."""
    return i18n.setting(_here, names)


_lacks: ContextVar[dict[str, str] | None] = ContextVar("lacks", default=None)


@contextmanager
def lacking() -> Iterator[dict[str, str]]:
    """Collect missing entries and facts, `section.key` -> sentence, instead of raising Missing."""
    found: dict[str, str] = {}
    with i18n.setting(_lacks, found):
        yield found


# --- catalogues -------------------------------------------------------------------------------------------------------

Own = Callable[[Any, Names], Any]
"""A game's own way: value, names -> formatted value."""


class Missing(KeyError):
    """Programming error: missing entry or facts."""

    def __str__(self) -> str:
        return str(self.args[0])


class Catalogue:
    """Messages of a package: `lore/NAME.en.toml`."""

    def __init__(self, package: str, name: str = "words", forms: Mapping[str, Own] | None = None) -> None:
        self.package, self.name, self.forms = package, name, forms or {}
        self.domain = package.removeprefix("engine.") + ("" if name == "words" else f".{name}")
        """Where its messages are in translations: the beginning of their `msgctxt`."""
        self._english: Tables | None = None
        CATALOGUES[self.domain] = self

    def text(self, section: str, key: str, facts: Mapping[str, Any] | None = None, names: Names = NOBODY) -> str:
        """Format an entry in the current language. Raises Missing."""
        try:
            entry = self.tables().entries[section][key]
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
        return self.text("amount", key, {"n": n})

    def listed(self, key: str, items: Iterable[str]) -> str:
        way = self.tables().way(key)
        return str(way(list(items), {}, NOBODY))

    def has(self, section: str, key: str) -> bool:
        return key in self.tables().entries.get(section, ())

    def first(self, section: str, *keys: str, facts: Mapping[str, Any] | None = None, names: Names = NOBODY) -> str:
        """Format the first existing entry; "" for none."""
        return next((self.text(section, key, facts, names) for key in keys if self.has(section, key)), "")

    def keys(self, section: str) -> list[str]:
        """A section's keys in English order."""
        return list(_read(self.package, self.name).get(section, {}))

    def line(self, section: str, key: str, facts: Mapping[str, Any] | None = None) -> Message:
        return Message(f"{self.domain}.{section}.{key}", dict(facts or {}))

    def lines(self, section: str, keys: Iterable[str], facts: Mapping[str, Any] | None = None) -> Mapping[str, str]:
        """Entries by key, translated when read."""
        return _Lines({key: self.line(section, key, facts) for key in keys})

    def tables(self) -> Tables:
        spoken = i18n.language()
        if spoken == ENGLISH:
            if self._english is None:
                self._english = Tables(self, ENGLISH, gettext.NullTranslations())
            return self._english
        source = i18n.translations(spoken, self.package.partition(".")[0])
        try:
            return _known[source][self]
        except KeyError:
            made = _known.setdefault(source, {})[self] = Tables(self, spoken, source)
            return made

    def __str__(self) -> str:
        return f"{self.package}, lore/{self.name}.{ENGLISH}.toml"


CATALOGUES: dict[str, Catalogue] = {}
"""All catalogues, by domain."""


class _Lines(UserDict[str, Any]):
    def __getitem__(self, key: str) -> str:
        return str(self.data[key])


_known: dict[gettext.NullTranslations, dict[Catalogue, Tables]] = {}

Raw = str | dict[str, Any]


@cache
def _read(package: str, name: str) -> dict[str, dict[str, Raw]]:
    try:
        return tomllib.loads(lore.text(package, f"{name}.{ENGLISH}.toml"))
    except FileNotFoundError:
        return {}  # each missing entry is reported when it is used


class Tables:
    def __init__(self, catalogue: Catalogue, language: str, source: gettext.NullTranslations) -> None:
        self.catalogue, self.language, self.source = catalogue, language, source
        self.raw = _read(catalogue.package, catalogue.name)
        self.way = cache(self._way)
        self.entries: dict[str, dict[str, str | Entry]] = {
            section: {key: self._entry(raw, f"{section}.{key}", COUNTED.get(section, {"n"})) for key, raw in entries.items()}
            for section, entries in self.raw.items()
            if section not in ("list", "range")
        }

    def _entry(self, raw: Raw, where: str, known: set[str]) -> str | Entry:
        """`known`: facts besides those of the English text."""
        if isinstance(raw, str):
            return self.text(raw, where, known)
        by = raw.get("by", "n")
        known, texts = known | {by}, {key: text for key, text in raw.items() if key != "by"}
        one, other = texts.get("one"), texts.get("other")
        forms = None
        if isinstance(one, str) and isinstance(other, str):
            forms = self.plurals(one, other, where, known)
            del texts["one"], texts["other"]
        branches = {key: self._entry(text, f"{where}.{key}", known) for key, text in texts.items()}

        @lru_cache(maxsize=128, typed=True)  # typed: True isn't 1
        def branch(value: Any) -> str | Entry:
            found = branches.get(str(value))
            if found is None and forms is not None:
                return forms(value if isinstance(value, int) else 1 if value == "one" else 2)
            if found is None and isinstance(value, int):
                found = branches.get(i18n.plural(ENGLISH, value))
            found = branches.get("other") if found is None else found
            if found is None:
                raise Miswritten(f"{self.catalogue}, {where}: it says nothing for “{value}”, and has no “other”.")
            return found

        def choose(facts: Mapping[str, Any], names: Names) -> str:
            chosen = branch(facts[by])
            return chosen if isinstance(chosen, str) else chosen(facts, names)

        return choose

    def text(self, english: str, where: str, known: set[str]) -> str | Entry:
        said = self.source.pgettext(f"{self.catalogue.domain}.{where}", english) if english else ""
        return self.compiled(said, english, where, known)

    def plurals(self, one: str, other: str, where: str, known: set[str]) -> Callable[[int], str | Entry]:
        def form(n: int) -> str | Entry:
            said = self.source.npgettext(f"{self.catalogue.domain}.{where}", one, other, abs(n))
            return self.compiled(said, one if abs(n) == 1 else other, where, known | i18n.facts_of(one))

        form(1)  # an error in the catalogue shows at once
        return form

    def compiled(self, said: str, english: str, where: str, known: set[str]) -> str | Entry:
        try:
            return i18n.checked(said, english, known, self.way, self.language)
        except Miswritten as problem:
            raise Miswritten(f"{self.catalogue}, {where}: {problem}.") from None

    def _way(self, form: str) -> Way:
        """Find the format that a fact's colon names. Raises Miswritten."""
        own = self.catalogue.forms.get(form)
        if own is not None:
            return lambda value, _facts, names: own(value, names)
        if form in WAYS:
            return WAYS[form]
        for tables in (self, KERNEL.tables()) if self.catalogue is not KERNEL else (self,):
            for section, make in (("list", _list), ("range", _range)):
                parts = tables.raw.get(section, {}).get(form)
                if isinstance(parts, dict):
                    return make(tables.parts(f"{section}.{form}", parts), f"{self.catalogue}, {section}.{form}")
        for section in ("amount", "phrase"):
            if form in self.raw.get(section, {}):
                return self._part(section, form)
        if form in self.raw:
            return self._lookup(form)
        raise Miswritten(f"there is no form “{form}”, in no list, range, amount or phrase")

    def parts(self, where: str, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Translated parts, filled in by `_fill`."""
        return {key: text if key == "most" else self.text(text, f"{where}.{key}", set()) for key, text in parts.items()}

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
            entry, raw = self.entries[section][key], self.raw[section][key]
            said = entry if isinstance(entry, str) else entry({**facts, "n": n}, names)
            if n != 1 and isinstance(raw, str) and not i18n.facts_of(raw):
                return KERNEL.text("phrase", "times", {"n": n, "what": said})
            return said

        return way


def _list(parts: Mapping[str, Any], where: str) -> Way:
    middle = parts.get("middle", lambda facts, _names: f"{facts['a']}, {facts['b']}")
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
            return _fill(two, a=items[0], b=items[1])
        said = items[0]
        for place, item in enumerate(items[1:], 2):
            said = _fill(end if place == len(items) and not cut else middle, a=said, b=item)
        return _fill(parts["more"], list=said) if cut else said

    return way


def _fill(said: str | Entry, **facts: Any) -> str:
    return said if isinstance(said, str) else said(facts, NOBODY)


def _range(parts: Mapping[str, Any], _where: str) -> Way:
    def way(value: Any, _facts: Mapping[str, Any], _names: Names) -> str:
        least, most = value
        kind = "one" if least == most else "two" if most == least + 1 else "more"
        return _fill(parts[kind], n=least, least=least, most=most)

    return way


# --- messages as data -------------------------------------------------------------------------------------------------


class Message(msgspec.Struct, frozen=True):
    """A sentence translated when read: a catalogue's entry, an English text of the service, plain words.

    The code `ortus.action_used` is entry `action_used` of that game's section `refusal`, `ortus.event.turn` of section `event`,
    `ortus.decks.name.x` of its catalogue `decks`; the kernel's codes are `SECTION.KEY`.
    """

    code: str = ""
    facts: dict[str, Any] = {}
    message: str = ""
    """English text, the key of its translations."""
    many: str = ""
    """Its plural, chosen by the fact `num`."""
    words: str = ""
    """Untranslated."""

    def __str__(self) -> str:
        return self.text(names_here())

    def text(self, names: Names, /) -> str:
        """Translate and format. Raises Missing."""
        if self.message:
            return i18n.translated(self.message, self.facts, names, self.many)
        if not self.code:
            return self.words
        head, _, rest = self.code.partition(".")
        if KERNEL.has(head, rest):
            return KERNEL.text(head, rest, self.facts, names)
        section, dot, key = rest.partition(".")
        if (more := CATALOGUES.get(f"{head}.{section}")) is not None:
            section, _, key = key.partition(".")
            return more.text(section, key, self.facts, names)
        return _words_of(head).text(*((section, key) if dot else ("refusal", rest)), self.facts, names)

    def stored(self) -> dict[str, Any]:
        """Serialise; inverse of `read_said`."""
        if self.code:
            return {"code": self.code, "facts": self.facts}
        if not self.message:
            return {"words": self.words}
        kept: dict[str, Any] = {"message": self.message}
        if self.facts:
            kept["facts"] = {name: as_data(fact) for name, fact in self.facts.items()}
        return kept | ({"many": self.many} if self.many else {})


def as_data(fact: Any) -> Any:
    return fact.stored() if isinstance(fact, Message) else msgspec.to_builtins(fact)


def plain(words: str) -> Message:
    return Message(words=words)


def say(code: str, /, **facts: Any) -> Message:
    """Build a catalogue's message; facts may be messages."""
    for name, fact in facts.items():
        if type(fact) is Message:
            facts[name] = fact.stored()
    return Message(code, facts)


def read_said(stored: Mapping[str, Any]) -> Message:
    """Deserialise. Raises ValueError."""
    found = msgspec.convert(stored, Message)
    if not (found.code or found.message or "words" in stored):
        raise ValueError(f"no message: {stored!r}"[:200])
    return found


_find: list[Callable[[str], Catalogue | None]] = []


def find_words_by(find: Callable[[str], Catalogue | None]) -> None:
    """Register the lookup of games' catalogues; avoids an import cycle."""
    _find[:] = [find]


def _words_of(game: str) -> Catalogue:
    found = (_find[0](game) if _find else None) or CATALOGUES.get(game)
    if found is None:
        raise Missing(f"There are no words of “{game}”: no game is called so, and the kernel has no such section.")
    return found


def _said(value: Any, _facts: Mapping[str, Any], names: Names) -> str:
    return (value if isinstance(value, Message) else read_said(value)).text(names)


def name(seat: str, names: Names) -> str:
    """A seat's name or letter; in English "you" for the reader's. Other languages use variants, `[seat=you]`."""
    if seat == getattr(names, "reader", None) and i18n.language() == ENGLISH:
        return KERNEL.text("phrase", "you")
    return names.get(seat, seat.upper())


def seat_ways(called: Callable[[str, Names], str]) -> dict[str, Own]:
    """Ways `seat`, `subject`, `possessive` for games that name seats themselves."""

    def seat(value: Any, names: Names) -> Any:
        return [called(v, names) for v in value] if isinstance(value, (list, tuple)) else called(value, names)

    def possessive(value: Any, names: Names) -> str:
        if i18n.language() == ENGLISH and (i18n.address(value, names) == i18n.YOU or value == getattr(names, "again", None)):
            return KERNEL.text("their", i18n.address(value, names))
        return KERNEL.text("phrase", "possessive", {"name": called(value, names)})

    def subject(value: Any, names: Names) -> str:
        again = value == getattr(names, "again", None) and i18n.language() == ENGLISH
        return capital(KERNEL.text("they", i18n.address(value, names)) if again else called(value, names))

    return {"seat": seat, "subject": subject, "possessive": possessive}


def _of_seats(own: Own) -> Way:
    return lambda value, _facts, names: own(value, names)


def _pronoun(case: str) -> Way:
    return lambda value, _facts, names: KERNEL.text(case, i18n.address(value, names))


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


COUNTED: Mapping[str, set[str]] = {"event": set(), "ask": set(), "refusal": set(), "sentence": set(), "warning": set()}
"""Sections with entries that aren't formats and get no `{n}`."""
WAYS: Mapping[str, Way] = {
    **{way: _of_seats(own) for way, own in seat_ways(name).items()},
    "they": _pronoun("they"),
    "them": _pronoun("them"),
    "their": _pronoun("their"),
    "said": _said,
    "capital": lambda value, _facts, _names: capital(str(value)),
}
"""Formats of every catalogue."""
KERNEL = Catalogue("engine")
