"""Size-bounded memo cache, keyed by the serialised inputs. The key holds every input, so nothing goes stale or leaks to another
reader.
"""

from __future__ import annotations

import hashlib
import marshal
from functools import lru_cache
from typing import Any, Generic, TypeVar

from engine.language.i18n import is_made_up, language
from engine.language.words import Named, Names, names_here

Thing = TypeVar("Thing")

PLAIN = 2
"""`marshal` version without references: equal values serialise identically."""


class MemoCache(Generic[Thing]):
    """Cache that is emptied when keys and values exceed `most` characters."""

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self.get = dict[bytes, Thing]().get
        self.clear()

    def clear(self) -> None:
        self._kept: dict[bytes, Thing] = {}
        self.get, self.size = self._kept.get, 0

    def keep(self, key: bytes, thing: Thing, size: int) -> None:
        """Store a value of `size` characters."""
        if self.size + size + len(key) > self.most:
            self.clear()
        self.size += size + len(key)
        self._kept[key] = thing


def speech(names: Names) -> tuple[Any, ...] | None:
    """Inputs of formatting besides the text; None if they can't be serialised."""
    spoken, here = language(), names_here()
    if is_made_up(spoken):  # another one may have the same name
        return None
    return spoken, _called(names), _called(here)


def written(*things: Any) -> bytes:
    """Serialise to a cache key; empty if impossible."""
    try:
        return marshal.dumps(things, PLAIN)
    except ValueError:
        return b""


def _called(names: Names) -> tuple[Any, ...]:
    if not isinstance(names, Named):
        return (dict(names),)
    return dict(names), _mark(names.own), names.reader, sorted(names.pronouns.items())


@lru_cache(64)
def _mark(own: str) -> bytes:
    return hashlib.sha256(own.encode()).digest() if own else b""
