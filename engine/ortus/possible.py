"""Whether a position can be at all: no game comes to one with two Cathedrals, or a Land that is Lord."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from engine.asks import NotUnderstood
from engine.ortus.ids import Card, kind, owner
from engine.ortus.narrate import WORDS
from engine.ortus.pieces import ANCHORS, FACES, LORE, MARKERS, PROPERTIES
from engine.ortus.roles import ASSETS, UNIQUE, WAYS
from engine.ortus.table import Earl, Table
from engine.ortus.view import OrtusState
from engine.words import say

ARMY = frozenset(LORE["army_per_earl"])
VIKING = frozenset(LORE["viking_deck"])
EMISSARIES = frozenset(("Vassal", "Monk"))


def check(state: OrtusState) -> None:
    """Refuse a position that breaks a rule. Raises NotUnderstood with the rule."""
    table = state.table
    _check_decks(table)
    for earl in table.earls.values():
        _check_fiefs(earl)
        _check_zones(earl)
        _check_role(table, earl)
    _check_table(table)


def _refuse(code: str, **facts: object) -> None:
    raise NotUnderstood(say(f"ortus.impossible.{code}", **facts))


def _only(known: Iterable[str], cards: Iterable[str], code: str, **facts: object) -> None:
    """Refuse the first card of a zone that is of another kind."""
    for card in cards:
        if kind(card) not in known:
            if not WORDS.has("kind", kind(card)):
                raise NotUnderstood(say("ortus.notation.no_card", card=card[:30]))
            _refuse(code, card=kind(card), **facts)


def _check_fiefs(earl: Earl) -> None:
    for number, n in Counter(f.number for f in earl.fiefs).items():
        if n > 1:
            _refuse("fief_twice", seat=earl.seat, fief=number)
    for number, n in Counter(m.number for m in earl.mercenaries).items():
        if n > 1:
            _refuse("mercenary_twice", seat=earl.seat, number=number)
    for f in earl.fiefs:
        where = {"seat": earl.seat, "fief": f.number}
        _only(ANCHORS, [f.anchor], "anchor", **where)
        _only(PROPERTIES, f.properties, "property", **where)
        _only(FACES, [f.lord] if f.lord else [], "lord", **where)
    if sum(f.lord is not None and kind(f.lord) == "Prince" for f in earl.fiefs) > 1:
        _refuse("princes", seat=earl.seat)
    if any(f.number > earl.fiefs_founded for f in earl.fiefs) or any(m.number > earl.hired for m in earl.mercenaries):
        _refuse("numbers", seat=earl.seat)
    for m in earl.mercenaries:
        _only(("Mercenary",), [m.card], "mercenary", seat=earl.seat, number=m.number)
        _only(ARMY, [m.garrison] if m.garrison else [], "garrison", seat=earl.seat, number=m.number)


def _check_zones(earl: Earl) -> None:
    _only(ARMY, earl.reserve, "reserve", seat=earl.seat)
    _only(("Banner",), earl.banners, "banners", seat=earl.seat)
    _only(EMISSARIES, earl.emissaries, "emissaries", seat=earl.seat)
    left = (earl.hand, earl.towers, earl.fiefs, earl.mercenaries, earl.reserve, earl.deck, earl.banners, earl.discard)
    if not earl.alive and (any(left) or earl.cubes):
        _refuse("out", seat=earl.seat)


def _check_role(table: Table, earl: Earl) -> None:
    if earl.loyal and earl.role not in ("duke", "earl"):
        _refuse("loyal", seat=earl.seat)
    if earl.assets and (earl.role != "duke" or not Counter(earl.assets) <= Counter(ASSETS)):
        _refuse("assets", seat=earl.seat)
    if table.canterbury == earl.seat and earl.role != "archbishop":
        _refuse("canterbury", seat=earl.seat)


def _check_decks(table: Table) -> None:
    """Cards of the table lie in their own decks (OR-DEST-3), and those of Earls nowhere in them."""
    battle, joust = LORE["battle_deck"], LORE["joust_deck"]
    for name, known, cards in (
        ("army", ARMY, [*table.army.deck, *table.army.discard]),
        ("viking-deck", VIKING, [*table.vikings.deck, *table.vikings.discard]),
        ("battle", battle, [*table.battle.deck, *table.battle.discard]),
        ("joust", joust, table.joust),
        ("force", VIKING, table.force),
        ("king", ARMY, table.royal),
    ):
        _only(known, cards, "deck", zone=name)
    for name, most, cards in (("battle", battle, [*table.battle.deck, *table.battle.discard]), ("joust", joust, table.joust)):
        over = next((c for c, n in Counter(cards).items() if n > most[c]), None)
        if over is not None:
            _refuse("many", zone=name, card=over, most=most[over])


def _check_table(table: Table) -> None:
    if not {table.start, table.active, table.king, table.canterbury} <= {"", *table.seats}:
        _refuse("seats", seats=table.seats)
    # In a game that is over the last Turn may well be that of the last who fell.
    if table.active and len(table.alive()) > 1 and not table.earls[table.active].alive:
        _refuse("active", seat=table.active)
    faces = [f.lord for e in table.earls.values() for f in e.fiefs if f.lord]
    lying = [p for e in table.earls.values() for f in e.fiefs for p in f.properties]
    if sum(kind(p) == "Cathedral" for p in lying) > 1:
        _refuse("cathedrals")
    for card, n in Counter(c for c in (*faces, *lying, *_anchors(table)) if owner(c)).items():
        if n > (1 if kind(card) == "Palace" else LORE["copies_of_a_type"]):
            _refuse("copies", card=kind(card), seat=owner(card), n=n)
    _check_king(table)
    _check_vikings(table)
    if table.roles not in ("", *WAYS):
        _refuse("roles", ways=list(WAYS))
    for role, n in Counter(e.role for e in table.earls.values()).items():
        if role in UNIQUE and n > 1:
            _refuse("role_twice", role=role)


def _check_king(table: Table) -> None:
    if table.king and (len(table.royal) > table.n - 1 or not table.earls[table.king].alive):
        _refuse("royal", most=table.n - 1)
    if table.king and any(e.banners for e in table.earls.values()):
        _refuse("contest")
    if not table.king and table.royal:
        _refuse("royal_alone")


def _check_vikings(table: Table) -> None:
    if table.black > MARKERS or (table.arrived and table.white):
        _refuse("markers")
    if table.force and not table.arrived:
        _refuse("landed")


def _anchors(table: Table) -> Iterator[Card]:
    return (f.anchor for e in table.earls.values() for f in e.fiefs)
