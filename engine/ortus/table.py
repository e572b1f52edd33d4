"""The table of Ortus Regni: every zone as plain data, and the few moves of cards that all chapters share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from engine import rulings
from engine.asks import Seat
from engine.chance import Chance
from engine.ortus.ids import Card, card_of, fief_id, holding_id, kind, owner
from engine.ortus.pieces import ANCHORS, LORE, RULINGS, Troop, cards
from engine.procedure import Outcome
from engine.views import UNHEARD, Event

LAST_FEW = 3
"""Cards of a deck that anybody sees at a glance, however decks are ruled (OR-AMB-5)."""


class Fief(msgspec.Struct):
    """One Anchor with its Properties in order of arrival, and at most one Lord (OR-ZONE-3)."""

    number: int
    anchor: Card
    lord: Card | None = None
    properties: list[Card] = []

    @property
    def id(self) -> str:
        return fief_id(self.number)

    def has(self, what: str) -> bool:
        """Whether a Property of that kind is attached."""
        for p in self.properties:  # noqa: SIM110 - a third of the time of any()
            if kind(p) == what:
                return True
        return False

    def capacity(self) -> int:
        """Reserve cards that this Fief's Lands support in a Battle (OR-FLD-3)."""
        lands = 0
        for p in self.properties:
            lands += kind(p) == "Land"
        return lands * 2 if lands and self.has("MarketTown") else lands


class Mercenary(msgspec.Struct):
    """A Mercenary before an Earldom, with its garrison card if it has one (OR-MERC)."""

    number: int
    card: Card
    garrison: Troop | None = None


class Pile(msgspec.Struct):
    """A table deck (top card last) and its discard pile."""

    deck: list[str] = []
    discard: list[str] = []


class Earl(msgspec.Struct):
    """Everything of one seat (OR-ZONE-1)."""

    seat: Seat
    deck: list[Card] = []
    """Face down, top card last."""
    discard: list[Card] = []
    hand: list[Card] = []
    fiefs: list[Fief] = []
    towers: list[Card] = []
    """Face down, in the order in which they were placed."""
    mercenaries: list[Mercenary] = []
    reserve: list[Troop] = []
    banners: list[Card] = []
    """Displayed for the Kingship."""
    emissaries: list[Card] = []
    cubes: int = 0
    """In the Bag."""
    cubes_out: int = 0
    """Drawn, and out of the Bag until it is empty, where it is ruled so (OR-AMB-10)."""
    turns: int = 0
    """Turns begun; Attacks are open from the second (OR-SET-10)."""
    fiefs_founded: int = 0
    hired: int = 0
    alive: bool = True
    concede: bool = False
    """A queued concession, known to its Earl alone (OR-TURN-6)."""
    role: str = ""
    """King, archbishop, duke or earl; empty where the game has no roles, or until he has picked one."""
    loyal: bool = False
    """Whether he still owes the King a card for his first hostile act (OR-ROLE-9)."""
    assets: list[str] = []
    """What a Duke has not spent yet (OR-ROLE-36, 37)."""
    legacy: int = 0
    """Legacy points, with which roles are contested (OR-ROLE-41)."""
    contested: list[str] = []
    """Roles that he may not contest (any more): those he has contested, and those he has lost (OR-ROLE-42)."""

    @property
    def walls(self) -> int:
        """T: the Towers that absorb a point each, a Duke's permanent one among them (OR-TOW-1, OR-ROLE-32)."""
        return len(self.towers) + (self.role == "duke")

    def fief(self, number: int) -> Fief | None:
        """The Fief of that number, if he still has it."""
        for f in self.fiefs:
            if f.number == number:
                return f
        return None

    def mercenary(self, number: int) -> Mercenary | None:
        """The Mercenary of that number, if he still has it."""
        for m in self.mercenaries:
            if m.number == number:
                return m
        return None

    def found(self, anchor: Card) -> Fief:
        """Add `anchor` as a new, empty Fief with the next number."""
        self.fiefs_founded += 1
        fief = Fief(self.fiefs_founded, anchor)
        self.fiefs.append(fief)
        return fief

    def hire(self, card: Card, garrison: Troop | None = None) -> Mercenary:
        """Put a Mercenary before the Earldom."""
        self.hired += 1
        mercenary = Mercenary(self.hired, card, garrison)
        self.mercenaries.append(mercenary)
        return mercenary

    def prince_home(self) -> Fief | None:
        """The Fief of his Prince Lord, if he has one."""
        for f in self.fiefs:
            if f.lord is not None and kind(f.lord) == "Prince":
                return f
        return None

    def capacity(self) -> int:
        """Reserve cards he may field in one Battle (OR-FLD-3)."""
        found = 0
        for f in self.fiefs:
            if f.properties:
                found += f.capacity()
        return found

    def holds(self, what: str) -> int:
        """How many Properties of that kind lie in his Earldom."""
        return sum(kind(p) == what for f in self.fiefs for p in f.properties)

    def in_hand(self, what: str) -> Card | None:
        """A Hand card of that kind, his own colour first."""
        own = card_of(what, self.seat)
        if own in self.hand:
            return own
        for c in self.hand:
            if kind(c) == what:
                return c
        return None


class Lists(msgspec.Struct):
    """A Joust as it lies before everybody from its tilt on, until the Turn is over in which it was."""

    starter: Seat
    stakes: dict[Seat, Card] = {}
    """What each has staked, in the order of the entries; empty for who kept out."""
    tilters: dict[Seat, Card] = {}
    """Who tilts for whom, as far as it was shown,"""
    tilts: list[dict[Seat, list[str]]] = []
    """and the Joust Cards dealt: two to each, then one to each of those tied, and so on."""
    winner: Seat = ""
    """Empty until there is one, and where the Joust was called off."""


class Table(msgspec.Struct):
    """The whole table (OR-ZONE-2). `n` is the number of Earls who started, for ever (OR-ELIM-6)."""

    seats: list[Seat]
    chance: Chance
    n: int
    earls: dict[Seat, Earl]
    start: Seat = ""
    """The starting Earl; empty until he is drawn."""
    round: int = 0
    active: Seat = ""
    """The Earl whose Turn it is; empty on the Vikings' Turn and before the first."""
    action_used: bool = False
    army: Pile = msgspec.field(default_factory=Pile)
    vikings: Pile = msgspec.field(default_factory=Pile)
    battle: Pile = msgspec.field(default_factory=Pile)
    joust: list[str] = []
    lists: Lists | None = None
    """The Joust of this Turn."""
    king: Seat = ""
    royal: list[Troop] = []
    """The Royal Army; it has N - 1 slots while there is a King."""
    force: list[Troop] = []
    """The Viking force on the table."""
    black: int = 0
    """Black markers forward."""
    white: bool = False
    """Whether the white Combat marker is forward."""
    arrived: bool = False
    out: list[Card] = []
    """Out of the game for good."""
    outcome: Outcome | None = None
    news: list[Event] = []
    rulings: dict[str, str] = {}
    roles: str = ""
    """How roles were given out; empty where the game has none (OR-ROLE-2, 3)."""
    canterbury: Seat = ""
    """The Archbishop, while he is in Canterbury (OR-ROLE-21)."""
    entering: bool = False
    """Whether the Archbishop has announced this Turn that he enters Canterbury (OR-ROLE-22)."""

    def ruled(self, id: str) -> str:
        """What is ruled on that point in this match; see `engine.rulings`."""
        return rulings.of(RULINGS, self.rulings, id)

    def alive(self) -> list[Seat]:
        """The surviving Earls in seat order."""
        return [s for s in self.seats if self.earls[s].alive]

    def others(self, seat: Seat) -> list[Earl]:
        """The surviving Earls but `seat`, clockwise from his left."""
        i = self.seats.index(seat) + 1
        order = self.seats[i:] + self.seats[: i - 1]
        return [self.earls[s] for s in order if self.earls[s].alive]

    def cathedral_holder(self) -> Seat | None:
        """The Earl in whose Fiefs the Cathedral lies face up."""
        for earl in self.earls.values():
            for f in earl.fiefs:
                for p in f.properties:
                    if kind(p) == "Cathedral":
                        return earl.seat
        return None

    def tell(self, event: str, /, **facts: Any) -> None:
        """Tell everybody that something happened."""
        if self.news is not UNHEARD:
            self.news.append(Event(event, facts))

    def tell_two(self, event: str, seats: tuple[Seat, ...], secret: dict[str, Any], **facts: Any) -> None:
        """Tell everybody `facts`, and to `seats` in its place the same with `secret` added, as `EVENT_own`."""
        if self.news is not UNHEARD:
            self.news.append(Event(event, facts, None, seats))
            self.news.append(Event(event + "_own", {**facts, **secret}, seats))


# --- where cards go (OR-DEST) -----------------------------------------------------------------------------------------


def discard(table: Table, card: Card) -> None:
    """An Earl card goes to its original owner's pile, or out of the game when he is (OR-DEST-1, 2).

    By another ruling a Palace goes out of the game in any case (OR-AMB-3).
    """
    earl = table.earls[owner(card)]
    gone = not earl.alive or (kind(card) == "Palace" and table.ruled("OR-AMB-3") == "gone")
    (table.out if gone else earl.discard).append(card)


def discard_all(table: Table, gone: list[Card]) -> None:
    """`discard` for several cards."""
    for card in gone:
        discard(table, card)


def banish(table: Table, earl: Earl, fief: Fief) -> list[Card]:
    """Take an assassinated Lord's Fief off the table; what fell with him (OR-TRE-4).

    It is discarded like him, or by another ruling out of the game (OR-AMB-2).
    """
    gone = [fief.anchor, *fief.properties]
    earl.fiefs.remove(fief)
    lost = [fief.lord, *gone] if fief.lord is not None else gone
    if table.ruled("OR-AMB-2") == "gone":
        table.out += lost
    else:
        discard_all(table, lost)
    return gone


def dissolve(table: Table, earl: Earl, fief: Fief) -> list[Card]:
    """Take a Fief off the table: its Lord is discarded (OR-SEI-4); its Anchor and Properties are returned."""
    earl.fiefs.remove(fief)
    if fief.lord is not None:
        discard(table, fief.lord)
    return [fief.anchor, *fief.properties]


def hand_over(table: Table, loser: Earl, fief: Fief, to: Earl) -> Fief:
    """An Anchor travels alone: its Lord and Properties are discarded, it is a new empty Fief of `to` (OR-DEST-6).

    By another ruling its Properties travel with it (OR-AMB-68).
    """
    lord = fief.lord
    anchor, *left = dissolve(table, loser, fief)
    new = to.found(anchor)
    if table.ruled("OR-AMB-68") == "loaded":
        new.properties, left = left, []
    else:
        discard_all(table, left)
    tell_lost(table, loser, [lord, *left])
    return new


def tell_lost(table: Table, earl: Earl, cards: Iterable[Card | None]) -> None:
    """Tell what he has lost with what was told before, if it is anything: Lords with their Anchors, Properties left behind."""
    lost = [card for card in cards if card is not None]
    if lost:
        table.tell("lost_with_it", seat=earl.seat, cards=lost)


def lose_mercenary(table: Table, earl: Earl, mercenary: Mercenary) -> None:
    """A Mercenary is killed or removed; its garrison card is lost with it (OR-MERC-3)."""
    earl.mercenaries.remove(mercenary)
    discard(table, mercenary.card)
    if mercenary.garrison is not None:
        table.army.discard.append(mercenary.garrison)


# --- drawing (OR-RNG) -------------------------------------------------------------------------------------------------


def draw_from(table: Table, pile: Pile, name: str) -> str | None:
    """The top card of a table deck, reshuffled first if it is empty; None when nothing is left (OR-RNG-2)."""
    if not pile.deck:
        if not pile.discard:
            return None
        # The order of a discard pile is no one's business, so the shuffle starts from a sorted one.
        pile.deck, pile.discard = sorted(pile.discard), []
        table.chance.shuffle(pile.deck, name)
    return pile.deck.pop()


def draw_army(table: Table, earl: Earl, due: int) -> int:
    """Draw up to `due` Army Cards to the Reserve (OR-PROP-4); how many there were. Only he sees them (OR-INFO-3)."""
    drawn: list[Troop] = []
    for _ in range(due):
        card = draw_from(table, table.army, "army-deck")
        if card is None:
            break
        drawn.append(card)
    earl.reserve += drawn
    table.tell_two("army_drawn", (earl.seat,), {"cards": sorted(drawn)}, seat=earl.seat, count=len(drawn))
    return len(drawn)


def draw_card(table: Table, earl: Earl) -> bool:
    """Draw the top card of his Earl Deck into his Hand; False when there is none (OR-TURN-4)."""
    if not earl.deck:
        return False
    card = earl.deck.pop()
    earl.hand.append(card)
    left = len(earl.deck)
    if deck_shown(table, earl):
        table.tell_two("card_drawn", (earl.seat,), {"card": card}, seat=earl.seat, left=left)
    elif table.news is not UNHEARD:
        table.news.append(Event("card_drawn_closed", {"seat": earl.seat}, None, (earl.seat,)))
        table.news.append(Event("card_drawn_own", {"seat": earl.seat, "left": left, "card": card}, (earl.seat,)))
    return True


def closed(table: Table) -> bool:
    """Whether nobody may count decks or search discard piles (OR-AMB-5)."""
    return table.ruled("OR-AMB-5") == "closed"


def deck_shown(table: Table, earl: Earl) -> bool:
    """Whether the others know how many cards are left in his deck: by the other ruling only the last few (OR-AMB-5)."""
    return not closed(table) or len(earl.deck) <= LAST_FEW


def full_joust_deck() -> list[str]:
    """The 24 Joust cards, unshuffled (OR-COMP-7)."""
    return cards(LORE["joust_deck"])


# --- holdings ---------------------------------------------------------------------------------------------------------


def holdings(earl: Earl) -> list[str]:
    """The ids of all his Anchors and Properties, like ids repeated."""
    ids = []
    for f in earl.fiefs:
        ids.append(f.id)
        ids += [holding_id(f.number, p) for p in f.properties]
    return ids


def lying(table: Table) -> dict[str, str]:
    """What stands behind the numbers of Fiefs and Mercenaries, all of it public, for the wording of asks.

    `b:F1` is the Anchor, `b:F1.lord` its Lord, `b:F1.load` whether it has a Lord or Properties, `b:M1` a garrison or empty.
    """
    found: dict[str, str] = {}
    for seat, earl in table.earls.items():
        for f in earl.fiefs:
            key = f"{seat}:{f.id}"
            found[key] = f.anchor
            if f.lord is not None:
                found[f"{key}.lord"] = f.lord
            if f.lord is not None or f.properties:
                found[f"{key}.load"] = "yes"
        for m in earl.mercenaries:
            found[f"{seat}:M{m.number}"] = m.garrison or ""
    return found


def is_anchor(card: Card) -> bool:
    """Whether the card is a Castle or a Palace."""
    return kind(card) in ANCHORS
