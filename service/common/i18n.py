"""Translation of the service's messages; catalogues: `engine.language.i18n`.

`gettext` and `ngettext` translate now: `gettext("You are %(name)s.", name=name)`. `sentence` and `nsentence` of
`service.common.messages` are translated when read. `mark` marks a text for extraction by `make words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from babel.core import Locale, UnknownLocaleError
from jinja2 import Environment, pass_environment, pass_eval_context
from jinja2.filters import do_wordwrap
from jinja2.nodes import EvalContext
from markupsafe import Markup, escape
from pyphen import Pyphen, language_fallback

from engine.games import game_called
from engine.language.i18n import Late, speaking, translated
from engine.language.words import KERNEL, NOBODY, names_here
from engine.ui.boards import board, hexes_as_text

SHY = "\u00ad"
"""Soft hyphen: without it mail programs break long names anywhere."""
LONG = 9
"""Least letters of a hyphenated word."""
LONG_WORD = re.compile(rf"[^\W\d_]{{{LONG},}}")
MAPS = "fr"
"""Language of the names on maps."""
_zone: ContextVar[str] = ContextVar("zone", default="UTC")


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


def gettext(message: str, /, **facts: object) -> str:
    return translated(message, facts, names_here())


def ngettext(one: str, many: str, n: int, /, **facts: object) -> str:
    """Translated plural form; `%(num)s` is the number."""
    return translated(one, {"num": n, **facts}, names_here(), many)


def for_templates(environment: Environment) -> None:
    """Install gettext in a Jinja environment, and filters; its `wordwrap` keeps `OR-AMB-99` whole. `board_of(view, names)` is
    the default board, `hexes_as_text` a text map.
    """
    environment.extend(newstyle_gettext=True)  # before the extension, which defaults to False
    environment.add_extension("jinja2.ext.i18n")
    environment.globals["hexes_as_text"] = hexes_as_text
    environment.globals["board_of"] = lambda view, names: board(game_called(view["game"]), view, names)
    environment.globals["gettext"] = environment.globals["_"] = _gettext
    environment.globals["ngettext"] = _ngettext
    environment.filters |= {
        "listed": listed,
        "together": together,
        "either": either,
        "hyphenated": hyphenated,
        "spelled": lambda n: KERNEL.text("phrase", "spelled", {"n": n}),  # a small number in words
        "wordwrap": _wordwrap,
    }


@pass_eval_context
def _gettext(context: EvalContext, message: str, /, **facts: Any) -> str:
    return _in_template(context, message, "", facts)


@pass_eval_context
def _ngettext(context: EvalContext, one: str, many: str, n: int, /, **facts: Any) -> str:
    return _in_template(context, one, many, {"num": n, **facts})


def _in_template(context: EvalContext, message: str, many: str, facts: dict[str, Any]) -> str:
    if not context.autoescape:
        return translated(message, facts, NOBODY, many)
    return Markup(translated(message, {name: _escaped(fact) for name, fact in facts.items()}, NOBODY, many))


def _escaped(fact: object) -> object:
    """Escape now; a fact with forms when it is formatted."""
    if isinstance(fact, int | float):
        return fact
    return escape(fact) if isinstance(fact, str) or hasattr(fact, "__html__") else Late(lambda: escape(str(fact)))


@pass_environment
def _wordwrap(environment: Environment, text: str, width: int = 79, **options: Any) -> str:
    return do_wordwrap(environment, text, width, **{"break_on_hyphens": False, **options})


def mark(message: str) -> str:
    return message


def together(items: Iterable[object]) -> str:
    """`Anna, Bert and Cleo`."""
    return _joined("and", items)


def either(items: Iterable[object]) -> str:
    """`+2, +1 or pass`."""
    return _joined("or", items)


def listed(items: Iterable[object]) -> str:
    """`Anna, Bert, Cleo`."""
    return _joined("comma", items)


def _joined(how: str, items: Iterable[object]) -> str:
    said = [str(item) for item in items]
    return KERNEL.listed(how, said) if said else ""


def hyphenated(text: str, language: str = MAPS) -> str:
    """Insert soft hyphens into long words, at least three letters from either end."""
    return LONG_WORD.sub(lambda word: _patterns(language).inserted(word[0], SHY), text)


@cache
def _patterns(language: str) -> Pyphen:
    return Pyphen(lang=language_fallback(language) or MAPS, left=3, right=3)
