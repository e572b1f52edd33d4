"""Parts of a board that look the same from page to page, kept in the memory of a web process.

A part is kept under all that it is made of, written out whole: the language spoken, the names and colours of the seats, the
file by which a host calls things by names of his own, and whatever else its macro is given. So it is shown again only where
the same would be drawn anew: nobody sees by it what his own page doesn't hold, and nothing grows stale. In turn the macro may
look at nothing but what it is given, names, colours and drawings: not at the view, the seat, or what is asked.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from engine.words import Names, language, names_here
from service.ground.quick import Quick
from service.ground.words import is_made_up

MOST = 16_000_000
"""Characters that are kept, of parts and of what they are known by; when there are more, all are forgotten."""
PLAIN = 2
"""The version of `marshal` that writes equal things alike, however they came to be."""
BETWEEN = "<!---->"
"""Stands between the pieces of a part that has several. No word can be that, for words are escaped."""
_kept: dict[bytes, tuple[Markup, ...]] = {}
_size = 0


def kept_part(macro: Quick, names: Names, colours: Mapping[str, str], /, *given: Any, by: Any = None) -> Markup:
    """What a macro draws with these, drawn before or now. What can't be written out whole is drawn now.

    `by`: what is known by less than itself, such as a map by its mark, so that it needn't be written out; with all the rest.
    """
    return kept_pieces(macro, names, colours, *given, by=by, apart="")[0]


def kept_pieces(
    macro: Quick, names: Names, colours: Mapping[str, str], /, *given: Any, by: Any = None, apart: str = BETWEEN
) -> tuple[Markup, ...]:
    """The same of a macro that draws several things, with a mark between two that lie `apart`: each by itself."""
    global _size  # what is kept is one for the process, and so is how much it is
    key = _key(macro, names, colours, given if by is None else by, apart)
    found = _kept.get(key) if key else None
    if found is None:
        drawn = macro.html(*given)
        found = tuple(drawn.split(apart)) if apart else (drawn,)
        if key:
            _size += len(drawn) + len(key)
            if _size > MOST:
                _kept.clear()
                _size = len(drawn) + len(key)
            _kept[key] = found
    return found


def _key(macro: Quick, names: Names, colours: Mapping[str, str], by: Any, apart: str) -> bytes:
    """All that a part is made of; empty where that can't be written out."""
    if is_made_up(language()):  # it may be another one under the same name
        return b""
    here = names_here()
    called = (dict(names), _mark(getattr(names, "own", "")), dict(here), _mark(getattr(here, "own", "")))
    try:
        return marshal.dumps((macro.place, apart, language(), called, dict(colours), by), PLAIN)
    except ValueError:
        return b""


@lru_cache(64)
def _mark(own: str) -> bytes:
    """What a host's own file is known by."""
    return hashlib.sha256(own.encode()).digest() if own else b""
