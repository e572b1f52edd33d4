"""The words of standing orders, from the message catalogue in `lore`."""

from __future__ import annotations

from engine.asks import Ask
from engine.mastery import ids
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
    several = ids.read_field(field_)
    return words[several.kind].format(n=several.n)


def choice(field_: str, choice_: str, names: Names) -> str:
    """A choice of a field."""
    words, phrase = ORDERS["choice"], ORDERS["phrase"]
    asked, chosen = ids.read_field(field_).kind, ids.read_choice(choice_)
    if chosen.kind == "lord":
        return phrase["lord"].format(name=name(chosen.of, names))
    for key in (f"{asked}_{choice_}", choice_):
        if key in words:
            return words[key]
    if chosen.kind in ids.AMOUNTS:
        one = "_one" if chosen.n == 1 and f"{chosen.kind}_one" in phrase else ""
        return phrase[chosen.kind + one].format(n=chosen.n)
    return card_name(choice_, names)


LABELS = order_labels(ORDERS, field, choice)
