"""Content cache for fragments of boards; without it a turn page takes 13 % longer. The key serialises all that a macro gets:
template, macro, language, names and colours of seats, arguments. The macro must read nothing else, or fragments would go stale
or leak.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context, Macro
from markupsafe import Markup

from engine.language.words import Names
from service.common import memo
from service.common.memo import MemoCache

MOST = 16_000_000
"""Most characters of fragments and keys."""
BETWEEN = "<!---->"
"""Separator of several fragments; escaping keeps it out of words."""
KEPT = MemoCache[tuple[Markup, ...]](MOST)


@pass_context
def kept_part(
    context: Context, macro: Macro, names: Names, colours: Mapping[str, str], /, *given: Any, by: Any = None
) -> Markup:
    """The fragment rendered from `given`, cached if that can be serialised. `by`: a shorter key."""
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
    """`kept_part` for a macro that renders several fragments separated by `apart`."""
    key = _key((context.name, macro.name), names, colours, given if by is None else by, apart)
    found = KEPT.get(key) if key else None
    if found is None:
        drawn = Markup(context.call(macro, *given))
        found = tuple(drawn.split(apart)) if apart else (drawn,)
        if key:
            KEPT.keep(key, found, len(drawn))
    return found


def mark_of(*things: Any) -> Any:
    key = memo.written(*things)
    return hashlib.sha256(key).digest() if key else object()  # not serialisable either, so never cached


def _key(macro: tuple[str | None, str], names: Names, colours: Mapping[str, str], by: Any, apart: str) -> bytes:
    spoken = memo.speech(names)
    return memo.written(macro, apart, spoken, dict(colours), by) if spoken is not None else b""
