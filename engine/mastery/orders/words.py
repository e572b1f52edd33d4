"""Words of standing orders, from their catalogue."""

from __future__ import annotations

from engine.core.asks import Ask
from engine.language.words import Catalogue, Names, name
from engine.mastery.face.narrate import word
from engine.mastery.rules import ids
from engine.text.labels import order_labels

ORDERS = Catalogue("engine.mastery", "orders")


def field(_ask: Ask, field_: str) -> str:
    return ORDERS.text("field", field_)


def choice(field_: str, choice_: str, names: Names) -> str:
    chosen = ids.read_choice(choice_)
    if chosen.kind == "lord":
        return name(chosen.of, names)
    if found := ORDERS.first("choice", f"{field_}_{choice_}", choice_):
        return found
    return ORDERS.amount(chosen.kind, chosen.n) if chosen.kind in ids.AMOUNTS else word(choice_, names)


LABELS = order_labels(ORDERS, field, choice)
