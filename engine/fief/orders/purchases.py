"""Orders of Phase 4: shopping list (FF-SO-16), ransoms (FF-SO-21)."""

from __future__ import annotations

from engine.core.asked import by
from engine.core.asks import Answer, Row
from engine.fief.orders.asked import Asked
from engine.fief.rules.court.ransom import full_ransom, held
from engine.fief.rules.purchase import HAT, KNIGHT, MAA, TITLE, Purchases, price_of
from engine.fief.rules.realm.titles import by_house


def purchase(at: Asked, order: Answer) -> Answer:
    """D-PUR-1, D-PUR-2, D-PUR-4 and D-RAN-1: the King's gift, the list once, ransoms, done."""
    bought = at.frame(Purchases).bought
    return _gift(at, order) or (None if bought else _list(at, order)) or by("SO-21", _offer)(at) or Answer("done")


def _gift(at: Asked, order: Answer) -> Answer | None:
    to = {"own": at.seat, "ally": at.table.ally(at.seat)}.get(order.pick("gift"), "")
    if not to:
        return None
    gifts = [gift for gift in at.picks("gift", "title") if at.table.lords[gift.partition("/")[2]].seat == to]
    return Answer("gift", {"title": gifts[0]}) if gifts else None


def _list(at: Asked, order: Answer) -> Answer | None:
    """Line by line down to the reserve, all affordable Troops, Cardinal last."""
    bought: list[Row] = []
    purse = at.table.families[at.seat].deniers - order.number("keep")
    for wish in order.rows("items"):
        for row in _lines(at, wish):
            line = Answer("buy", {**row})
            cost = max(1, line.number("n")) * price_of(at.table, line.pick("what"), line.pick("at"))
            if cost <= purse and at.legal(Answer("buy", {"items": [*bought, row]})):
                bought.append(row)
                purse -= cost
                break
        if bought and bought[-1]["what"] == HAT:
            break
    if not bought:
        return None
    spared = at.picks("buy", "spare") if order.pick("seize") == "none" else []
    return Answer("buy", {"items": bought, **({"spare": spared} if spared else {})})


def _lines(at: Asked, wish: Answer) -> list[Row]:
    what, place, n = wish.pick("what"), wish.pick("at"), max(1, wish.number("n"))
    named = [wish.pick("lord")] if wish.pick("lord") else []
    if what in (MAA, KNIGHT):
        return [{"what": what, "at": place, "n": k} for k in range(n, 0, -1)]
    if what == TITLE:
        lords = named or [p.id for p in by_house(at.table, at.seat)]
        strong = [v.id for v in at.table.controlled(at.seat) if v.walls == "stronghold"]
        places = [place] if place else sorted(strong, key=lambda v: -sum(at.table.troops(at.seat, v)))
        return [{"what": what, "at": v, "n": 1, "lord": lord} for v in places if v in at.table.villages for lord in lords]
    if what == HAT:
        return [{"what": what, "lord": lord} for lord in named or [p.id for p in at.table.family(at.seat) if p.bishop]]
    return [{"what": what, "at": place, "n": 1}]


# --- ransoms ----------------------------------------------------------------------------------------------------------


def _offer(at: Asked, order: Answer) -> Answer | None:
    """SO-21's offer, within the purse."""
    captives = at.picks("ransom", "captive")
    purse = at.table.families[at.seat].deniers
    for row in order.rows("offers"):
        for lord in (p for p in held(at.table, at.seat) if p.id in captives and row.pick("lord") in ("", p.id)):
            sum = min(row.number("sum"), full_ransom(at.table, lord))
            offer = Answer("ransom", {"captive": lord.id, "sum": sum})
            if sum <= purse and at.legal(offer):
                return offer
    return None


def ransom(at: Asked, order: Answer) -> Answer:
    """D-RAN-1: the listed offer, else the full sum."""
    way = at.ask.options[0].id  # by ruling FF-RAN-3
    due = at.picks(way, "captive")
    for row in order.rows("offers"):
        for id in due:
            if row.pick("lord") in ("", id) and row.number("sum") < full_ransom(at.table, at.table.lords[id]):
                return Answer(way, {"captive": id, "sum": row.number("sum")})
    return Answer("full")


def ransom_answer(at: Asked, order: Answer) -> Answer | None:
    """D-RAN-2: the lowest acceptable sum."""
    row = next((r for r in order.rows("accept") if r.pick("lord") in ("", at.fact("lord"))), None)
    if row is not None:
        return Answer("yes" if int(at.fact("sum")) >= row.number("least") else "no")
    return Answer("no") if order.pick("otherwise") == "no" else None


def ransom_which(at: Asked, order: Answer) -> Answer:
    """D-RAN-3: as listed, then most expensive first."""
    due = at.picks("pay", "captive")
    named = next((row.pick("lord") for row in order.rows("offers") if row.pick("lord") in due), "")
    return Answer("pay", {"captive": named}) if named else at.ask.default
