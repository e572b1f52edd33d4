"""Size limits for a host's own data file: counts, string lengths, nesting depth and numbers, checked before any work on it."""

from __future__ import annotations

from collections.abc import Mapping

from engine.asks import NotUnderstood
from engine.words import say

MOST_ENTRIES = 100
"""Entries of one list or object, where a game names no other limit for it."""
LONGEST = {"note": 2_000, "id": 60, "name": 60, "": 60}
"""Characters of a string, by the key that it stands at; the empty one: of a key itself."""
LONGEST_TEXT = 300
"""Characters of any other string."""
DEEPEST = 20
FURTHEST = 1_000_000
"""The largest number, either way."""


def check(data: object, most: Mapping[str, int] | None = None, key: str = "", depth: int = DEEPEST) -> None:
    """Refuse what is larger than any game needs; `most` has the entries that lists and objects may have, by their key.

    Raises NotUnderstood with one sentence: what is too large, and what would fit. One pass over the file; it stops at the
    first fault.
    """
    limits = most or {}
    if not depth:
        raise NotUnderstood(say("file.too_deep", most=DEEPEST))
    if isinstance(data, (dict, list)) and len(data) > limits.get(key, MOST_ENTRIES):
        raise NotUnderstood(say("file.too_many", key=key[:40], there=len(data), most=limits.get(key, MOST_ENTRIES)))
    if isinstance(data, dict):
        for name, part in data.items():
            _check_text("", str(name))
            check(part, limits, str(name), depth - 1)
    elif isinstance(data, list):
        for part in data:
            check(part, {}, key, depth - 1)
    elif isinstance(data, str):
        _check_text(key, data)
    elif isinstance(data, (int, float)) and not abs(data) <= FURTHEST:
        raise NotUnderstood(say("file.too_great", key=key[:40], most=FURTHEST))


def _check_text(key: str, text: str) -> None:
    most = LONGEST.get(key, LONGEST_TEXT)
    if len(text) > most:
        raise NotUnderstood(say("file.too_long", text=text[:20], there=len(text), most=most))
