"""Orderings for default answers (rules 13, DEF-1 to DEF-6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.core.asks import About, Answer, Ask, Assign, Option, Seat, choices
from engine.ortus.rules.pieces import Card, kind, numbered, owner, parse
from engine.ortus.rules.table import Earl, Fief, holdings, kind_of

GIVE_UP = ("Church", "MarketTown", "Land", "Cathedral", "Castle", "Palace")
"""Holdings, least valuable first (DEF-1); seized in reverse order (DEF-5)."""
FOOT = ("Infantry", "VikingInfantry")
FROM_HAND = ("Monk", "Vassal", "Prince", "Champion")


def properties_to_give(earl: Earl, fief: Fief, count: int) -> list[Card]:
    """Properties to lose (DEF-1)."""
    return sorted(fief.properties, key=lambda card: (GIVE_UP.index(kind(card)), owner(card) == earl.seat))[:count]


def holding_to_give(earl: Earl) -> str:
    """Holding to lose (DEF-1): Properties before Anchors, the last Anchor last."""
    return min(holdings(earl), key=lambda id: (not parse(id).card, GIVE_UP.index(kind_of(earl, id)), among_like(earl, id)))


def among_like(earl: Earl, holding: str) -> tuple[bool, bool, int]:
    """Sort key of like Holdings (DEF-1): a Castle with a Lord last, another colour first, then the lower Fief."""
    told = parse(holding)
    fief = earl.held_fief(told.number)
    held = not told.card and kind(fief.anchor) == "Castle" and fief.lord is not None
    return held, owner(told.card or fief.anchor) == earl.seat, fief.number


def damage_rank(id: str, card: str, by: str, home: int, spare: bool) -> tuple[int, int, int]:
    """Sort key of hits (DEF-2); lowest first, a spared Mercenary last."""
    if by == "king":
        return (0, 0, 0)
    if by == "hand":
        return (1, FROM_HAND.index(kind(card)), 0)
    if by == "lord":
        return (2, home, 0)
    if by == "mercenary":
        return (6 if spare else 5, home, 0)
    place = ("reserve", "royal", "garrison", "force").index(by)
    return (3 if kind(card) in FOOT else 4, place, home)


def seize(destroyed: list[Card], limit: int) -> list[Card]:
    """Holdings to seize (DEF-5)."""
    return sorted(destroyed, key=lambda card: -GIVE_UP.index(kind(card)))[:limit]


def troops_to_give(reserve: list[str], count: int) -> list[str]:
    """Infantry before Knights (DEF-4)."""
    return sorted(reserve)[:count]


def lowest_fief(earl: Earl) -> Fief:
    """Where gains are attached (DEF-6)."""
    return min(earl.fiefs, key=lambda f: f.number)


def ask_where(earl: Earl, gains: list[Card], rule: str, about: Callable[[], About]) -> Ask:
    items = numbered(gains)
    field = Assign("attach", choices(items), choices(f.id for f in earl.fiefs))
    default = Answer("attach", {"attach": {i: lowest_fief(earl).id for i in items}})
    return Ask(earl.seat, "attach", (Option("attach", (field,)),), default, rule, about)


def attach(earl: Earl, gains: list[Card], answers: Mapping[Seat, Answer]) -> None:
    """Attach Properties as answered; all to the lowest Fief if not asked."""
    places = answers[earl.seat].assigned("attach") if answers else {}
    for item, card in zip(numbered(gains), gains, strict=True):
        fief = earl.held_fief(parse(places[item]).number) if item in places else lowest_fief(earl)
        fief.properties.append(card)


def clockwise(seats: list[Seat], first: Seat) -> list[Seat]:
    i = seats.index(first)
    return seats[i:] + seats[:i]
