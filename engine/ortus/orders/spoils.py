"""Orders after a Battle (SO-06, 07, 09 to 11), battle plan (SO-20)."""

from __future__ import annotations

from collections import Counter

from engine.core.asked import Asked
from engine.core.asks import Answer, Assign, PickSome, Value
from engine.ortus.orders.settings import LORDS
from engine.ortus.rules import orderings
from engine.ortus.rules.combat import Battle, Fielded, by_loss, spared
from engine.ortus.rules.joust import Joust
from engine.ortus.rules.orderings import GIVE_UP
from engine.ortus.rules.pieces import Card, at, fief_id, is_anchor, kind, lord_id, owner, parse
from engine.ortus.rules.table import Earl, Table, holdings, kind_of

MOST = {"none": 0, "one": 1, "two": 2, "": 2}
"""Choice of `seize_most` -> most cards taken."""


def hits(asked: Asked[Table], order: Answer) -> Answer | None:
    ask, battle, field = asked.ask, asked.frame(Battle), asked.ask.options[0].fields[0]
    attacks = ask.kind == "attacker_hits"
    whose, forces = (battle.attacker, battle.attacking) if attacks else (battle.defender, battle.defending)
    assert isinstance(field, PickSome)
    match order.pick("damage"):
        case "rational":
            return ask.default
        case "free":
            free = [f.id for f in forces if f.by in ("king", "hand", "lord")]
            return ask.default if len(free) >= field.least else None
        case "own":
            if by_default(asked.table):
                forces = by_loss(forces, spared(asked.table, whose, forces))
            ranked = sorted(forces, key=lambda f: wished(order.some("hit_order"), _group(f)))
            return Answer("hit", {"cards": [f.id for f in ranked[: field.least]]})
        case _:
            return None


def by_default(table: Table) -> bool:
    """Whether DEF-1 and DEF-2 break ties of an own order, by ruling."""
    return table.ruled("DEF-1") == "usual"


def among_like(table: Table, earl: Earl, holding: str) -> tuple[bool | int, ...]:
    return orderings.among_like(earl, holding) if by_default(table) else ()


def wished(order: list[str], what: str) -> int:
    return order.index(what) if what in order else len(order)


def _group(f: Fielded) -> str:
    if f.by in ("reserve", "royal"):
        return f.card
    return f.by


def losses(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-09: losses in the owner's order, instead of DEF-1, 3 and 4."""
    option = asked.ask.options[0]
    field = option.fields[0]
    assert isinstance(field, PickSome)
    match field.name:
        case "properties":
            wish = order.some("give_order") or list(GIVE_UP)
            cards = [c.id for c in field.choices for _ in range(c.most)]
            foreign_first = by_default(asked.table)
            ranked = sorted(cards, key=lambda c: (wished(wish, kind(c)), foreign_first and owner(c) == asked.seat))
            return Answer(option.id, {"properties": ranked[: field.least]})
        case "towers":
            ids = [c.id for c in field.choices]
            lost = ids[-field.least :] if order.pick("towers") == "newest" else ids[: field.least]
            return Answer(option.id, {"towers": lost})
        case "armies":
            knights = order.pick("armies") == "Knight"
            troops = sorted((c.id for c in field.choices for _ in range(c.most)), reverse=knights)
            return Answer(option.id, {"armies": troops[: field.least]})
        case _:
            return None


def ransom(asked: Asked[Table], order: Answer) -> Answer | None:
    """SO-07: for each Lord to save, the first Holding that keeps the answer legal."""
    battle, earl = asked.frame(Battle), asked.table.earls[asked.seat]
    homes = {home: fief for home in battle.captured if (fief := earl.fief(home)) is not None and fief.lord is not None}
    wishes = {home: order.pick(f"save_{kind(fief.lord or '').lower()}") for home, fief in homes.items()}
    if any(not wish for wish in wishes.values()):
        return None
    saved = [home for home, wish in wishes.items() if wish == "always"]
    rank = order.some("lords_order") or list(LORDS)
    saved.sort(key=lambda home: rank.index(kind(homes[home].lord or "")))
    wish, never = order.some("pay_order") or list(GIVE_UP), set(order.some("never_pay"))
    able = sorted(holdings(earl), key=lambda h: (wish.index(kind_of(earl, h)), among_like(asked.table, earl, h)))
    able = [h for h in able if kind_of(earl, h) not in never]
    payments: dict[str, str] = {}
    kept = {fief_id(home) for home in saved}
    for home in saved:
        paying = next((h for h in able if h not in kept), None)
        if paying is None:
            return None
        able.remove(paying)
        payments[lord_id(home)] = paying
    return Answer("pay", {"payments": payments}) if payments else Answer("none")


def take(asked: Asked[Table]) -> Answer | None:
    """SO-10, SO-11: what to seize, where to attach it and ransoms."""
    battle, earl, seize = asked.frame(Battle), asked.table.earls[asked.seat], asked.orders.get("SO-10")
    fields = {f.name: f for f in asked.ask.options[0].fields}
    values: dict[str, Value] = {}
    taken: list[Card] = []
    if "seize" in fields:
        field = fields["seize"]
        assert isinstance(field, PickSome)
        if seize is None:
            return None
        wish = seize.some("seize_order")
        cards = [c.id for c in field.choices for _ in range(c.most)]
        ranked = sorted(cards, key=lambda c: wish.index(kind(c))) if wish else orderings.seize(cards, len(cards))
        taken = ranked[: min(field.most, MOST[seize.pick("seize_most")])]
        values["seize"] = taken
    if "attach" in fields:
        field_ = fields["attach"]
        assert isinstance(field_, Assign)
        new = [*_paid(asked.table, battle, earl), *(at("new", c) for c in taken if is_anchor(c))]
        left, kept = Counter((*battle.paid, *taken)), list[str]()
        for item in field_.items:
            card = parse(item.id).card
            if left[card]:  # at most the number taken
                left[card] -= 1
                kept.append(item.id)
        places = _places(earl, kept, asked.orders.get("SO-11"), new)
        if places is None:
            return None
        values["attach"] = places
    return Answer("take", values)


def _paid(table: Table, battle: Battle, earl: Earl) -> list[str]:
    payments = len(battle.ransomed) + (battle.what == "canterbury" and not table.canterbury)
    return _last(earl, payments - len(battle.paid))


def _antes(joust: Joust, earl: Earl) -> list[str]:
    lost = [entry.ante for seat, entry in joust.entries.items() if seat != earl.seat and entry.ante]
    return _last(earl, sum(not parse(ante).card for ante in lost))


def _last(earl: Earl, count: int) -> list[str]:
    return [f.id for f in earl.fiefs[len(earl.fiefs) - count :]]


def attached(asked: Asked[Table], order: Answer) -> Answer | None:
    earl, frame, field = asked.table.earls[asked.seat], asked.state.stack[-1], asked.ask.options[0].fields[0]
    assert isinstance(field, Assign)
    new = _antes(frame, earl) if isinstance(frame, Joust) else []
    places = _places(earl, [i.id for i in field.items], order, new)
    return Answer("attach", {"attach": places}) if places is not None else None


def _places(earl: Earl, items: list[str], order: Answer | None, new: list[str]) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for item in items:
        wish = order.pick(f"attach_{kind(item).lower()}") if order is not None else ""
        place = _place(earl, wish, new)
        if place is None:
            return None
        found[item] = place
    return found


def _place(earl: Earl, wish: str, new: list[str]) -> str | None:
    lowest = orderings.lowest_fief(earl)
    match wish:
        case "":
            return None
        case "town":
            return next((f.id for f in sorted(earl.fiefs, key=lambda f: f.number) if f.has("MarketTown")), lowest.id)
        case "lands":
            return max(earl.fiefs, key=lambda f: (sum(kind(p) == "Land" for p in f.properties), -f.number)).id
        case "new":
            return new[0] if new else lowest.id
        case "lowest":
            return lowest.id
        case _:
            return wish if any(f.id == wish for f in earl.fiefs) else None
