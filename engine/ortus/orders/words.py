"""The words of standing orders, from the message catalogue in `lore`."""

from __future__ import annotations

from engine.asks import Ask
from engine.ortus.narrate import WORDS, name
from engine.words import Names, catalogue, order_labels

ORDERS = catalogue("engine.ortus", "lore/orders.en.toml")
KIND = WORDS["kind"]
BY_FIELD = {k.lower(): words for k, words in KIND.items()}
"""Words of kinds of cards by their names in the names of fields, which are in lower case."""


def about(id: str) -> str:
    """What an order does, in a sentence."""
    return ORDERS["about"][id]


def field(ask: Ask, field_: str) -> str:
    """A field of a setting. Names end with a rule's number or with a kind of card."""
    words = ORDERS["field"]
    if ask.rule == "SO-09" and field_ == "armies":
        return words["army_cards"]
    if field_ in words:
        return words[field_]
    head, _, rest = field_.partition("_")
    if head == "limit":
        return words[rest]
    return words[head].format(n=rest, kind=BY_FIELD.get(rest, rest))


def choice(field_: str, choice_: str, names: Names) -> str:
    """A choice of a field."""
    words, phrase = ORDERS["choice"], ORDERS["phrase"]
    head, colon, rest = choice_.partition(":")
    if colon:
        return phrase[head].format(name=name(rest, names))
    start = field_.partition("_")[0]
    if start == "limit":
        hand, _, lords = choice_[1:].partition("l")
        return phrase["limit"].format(hand=_most(hand), lords=_most(lords))
    if f"{start}_{choice_}" in words:
        return words[f"{start}_{choice_}"]
    if choice_ in words:
        return words[choice_]
    head, _, rest = choice_.partition("_")
    if rest and head in ("place", "install"):
        return phrase[head].format(kind=KIND[rest])
    if rest and head in ("hand", "lord"):
        return phrase[f"tilter_{head}"].format(kind=KIND[rest])
    if choice_[0] == "F" and choice_[1:].isdigit():
        return phrase["fief"].format(n=choice_[1:])
    return KIND[choice_]


def _most(n: str) -> str:
    phrase = ORDERS["phrase"]
    return phrase["no"] if n == "0" else phrase["unlimited"] if n == "6" else phrase["most"].format(n=n)


LABELS = order_labels(ORDERS, field, choice)
