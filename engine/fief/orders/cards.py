"""Step 2 by order: discards and draws (FF-SO-14), Lords, weather and taxes (FF-SO-15)."""

from __future__ import annotations

from engine.asks import Answer, Seat
from engine.fief.cards import FORTUNE, LORDS
from engine.fief.orders.asked import Asked
from engine.fief.orders.family import first_place
from engine.fief.placing import by_house
from engine.fief.playing import gain
from engine.fief.table import Table


def discard(at: Asked, order: Answer) -> Answer:
    """D-DRW-1: all of a kind, or one if the hand is full."""
    table, hand = at.table, at.table.families[at.seat].hand
    gone: list[str] = []
    for row in order.rows("discards"):
        alike = [card for card in hand if row.pick("card") in (card, table.lore.kinds[card].kind)]
        if row.pick("when") == "always":
            gone += [card for card in alike if card not in gone]
        elif not gone and len(hand) == table.limits["hand"]:
            gone += alike[:1]
    return Answer("discard", {"cards": gone}) if gone else Answer("none")


def draw(at: Asked, order: Answer) -> Answer:
    """D-DRW-2, D-DRW-3: the scripted first deck, then the second."""
    drawn = at.ask.about["drawn"]
    assert isinstance(drawn, list)
    wanted = order.pick("second" if drawn else "first")
    if wanted == "lords_room":
        wanted = LORDS if _room(at.table, at.seat) and at.has(LORDS) else FORTUNE
    if wanted == FORTUNE and order.pick("black") == "stop" and at.fact("top") == "disaster":
        wanted = "none"
    return Answer(wanted if at.has(wanted) else "none")


def _room(table: Table, seat: Seat) -> bool:
    held = sum(table.lore.kinds[card].kind == "lord" for card in table.families[seat].hand)
    return len(table.family(seat)) + held < table.limits["lords_in_family"]


def play(at: Asked, order: Answer) -> Answer:
    """D-PLY-1: card after card, skipping unplayable ones."""
    return (
        (_lord(at) if order.pick("lords") == "yes" else None)
        or (_bonus(at) if order.pick("bonus") == "yes" else None)
        or _tax(at, order)
        or Answer("done")
    )


def _lord(at: Asked) -> Answer | None:
    """To the first open village of SO-12, else the house default."""
    cards, places = at.picks("lord", "card"), at.picks("lord", "at")
    if not cards:
        return None
    return Answer(
        "lord", {"card": cards[0], "at": first_place(at.orders.get("SO-12"), places) or by_house(at.table, at.seat, places)}
    )


def _bonus(at: Asked) -> Answer | None:
    """Harvest or Good Weather on the Bishopric with most own Mills."""
    villages = at.table.villages
    for option in ("harvest", "weather"):
        mills = {
            on: sum(
                villages[v].mills for v in at.table.lore.sees[at.table.see_of(on)].villages if villages[v].controller == at.seat
            )
            for on in at.picks(option, "on")
        }
        if mills and max(mills.values()):
            return Answer(option, {"on": max(mills, key=lambda on: mills[on])})
    return None


def _tax(at: Asked, order: Answer) -> Answer | None:
    gains = {levy: gain(at.table, at.seat, levy) for levy in at.picks("tax", "levy")}
    enough = [levy for levy, n in gains.items() if n >= order.number("least")]
    for row in order.rows("taxes"):
        fits = [levy for levy in enough if _fits(levy, row)]
        if fits:
            return Answer("tax", {"levy": max(fits, key=lambda levy: gains[levy])})
    return None


def _fits(levy: str, row: Answer) -> bool:
    _, title, on = levy.split("/")
    return row.pick("title") in ("best", title) and row.pick("on") in ("", on)
