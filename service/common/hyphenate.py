"""Hyphenation of long names in letters by soft hyphens, without which mail programs break them anywhere."""

from __future__ import annotations

import re
from functools import cache

from pyphen import Pyphen, language_fallback

SHY = "\u00ad"
LONG = 9
"""Least letters of a hyphenated word."""
MAPS = "fr"
"""Language of the names on maps."""
_WORD = re.compile(rf"[^\W\d_]{{{LONG},}}")


def hyphenated(text: str, language: str = MAPS) -> str:
    """Insert soft hyphens into long words, at least three letters from either end."""
    return _WORD.sub(lambda word: _patterns(language).inserted(word[0], SHY), text)


@cache
def _patterns(language: str) -> Pyphen:
    return Pyphen(lang=language_fallback(language) or MAPS, left=3, right=3)
