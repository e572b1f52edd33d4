"""Orders of step 2: discards and draws (FF-SO-14), Lords, weather and taxes (FF-SO-15)."""

from __future__ import annotations

from engine.core.asks import Answer
from engine.fief.orders.asked import Asked, first
from engine.fief.rules.court.cards import FORTUNE, LORDS, room_for_lords
from engine.fief.rules.playing import gain, most_mills
from engine.fief.rules.realm.placing import by_house


def discard(at: Asked, order: Answer) -> Answer:
    """D-DRW-1: all of a kind, or one if the hand is full."""
    gone = _gone(at, order)
    return Answer("discard", {"cards": gone}) if gone else Answer("none")


def _gone(at: Asked, order: Answer) -> list[str]:
    table, hand = at.table, at.table.families[at.seat].hand
    gone: list[str] = []
    for row in order.rows("discards"):
        alike = [card for card in hand if row.pick("card") in (card, table.lore.kinds[card].kind)]
        if row.pick("when") == "always":
            gone += [card for card in alike if card not in gone]
        elif not gone and len(hand) == table.limits["hand"]:
            gone += alike[:1]
    return gone


def draw(at: Asked, order: Answer) -> Answer:
    """D-DRW-2, D-DRW-3: possible discards, the first deck, the second."""
    if at.has("discard") and (gone := _gone(at, order)):
        return Answer("discard", {"cards": gone})
    wanted = order.pick("second" if at.ask.listed("drawn") else "first")
    if wanted == "lords_room":
        wanted = LORDS if room_for_lords(at.table, at.seat) and at.has(LORDS) else FORTUNE
    if wanted == FORTUNE and order.pick("black") == "stop" and at.fact("top") == "disaster":
        wanted = "none"
    return Answer(wanted if at.has(wanted) else "none")


def play(at: Asked, order: Answer) -> Answer:
    """D-PLY-1: card after card, skipping unplayable ones. A Lord goes to SO-12's first open village, else by house."""
    cards, places = at.picks("lord", "card"), at.picks("lord", "at")
    if cards and order.pick("lords") == "yes":
        listed = first(at, at.orders["SO-12"], "places", "lord", "at") if "SO-12" in at.orders else None
        return Answer("lord", {"card": cards[0], "at": listed.pick("at") if listed else by_house(at.table, at.seat, places)})
    for option in ("harvest", "weather") if order.pick("bonus") == "yes" else ():
        if on := most_mills(at.table, at.seat, at.picks(option, "on")):
            return Answer(option, {"on": on})
    return _tax(at, order) or Answer("done")


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
