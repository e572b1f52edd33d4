"""Serialisable messages for rows, translated when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine import words as engine_words
from engine.words import Names, Plain, Sentence, names_here
from service.common.dates import Day, Moment, Span
from service.common.i18n import gettext, listed, ngettext


class Listed(msgspec.Struct, frozen=True, tag_field="is", tag="list"):
    """Items joined with commas."""

    items: list[Any]

    def __str__(self) -> str:
        return self.text(names_here())

    def text(self, names: Names, /) -> str:
        return listed([_said(item, names) for item in self.items])


class Phrase(msgspec.Struct, frozen=True):
    """A message: its English text (the catalogue key) and its facts."""

    message: str
    facts: dict[str, Any] = {}
    many: str = ""
    """The plural, chosen by the fact `num`."""

    def __str__(self) -> str:
        return self.text(names_here())

    def text(self, names: Names, /) -> str:
        """Translate, with seats replaced by `names`."""
        facts = {name: _said(fact, names) for name, fact in self.facts.items()}
        if self.many:
            return ngettext(self.message, self.many, self.facts["num"], **facts)
        return gettext(self.message, **facts)

    def stored(self) -> dict[str, Any]:
        """Serialise; `read` is the inverse."""
        kept: dict[str, Any] = {"message": self.message}
        if self.facts:
            kept["facts"] = {name: as_data(fact) for name, fact in self.facts.items()}
        return kept | ({"many": self.many} if self.many else {})


Fact = str | int | float | Moment | Day | Span | Listed | Phrase | Sentence


def sentence(message: str, /, **facts: Fact) -> Phrase:
    """Build a message from text and facts."""
    return Phrase(message, dict(facts))


def nsentence(one: str, many: str, n: int, /, **facts: Fact) -> Phrase:
    """Build a message with plural; `%(num)s` is the number."""
    return Phrase(one, {"num": n, **facts}, many)


def read(stored: Mapping[str, Any] | str) -> Sentence:
    """A sentence out of a row: one of ours, one of the games, or plain words.

    A text that is no sentence as data is but words. Raises ValueError for data that is none.
    """
    if isinstance(stored, str):
        try:
            return read(msgspec.json.decode(stored, type=dict[str, Any])) if stored.startswith("{") else Plain(stored)
        except ValueError:
            return Plain(stored)
    if "message" not in stored:
        return engine_words.read_said(stored)
    kept = msgspec.convert(stored, Phrase)
    return Phrase(kept.message, {name: from_data(fact) for name, fact in kept.facts.items()}, kept.many)


def as_text(said: Sentence | str) -> str:
    """Serialise to text that `read` parses."""
    if isinstance(said, str | Plain):
        return str(said)
    return msgspec.json.encode(said.stored()).decode()


def as_data(fact: Any) -> Any:
    if isinstance(fact, Listed):
        return {"is": "list", "items": [as_data(item) for item in fact.items]}
    if isinstance(fact, Moment | Day | Span):
        return msgspec.to_builtins(fact)
    return fact.stored() if hasattr(fact, "stored") else fact


def from_data(fact: Any) -> Any:
    match fact:
        case {"is": "list"}:
            return Listed([from_data(item) for item in fact["items"]])
        case {"is": _}:
            return msgspec.convert(fact, Moment | Day | Span)
        case {"message": _} | {"code": _} | {"words": _}:
            return read(fact)
        case _:
            return fact


def _said(fact: Any, names: Names) -> Any:
    return fact.text(names) if hasattr(fact, "text") else fact
