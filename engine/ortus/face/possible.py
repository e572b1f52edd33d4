"""Rejects positions that no game can reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from engine.core.asks import refuse_if
from engine.ortus.face.narrate import WORDS
from engine.ortus.face.view import OrtusState
from engine.ortus.rules.pieces import ANCHORS, DECK, FACES, KINDS, LORE, MARKERS, PROPERTIES, Card, army_deck, kind, owner
from engine.ortus.rules.roles import ASSETS, LEGACY, UNIQUE, WAYS
from engine.ortus.rules.table import Earl, Table
from engine.ortus.rules.turn import Turn

ARMY = frozenset(LORE["army_per_earl"])
VIKING = frozenset(LORE["viking_deck"])
EMISSARIES = frozenset(("Vassal", "Monk"))


def check(state: OrtusState) -> None:
    """Raises NotUnderstood with the broken rule."""
    table = state.table
    _check_decks(table)
    _check_counts(table)
    for earl in table.earls.values():
        _check_fiefs(earl)
        _check_zones(earl)
        _check_role(table, earl)
    _check_troops(table)
    _check_table(table)
    _check_turn(state)


def _refuse_if(broken: object, code: str, /, **facts: object) -> None:
    refuse_if(broken, f"ortus.impossible.{code}", **facts)


def _only(known: Iterable[str], cards: Iterable[str], code: str, **facts: object) -> None:
    for card in cards:
        strange = kind(card) not in known
        refuse_if(strange and not WORDS.has("kind", kind(card)), "ortus.notation.no_card", card=card[:30])
        _refuse_if(strange, code, card=kind(card), **facts)


def _check_fiefs(earl: Earl) -> None:
    for number, n in Counter(f.number for f in earl.fiefs).items():
        _refuse_if(n > 1, "fief_twice", seat=earl.seat, fief=number)
    for number, n in Counter(m.number for m in earl.mercenaries).items():
        _refuse_if(n > 1, "mercenary_twice", seat=earl.seat, number=number)
    for f in earl.fiefs:
        where = {"seat": earl.seat, "fief": f.number}
        _only(ANCHORS, [f.anchor], "anchor", **where)
        _only(PROPERTIES, f.properties, "property", **where)
        _only(FACES, [f.lord] if f.lord else [], "lord", **where)
    _refuse_if(sum(kind(f.lord or "") == "Prince" for f in earl.fiefs) > 1, "princes", seat=earl.seat)
    founded = all(f.number <= earl.fiefs_founded for f in earl.fiefs)
    _refuse_if(not founded or any(m.number > earl.hired for m in earl.mercenaries), "numbers", seat=earl.seat)
    for m in earl.mercenaries:
        _only(("Mercenary",), [m.card], "mercenary", seat=earl.seat, number=m.number)
        _only(ARMY, [m.garrison] if m.garrison else [], "garrison", seat=earl.seat, number=m.number)


def _check_zones(earl: Earl) -> None:
    _only(ARMY, earl.reserve, "reserve", seat=earl.seat)
    _only(("Banner",), earl.banners, "banners", seat=earl.seat)
    _only(EMISSARIES, earl.emissaries, "emissaries", seat=earl.seat)
    left = (earl.hand, earl.towers, earl.fiefs, earl.mercenaries, earl.reserve, earl.deck, earl.banners, earl.discard)
    _refuse_if(not earl.alive and (any(left) or earl.cubes), "out", seat=earl.seat)


def _check_role(table: Table, earl: Earl) -> None:
    _refuse_if(earl.loyal and earl.role not in ("duke", "earl"), "loyal", seat=earl.seat)
    _refuse_if(earl.assets and (earl.role != "duke" or not Counter(earl.assets) <= Counter(ASSETS)), "assets", seat=earl.seat)
    most = LEGACY["most"] if table.roles == "contested" else 0
    _refuse_if(not 0 <= earl.legacy <= most, "legacy", seat=earl.seat, most=LEGACY["most"])
    _refuse_if(not {*earl.contested} <= UNIQUE or (earl.contested and table.roles != "contested"), "contested", seat=earl.seat)
    _refuse_if(table.canterbury == earl.seat and earl.role != "archbishop", "canterbury", seat=earl.seat)


def _check_decks(table: Table) -> None:
    """Table cards are in their own decks only (OR-DEST-3)."""
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
        for card, n in Counter(cards).items():
            _refuse_if(n > most[card], "many", zone=name, card=card, most=most[card])


def _check_table(table: Table) -> None:
    _refuse_if(not {table.start, table.active, table.king, table.canterbury} <= {"", *table.seats}, "seats", seats=table.seats)
    lying = [p for e in table.earls.values() for f in e.fiefs for p in f.properties]
    _refuse_if(sum(kind(p) == "Cathedral" for p in lying) > 1, "cathedrals")
    _check_sets(table)
    _refuse_if(table.king and (len(table.royal) > table.n - 1 or not table.earls[table.king].alive), "royal", most=table.n - 1)
    _refuse_if(table.king and any(e.banners for e in table.earls.values()), "contest")
    _refuse_if(not table.king and table.royal, "royal_alone")
    _refuse_if(table.black > MARKERS or (table.arrived and table.white), "markers")
    _refuse_if(table.force and not table.arrived, "landed")
    _refuse_if(table.roles not in ("", *WAYS), "roles", ways=list(WAYS))
    for role, n in Counter(e.role for e in table.earls.values()).items():
        _refuse_if(role in UNIQUE and n > 1, "role_twice", role=role)


def _check_turn(state: OrtusState) -> None:
    """The active Earl may be out after the end, and while the Turn in which they left ends, as when a King is crowned."""
    table = state.table
    ending = len(table.alive()) <= 1 or any(isinstance(step, Turn) and step.step == "after" for step in state.stack)
    _refuse_if(table.active and not ending and not table.earls[table.active].alive, "active", seat=table.active)


def _check_troops(table: Table) -> None:
    """Army and Viking Cards within supply (OR-COMP-4, 5). Decks are counted apart: an omitted one is full."""
    reserves = [t for e in table.earls.values() for t in e.reserve]
    garrisons = [m.garrison for e in table.earls.values() for m in e.mercenaries if m.garrison]
    for pile, whole, lying in (
        (table.army, Counter(army_deck(table.n)), [*reserves, *garrisons, *table.royal]),
        (table.vikings, Counter(LORE["viking_deck"]), table.force),
    ):
        for found in (Counter([*lying, *pile.discard]), Counter(pile.deck)):
            for troop, n in found.items():
                _refuse_if(n > whole[troop], "troops", n=n, card=troop, most=whole[troop])


def _check_counts(table: Table) -> None:
    for earl in table.earls.values():
        _refuse_if(min(earl.cubes, earl.cubes_out, earl.turns, earl.fiefs_founded, earl.hired) < 0, "counts", seat=earl.seat)
        _refuse_if(
            any(f.number < 1 for f in earl.fiefs) or any(m.number < 1 for m in earl.mercenaries), "numbers", seat=earl.seat
        )
    _refuse_if(table.round < 0 or table.black < 0, "below")


def _check_sets(table: Table) -> None:
    """Copies of a card within a set (OR-COMP-1) and an Earl Deck (OR-COMP-2)."""
    owned = Counter(card for card in coloured(table) if owner(card))
    for card, n in owned.items():
        most = 1 if kind(card) == "Palace" else LORE["copies_of_a_type"]
        _refuse_if(n > most, "copies", card=kind(card), seat=owner(card), n=n)
    sets = Counter[str]()
    for card, n in owned.items():
        sets[owner(card)] += n if kind(card) in KINDS else 0
    for seat, n in sets.items():
        _refuse_if(n > DECK, "set", seat=seat, n=n, most=DECK)


def coloured(table: Table) -> Iterator[Card]:
    """All Earl cards, procedures' included."""
    yield from table.out
    for e in table.earls.values():
        yield from (*e.hand, *e.towers, *e.deck, *e.discard, *e.banners, *e.emissaries)
        for f in e.fiefs:
            yield from (f.anchor, *([f.lord] if f.lord else []), *f.properties)
        yield from (m.card for m in e.mercenaries)
