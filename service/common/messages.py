"""The service's messages as data for rows, translated when read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.language.words import Message, Names, names_here, plain, read_said
from service.common.dates import Day, Moment, Span
from service.common.i18n import listed


class Listed(msgspec.Struct, frozen=True, tag_field="is", tag="list"):
    items: list[Any]

    def __str__(self) -> str:
        return self.text(names_here())

    def text(self, names: Names, /) -> str:
        return listed([item.text(names) if hasattr(item, "text") else item for item in self.items])


Fact = str | int | float | Moment | Day | Span | Listed | Message


def sentence(message: str, /, **facts: Fact) -> Message:
    return Message(message=message, facts=dict(facts))


def nsentence(one: str, many: str, n: int, /, **facts: Fact) -> Message:
    """Message with a plural form; `%(num)s` is the number."""
    return Message(message=one, facts={"num": n, **facts}, many=many)


def read(stored: Mapping[str, Any] | str) -> Message:
    """Parse a stored message; other text stays untranslated. Raises ValueError."""
    if isinstance(stored, str):
        try:
            return read(msgspec.json.decode(stored, type=dict[str, Any])) if stored.startswith("{") else plain(stored)
        except ValueError:
            return plain(stored)
    found = read_said(stored)
    if not found.message:
        return found
    return msgspec.structs.replace(found, facts={name: from_data(fact) for name, fact in found.facts.items()})


def as_text(said: Message | str) -> str:
    """Inverse of `read`."""
    if isinstance(said, str) or not (said.code or said.message):
        return str(said)
    return msgspec.json.encode(said.stored()).decode()


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
