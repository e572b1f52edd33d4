"""Words of the service, by gettext: catalogues `translations/LANG.po`, read in the language that is spoken.

* `gettext` and `ngettext` say something now. Facts go in by their names: `gettext("You are %(name)s.", name=name)`.
* `sentence` and `nsentence` of `service.common.messages` make the same as data, which is put into words where it is read.
* `mark` only tells the catalogue that a text of a table is a message; whoever takes it out says it by `gettext`.

What is said in English stands in the source; `make words` gathers it in `translations/writ.pot`.
"""

from __future__ import annotations

import gettext as catalogues
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from babel.core import Locale, UnknownLocaleError
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from jinja2 import Environment, pass_environment
from jinja2.filters import do_wordwrap

from engine import words as engine_words
from engine.boards import board, hexes_as_text
from engine.games import game_called
from engine.words import ENGLISH, Change, language, speaking
from service.common.hyphenate import parted

TRANSLATIONS = Path(__file__).resolve().parents[2] / "translations"
"""A file for each language; one is offered as soon as its file is there."""
FACT = re.compile(r"%\(\w+\)s|%%")
"""Where a fact goes in a message, and what a percent sign is written as."""

_zone: ContextVar[str] = ContextVar("zone", default="UTC")


# --- languages --------------------------------------------------------------------------------------------------------


def languages() -> list[str]:
    """The languages that there are words in, English first: it is the language of the texts themselves."""
    return [ENGLISH, *sorted(_translated(TRANSLATIONS) | _made.keys())]


@cache
def _translated(folder: Path) -> frozenset[str]:
    return frozenset(path.stem for path in folder.glob("*.po"))


def called(language: str) -> str:
    """What a language calls itself: `Deutsch`."""
    try:
        found = Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return language
    return found.get_display_name() or language


@contextmanager
def speaking_to(language: str, zone: str) -> Iterator[None]:
    """Speak to a reader for a while: in a language, and with moments in a zone."""
    before = _zone.set(zone)
    try:
        with speaking(language):
            yield
    finally:
        _zone.reset(before)


def zone() -> str:
    """The zone of whom is spoken to."""
    return _zone.get()


@contextmanager
def made_up(language: str, change: Change) -> Iterator[None]:
    """Add a language for a while, here and in the engine, that is made by changing each piece of English between facts."""
    with engine_words.made_up(language, change):
        _made[language] = _MadeUp(change)
        try:
            yield
        finally:
            del _made[language]


class _MadeUp(catalogues.NullTranslations):
    """Catalogue of a language that is made up."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self.change = change
        self.known: dict[str, str] = {}

    def gettext(self, message: str) -> str:
        if message not in self.known:
            self.known[message] = self._changed(message)
        return self.known[message]

    def _changed(self, message: str) -> str:
        pieces, begin = [], 0
        for fact in FACT.finditer(message):
            pieces += [message[begin : fact.start()], fact[0]]
            begin = fact.end()
        pieces.append(message[begin:])
        return "".join(piece if FACT.fullmatch(piece) or not piece else self.change(piece) for piece in pieces)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)


_made: dict[str, _MadeUp] = {}


def is_made_up(language: str) -> bool:
    """Whether a language is one that `made_up` has added."""
    return language in _made


def _catalogue(spoken: str) -> catalogues.NullTranslations:
    return _made.get(spoken) or _compiled(spoken, TRANSLATIONS)


def read_catalogues() -> None:
    """Read the catalogues of all languages, which takes a while."""
    for spoken in languages():
        _catalogue(spoken)


@cache
def _compiled(spoken: str, folder: Path) -> catalogues.NullTranslations:
    """The catalogue of a language; an empty one, which says all in English, where there is none."""
    path = folder / f"{spoken}.po"
    if not path.is_file():
        return catalogues.NullTranslations()
    compiled = io.BytesIO()
    with path.open("rb") as file:
        write_mo(compiled, read_po(file, locale=spoken.replace("-", "_")))
    compiled.seek(0)
    return catalogues.GNUTranslations(compiled)


# --- now --------------------------------------------------------------------------------------------------------------


def gettext(message: str, /, **facts: object) -> str:
    """A message in the language spoken, with its facts."""
    found = message if (spoken := language()) == ENGLISH else _catalogue(spoken).gettext(message)
    return found % facts if facts else found


def ngettext(one: str, many: str, n: int, /, **facts: object) -> str:
    """A message that depends on a number, in the language spoken; `%(num)s` stands for the number."""
    return _plural(one, many, n) % {"num": n, **facts}


def _plural(one: str, many: str, n: int, /) -> str:
    return (one if n == 1 else many) if (spoken := language()) == ENGLISH else _catalogue(spoken).ngettext(one, many, n)


def for_templates(environment: Environment) -> None:
    """Install gettext in a Jinja environment: `_`, `ngettext`, `trans` blocks; and the filters `listed`, `together`, `either`,
    `parted` and a `wordwrap` that doesn't break at hyphens (`OR-AMB-99` stays whole).

    `board_of(view, names)` is the board of a game that brings none of its own, `hexes_as_text` a map as letters.
    """
    environment.add_extension("jinja2.ext.i18n")
    environment.globals["hexes_as_text"] = hexes_as_text
    environment.globals["board_of"] = lambda view, names: board(game_called(view["game"]), view, names)
    install: Any = environment  # the extension adds methods to it
    install.install_gettext_callables(lambda message: gettext(message), _plural, newstyle=True)
    environment.globals["_"] = environment.globals["gettext"]
    environment.filters |= {"listed": listed, "together": together, "either": either, "parted": parted, "wordwrap": _wordwrap}


@pass_environment
def _wordwrap(environment: Environment, text: str, width: int = 79, **options: Any) -> str:
    return do_wordwrap(environment, text, width, **{"break_on_hyphens": False, **options})


def mark(message: str) -> str:
    """The message itself: a mark for the catalogue."""
    return message


def together(items: Iterable[object]) -> str:
    """Those who do or undergo something: `Anna, Bert and Cleo`."""
    *before, last = [str(item) for item in items] or [""]
    return gettext("%(before)s and %(last)s", before=listed(before), last=last) if before else last


def either(items: Iterable[object]) -> str:
    """What can be chosen from: `+2, +1 or pass`."""
    *before, last = [str(item) for item in items] or [""]
    return gettext("%(before)s or %(last)s", before=listed(before), last=last) if before else last


def listed(items: Iterable[object]) -> str:
    """Words one after the other: `Anna, Bert, Cleo`."""
    said = ""
    for place, item in enumerate(items):
        said = gettext("%(before)s, %(last)s", before=said, last=item) if place else str(item)
    return said
