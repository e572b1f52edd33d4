"""Hyphenation of long names in letters by soft hyphens: mail programs break them anywhere else.

Approximate syllables, the same for all languages: names of maps are in no language's patterns.
"""

from __future__ import annotations

import re
from itertools import pairwise

SHY = "\u00ad"
LONG = 9
"""Least letters of a hyphenated word."""
_VOWELS = "aeiouyàáâäæèéêëìíîïòóôöœùúûü"
_ONE_SOUND = "bl|br|ch|cl|cr|dr|fl|fr|gl|gn|gr|ph|pl|pr|qu|th|tr|vr"
_JOINT = re.compile(rf"(?<=[^\W\d_]{{3}})(?=(?:{_ONE_SOUND}|[^\W\d_{_VOWELS}])[{_VOWELS}])(?=[^\W\d_]{{3}})", re.IGNORECASE)
_CLUSTER = re.compile(f"(?:{_ONE_SOUND})$", re.IGNORECASE)
_WORD = re.compile(rf"[^\W\d_]{{{LONG},}}")


def hyphenated(text: str) -> str:
    """Insert soft hyphens into long words, at least three letters from either end."""
    return _WORD.sub(lambda word: _syllables(word[0]), text)


def _syllables(word: str) -> str:
    joints = [m.start() for m in _JOINT.finditer(word)]
    # not inside a consonant cluster
    cuts = [0, *(at for at in joints if not _CLUSTER.search(word[at - 1 : at + 1])), len(word)]
    return SHY.join(word[a:b] for a, b in pairwise(cuts))
