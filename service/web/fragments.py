"""Content cache for fragments of boards that look the same from page to page, in the memory of a web process.

The key is everything that the fragment's macro is given, serialised: template, macro name, language, the seats' names and
colours, a host's own names of things, and the arguments. So nothing goes stale, and a player sees only what their own page
holds. In turn the macro may read nothing but its arguments, names, colours and drawings: not the view, the seat or the
question.

Without it a turn page takes 13 % longer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context, Macro
from markupsafe import Markup

from engine.words import Names
from service.common import memo
from service.common.memo import MemoCache

MOST = 16_000_000
"""Characters that are kept, of fragments and of their keys."""
BETWEEN = "<!---->"
"""Separates the pieces of a fragment that has several. No word can be that, for words are escaped."""
KEPT = MemoCache[tuple[Markup, ...]](MOST)


@pass_context
def kept_part(
    context: Context, macro: Macro, names: Names, colours: Mapping[str, str], /, *given: Any, by: Any = None
) -> Markup:
    """The fragment that a macro of the calling template renders from `given`, from the cache or rendered now.

    `by`: a shorter key in place of `given`, such as a hash. What can't be serialised is rendered every time.
    """
    return kept_pieces(context, macro, names, colours, *given, by=by, apart="")[0]


@pass_context
def kept_pieces(
    context: Context,
    macro: Macro,
    names: Names,
    colours: Mapping[str, str],
    /,
    *given: Any,
    by: Any = None,
    apart: str = BETWEEN,
) -> tuple[Markup, ...]:
    """The same for a macro that renders several fragments separated by `apart`: each by itself."""
    key = _key((context.name, macro.name), names, colours, given if by is None else by, apart)
    found = KEPT.get(key) if key else None
    if found is None:
        drawn = Markup(context.call(macro, *given))
        found = tuple(drawn.split(apart)) if apart else (drawn,)
        if key:
            KEPT.keep(key, found, len(drawn))
    return found


def mark_of(*things: Any) -> Any:
    """What things that are written out at length are known by, to be given as `by`, or in it."""
    key = memo.written(*things)
    return hashlib.sha256(key).digest() if key else object()  # which can't be written out either


def _key(macro: tuple[str | None, str], names: Names, colours: Mapping[str, str], by: Any, apart: str) -> bytes:
    """The serialised cache key; empty where something can't be serialised."""
    spoken = memo.speech(names)
    return memo.written(macro, apart, spoken, dict(colours), by) if spoken is not None else b""
