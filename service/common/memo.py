"""What was made before of the very same things, kept in the memory of a process.

It is kept under all that it is made of, written out whole, so that it is found only where the same would be made anew: nobody
learns by it what isn't his to know, and nothing grows stale.
"""

from __future__ import annotations

import hashlib
import marshal
from functools import lru_cache
from typing import Any, Generic, TypeVar

from engine.words import Names, language, names_here
from service.common.i18n import is_made_up

Thing = TypeVar("Thing")

PLAIN = 2
"""The version of `marshal` that writes equal things alike, however they came to be."""


class MemoCache(Generic[Thing]):
    """Things by what they are made of. When there are too many characters of both, all are forgotten."""

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self.get = dict[bytes, Thing]().get
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._kept: dict[bytes, Thing] = {}
        self.get, self.size = self._kept.get, 0

    def keep(self, key: bytes, thing: Thing, size: int) -> None:
        """Keep a thing of so many characters."""
        if self.size + size + len(key) > self.most:
            self.clear()
        self.size += size + len(key)
        self._kept[key] = thing


def speech(names: Names) -> tuple[Any, ...] | None:
    """All that words are made of beside what they tell: the language spoken, and what seats and things are called; None where
    that can't be written out."""
    spoken, here = language(), names_here()
    if is_made_up(spoken):  # it may be another one under the same name
        return None
    return spoken, dict(names), _mark(getattr(names, "own", "")), dict(here), _mark(getattr(here, "own", ""))


def written(*things: Any) -> bytes:
    """Things as the key under which something is kept; empty where they can't be written out."""
    try:
        return marshal.dumps(things, PLAIN)
    except ValueError:
        return b""


@lru_cache(64)
def _mark(own: str) -> bytes:
    """What a host's own file is known by."""
    return hashlib.sha256(own.encode()).digest() if own else b""
