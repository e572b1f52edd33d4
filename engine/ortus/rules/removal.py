"""Removal and victory (rules 12)."""

from __future__ import annotations

from typing import Any

from engine.core.asks import Seat
from engine.core.procedure import Outcome
from engine.ortus.rules import roles
from engine.ortus.rules.pieces import owner
from engine.ortus.rules.table import Earl, Table, discard


def remove(table: Table, seat: Seat, how: str, to: Seat = "") -> None:
    """Remove an Earl (OR-ELIM-2); ends the game if one is left (OR-WIN-1). The caller checks the crown.

    `how`: `anchors`, `deck` or `concession`; `to`: who took the last Anchor.
    """
    earl = table.earls[seat]
    earl.alive = False
    taker: dict[str, Any] = {"to": to} if to else {}
    table.tell("removed", seat=seat, how=how, **taker)
    earl.cubes = earl.cubes_out = 0
    on_table = [c for f in earl.fiefs for c in (f.anchor, f.lord, *f.properties) if c is not None]
    on_table += [m.card for m in earl.mercenaries]
    for card in [*on_table, *earl.hand, *earl.towers, *earl.banners]:
        if owner(card) == seat:
            table.out.append(card)
        else:
            discard(table, card)
    table.out += [*earl.deck, *earl.discard, *earl.emissaries]
    table.army.discard += earl.reserve
    table.army.discard += [m.garrison for m in earl.mercenaries if m.garrison is not None]
    earl.deck, earl.discard, earl.hand, earl.towers, earl.reserve = [], [], [], [], []
    earl.fiefs, earl.mercenaries, earl.banners, earl.emissaries = [], [], [], []
    earl.concede = False
    roles.leave(table, earl)
    if table.king == seat:
        table.king = ""
        table.army.discard += table.royal
        table.royal = []
    left = table.alive()
    if len(left) == 1:
        table.outcome = Outcome((left[0],), "last")
        table.tell("won", seat=left[0])


def remove_if_landless(table: Table, earl: Earl, to: Seat) -> None:
    """OR-ELIM-1 a; `to` took the last Anchor."""
    if earl.alive and not earl.fiefs:
        remove(table, earl.seat, "anchors", to)
