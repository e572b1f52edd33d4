"""`steady` bot: deck, Fiefs, Lords, armies, Towers, Bequest."""

from __future__ import annotations

from engine.bots.thinking import offers
from engine.core.asks import Answer, Ask
from engine.core.chance import Chance
from engine.game import AnyState
from engine.ortus.rules.pieces import LORE, SEND, cards, kind
from engine.ortus.rules.roles import may_install
from engine.ortus.rules.table import Earl, Fief, Table
from engine.ortus.rules.turn import garrison_slots, recruits
from engine.ortus.steady import weights as w
from engine.ortus.steady.reckoning import Reckoning
from engine.ortus.steady.war import best_home

Scored = list[tuple[float, Answer]]


def deck(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    role = state.table.earls[ask.seat].role
    if role in w.ROLE_DECKS:
        return Answer("deck", {"cards": cards(LORE["house_decks"][w.ROLE_DECKS[role]])})
    decks = list(w.DECKS.values())
    return Answer("deck", {"cards": cards(decks[chance.below(len(decks), "deck")])})


# --- the Bequest ------------------------------------------------------------------------------------------------------


def bequests(r: Reckoning, ask: Ask) -> Scored:
    """Bequeath when the deck runs out; get a Prince in time."""
    own, left = r.own, len(r.own.deck)
    option = next((o for o in ("bequeath", "bequeath_church") if offers(ask, o)), None)
    if option is not None:
        if left <= 1:
            return [(w.VITAL, Answer(option))]
        if left <= w.LAST or (left <= w.LOW and len(own.discard) >= w.RICH_PILE):
            return [(w.PRESSING, Answer(option))]
        return []
    prince = own.in_hand("Prince")
    if prince is None or own.prince_home() is not None or left > w.LOW or not left:
        return []
    home = home_for(own, "Prince")
    return [(w.VITAL if left == 1 else w.PRESSING, Answer("install", {"card": prince, "fief": home.id}))] if home else []


# --- Fiefs, Lords, armies ---------------------------------------------------------------------------------------------


def works(r: Reckoning, ask: Ask) -> Scored:
    return [*_fiefs(r, ask), *_properties(r, ask), *_lords(r, ask), *_armies(r, ask)]


def _fiefs(r: Reckoning, ask: Ask) -> Scored:
    own = r.own
    if not offers(ask, "castle"):
        return []
    anchor = own.in_hand("Palace") or own.in_hand("Castle")
    held = min(len(own.fiefs), len(w.FIEF) - 1)
    return [(w.FIEF[held], Answer("castle", {"card": anchor}))] if anchor else []


def _properties(r: Reckoning, ask: Ask) -> Scored:
    own, found = r.own, []
    if not offers(ask, "place"):
        return []
    home = best_home(own)
    lands = own.holds("Land")
    waiting = sum(kind(c) == "Land" for c in own.hand)
    cathedral = r.table.cathedral_holder()
    for card in {kind(c): c for c in own.hand}.values():
        what = kind(card)
        value = 0.0
        if what == "Land":
            value = w.LAND[min(lands, len(w.LAND) - 1)] * (w.DOUBLED if home.has("MarketTown") else 1.0)
        elif what == "MarketTown" and not home.has("MarketTown"):
            value = w.TOWN * (home.capacity() + min(2, waiting))
        elif what == "Church" and not own.holds("Church"):
            blocked = cathedral not in (None, own.seat) or r.table.canterbury not in ("", own.seat)
            value = w.CHURCH_NEEDED if blocked else w.CHURCH
        elif what == "Cathedral" and cathedral is None:
            value = w.CATHEDRAL + w.STARVES * sum(not e.holds("Church") for e in r.rivals)
        if value:
            found.append((value, Answer("place", {"card": card, "fief": home.id})))
    return found


def home_for(earl: Earl, what: str) -> Fief | None:
    """Fief for a Lord: the Palace for a Prince, else where Treachery takes least."""
    empty = [f for f in earl.fiefs if f.lord is None]
    if what == "Prince":
        weak = [f for f in earl.fiefs if f.lord is not None and kind(f.lord) == "Monk"]
        return max(empty or weak, key=lambda f: (len(f.properties), kind(f.anchor) == "Palace"), default=None)
    if len(earl.fiefs) == 1:
        return None
    return min(empty, key=lambda f: (len(f.properties), kind(f.anchor) == "Palace", f.number), default=None)


def _lords(r: Reckoning, ask: Ask) -> Scored:
    own, found = r.own, []
    if not offers(ask, "install"):
        return []
    for what, value in w.INSTALL.items():
        card = own.in_hand(what)
        if card is None or not may_install(own, card) or (what == "Prince" and own.prince_home() is not None):
            continue
        home = home_for(own, what)
        if home is not None:
            found.append((value, Answer("install", {"card": card, "fief": home.id})))
    return found


def _armies(r: Reckoning, ask: Ask) -> Scored:
    own, found = r.own, []
    if offers(ask, "mercenary"):
        found.append((w.MERCENARY + (w.GARRISON if own.reserve else 0.0), Answer("mercenary")))
    if offers(ask, "recruit"):
        room = own.capacity() + 1 - len(own.reserve)
        drawn = recruits(r.table, own)
        found.append((w.RECRUIT * min(drawn, max(0, room)) + w.SURPLUS * drawn, Answer("recruit")))
    if offers(ask, "banquet") and len(own.deck) >= 10:
        found.append((w.BANQUET - 0.3 * len(own.hand), Answer("banquet")))
    return found


# --- free actions -----------------------------------------------------------------------------------------------------


def garrison(table: Table, earl: Earl) -> Answer:
    best = max(earl.reserve, key=lambda t: SEND[t])
    return Answer("garrison", {"card": best, "slot": garrison_slots(table, earl)[0]})


def towers(r: Reckoning, action: Answer) -> list[str]:
    """Hand cards better used so, except what the next Action needs."""
    left = sorted(r.own.hand, key=lambda c: w.KEEP[kind(c)])
    spent = [c for c in left if kind(c) == w.SPENDS.get(action.option)][-1:]
    for card in spent or [c for c in (action.pick("card"), *action.some("hand")) if c]:
        left.remove(card)
    waste = [c for c in left if _is_waste(r, c)]
    rest = [c for c in left if c not in waste]
    keep = w.HAND_KEPT - (r.threat() > 0)
    while len(rest) > keep and w.KEEP[kind(rest[0])] < w.NEVER_A_TOWER:
        waste.append(rest.pop(0))
    return waste


def _is_waste(r: Reckoning, card: str) -> bool:
    what = kind(card)
    if what == "Cathedral":
        return r.table.cathedral_holder() is not None
    if what == "Church":
        return bool(r.own.holds("Church"))
    if what == "Banquet":
        return len(r.own.deck) < 10
    return False


def canterbury(r: Reckoning, ask: Ask) -> Answer | None:
    safe = any(f.properties for f in r.own.fiefs) or r.mine.bodies >= 3
    if safe and offers(ask, "enter"):
        return Answer("enter")
    return Answer("leave") if not safe and offers(ask, "leave") else None
