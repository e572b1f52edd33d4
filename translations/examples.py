"""Rendered examples of messages, as comments for translators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.language import i18n
from engine.language.words import CATALOGUES, Catalogue, Tables

NAMES = {"a": "Anna", "b": "Bert", "c": "Cleo"}
NUMBERS = {
    "n", "num", "number", "count", "most", "least", "left", "points", "bid", "margin", "roll", "strength", "knights", "maa",
    "force", "needed", "black", "white", "round", "due", "at", "has", "a", "d", "base", "cards", "towers", "cubes", "capacity",
    "deniers", "defence", "line",
}  # fmt: skip
"""Facts that are numbers, unless a variant says otherwise."""
WORDS = {
    "name": "Anna", "who": "Anna", "host": "Anna", "Seat": "Anna", "seat": "Anna", "to": "Bert", "other": "Bert",
    "target": "Bert", "owner": "Bert", "by": "Bert", "attacker": "Anna", "defender": "Bert", "Attacker": "Anna",
    "captor": "Bert", "names": "Anna, Bert", "seats": "Anna, Bert", "first": "Anna", "last": "Cleo", "before": "Anna, Bert",
    "match": "Harvest war", "game": "Fief: France 1429", "games": "Harvest war, Winter war", "title": "Fief: France 1429",
    "when": "Sat 21 Nov, 18:00", "until": "Sat 21 Nov, 18:00", "time": "18:00", "day": "21 Nov 2026", "span": "2 days",
    "moment": "Sat 21 Nov 2026, 18:00 CET", "long": "1 day", "short": "6 h", "email": "anna@example.org",
    "address": "anna@example.org", "slot": "C2", "lord": "Blanche", "village": "Bourg", "fief": "Bourg", "castle": "Anjou",
}  # fmt: skip
OWN = {
    "lord": "Blanche", "village": "bourg", "fief": "bourg", "see": 1, "diocese": 1, "card": "taxes", "set": "3+1",
    "thing": "Fury", "short": "Fury",
}  # fmt: skip
"""Values for the games' own variants."""
THINGS = {"tile": "Fort", "castle": "Anjou", "card": "Ambush"}
COUNTED = {"engine.fief": ["taxes", "taxes", "plague"], "engine.mastery": ["Ambush", "Conflict2", "Conflict2"]}


def example(text: str, tables: Tables | None) -> str:
    """An English message with made-up facts; "" if there is nothing to show."""
    facts: dict[str, Any] = {}
    seats = iter("abcabcabc")
    try:
        for _, fact, way in i18n.pieces(text):
            if fact is not None and fact not in facts:
                facts[fact] = _value(fact, way, tables.catalogue if tables else None, seats, 3)
        if not facts:
            return ""
        said = i18n.compiled(text, tables.way if tables else i18n.no_way)
        return said if isinstance(said, str) else said(facts, NAMES)
    except (KeyError, ValueError, TypeError, AttributeError, i18n.Miswritten):
        return ""


def _value(fact: str, ways: str, words: Catalogue | None, seats: Iterator[str], depth: int) -> Any:
    way, *more = ways.split("|")
    if not way or words is None or depth == 0:
        return 3 if fact in NUMBERS else WORDS.get(fact, f"‹{fact}›")
    tables, kernel = words.tables(), CATALOGUES["engine"].tables()
    lists = [*tables.raw.get("list", ()), *kernel.raw.get("list", ())]
    if way == "counted":
        return COUNTED[words.package]
    if way in lists:
        return [f"‹{fact}›", "…"]
    if any(joined in lists for joined in more):
        return [_value(fact, way, words, seats, depth) for _ in range(2)]
    if way in ("seat", "subject", "possessive", "they", "them", "their"):
        return next(seats)
    if way == "capital":
        return WORDS.get(fact, fact)
    if way == "said":
        return {"code": "play.not_asked", "facts": {}}
    if way in words.forms:
        return THINGS.get(fact, OWN[way]) if way == "thing" else OWN[way]
    if any(way in known.raw.get("range", {}) for known in (tables, kernel)):
        return (2, 5)
    if way in tables.raw.get("amount", {}):
        return 2
    if way in tables.raw.get("phrase", {}):
        return _facts(tables.raw["phrase"][way], words, seats, depth - 1)
    return next(iter(tables.raw[way]))


def _facts(entry: Any, words: Catalogue, seats: Iterator[str], depth: int) -> dict[str, Any]:
    """Facts of a phrase, in its first branch."""
    found: dict[str, Any] = {}
    while isinstance(entry, dict):
        key, text = next((key, text) for key, text in entry.items() if key != "by")
        found[entry.get("by", "n")] = key
        entry = text
    for _, fact, ways in i18n.pieces(entry):
        if fact is not None and fact not in found:
            found[fact] = _value(fact, ways, words, seats, depth)
    return found
