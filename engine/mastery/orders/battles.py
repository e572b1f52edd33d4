"""Battle orders: conflict cards (STO-2), support (STO-3, STO-10), matching (STO-4), discards (STO-5)."""

from __future__ import annotations

from engine.core.asked import Asked, by
from engine.core.asks import Answer
from engine.mastery.orders import reactions
from engine.mastery.rules import ids
from engine.mastery.rules.battle import Battle, conflict_cards, support_cards
from engine.mastery.rules.support import given
from engine.mastery.rules.table import Table, team, value


def worth(table: Table, battle: Battle) -> int:
    """Victory value of the place; 3 for a castle."""
    return 3 if battle.siege else value(table, battle.slot)


def conflict(asked: Asked[Table], order: Answer) -> Answer | None:
    """First listed hand card, by role and value (STO-2)."""
    table, battle, seat = asked.table, asked.frame(Battle), asked.seat
    side = "attack" if seat == battle.attacker else "defend"
    if worth(table, battle) >= 3:
        side += "_3"
    if order.option != "on" or side not in order.some("when"):
        return None
    held = conflict_cards(table, seat)
    card = next((c for c in order.some(side) if c in held), None)
    return Answer("play", {"card": card}) if card else Answer("none")


def support(asked: Asked[Table]) -> Answer | None:
    """ASK, PASS, ALL or MIN, by role and value (STO-3), for allies STO-10."""
    table, battle, seat = asked.table, asked.frame(Battle), asked.seat
    attacking = seat in team(table, battle.attacker)
    helped = battle.attacker if attacking else battle.defender
    own = helped == seat
    order = asked.orders.get(ids.SUPPORT if own else ids.ALLIES)
    if order is None or order.option != "on" or (not own and ids.lord(helped) not in order.some("allies")):
        return _unordered(asked, battle)
    if worth(table, battle) < ids.read_choice(order.pick("from")).n:
        return _unordered(asked, battle)
    policy = order.pick("attacker" if attacking else "defender")
    if policy == "ask":
        return None
    cards = given(table, battle.lacks(attacking), support_cards(table, seat), policy)
    return Answer("support", {"cards": cards}) if cards else Answer("pass")


def _unordered(asked: Asked[Table], battle: Battle) -> Answer | None:
    return None if reactions.asks_support(asked, battle) else Answer("pass")


def match(asked: Asked[Table]) -> Answer | None:
    """AUTO, the initial setting, is the ask's default (STO-4)."""
    how = asked.orders.get(ids.MATCH, Answer("auto")).option
    return {"auto": asked.ask.default, "never": Answer("no")}.get(how)


def discard(asked: Asked[Table]) -> Answer | None:
    """First listed hand card, or none (STO-5)."""
    return by(ids.order(ids.DISCARDS, asked.fact("why")), _discarded)(asked)


def _discarded(asked: Asked[Table], order: Answer) -> Answer:
    hand = asked.table.lords[asked.seat].hand
    card = next((row.pick("card") for row in order.rows("cards") if row.pick("card") in hand), None)
    return Answer("discard", {"card": card}) if card else Answer("keep")
