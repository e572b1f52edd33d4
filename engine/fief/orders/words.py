"""Text of standing orders."""

from __future__ import annotations

from engine.core.asks import SEATS, Ask
from engine.fief.face.narrate import fief, lore_in, see, word
from engine.language.words import Catalogue, Names, name
from engine.text.labels import order_labels

ORDERS = Catalogue("engine.fief", "orders")


def field(ask: Ask, field_: str) -> str:
    return ORDERS.first("field", f"{ask.rule}-{field_}") or ORDERS.text("field", field_)


def choice(field_: str, choice_: str, names: Names) -> str:
    if choice_ in SEATS:
        return name(choice_, names)
    if found := ORDERS.first("choice", f"{field_}_{choice_}", choice_):
        return found
    start, _, n = choice_.partition("_")
    if start == "round":
        return ORDERS.text("phrase", "round", {"n": int(n)})
    lore = lore_in(names)
    if field_ == "on":
        return fief(choice_, names) if choice_ in lore.lands and choice_ not in lore.sites else _land(choice_, names)
    return word(choice_, names)


def _land(id: str, names: Names) -> str:
    """Names both if a Fief and its Bishopric's principal village share one."""
    lore = lore_in(names)
    if id in lore.lands:
        return ORDERS.text("phrase", "either", {"fief": fief(id, names), "see": see(lore.sites[id].bishopric, names)})
    return see(lore.sites[id].bishopric, names)


LABELS = order_labels(ORDERS, field, choice)
