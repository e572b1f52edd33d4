"""Validation of positions: rejects states that no game can reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.asks import NotUnderstood
from engine.fief.pieces import FAMINE, HARVEST, PLAGUE, RAIN, WEATHER
from engine.fief.table import OPEN, RIDE, Person, Table, Village
from engine.words import say

UNIQUE = ("king", "queen", "pope", "prince", "d_arc")
LAID = {HARVEST, WEATHER, RAIN, FAMINE, PLAGUE}
"""Cards laid at a Bishopric."""


def check(table: Table) -> None:
    """Raises NotUnderstood with the broken rule."""
    if table.round < 0 or table.first not in ("", *table.seats):
        _refuse("order", seats=table.seats)
    _check_families(table)
    for p in table.lords.values():
        _check_lord(table, p)
    _check_titles(table)
    for village in table.villages.values():
        _check_village(table, village)
    _check_shared(table)
    _check_relics(table)
    for laid in table.weather:
        if laid.card not in LAID or laid.see not in table.lore.sees:
            _refuse("weather", card=laid.card, see=laid.see)


def _refuse(code: str, **facts: object) -> None:
    raise NotUnderstood(say(f"fief.impossible.{code}", **facts))


def _twice(found: Iterable[str]) -> str:
    return next((name for name, n in Counter(found).items() if n > 1), "")


def _check_families(table: Table) -> None:
    """Deniers (FF-GEN-11), hands (FF-CRD-2), Lords (FF-LRD), counters (FF-CMP-1, 7)."""
    limits, per = table.limits, table.lore.per_player
    for seat, family in table.families.items():
        if family.deniers < 0:
            _refuse("deniers", seat=seat)
        if len(family.hand) > limits["hand"]:
            _refuse("hand", seat=seat, n=len(family.hand), most=limits["hand"])
        if len(table.family(seat)) > limits["lords_in_family"]:
            _refuse("family", seat=seat, n=len(table.family(seat)), most=limits["lords_in_family"])
        if not 0 <= family.markers <= per["diplomacy"]:
            _refuse("markers", seat=seat, n=family.markers, most=per["diplomacy"])
        maa, knights = table.placed(seat)
        if maa > per["men_at_arms"]:
            _refuse("men_at_arms", seat=seat, n=maa, most=per["men_at_arms"])
        if knights > per["knights"]:
            _refuse("knights", seat=seat, n=knights, most=per["knights"])
        if table.engines_left(seat) < 0:
            _refuse("engines", seat=seat, most=per["siege_engines"])


def _check_lord(table: Table, p: Person) -> None:
    if p.captor and (p.captor == p.seat or p.captor not in table.seats):
        _refuse("captor", lord=p.id, captor=p.captor)
    if p.road not in ("", OPEN, RIDE, *table.roads(p.at)):
        _refuse("road", a=p.at, b=p.road)
    spouse = table.lords.get(p.spouse)
    if p.spouse and (spouse is None or spouse.spouse != p.id or spouse.seat == p.seat or spouse.female == p.female):
        _refuse("spouse", lord=p.id, spouse=p.spouse)
    if len(p.fiefs) > table.limits["fief_titles_per_lord"]:
        _refuse("fiefs", lord=p.id, n=len(p.fiefs), most=table.limits["fief_titles_per_lord"])
    if strange := [fief for fief in p.fiefs if fief not in table.lore.lands]:
        _refuse("no_fief", fief=strange[0], fiefs=list(table.lore.lands))
    if p.bishop and p.bishop not in table.lore.sees:
        _refuse("no_see", see=p.bishop, most=len(table.lore.sees))
    if p.cardinal not in ("", "card", "sale") or p.queen not in ("", "queen", "regent"):
        _refuse("hats", lord=p.id)
    if p.churchman and p.female:
        _refuse("churchman", lord=p.id)
    if p.king + bool(p.queen) + p.prince > 1 or (p.king and p.churchman):
        _refuse("crowns", lord=p.id)


def _check_titles(table: Table) -> None:
    """One holder per title (FF-TTL-1), one marriage per family (FF-MAR-2)."""
    lords = list(table.lords.values())
    for title in UNIQUE:
        if sum(bool(getattr(p, title)) for p in lords) > 1:
            _refuse("title", title=title)
    if fief := _twice(fief for p in lords for fief in p.fiefs):
        _refuse("title", title=fief)
    if see := _twice(str(p.bishop) for p in lords if p.bishop):
        _refuse("title", title=f"bishop={see}")
    shared = table.lore.shared
    for hat, most in (("card", shared["cardinal_for_cards"]), ("sale", shared["cardinal_for_sale"])):
        if sum(p.cardinal == hat for p in lords) > most:
            _refuse("cardinals", hat=hat, most=most)
    if seat := _twice(p.seat for p in lords if p.spouse):
        _refuse("marriages", seat=seat)


def _check_village(table: Table, village: Village) -> None:
    for groups in village.troops.values():
        for group in groups:
            for road in (group.road, group.home):
                if road not in ("", OPEN, RIDE, *table.roads(village.id)):
                    _refuse("road", a=village.id, b=road)
    if not 0 <= village.mills <= table.limits["mills_per_village"]:
        _refuse("mills", village=village.id, n=village.mills, most=table.limits["mills_per_village"])
    if any(dice not in (1, 2) for dice in village.engines.values()):
        _refuse("dice", village=village.id)


def _check_shared(table: Table) -> None:
    """Shared counters (FF-CMP-2, 7), and one Fortified City per Fief."""
    shared = table.lore.shared
    if table.walls_left() < 0:
        _refuse("walls", n=shared["stronghold_or_city"] - table.walls_left(), most=shared["stronghold_or_city"])
    if table.mills_left() < 0:
        _refuse("all_mills", n=shared["mills"] - table.mills_left(), most=shared["mills"])
    if fief := _twice(table.land_of(v.id).id for v in table.villages.values() if v.walls == "city"):
        _refuse("cities", fief=fief)


def _check_relics(table: Table) -> None:
    lying = [relic for v in table.villages.values() for relic in v.relics]
    lying += [relic for p in table.lords.values() for relic in p.relics] + table.gone
    if strange := [relic for relic in lying if relic not in table.lore.relics]:
        _refuse("no_relic", relic=strange[0], relics=list(table.lore.relics))
    if relic := _twice(lying):
        _refuse("relic", relic=relic)
