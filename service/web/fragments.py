"""Parts of a board that look the same from page to page, kept in the memory of a web process.

A part is kept under all that it is made of, written out whole: the language spoken, the names and colours of the seats, the
file by which a host calls things by names of his own, and whatever else its macro is given. So it is shown again only where
the same would be drawn anew: nobody sees by it what his own page doesn't hold, and nothing grows stale. In turn the macro may
look at nothing but what it is given, names, colours and drawings: not at the view, the seat, or what is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from engine.words import Names
from service.ground import kept
from service.ground.kept import Shelf
from service.ground.quick import Quick

MOST = 16_000_000
"""Characters that are kept, of parts and of what they are known by."""
BETWEEN = "<!---->"
"""Stands between the pieces of a part that has several. No word can be that, for words are escaped."""
KEPT = Shelf[tuple[Markup, ...]](MOST)


def kept_part(macro: Quick, names: Names, colours: Mapping[str, str], /, *given: Any, by: Any = None) -> Markup:
    """What a macro draws with these, drawn before or now. What can't be written out whole is drawn now.

    `by`: what is known by less than itself, such as a map by its mark, so that it needn't be written out; with all the rest.
    """
    return kept_pieces(macro, names, colours, *given, by=by, apart="")[0]


def kept_pieces(
    macro: Quick, names: Names, colours: Mapping[str, str], /, *given: Any, by: Any = None, apart: str = BETWEEN
) -> tuple[Markup, ...]:
    """The same of a macro that draws several things, with a mark between two that lie `apart`: each by itself."""
    key = _key(macro, names, colours, given if by is None else by, apart)
    found = KEPT.get(key) if key else None
    if found is None:
        drawn = macro.html(*given)
        found = tuple(drawn.split(apart)) if apart else (drawn,)
        if key:
            KEPT.keep(key, found, len(drawn))
    return found


def mark_of(*things: Any) -> Any:
    """What things that are written out at length are known by, to be given as `by`, or in it."""
    key = kept.written(*things)
    return hashlib.sha256(key).digest() if key else object()  # which can't be written out either


def _key(macro: Quick, names: Names, colours: Mapping[str, str], by: Any, apart: str) -> bytes:
    """All that a part is made of; empty where that can't be written out."""
    spoken = kept.speech(names)
    return kept.written(macro.place, apart, spoken, dict(colours), by) if spoken is not None else b""
