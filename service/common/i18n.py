"""Translation by gettext: catalogues `translations/LANG.po`, in the current language.

`gettext` and `ngettext` translate now, with named facts: `gettext("You are %(name)s.", name=name)`. `sentence` and `nsentence`
of `service.common.messages` build messages translated when read. `mark` marks a text for extraction; `make words` extracts to
`translations/writ.pot`.
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
from service.common.hyphenate import hyphenated

TRANSLATIONS = Path(__file__).resolve().parents[2] / "translations"
"""Adding a .po file offers its language."""
FACT = re.compile(r"%\(\w+\)s|%%")
"""Placeholders and escaped percent signs."""

_zone: ContextVar[str] = ContextVar("zone", default="UTC")


def languages() -> list[str]:
    """Available languages, English first."""
    return [ENGLISH, *sorted(_translated(TRANSLATIONS) | _made.keys())]


@cache
def _translated(folder: Path) -> frozenset[str]:
    return frozenset(path.stem for path in folder.glob("*.po"))


def called(language: str) -> str:
    """A language's own name: `Deutsch`."""
    try:
        found = Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return language
    return found.get_display_name() or language


@contextmanager
def speaking_to(language: str, zone: str) -> Iterator[None]:
    """Set the reader's language and zone in this context."""
    before = _zone.set(zone)
    try:
        with speaking(language):
            yield
    finally:
        _zone.reset(before)


def zone() -> str:
    return _zone.get()


@contextmanager
def made_up(language: str, change: Change) -> Iterator[None]:
    """Add a pseudo-language, also in the engine: `change` transforms text between placeholders."""
    with engine_words.made_up(language, change):
        _made[language] = _MadeUp(change)
        try:
            yield
        finally:
            del _made[language]


class _MadeUp(catalogues.NullTranslations):
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
    return language in _made


def _catalogue(spoken: str) -> catalogues.NullTranslations:
    return _made.get(spoken) or _compiled(spoken, TRANSLATIONS)


def read_catalogues() -> None:
    """Preload all catalogues, which takes a while."""
    for spoken in languages():
        _catalogue(spoken)


@cache
def _compiled(spoken: str, folder: Path) -> catalogues.NullTranslations:
    """Empty (English) if there is no file."""
    path = folder / f"{spoken}.po"
    if not path.is_file():
        return catalogues.NullTranslations()
    compiled = io.BytesIO()
    with path.open("rb") as file:
        write_mo(compiled, read_po(file, locale=spoken.replace("-", "_")))
    compiled.seek(0)
    return catalogues.GNUTranslations(compiled)


def gettext(message: str, /, **facts: object) -> str:
    """Translate a message with its facts."""
    found = message if (spoken := language()) == ENGLISH else _catalogue(spoken).gettext(message)
    return found % facts if facts else found


def ngettext(one: str, many: str, n: int, /, **facts: object) -> str:
    """Translate a message with plural; `%(num)s` is the number."""
    return _plural(one, many, n) % {"num": n, **facts}


def _plural(one: str, many: str, n: int, /) -> str:
    return (one if n == 1 else many) if (spoken := language()) == ENGLISH else _catalogue(spoken).ngettext(one, many, n)


def for_templates(environment: Environment) -> None:
    """Install gettext in a Jinja environment, and filters: `listed`, `together`, `either`, `hyphenated`, and a `wordwrap` that
    keeps `OR-AMB-99` whole.

    `board_of(view, names)` is the default board, `hexes_as_text` a text map.
    """
    environment.add_extension("jinja2.ext.i18n")
    environment.globals["hexes_as_text"] = hexes_as_text
    environment.globals["board_of"] = lambda view, names: board(game_called(view["game"]), view, names)
    install: Any = environment  # the extension adds methods to it
    install.install_gettext_callables(lambda message: gettext(message), _plural, newstyle=True)
    environment.globals["_"] = environment.globals["gettext"]
    environment.filters |= {
        "listed": listed,
        "together": together,
        "either": either,
        "hyphenated": hyphenated,
        "wordwrap": _wordwrap,
    }


@pass_environment
def _wordwrap(environment: Environment, text: str, width: int = 79, **options: Any) -> str:
    return do_wordwrap(environment, text, width, **{"break_on_hyphens": False, **options})


def mark(message: str) -> str:
    """Mark a message for extraction."""
    return message


def together(items: Iterable[object]) -> str:
    """Join as `Anna, Bert and Cleo`."""
    *before, last = [str(item) for item in items] or [""]
    return gettext("%(before)s and %(last)s", before=listed(before), last=last) if before else last


def either(items: Iterable[object]) -> str:
    """Join as `+2, +1 or pass`."""
    *before, last = [str(item) for item in items] or [""]
    return gettext("%(before)s or %(last)s", before=listed(before), last=last) if before else last


def listed(items: Iterable[object]) -> str:
    """Join as `Anna, Bert, Cleo`."""
    said = ""
    for place, item in enumerate(items):
        said = gettext("%(before)s, %(last)s", before=said, last=item) if place else str(item)
    return said
