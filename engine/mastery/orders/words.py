"""The words of standing orders, from the message catalogue in `lore`."""

from __future__ import annotations

from engine.asks import Ask
from engine.mastery.narrate import card_name
from engine.words import Names, catalogue, name, order_labels

ORDERS = catalogue("engine.mastery", "lore/orders.en.toml")


def about(id: str) -> str:
    """What an order does, in a sentence."""
    return ORDERS["about"][id]


def field(ask: Ask, field_: str) -> str:
    """A field of a setting. Names may end with a number."""
    words = ORDERS["field"]
    if field_ in words:
        return words[field_]
    head, _, rest = field_.partition("_")
    return words[head].format(n=rest)


def choice(field_: str, choice_: str, names: Names) -> str:
    """A choice of a field."""
    words, phrase = ORDERS["choice"], ORDERS["phrase"]
    _, colon, rest = choice_.partition(":")
    if colon:
        return phrase["lord"].format(name=name(rest, names))
    start = field_.partition("_")[0]
    for key in (f"{start}_{choice_}", choice_):
        if key in words:
            return words[key]
    if choice_[1:].isdigit() and choice_[0] in "kptv":
        key = {"k": "knights", "p": "points", "t": "turns", "v": "value"}[choice_[0]]
        one = "_one" if choice_[1:] == "1" and choice_[0] in "kt" else ""
        return phrase[key + one].format(n=choice_[1:])
    return card_name(choice_, names)


LABELS = order_labels(ORDERS, field, choice)
