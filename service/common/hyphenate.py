"""Where a long word may be parted in a narrow cell, so that it is with a hyphen and between syllables.

Mail programs that know neither a language's hyphenation nor a map's names break them anywhere else. The joints are soft
hyphens: they show only where a line ends. What counts as a syllable is near enough for names of the languages that Writ speaks.
"""

from __future__ import annotations

import re
from itertools import pairwise

SHY = "\u00ad"
LONG = 9
"""Letters of a word that is parted."""
_VOWELS = "aeiouyàáâäæèéêëìíîïòóôöœùúûü"
_ONE_SOUND = "bl|br|ch|cl|cr|dr|fl|fr|gl|gn|gr|ph|pl|pr|qu|th|tr|vr"
_JOINT = re.compile(rf"(?<=[^\W\d_]{{3}})(?=(?:{_ONE_SOUND}|[^\W\d_{_VOWELS}])[{_VOWELS}])(?=[^\W\d_]{{3}})", re.IGNORECASE)
_CLUSTER = re.compile(f"(?:{_ONE_SOUND})$", re.IGNORECASE)
_WORD = re.compile(rf"[^\W\d_]{{{LONG},}}")


def parted(text: str) -> str:
    """The text with soft hyphens between the syllables of its long words, three letters at least on either side."""
    return _WORD.sub(lambda word: _syllables(word[0]), text)


def _syllables(word: str) -> str:
    joints = [m.start() for m in _JOINT.finditer(word)]
    # within two letters that are one sound there is no joint
    cuts = [0, *(at for at in joints if not _CLUSTER.search(word[at - 1 : at + 1])), len(word)]
    return SHY.join(word[a:b] for a, b in pairwise(cuts))
