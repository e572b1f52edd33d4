"""Labels of asks in the current language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.core.asks import Ask
from engine.core.offers import WITHDRAW
from engine.language.words import Catalogue, Names, addressed


@dataclass(frozen=True)
class Labels:
    """Texts of asks: question, options, fields, choices."""

    title: Callable[[Ask, Names], str]
    """ask, names -> question."""
    option: Callable[[Ask, str, Names], str]
    """ask, option id, names -> label."""
    field: Callable[[Ask, str, str, Names], str]
    """ask, option id, field name, names -> label; for the name `rest`, the place of the unallocated rest."""
    choice: Callable[[Ask, str, str, str, Names], str]
    """ask, option id, field name, choice id, names -> label."""
    heading: Callable[[Ask, Names], str] = lambda _ask, _names: ""
    """ask, names -> short headline of a letter: `Defend Fief 2`; "" for none."""
    public: Callable[[Ask, Names], str] = lambda _ask, _names: ""
    """ask, names -> a letter's subject, with public information only; "" for a generic one."""
    short: Callable[[str], str] = lambda _option: ""
    """option id -> short label under an icon; "" where the label is short."""
    open: Callable[[Ask, str, str, Names], str] = lambda _ask, _option, _field, _names: ""
    """ask, option id, field name, names -> meaning of leaving an optional field empty; "" for none."""


def shortened(words: Catalogue) -> Callable[[str], str]:
    return lambda option: words.first("verb", option)


Worded = Callable[[Ask, Names], str]


def questions(
    words: Catalogue, asked: Callable[[Ask, Names], tuple[str, Mapping[str, Any]]], you: bool = False
) -> tuple[Worded, Worded, Worded]:
    """`Labels.title`, `heading`, `public` from sections `ask` (`proposed` for one's own), `heading`, `subject`. `asked`: ask,
    names -> key, facts. `you`: title and heading call the asked seat "you".
    """

    def title(ask: Ask, names: Names) -> str:
        key, facts = asked(ask, names)
        names = addressed(names, ask.seat) if you else names
        own = bool(ask.options) and ask.options[0].id == WITHDRAW and words.has("proposed", key)
        return words.text("proposed" if own else "ask", key, facts, names)

    def first(section: str, you: bool = False) -> Worded:
        def worded(ask: Ask, names: Names) -> str:
            key, facts = asked(ask, names)
            names = addressed(names, ask.seat) if you else names
            return words.first(section, key, facts=facts, names=names)

        return worded

    return title, first("heading", you), first("subject")


def order_labels(words: Catalogue, field: Callable[[Ask, str], str], choice: Callable[[str, str, Names], str]) -> Labels:
    """Labels of standing orders' asks, from sections `title` (by id) and `option`."""
    return Labels(
        title=lambda ask, _names: words.text("title", ask.rule),
        option=lambda _ask, option, _names: words.text("option", option),
        field=lambda ask, _option, name, _names: field(ask, name),
        choice=lambda _ask, _option, name, id, names: choice(name, id, names),
    )
