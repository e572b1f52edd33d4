"""How asks read: their titles, options, fields and choices in the language spoken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.asks import Ask
from engine.words import Catalogue, Names


@dataclass(frozen=True)
class Labels:
    """How asks read, in the language spoken."""

    title: Callable[[Ask, Names], str]
    """ask, names of the seats -> the question as a sentence."""
    option: Callable[[Ask, str, Names], str]
    """ask, option id, names -> the option as a person reads it."""
    field: Callable[[Ask, str, str, Names], str]
    """ask, option id, field name, names -> the field's label; for the name `rest`, where the rest of shared numbers lies."""
    choice: Callable[[Ask, str, str, str, Names], str]
    """ask, option id, field name, choice id, names -> the choice as a person reads it."""
    heading: Callable[[Ask, Names], str] = lambda _ask, _names: ""
    """ask, names -> what is to be done in few words, the head of a letter: `Defend Fief 2`; empty where there is no such."""
    public: Callable[[Ask, Names], str] = lambda _ask, _names: ""
    """ask, names -> the same for the subject of a letter, which others may read: only what everybody may know of the question;
    empty where general words do."""
    short: Callable[[str], str] = lambda _option: ""
    """option id -> a word or two of its label, for where it stands under its sign; empty where the label is short."""
    open: Callable[[Ask, str, str, Names], str] = lambda _ask, _option, _field, _names: ""
    """ask, option id, field name, names -> what it means to leave a field open that may be; empty where it is just nothing."""


def shortened(words: Catalogue) -> Callable[[str], str]:
    """`Labels.short` by the section `verb` of a catalogue."""
    return lambda option: words.text("verb", option) if words.has("verb", option) else ""


def headed(words: Catalogue, kind: str, facts: Mapping[str, Any], names: Names) -> str:
    """`Labels.heading` by the section `heading` of a catalogue."""
    return words.text("heading", kind, facts, names) if words.has("heading", kind) else ""


def public(words: Catalogue, kind: str, facts: Mapping[str, Any], names: Names) -> str:
    """`Labels.public` by the section `subject` of a catalogue."""
    return words.text("subject", kind, facts, names) if words.has("subject", kind) else ""


def order_labels(words: Catalogue, field: Callable[[Ask, str], str], choice: Callable[[str, str, Names], str]) -> Labels:
    """How asks that set standing orders read: by a catalogue with the sections `title` (by id) and `option`."""
    return Labels(
        title=lambda ask, _names: words.text("title", ask.rule),
        option=lambda _ask, option, _names: words.text("option", option),
        field=lambda ask, _option, name, _names: field(ask, name),
        choice=lambda _ask, _option, name, id, names: choice(name, id, names),
    )
