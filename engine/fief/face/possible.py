"""Rejects positions that no game can reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.core.asks import refuse_if
from engine.fief.rules.realm.pieces import FAMINE, HARVEST, PLAGUE, RAIN, WEATHER
from engine.fief.rules.realm.table import OPEN, RIDE, Person, Table, Village

UNIQUE = ("king", "queen", "pope", "prince", "d_arc")
LAID = {HARVEST, WEATHER, RAIN, FAMINE, PLAGUE}
"""Cards laid at a Bishopric."""


def check(table: Table) -> None:
    """Raises NotUnderstood with the broken rule."""
    _refuse_if(table.round < 0 or table.first not in ("", *table.seats), "order", seats=table.seats)
    _check_families(table)
    for p in table.lords.values():
        _check_lord(table, p)
    _check_titles(table)
    for village in table.villages.values():
        _check_village(table, village)
    _check_shared(table)
    _check_relics(table)
    for laid in table.weather:
        _refuse_if(laid.card not in LAID or laid.see not in table.lore.sees, "weather", card=laid.card, see=laid.see)


def _refuse_if(broken: object, code: str, /, **facts: object) -> None:
    refuse_if(broken, f"fief.impossible.{code}", **facts)


def _twice(found: Iterable[str]) -> str:
    return next((name for name, n in Counter(found).items() if n > 1), "")


def _check_families(table: Table) -> None:
    """Deniers (FF-GEN-11), hands (FF-CRD-2), Lords (FF-LRD), counters (FF-CMP-1, 7)."""
    limits, per = table.limits, table.lore.per_player
    for seat, family in table.families.items():
        _refuse_if(family.deniers < 0, "deniers", seat=seat)
        _refuse_if(len(family.hand) > limits["hand"], "hand", seat=seat, n=len(family.hand), most=limits["hand"])
        lords, most = len(table.family(seat)), limits["lords_in_family"]
        _refuse_if(lords > most, "family", seat=seat, n=lords, most=most)
        _refuse_if(not 0 <= family.markers <= per["diplomacy"], "markers", seat=seat, n=family.markers, most=per["diplomacy"])
        maa, knights = table.placed(seat)
        _refuse_if(maa > per["men_at_arms"], "men_at_arms", seat=seat, n=maa, most=per["men_at_arms"])
        _refuse_if(knights > per["knights"], "knights", seat=seat, n=knights, most=per["knights"])
        _refuse_if(table.engines_left(seat) < 0, "engines", seat=seat, most=per["siege_engines"])


def _check_lord(table: Table, p: Person) -> None:
    _refuse_if(p.captor and (p.captor == p.seat or p.captor not in table.seats), "captor", lord=p.id, captor=p.captor)
    _refuse_if(p.road not in ("", OPEN, RIDE, *table.roads(p.at)), "road", a=p.at, b=p.road)
    spouse = table.lords.get(p.spouse)
    wed = spouse is not None and spouse.spouse == p.id and spouse.seat != p.seat and spouse.female != p.female
    _refuse_if(p.spouse and not wed, "spouse", lord=p.id, spouse=p.spouse)
    most = table.limits["fief_titles_per_lord"]
    _refuse_if(len(p.fiefs) > most, "fiefs", lord=p.id, n=len(p.fiefs), most=most)
    for fief in p.fiefs:
        _refuse_if(fief not in table.lore.lands, "no_fief", fief=fief, fiefs=list(table.lore.lands))
    _refuse_if(p.bishop and p.bishop not in table.lore.sees, "no_see", see=p.bishop, most=len(table.lore.sees))
    _refuse_if(p.cardinal not in ("", "card", "sale") or p.queen not in ("", "queen", "regent"), "hats", lord=p.id)
    _refuse_if(p.churchman and p.female, "churchman", lord=p.id)
    _refuse_if(p.king + bool(p.queen) + p.prince > 1 or (p.king and p.churchman), "crowns", lord=p.id)


def _check_titles(table: Table) -> None:
    """One holder per title (FF-TTL-1), one marriage per family (FF-MAR-2)."""
    lords = list(table.lords.values())
    for title in UNIQUE:
        _refuse_if(sum(bool(getattr(p, title)) for p in lords) > 1, "title", title=title)
    fief = _twice(fief for p in lords for fief in p.fiefs)
    _refuse_if(fief, "title", title=fief)
    see = _twice(str(p.bishop) for p in lords if p.bishop)
    _refuse_if(see, "title", title=f"bishop={see}")
    shared = table.lore.shared
    for hat, most in (("card", shared["cardinal_for_cards"]), ("sale", shared["cardinal_for_sale"])):
        _refuse_if(sum(p.cardinal == hat for p in lords) > most, "cardinals", hat=hat, most=most)
    seat = _twice(p.seat for p in lords if p.spouse)
    _refuse_if(seat, "marriages", seat=seat)


def _check_village(table: Table, village: Village) -> None:
    for groups in village.troops.values():
        for group in groups:
            for road in (group.road, group.home):
                _refuse_if(road not in ("", OPEN, RIDE, *table.roads(village.id)), "road", a=village.id, b=road)
    most = table.limits["mills_per_village"]
    _refuse_if(not 0 <= village.mills <= most, "mills", village=village.id, n=village.mills, most=most)
    _refuse_if(any(dice not in (1, 2) for dice in village.engines.values()), "dice", village=village.id)


def _check_shared(table: Table) -> None:
    """Shared counters (FF-CMP-2, 7), and one Fortified City per Fief."""
    shared = table.lore.shared
    left, most = table.walls_left(), shared["stronghold_or_city"]
    _refuse_if(left < 0, "walls", n=most - left, most=most)
    _refuse_if(table.mills_left() < 0, "all_mills", n=shared["mills"] - table.mills_left(), most=shared["mills"])
    fief = _twice(table.land_of(v.id).id for v in table.villages.values() if v.walls == "city")
    _refuse_if(fief, "cities", fief=fief)


def _check_relics(table: Table) -> None:
    lying = [relic for v in table.villages.values() for relic in v.relics]
    lying += [relic for p in table.lords.values() for relic in p.relics] + table.gone
    for relic in lying:
        _refuse_if(relic not in table.lore.relics, "no_relic", relic=relic, relics=list(table.lore.relics))
    relic = _twice(lying)
    _refuse_if(relic, "relic", relic=relic)
