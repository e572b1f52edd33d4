"""Battle orders: conflict cards (STO-2), support (STO-3, STO-10), matching (STO-4), discards (STO-5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from engine.asked import Asked, by
from engine.asks import Answer
from engine.mastery import ids
from engine.mastery.battle import Battle, conflict_cards, support_cards
from engine.mastery.table import Table, team, value


def worth(table: Table, battle: Battle) -> int:
    """Victory value of the place; a castle counts as 3."""
    return 3 if battle.siege else value(table, battle.slot)


def conflict(asked: Asked[Table], order: Answer) -> Answer | None:
    """First listed card in hand, by role and value (STO-2)."""
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
        return None
    if worth(table, battle) < ids.read_choice(order.pick("from")).n:
        return None
    held = support_cards(table, seat)
    match order.pick("attacker" if attacking else "defender"):
        case "pass":
            return Answer("pass")
        case "all":
            return Answer("support", {"cards": at_once(table, held)}) if held else Answer("pass")
        case "min":
            cards = fewest(table, battle, attacking, held)
            return Answer("support", {"cards": at_once(table, cards)}) if cards else Answer("pass")
        case _:
            return None


def at_once(table: Table, cards: Sequence[str]) -> list[str]:
    """Cards to play now: all, or the best if they go one at a time (MM-AMB-26)."""
    if table.ruled("MM-AMB-26") == "one":
        return [max(cards, key=lambda c: table.data.cards[c].value)]
    return list(cards)


def fewest(table: Table, battle: Battle, attacking: bool, held: list[str]) -> list[str]:
    """Fewest cards, then smallest sum, to lead as attacker or tie as defender; [] if impossible."""
    own, other = (battle.att, battle.dfd) if attacking else (battle.dfd, battle.att)
    lack = other.score - own.score + (1 if attacking else 0)
    if lack <= 0:
        return []
    cards = table.data.cards
    for count, _ in enumerate(held, 1):
        enough = [c for c in combinations(held, count) if sum(cards[x].value for x in c) >= lack]
        if enough:
            return sorted(min(enough, key=lambda c: (sum(cards[x].value for x in c), c)))
    return []


def match(asked: Asked[Table]) -> Answer | None:
    """AUTO, the initial setting, is the ask's default (STO-4)."""
    how = asked.orders.get(ids.MATCH, Answer("auto")).option
    return {"auto": asked.ask.default, "never": Answer("no")}.get(how)


def discard(asked: Asked[Table]) -> Answer | None:
    """First listed card in hand, or none (STO-5)."""
    return by(ids.order(ids.DISCARDS, asked.fact("why")), _discarded)(asked)


def _discarded(asked: Asked[Table], order: Answer) -> Answer:
    hand = asked.table.lords[asked.seat].hand
    card = next((row.pick("card") for row in order.rows("cards") if row.pick("card") in hand), None)
    return Answer("discard", {"card": card}) if card else Answer("keep")
