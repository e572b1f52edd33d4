"""Rejects impossible positions, such as nine knights in a Cave."""

from __future__ import annotations

from collections import Counter

from engine.core.asks import NotUnderstood, refuse_if
from engine.language.words import say
from engine.mastery.face.view import MasteryState, in_view
from engine.mastery.rules.pieces import AUTHORITY, Lore
from engine.mastery.rules.table import Table, all_dice, capacity, need


def plain(lore: Lore) -> str:
    """Tile for omitted slots: that with the fewest abilities."""
    return min(lore.tiles.values(), key=lambda t: len(t.abilities())).type


def check(state: MasteryState) -> None:
    """Raise NotUnderstood with the broken rule."""
    table = state.table
    if sorted(table.order) != sorted(table.seats) or not {table.active or table.first, table.first} <= {*table.seats}:
        raise NotUnderstood(say("mastery.impossible.seats", seats=" ".join(table.seats)))
    _check_cards(state)
    _check_times(table)
    _check_regalia(table)
    _check_tiles(table)
    _check_knights(table)


def _check_cards(state: MasteryState) -> None:
    """No more of a kind than a deck has (MM-CMP-2, 3), no Authority in hand (MM-RES-2)."""
    most = Counter(state.table.data.deck())
    for lord in state.table.lords.values():
        for card, n in Counter([*lord.hand, *lord.deck, *in_view(state, lord)]).items():
            refuse_if(n > most[card], "mastery.impossible.cards", seat=lord.seat, cards=[card] * n, most=most[card])
        refuse_if(AUTHORITY in lord.hand, "mastery.impossible.authority", seat=lord.seat)


def _check_regalia(table: Table) -> None:
    """Each artefact once (MM-CMP-4); the parser ensures one of each type (MM-SET-4)."""
    names = [a.name for lord in table.lords.values() for a in lord.artefacts()]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    refuse_if(twice is not None, "mastery.impossible.artefact", artefact=twice)


def _check_times(table: Table) -> None:
    """Turns count from 1; no discards in the future (MM-TRN-1, MM-SET-8)."""
    refuse_if(table.turn < 1, "mastery.impossible.turn")
    for lord in table.lords.values():
        late = next((d for d in lord.discard if not 0 <= d.turn <= table.turn), None)
        if late is not None:
            raise NotUnderstood(say("mastery.impossible.later", seat=lord.seat, card=late.card, turn=late.turn))


def _check_tiles(table: Table) -> None:
    """Castles unique, on their own slots (MM-CMP-7, MM-SET-3); tiles within their copies (MM-CMP-6), except the filler."""
    castles, slots = [lord.castle for lord in table.lords.values()], [lord.slot for lord in table.lords.values()]
    for lord in table.lords.values():
        known = lord.castle in table.data.castles and lord.slot in table.map.castles
        if not known or castles.count(lord.castle) > 1 or slots.count(lord.slot) > 1:
            raise NotUnderstood(say("mastery.impossible.castles", castle=lord.castle[:20], slot=lord.slot[:10]))
    for tile, n in Counter(land.tile for land in table.lands.values()).items():
        if n > table.data.tiles[tile].copies and tile != plain(table.data):
            raise NotUnderstood(say("mastery.impossible.tiles", tile=tile, n=n, most=table.data.tiles[tile].copies))


def _check_knights(table: Table) -> None:
    """Capacity (MM-CAP-1) and number of dice (MM-DIC-2)."""
    for slot, land in table.lands.items():
        most = capacity(table, slot)
        # In a disputed place the last knight may have fallen.
        least = 0 if table.dispute is not None and table.dispute.slot == slot else 1
        if land.holder and not least <= land.knights <= most:
            raise NotUnderstood(say("mastery.impossible.knights", slot=slot, n=land.knights, most=most))
    dispute = table.dispute
    if dispute is not None:
        known = dispute.slot in table.lands or dispute.slot in table.map.castles
        if not known or dispute.attacker not in table.lords or not 0 <= dispute.knights <= capacity(table, dispute.slot):
            raise NotUnderstood(say("mastery.impossible.dispute", slot=dispute.slot[:10], n=dispute.knights))
    for seat, lord in table.lords.items():
        used = need(table, seat)
        refuse_if(lord.knights < 0, "mastery.impossible.castle", seat=seat)
        refuse_if(used > all_dice(table), "mastery.impossible.dice", seat=seat, used=used, all=all_dice(table))
