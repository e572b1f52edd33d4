"""Size limits of an uploaded data file: counts, string lengths, nesting depth and numbers."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core.asks import NotUnderstood
from engine.language.words import say

MOST_ENTRIES = 100
"""Default limit of a list's or object's entries."""
LONGEST = {"note": 2_000, "id": 60, "name": 60, "": 60}
"""Most characters of a string by its key; "" limits keys themselves."""
LONGEST_TEXT = 300
"""Most characters of any other string."""
DEEPEST = 20
FURTHEST = 1_000_000
"""Largest absolute number."""


def check(data: object, most: Mapping[str, int] | None = None, key: str = "", depth: int = DEEPEST) -> None:
    """Check sizes in one pass; `most` limits a key's entries.

    Raises NotUnderstood at the first fault, with the limit.
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
