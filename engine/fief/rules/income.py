"""Phase 3: income (chapter INC) and tax precedence (FF-TAX-5)."""

from __future__ import annotations

from engine.core.asks import Seat
from engine.fief.rules.realm.table import Table, Tax


def collectors(table: Table) -> dict[int, Seat]:
    """Bishopric -> Bishop, Cardinals in order of play, Pope (FF-TAX-5); if he fails, the next or nobody (FF-AMB-29)."""
    found: dict[int, Seat] = {}
    first_alone = table.ruled("FF-AMB-29") == "none"
    for see in table.lore.sees if table.taxes else ():
        played = [tax for tax in table.taxes if see in tax.sees]
        if first_alone and played:
            played = [min(played, key=lambda tax: precedence(table, tax, see))]
        valid = [tax for tax in played if holds(table, tax, see)]
        if valid:
            found[see] = min(valid, key=lambda tax: precedence(table, tax, see)).seat
    return found


def holds(table: Table, tax: Tax, see: int) -> bool:
    """Whether the tithe's Lord lives and keeps its title (FF-INC-4)."""
    lord = table.lords.get(tax.lord)
    if lord is None or lord.seat != tax.seat:
        return False
    if tax.title == "bishop":
        return lord.bishop == see
    return bool(lord.cardinal) if tax.title == "cardinal" else lord.pope


def precedence(table: Table, tax: Tax, see: int) -> tuple[int, int]:
    """Sort key: its Bishop first, whatever he taxes as, even dead (FF-TAX-5)."""
    lord = table.lords.get(tax.lord)
    own = see in (tax.home, lord.bishop if lord is not None else 0)
    place = 0 if own else {"bishop": 0, "cardinal": 1, "pope": 2}[tax.title]
    return place, table.taxes.index(tax)


def tallages(table: Table) -> dict[str, Seat]:
    """Fief -> title holder, or the King by privilege; none: no tax (FF-INC-4)."""
    found = {}
    for tax in table.taxes:
        if tax.fief:
            royal = table.royal()
            seat = table.lord_of(tax.fief) if tax.title == "fief" else royal.seat if royal is not None else ""
            if seat:
                found[tax.fief] = seat
    return found


def income(table: Table) -> dict[Seat, int]:
    """Villages, Mills, tithes, taxes, the Queen's (FF-INC-1 to 5)."""
    gained = dict.fromkeys(table.seats, 0)
    tithes, taxed, sites = collectors(table), tallages(table), table.lore.sites
    for place, village in table.villages.items():
        if village.engines and table.besieged(place):
            continue
        site = sites[place]
        if village.controller:
            gained[village.controller] += 1
            if village.mills:
                gained[tithes.get(site.bishopric, village.controller)] += village.mills * table.mill_income(site.bishopric)
        if site.fief in taxed:
            gained[taxed[site.fief]] += 2
    queen = table.who("queen")
    if queen is not None:
        gained[queen.seat] += 2
    return gained


def collect(table: Table) -> None:
    """Pay all income; taxes end, and Harvest and Good Weather are discarded (FF-INC-6)."""
    gained = income(table)
    for seat, deniers in gained.items():
        table.families[seat].deniers += deniers
    table.tell("income", gained=gained)
    table.taxes = []
    for laid in [laid for laid in table.weather if table.lore.back(laid.card) == "fortune"]:
        table.weather.remove(laid)
        table.discard(laid.card)
