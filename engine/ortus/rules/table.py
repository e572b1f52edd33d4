"""Ortus's table: zones, and card moves."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.core import rulings
from engine.core.asks import Seat
from engine.core.procedure import BaseTable
from engine.ortus.rules.pieces import RULINGS, Card, Troop, card_of, fief_id, holding_id, kind, owner, parse

LAST_FEW = 3
"""Deck size visible to all under any ruling (OR-AMB-5)."""


class Fief(msgspec.Struct):
    """A Fief: Properties in order of arrival, at most one Lord (OR-ZONE-3)."""

    number: int
    anchor: Card
    lord: Card | None = None
    properties: list[Card] = []

    @property
    def id(self) -> str:
        return fief_id(self.number)

    def has(self, what: str) -> bool:
        for p in self.properties:  # noqa: SIM110 - a third of the time of any()
            if kind(p) == what:
                return True
        return False

    def capacity(self) -> int:
        """Reserve cards in a Battle (OR-FLD-3)."""
        lands = 0
        for p in self.properties:
            lands += kind(p) == "Land"
        return lands * 2 if lands and self.has("MarketTown") else lands


class Mercenary(msgspec.Struct):
    """A Mercenary with an optional garrison (OR-MERC)."""

    number: int
    card: Card
    garrison: Troop | None = None


class Pile(msgspec.Struct):
    """A table deck (top last) and its discards."""

    deck: list[str] = []
    discard: list[str] = []


class Earl(msgspec.Struct):
    """One seat's zones (OR-ZONE-1)."""

    seat: Seat
    deck: list[Card] = []
    """Face down, top last."""
    discard: list[Card] = []
    hand: list[Card] = []
    fiefs: list[Fief] = []
    towers: list[Card] = []
    """Face down, in order of placement."""
    mercenaries: list[Mercenary] = []
    reserve: list[Troop] = []
    banners: list[Card] = []
    emissaries: list[Card] = []
    cubes: int = 0
    """In the Bag."""
    cubes_out: int = 0
    """Drawn and kept out until the Bag is empty, by ruling (OR-AMB-10)."""
    turns: int = 0
    """Turns begun; Attacks from the second (OR-SET-10)."""
    fiefs_founded: int = 0
    hired: int = 0
    alive: bool = True
    concede: bool = False
    """Queued concession, secret (OR-TURN-6)."""
    role: str = ""
    """`king`, `archbishop`, `duke`, `earl` or ''."""
    loyal: bool = False
    """Whether he owes the King a card for his first hostile act (OR-ROLE-9)."""
    assets: list[str] = []
    """A Duke's unspent assets (OR-ROLE-36, 37)."""
    legacy: int = 0
    """Points to contest roles (OR-ROLE-41)."""
    contested: list[str] = []
    """Roles he contested or lost and can't contest again (OR-ROLE-42)."""

    @property
    def walls(self) -> int:
        """Absorbing Towers, with a Duke's permanent one (OR-TOW-1, OR-ROLE-32)."""
        return len(self.towers) + (self.role == "duke")

    def fief(self, number: int) -> Fief | None:
        for f in self.fiefs:
            if f.number == number:
                return f
        return None

    def mercenary(self, number: int) -> Mercenary | None:
        for m in self.mercenaries:
            if m.number == number:
                return m
        return None

    def held_fief(self, number: int) -> Fief:
        fief = self.fief(number)
        assert fief is not None
        return fief

    def held_mercenary(self, number: int) -> Mercenary:
        mercenary = self.mercenary(number)
        assert mercenary is not None
        return mercenary

    def found(self, anchor: Card) -> Fief:
        self.fiefs_founded += 1
        fief = Fief(self.fiefs_founded, anchor)
        self.fiefs.append(fief)
        return fief

    def hire(self, card: Card, garrison: Troop | None = None) -> Mercenary:
        self.hired += 1
        mercenary = Mercenary(self.hired, card, garrison)
        self.mercenaries.append(mercenary)
        return mercenary

    def prince_home(self) -> Fief | None:
        for f in self.fiefs:
            if f.lord is not None and kind(f.lord) == "Prince":
                return f
        return None

    def capacity(self) -> int:
        """Reserve cards in a Battle (OR-FLD-3)."""
        found = 0
        for f in self.fiefs:
            if f.properties:
                found += f.capacity()
        return found

    def holds(self, what: str) -> int:
        return sum(kind(p) == what for f in self.fiefs for p in f.properties)

    def in_hand(self, what: str) -> Card | None:
        """A card of a kind, own colour first."""
        own = card_of(what, self.seat)
        if own in self.hand:
            return own
        for c in self.hand:
            if kind(c) == what:
                return c
        return None


class Lists(msgspec.Struct):
    """A Joust's public state until the Turn ends."""

    starter: Seat
    stakes: dict[Seat, Card] = {}
    """Stakes in order of entry; '' if not in."""
    tilters: dict[Seat, Card] = {}
    """Revealed tilters."""
    tilts: list[dict[Seat, list[str]]] = []
    """Joust Cards: two each, then one per tied seat and tie."""
    winner: Seat = ""
    """'' before the end, or if cancelled."""


class Table(BaseTable):
    """OR-ZONE-2. `n`: Earls at the start (OR-ELIM-6)."""

    n: int
    earls: dict[Seat, Earl]
    start: Seat = ""
    """Starting Earl; '' until drawn."""
    round: int = 0
    active: Seat = ""
    """Seat of the current Turn; '' on the Vikings' and before the first."""
    action_used: bool = False
    army: Pile = msgspec.field(default_factory=Pile)
    vikings: Pile = msgspec.field(default_factory=Pile)
    battle: Pile = msgspec.field(default_factory=Pile)
    joust: list[str] = []
    lists: Lists | None = None
    king: Seat = ""
    royal: list[Troop] = []
    """Royal Army, N - 1 slots with a King."""
    force: list[Troop] = []
    black: int = 0
    """Black markers forward."""
    white: bool = False
    """Whether the white Combat marker is forward."""
    arrived: bool = False
    out: list[Card] = []
    roles: str = ""
    """Way roles were given out; '' without roles (OR-ROLE-2, 3)."""
    canterbury: Seat = ""
    """The Archbishop while there (OR-ROLE-21)."""
    entering: bool = False
    """Whether entry to Canterbury was announced (OR-ROLE-22)."""

    def ruled(self, id: str) -> str:
        return rulings.of(RULINGS, self.rulings, id)

    def alive(self) -> list[Seat]:
        return [s for s in self.seats if self.earls[s].alive]

    def others(self, seat: Seat) -> list[Earl]:
        """Other surviving Earls, clockwise."""
        i = self.seats.index(seat) + 1
        order = self.seats[i:] + self.seats[: i - 1]
        return [self.earls[s] for s in order if self.earls[s].alive]

    def cathedral_holder(self) -> Seat | None:
        for earl in self.earls.values():
            for f in earl.fiefs:
                for p in f.properties:
                    if kind(p) == "Cathedral":
                        return earl.seat
        return None


# --- discards (OR-DEST) -----------------------------------------------------------------------------------------------


def discard(table: Table, card: Card) -> None:
    """Discard to the owner's pile, or out of the game with him (OR-DEST-1, 2).

    By ruling a Palace always leaves the game (OR-AMB-3).
    """
    earl = table.earls[owner(card)]
    gone = not earl.alive or (kind(card) == "Palace" and table.ruled("OR-AMB-3") == "gone")
    (table.out if gone else earl.discard).append(card)


def discard_all(table: Table, gone: list[Card]) -> None:
    for card in gone:
        discard(table, card)


def banish(table: Table, earl: Earl, fief: Fief) -> list[Card]:
    """Remove an assassinated Lord's Fief; returns its cards (OR-TRE-4), discarded or by ruling out of the game (OR-AMB-2)."""
    gone = [fief.anchor, *fief.properties]
    earl.fiefs.remove(fief)
    lost = [fief.lord, *gone] if fief.lord is not None else gone
    if table.ruled("OR-AMB-2") == "gone":
        table.out += lost
    else:
        discard_all(table, lost)
    return gone


def dissolve(table: Table, earl: Earl, fief: Fief) -> list[Card]:
    """Remove a Fief, discard its Lord (OR-SEI-4); returns Anchor and Properties."""
    earl.fiefs.remove(fief)
    if fief.lord is not None:
        discard(table, fief.lord)
    return [fief.anchor, *fief.properties]


def hand_over(table: Table, loser: Earl, fief: Fief, to: Earl) -> Fief:
    """Move the Anchor to a new Fief of `to`, discarding its cards (OR-DEST-6).

    By ruling Properties go along (OR-AMB-68).
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
    lost = [card for card in cards if card is not None]
    if lost:
        table.tell("lost_with_it", seat=earl.seat, cards=lost)


def lose_mercenary(table: Table, earl: Earl, mercenary: Mercenary) -> None:
    """Remove a Mercenary and its garrison (OR-MERC-3)."""
    earl.mercenaries.remove(mercenary)
    discard(table, mercenary.card)
    if mercenary.garrison is not None:
        table.army.discard.append(mercenary.garrison)


# --- drawing (OR-RNG) -------------------------------------------------------------------------------------------------


def draw_from(table: Table, pile: Pile, name: str) -> str | None:
    """Draw, reshuffling if empty; None if nothing is left (OR-RNG-2)."""
    if not pile.deck:
        if not pile.discard:
            return None
        # Sort: the discard order must not affect the shuffle.
        pile.deck, pile.discard = sorted(pile.discard), []
        table.chance.shuffle(pile.deck, name)
    return pile.deck.pop()


def draw_several(table: Table, pile: Pile, name: str, count: int) -> list[str]:
    """Draw up to `count` cards, as available (OR-RNG-2)."""
    drawn = [draw_from(table, pile, name) for _ in range(count)]
    return [card for card in drawn if card is not None]


def draw_army(table: Table, earl: Earl, due: int) -> int:
    """Draw up to `due` to the Reserve (OR-PROP-4), secretly (OR-INFO-3); returns the number."""
    drawn = draw_several(table, table.army, "army-deck", due)
    earl.reserve += drawn
    table.tell_two("army_drawn", (earl.seat,), {"cards": sorted(drawn)}, seat=earl.seat, count=len(drawn))
    return len(drawn)


def draw_card(table: Table, earl: Earl) -> bool:
    """Draw; False if the Earl Deck is empty (OR-TURN-4)."""
    if not earl.deck:
        return False
    card = earl.deck.pop()
    earl.hand.append(card)
    left = len(earl.deck)
    if deck_shown(table, earl):
        table.tell_two("card_drawn", (earl.seat,), {"card": card}, seat=earl.seat, left=left)
    else:
        table.tell("card_drawn_closed", but=(earl.seat,), seat=earl.seat)
        table.tell("card_drawn_own", only=(earl.seat,), seat=earl.seat, left=left, card=card)
    return True


def closed(table: Table) -> bool:
    """Whether decks can't be counted nor discards searched, by ruling (OR-AMB-5)."""
    return table.ruled("OR-AMB-5") == "closed"


def deck_shown(table: Table, earl: Earl) -> bool:
    """Whether others see his deck size (OR-AMB-5)."""
    return not closed(table) or len(earl.deck) <= LAST_FEW


# --- holdings ---------------------------------------------------------------------------------------------------------


def holdings(earl: Earl) -> list[str]:
    """Ids of Anchors and Properties, repeated."""
    ids = []
    for f in earl.fiefs:
        ids.append(f.id)
        ids += [holding_id(f.number, p) for p in f.properties]
    return ids


def kind_of(earl: Earl, holding: str) -> str:
    told = parse(holding)
    fief = earl.fief(told.number)
    return told.kind or (kind(fief.anchor) if fief is not None else "")


def lying(table: Table) -> dict[str, str]:
    """Public meaning of Fief and Mercenary numbers.

    `b:F1` Anchor, `b:F1.lord` Lord, `b:F1.load` if loaded, `b:M1` garrison or ''.
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
