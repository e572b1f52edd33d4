"""Text of standing orders."""

from __future__ import annotations

from engine.core.asks import Ask
from engine.language.words import Catalogue, Names
from engine.ortus.face.narrate import card_name, name
from engine.ortus.orders.politics import ANY
from engine.ortus.rules.pieces import KINDS, parse, wish
from engine.ortus.rules.roles import CONTESTS
from engine.text.labels import order_labels

ORDERS = Catalogue("engine.ortus", "orders")
BY_FIELD = {kind.lower(): kind for kind in KINDS} | {"palace": "Palace"}

BIDS = frozenset(f"bid_{role}" for role in CONTESTS.values())


def field(ask: Ask, field_: str) -> str:
    """Field label; names may end with a card kind."""
    if ask.rule == "SO-09" and field_ == "armies":
        return ORDERS.text("field", "army_cards")
    head, _, rest = field_.partition("_")
    return ORDERS.first("field", field_) or ORDERS.text("field", head, {"kind": card_name(BY_FIELD.get(rest, rest), {})})


def choice(field_: str, choice_: str, names: Names) -> str:
    told, start = parse(choice_), field_.partition("_")[0]
    if told.seat:
        return ORDERS.text("phrase", told.where, {"name": name(told.seat, names)})
    if field_ == "of" and choice_ != ANY:
        return ORDERS.text("field", choice_)
    if field_ in BIDS:
        return choice_.removeprefix("bid")
    if found := ORDERS.first("choice", f"{start}_{choice_}", choice_):
        return found
    what, kind = wish(choice_)
    if kind and what in ("place", "install", "emissary", "garrison", "royal", "tower", "castle"):
        return ORDERS.text("phrase", what, {"kind": card_name(kind, {})})
    if kind and what in ("hand", "lord"):
        return ORDERS.text("phrase", f"tilter_{what}", {"kind": card_name(kind, {})})
    if told.where and field_ in ("sent", "mercenary"):
        return ORDERS.text("phrase", f"sent_{told.where}", {"n": told.number, "kind": card_name(told.kind, {})})
    if told.number:
        return ORDERS.text("phrase", "fief", {"n": told.number})
    return card_name(choice_, {})


LABELS = order_labels(ORDERS, field, choice)
