"""Uploaded data files (JSON): parsing, and limits of counts, string lengths, nesting depth and numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.core.asks import NotUnderstood, refuse_if
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


def read(text: str, most: Mapping[str, int] | None = None, twice: bool = False) -> Any:
    """Parse an uploaded file. `most`: entries by key. `twice`: a repeated key takes its last value (older games). Raises
    NotUnderstood at the first fault.
    """
    try:
        data = json.loads(
            text.removeprefix("\ufeff"), parse_constant=_no_number, object_pairs_hook=dict if twice else _once_each
        )
    except json.JSONDecodeError as problem:
        raise NotUnderstood(say("file.no_json", problem=problem.msg, line=problem.lineno)) from None
    except (ValueError, RecursionError):
        raise NotUnderstood(say("file.not_read")) from None
    _check(data, most or {}, "", DEEPEST)
    return data


def _no_number(word: str) -> Any:
    raise NotUnderstood(say("file.no_number", word=word))


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        for key, _ in pairs:
            if key in seen:
                raise NotUnderstood(say("file.twice", key=ascii(key[:40])))
            seen.add(key)
    return found


def _check(data: object, limits: Mapping[str, int], key: str, depth: int) -> None:
    refuse_if(not depth, "file.too_deep", most=DEEPEST)
    if isinstance(data, (dict, list)) and len(data) > limits.get(key, MOST_ENTRIES):
        raise NotUnderstood(say("file.too_many", key=key[:40], there=len(data), most=limits.get(key, MOST_ENTRIES)))
    if isinstance(data, dict):
        for name, part in data.items():
            _check_text("", name)
            _check(part, limits, name, depth - 1)
    elif isinstance(data, list):
        for part in data:
            _check(part, {}, key, depth - 1)
    elif isinstance(data, str):
        _check_text(key, data)
    elif isinstance(data, (int, float)) and not abs(data) <= FURTHEST:
        raise NotUnderstood(say("file.too_great", key=key[:40], most=FURTHEST))


def _check_text(key: str, text: str) -> None:
    most = LONGEST.get(key, LONGEST_TEXT)
    refuse_if(len(text) > most, "file.too_long", text=text[:20], there=len(text), most=most)
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise NotUnderstood(say("file.half_character", text=ascii(text[:40])))
