"""Reactions setting (STO-12): who is asked about Fractures and support if no other order answers, by public facts, so that
passing unasked reveals no hand (MM-ASY-5, MM-FRA-13).
"""

from __future__ import annotations

from engine.core.asked import Asked
from engine.core.asks import Seat
from engine.mastery.orders.settings import ALWAYS, CONCERNED, MINE, NEVER, usual
from engine.mastery.rules import ids
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.cards import pile
from engine.mastery.rules.fracture import Window
from engine.mastery.rules.table import Table, team


def level(asked: Asked[Table]) -> str:
    """The seat's setting, else the initial one."""
    order = asked.orders.get(ids.REACTIONS)
    return order.option if order is not None else usual(asked.table)


def asks_fracture(asked: Asked[Table], window: Window, battle: Battle | None) -> bool:
    """Whether the seat is asked. `concerned`: a crown aimed at it, or a rival's artefact that works in its battle. `mine`: in
    its battles.
    """
    table, seat = asked.table, asked.seat
    match level(asked):
        case "never":
            return False
        case "always":
            return True
        case how:
            if battle is None or window.what == "crown":
                return window.aimed == seat
            if seat not in (battle.attacker, battle.defender):
                return False
            works = (battle.applies(table, table.owner(aim), window.what) for aim in window.legal(table, seat))
            return how == MINE or any(works)


def asks_support(asked: Asked[Table], battle: Battle) -> bool:
    """Whether the seat is asked. `concerned`: its side is behind, and cards that its team publicly may hold would put it ahead.
    If a pass is final, the leading lord too (MM-AMB-25).
    """
    how = level(asked)
    if how in (MINE, ALWAYS, NEVER):
        return how != NEVER
    assert how == CONCERNED
    lack = battle.lacks(asked.seat in team(asked.table, battle.attacker))
    if lack <= 0:
        return asked.table.ruled("MM-AMB-25") == "final"
    return most_support(asked.table, battle, asked.seat) >= lack


def most_support(table: Table, battle: Battle, seat: Seat) -> int:
    """Most support its side could add, by public facts: sizes of hands, discard piles and cards in play."""
    helped = battle.side_for(table, seat).seat
    return sum(_most(table, battle, ally) for ally in team(table, helped))


def _most(table: Table, battle: Battle, seat: Seat) -> int:
    lord = table.lords[seat]
    shown, cards = [*pile(lord), *battle.played[seat]], table.data.cards
    unseen = [
        cards[kind].value for kind in table.data.of_kind("support") for _ in range(cards[kind].copies - shown.count(kind))
    ]
    return sum(sorted(unseen, reverse=True)[: len(lord.hand)])
