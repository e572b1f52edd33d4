"""Translation (i18n): the current language, its PO catalogues, and the message language of games and service.

A message is English text with facts in braces, `"{seat:seat} draws {count:cards}."`: `fact`, `fact:way|way` (see
`engine.language.words`), `fact.form:way` (a grammatical form). A translation's further lines are variants with conditions in
brackets, `[count=few]`, `[seat=you]`, `[place.gender=f]`, or forms of itself, `[gen]`: see docs/words.md. A message without the
form asked for is used as it is, with its own facts in that form.
"""

from __future__ import annotations

import gettext
import importlib.util
import io
import pkgutil
import re
import string
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

ENGLISH = "en"
T = TypeVar("T")
Names = Mapping[str, str]
"""Seat -> display name."""
Facts = Mapping[str, Any]
Way = Callable[[Any, Facts, Names], Any]
"""Format: value, all facts, names -> formatted value."""
Entry = Callable[[Facts, Names], str]
"""Facts and names -> text."""
OWN = "engine"
"""Package with Writ's own translations; other packages' are in `lore/LANG.po`."""


class Miswritten(Exception):
    """Error in a message: unknown way or form, missing part."""


def _translations() -> Path:
    found = importlib.util.find_spec("translations")
    return Path(found.origin).parent if found is not None and found.origin else Path("translations")


TRANSLATIONS = _translations()
"""Adding `LANG.po` offers its language."""

# --- the language that is spoken --------------------------------------------------------------------------------------

_spoken: ContextVar[str] = ContextVar("language", default=ENGLISH)
_form: ContextVar[str] = ContextVar("form", default="")


def language() -> str:
    """The current language: `en`, `de`."""
    return _spoken.get()


@contextmanager
def setting(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Context manager: set a context variable."""
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def speaking(language: str) -> AbstractContextManager[None]:
    return setting(_spoken, language)


def languages() -> list[str]:
    return [ENGLISH, *sorted(_translated(TRANSLATIONS) | _made.keys())]


@cache
def _translated(folder: Path) -> frozenset[str]:
    return frozenset(path.stem for path in folder.glob("*.po"))


# --- catalogues -------------------------------------------------------------------------------------------------------

_made: dict[str, gettext.NullTranslations] = {}


@contextmanager
def made_up(language: str, messages: gettext.NullTranslations) -> Iterator[None]:
    """Context manager: register a language without a file, such as a pseudo-locale."""
    _made[language] = messages
    try:
        yield
    finally:
        del _made[language]


def is_made_up(language: str) -> bool:
    return language in _made


def translations(language: str, package: str = OWN) -> gettext.NullTranslations:
    """Messages of a top-level package; English where missing."""
    return _UNTRANSLATED if language == ENGLISH else _made.get(language) or _compiled(language, package, TRANSLATIONS)


_UNTRANSLATED = gettext.NullTranslations()


def read_catalogues() -> None:
    """Preload all catalogues (slow)."""
    for spoken in languages():
        translations(spoken)


@cache
def _compiled(language: str, package: str, folder: Path) -> gettext.NullTranslations:
    try:
        own = package == OWN
        found = (folder / f"{language}.po").read_bytes() if own else pkgutil.get_data(package, f"lore/{language}.po")
    except OSError:
        return gettext.NullTranslations()
    from babel.messages.mofile import write_mo  # lazy imports: slow, and not needed for English
    from babel.messages.pofile import read_po

    compiled = io.BytesIO()
    write_mo(compiled, read_po(io.BytesIO(found or b""), locale=language.replace("-", "_")))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


# --- the message language ---------------------------------------------------------------------------------------------


class Slot(NamedTuple):
    fact: str
    form: str
    ways: tuple[Way, ...]

    def said(self, facts: Facts, names: Names) -> str:
        value = facts[self.fact]
        if not self.form:
            for way in self.ways:
                value = way(value, facts, names)
            return value if type(value) is str else _as_text(value, names)
        with setting(_form, self.form):
            return self._replace(form="").said(facts, names)


class Late:
    """A fact rendered when formatted, so that a message can ask for a grammatical form."""

    def __init__(self, render: Callable[[], str]) -> None:
        self.render = render

    def __str__(self) -> str:
        return self.render()


class Variant(NamedTuple):
    """A translation, or one of its variants."""

    form: str
    conditions: tuple[tuple[str, str], ...]
    """(fact or fact.form, value)."""
    text: str


HEAD = re.compile(r"\[([\w.=, -]+)\] ?(.*)", re.DOTALL)


def variants(text: str) -> list[Variant]:
    first, *lines = text.split("\n")
    found = [Variant("", (), first)]
    for line in lines:
        head = HEAD.fullmatch(line)
        if head is None:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}")
            continue
        parts = [part.strip() for part in head[1].split(",")]
        conditions = tuple((fact, value) for fact, is_, value in (part.partition("=") for part in parts) if is_)
        found.append(Variant(next((part for part in parts if "=" not in part), ""), conditions, head[2]))
    return found


def facts_of(text: str) -> set[str]:
    """Facts of one variant. Raises Miswritten."""
    return {fact.partition(".")[0] for _, fact, _ in pieces(text) if fact is not None}


def pieces(text: str) -> list[tuple[str, str | None, str]]:
    """Split into (literal, fact, ways). Raises Miswritten."""
    try:
        return [(literal, fact, way or "") for literal, fact, way, _ in string.Formatter().parse(text)]
    except ValueError as problem:
        raise Miswritten(f"{problem}") from None


def compiled(text: str, way: Callable[[str], Way], language: str = ENGLISH) -> str | Entry:
    """Compile a message; `way` resolves a way's name. Raises Miswritten."""
    if "\n[" not in text:
        return _parts(text, way)
    found = variants(text)
    slots = {slot.fact: slot for one in found for slot in _slots(one.text, way)}
    *others, last = [(one.form, _condition(one, slots, language), _parts(one.text, way)) for one in [*found[1:], found[0]]]
    unasked = [*(one for one in others if not one[0]), last]

    def choose(facts: Facts, names: Names) -> str:
        wanted = _form.get()
        for form, holds, entry in others if wanted else ():
            if form == wanted and holds(facts, names):
                with setting(_form, ""):
                    return entry if isinstance(entry, str) else entry(facts, names)
        entry = next(entry for _, holds, entry in unasked if holds(facts, names))
        return entry if isinstance(entry, str) else entry(facts, names)

    return choose


YOU = "you"
ADDRESSES = (YOU, "they", "she", "he")


def address(seat: Any, names: Names) -> str:
    """Address of a seat, or of a list's only one, from `ADDRESSES`; "" for several."""
    if isinstance(seat, list | tuple):
        if len(seat) != 1:
            return ""
        seat = seat[0]
    if seat and seat == getattr(names, "reader", ""):
        return YOU
    found: str = getattr(names, "pronouns", {}).get(seat, "they")
    return found


def _condition(variant: Variant, slots: Mapping[str, Slot], language: str) -> Callable[[Facts, Names], bool]:
    def holds(facts: Facts, names: Names) -> bool:
        for asked, wanted in variant.conditions:
            fact, _, form = asked.partition(".")
            value = slots.get(fact, Slot(fact, "", ()))._replace(form=form).said(facts, names) if form else facts[fact]
            if wanted in ADDRESSES and not form and address(value, names) == wanted:
                continue
            if str(value) != wanted and not (isinstance(value, int) and plural(language, value) == wanted):
                return False
        return True

    return holds


def _slots(text: str, way: Callable[[str], Way]) -> Iterator[Slot]:
    for _, fact, ways in pieces(text):
        if fact is not None:
            name, _, form = fact.partition(".")
            yield Slot(name, form, tuple(way(one) for one in ways.split("|") if one))


def _parts(text: str, way: Callable[[str], Way]) -> str | Entry:
    found, slots = pieces(text), list(_slots(text, way))
    if not slots:
        return "".join(literal for literal, _, _ in found)
    if way is not no_way and not any(slot.form or slot.ways for slot in slots):
        fill = text.format_map
        return lambda facts, _names: fill(facts)
    left = iter(slots)
    parts: list[Any] = [
        part for literal, fact, _ in found for part in (literal, next(left) if fact is not None else "") if part
    ]

    def fill_in(facts: Facts, names: Names) -> str:
        said = []
        for part in parts:
            if part.__class__ is str:
                said.append(part)
                continue
            fact, form, ways = part
            if form:
                said.append(part.said(facts, names))
                continue
            value = facts[fact]
            for one in ways:  # inlined, as most facts have no form
                value = one(value, facts, names)
            said.append(value if value.__class__ is str else _as_text(value, names))
        return "".join(said)

    return fill_in


def checked(said: str, english: str, known: set[str], way: Callable[[str], Way], language: str) -> str | Entry:
    """Compile a translation; a faulty one falls back to English. `make words` reports it."""
    try:
        if said != english and not unfit(said, facts_of(english) | known):
            return compiled(said, way, language)
    except Miswritten:
        pass
    return compiled(english, way)


def unfit(text: str, known: set[str]) -> list[str]:
    """Facts of a translation that the message lacks. Raises Miswritten."""
    used = {fact for one in variants(text) for fact in facts_of(one.text) | {c.partition(".")[0] for c, _ in one.conditions}}
    return [f"there is no fact “{fact}”; there are: {', '.join(sorted(known)) or 'none'}" for fact in sorted(used - known)]


def _as_text(value: Any, names: Names) -> str:
    return str(value.text(names)) if hasattr(value, "text") else str(value)


@lru_cache(maxsize=4096)
def plural(language: str, n: int) -> str:
    """Plural category: `one`, `few`, `many`, `other`."""
    from babel.core import Locale  # lazy import: slow, and most messages have no plural

    return Locale.parse(language, sep="-").plural_form(n)


# --- messages named by their English text -----------------------------------------------------------------------------

PLACE = re.compile(r"%\((\w+)\)s|%%|[{}]")
_said: dict[gettext.NullTranslations, dict[str | tuple[str, str], str | Entry]] = {}
"""Compiled texts by English text and translation."""


@lru_cache(maxsize=8192)
def braced(message: str) -> str:
    """English text as translators see it: `%(name)s` becomes `{name}`."""
    return PLACE.sub(_brace, message)


def _brace(found: re.Match[str]) -> str:
    return f"{{{found[1]}}}" if found[1] else "%" if found[0] == "%%" else found[0] * 2


def no_way(name: str) -> Way:
    raise Miswritten(f"there is no way “{name}” in the service's messages")


def translated(message: str, facts: Facts, names: Names, many: str = "") -> str:
    """Translate and format; `many`: the plural, chosen by the fact `num`."""
    source = translations(_spoken.get())
    known = _said.get(source) or _said.setdefault(source, {})
    n = facts["num"] if many else 0
    key = (message, source.ngettext(braced(message), braced(many), n)) if many else message
    if (entry := known.get(key)) is None:
        text = key[1] if many else source.gettext(braced(message))
        english = braced(many if many and n != 1 else message)
        entry = known[key] = checked(text, english, {"num"} if many else set(), no_way, _spoken.get())
    return entry if isinstance(entry, str) else entry(facts, names)


def beginning(message: str) -> str:
    """Translated text up to the first fact."""
    found = variants(translations(_spoken.get()).gettext(braced(message)))[0].text
    return next((literal for literal, _, _ in pieces(found)), "")
