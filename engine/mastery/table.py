"""The table of Medieval Mastery: every zone as plain data, and what follows from where the knights stand.

Dice reserve (MM-DIC), control and points (MM-GEN-2, MM-VIC-1), line of supply (MM-SUP), capacity (MM-CAP).
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine import rulings
from engine.asks import Seat
from engine.chance import Chance
from engine.mastery.maps import Geography, geography
from engine.mastery.pieces import RULINGS, Card, Lore, Tile, lore_of
from engine.procedure import Outcome
from engine.views import UNHEARD, Event

UP = -1
"""The stamp of an artefact that lies face up."""


class Options(msgspec.Struct, frozen=True):
    """The optional rules of a game (MM-OPT-1)."""

    teams: int = 0
    """Allegiance: the size of a team, 2 or 3; 0 for every lord for himself."""
    siege: bool = False
    cut_throat: bool = False
    skirmish: bool = False
    mayhem: bool = False


class Artefact(msgspec.Struct):
    """A crown, sceptre or orb; `down` is the turn of its destruction, or `UP` (MM-ART-1, 2)."""

    name: str
    down: int = UP

    @property
    def up(self) -> bool:
        return self.down == UP


class Discarded(msgspec.Struct, frozen=True):
    """A card of a discard pile and the turn it came there (MM-TRN-8)."""

    card: Card
    turn: int


class Lord(msgspec.Struct):
    """Everything of one seat."""

    seat: Seat
    castle: str
    """The castle's name; it has no effect (MM-CMP-7)."""
    slot: str
    """Where the castle stands."""
    knights: int = 0
    """In the castle."""
    deck: list[Card] = []
    """Face down, top card last."""
    hand: list[Card] = []
    discard: list[Discarded] = []
    """Face up, the newest last."""
    crown: Artefact = msgspec.field(default_factory=lambda: Artefact(""))
    sceptre: Artefact = msgspec.field(default_factory=lambda: Artefact(""))
    orb: Artefact = msgspec.field(default_factory=lambda: Artefact(""))
    known: dict[Seat, int] = {}
    """Who knows how many cards from the top of this deck (MM-HID-12)."""

    def artefacts(self) -> list[Artefact]:
        """Crown, sceptre, orb."""
        return [self.crown, self.sceptre, self.orb]


class Land(msgspec.Struct):
    """A territory: its tile, and who holds it with how many knights; nobody with none (MM-GEN-2)."""

    tile: str
    holder: Seat = ""
    knights: int = 0


class Dispute(msgspec.Struct):
    """The attacking knights of a battle; the slot still counts as the defender's (MM-BAT-1)."""

    slot: str
    attacker: Seat
    knights: int


class Table(msgspec.Struct):
    """The whole table. `seats` are the players' letters, `order` the same clockwise around the map (MM-MAP-4)."""

    seats: list[Seat]
    chance: Chance
    order: list[Seat]
    lords: dict[Seat, Lord]
    lands: dict[str, Land]
    options: Options = Options()
    lore: str = ""
    """The text of the host's own data file, or nothing for the one that comes with Writ (MM-DAT-3)."""
    first: Seat = ""
    turn: int = 0
    """The global index of turns (MM-TRN-8)."""
    active: Seat = ""
    crown_used: bool = False
    dispute: Dispute | None = None
    outcome: Outcome | None = None
    news: list[Event] = []
    rulings: dict[str, str] = {}

    def ruled(self, id: str) -> str:
        """What is ruled on that point in this match; see `engine.rulings`."""
        return rulings.of(RULINGS, self.rulings, id)

    @property
    def data(self) -> Lore:
        """The lore that this game is played by."""
        return lore_of(self.lore)

    @property
    def map(self) -> Geography:
        """The map that it is played on."""
        return geography(self.lore, len(self.seats))

    def tile(self, slot: str) -> Tile:
        """The tile of a territory."""
        return self.data.tiles[self.lands[slot].tile]

    def clockwise(self, start: Seat) -> list[Seat]:
        """All seats in turn order, beginning with `start`."""
        i = self.order.index(start)
        return self.order[i:] + self.order[:i]

    def owner(self, artefact: str) -> Seat:
        """Whose artefact that is."""
        for seat, lord in self.lords.items():
            if lord.crown.name == artefact or lord.sceptre.name == artefact or lord.orb.name == artefact:
                return seat
        raise KeyError(artefact)

    def artefact(self, name: str) -> Artefact:
        """The artefact of that name."""
        for lord in self.lords.values():
            for lying in (lord.crown, lord.sceptre, lord.orb):
                if lying.name == name:
                    return lying
        raise KeyError(name)

    def tell(self, event: str, /, **facts: Any) -> None:
        """Tell everybody that something happened."""
        if self.news is not UNHEARD:
            self.news.append(Event(event, facts))

    def tell_two(self, event: str, to: Seat, secret: dict[str, Any], /, **facts: Any) -> None:
        """Tell everybody `facts`, and to the seat `to` in its place the same with `secret` added, as `EVENT_own`."""
        if self.news is not UNHEARD:
            self.news.append(Event(event, facts, None, (to,)))
            self.news.append(Event(event + "_own", {**facts, **secret}, (to,)))


# --- control, points, teams -------------------------------------------------------------------------------------------


def held(table: Table, seat: Seat) -> list[str]:
    """The territories that a lord controls, in the order of the map (MM-GEN-2)."""
    return [slot for slot, land in table.lands.items() if land.holder == seat]


def value(table: Table, slot: str) -> int:
    """The victory value of a territory; Homelands have none in a Skirmish (MM-OPT-11)."""
    tile = table.tile(slot)
    if table.options.skirmish and tile.type == "Homelands":
        return table.data.victory["skirmish"].get("homelands_value", 0)
    return tile.value


def points(table: Table, seat: Seat) -> int:
    """The values of all territories that he controls, supplied or not (MM-VIC-1)."""
    tiles = table.data.tiles
    if table.options.skirmish:
        return sum([value(table, slot) for slot in held(table, seat)])
    return sum([tiles[land.tile].value for land in table.lands.values() if land.holder == seat])


def team(table: Table, seat: Seat) -> list[Seat]:
    """The lords of his side, himself included, clockwise (MM-OPT-2)."""
    n, size = len(table.order), table.options.teams
    if not size:
        return [seat]
    at, step = table.order.index(seat), n // size
    return [table.order[i] for i in range(at % step, n, step)]


def target(table: Table) -> int:
    """The points that win (MM-VIC-2, MM-OPT-3, MM-OPT-11)."""
    victory, options = table.data.victory, table.options
    if options.teams:
        return victory["allegiance_with_skirmish" if options.skirmish else "allegiance"][f"team_of_{options.teams}"]
    return victory["skirmish" if options.skirmish else "base"]["individual"]


def check_victory(table: Table, seat: Seat) -> bool:
    """End the game if the lord, or his team, has points enough: at every gain of control, before anything else (MM-VIC-2)."""
    side = team(table, seat)
    if sum(points(table, s) for s in side) < target(table):
        return False
    win(table, side, "points")
    return True


def win(table: Table, winners: list[Seat], how: str) -> None:
    """The game is over; nothing further is resolved (MM-VIC-3)."""
    table.outcome = Outcome(tuple(s for s in table.seats if s in winners), how)
    table.tell("won", seats=list(table.outcome.winners), how=how, points=sum(points(table, s) for s in winners))


# --- the dice reserve -------------------------------------------------------------------------------------------------


def dice(knights: int, pips: int) -> int:
    """The dice that so many knights in one place take (MM-DIC-1)."""
    return -(-knights // pips)


def in_dispute(table: Table, seat: Seat) -> int:
    """The knights with which a lord attacks just now; they are on the map, and in no place of his yet (MM-BAT-1)."""
    return table.dispute.knights if table.dispute is not None and table.dispute.attacker == seat else 0


def need(table: Table, seat: Seat) -> int:
    """The dice that a lord has on the map."""
    pips = table.data.constants["pips_per_die"]
    used = sum([-(-land.knights // pips) for land in table.lands.values() if land.holder == seat])
    return used + dice(table.lords[seat].knights, pips) + dice(in_dispute(table, seat), pips)


def all_dice(table: Table) -> int:
    """The dice of every lord."""
    return table.data.constants["dice_per_player"]


def room(table: Table, seat: Seat) -> int:
    """How many knights the castle takes yet: by the dice in reserve, and beside the knights on its last die (MM-DIC-3)."""
    knights, pips = table.lords[seat].knights, table.data.constants["pips_per_die"]
    return max(0, (all_dice(table) - need(table, seat)) * pips + dice(knights, pips) * pips - knights)


def gain(table: Table, seat: Seat, count: int, why: str) -> None:
    """Place knights in the castle one at a time; each that would need one die more than there are is lost (MM-DIC-3)."""
    placed = min(count, room(table, seat))
    table.lords[seat].knights += placed
    table.tell("gained", seat=seat, count=placed, lost=count - placed, why=why)


# --- the line of supply -----------------------------------------------------------------------------------------------


def supplied(table: Table, seat: Seat) -> set[str]:
    """His territories that are joined to his castle through own territories and lakes without a break (MM-SUP-2)."""
    own = set(held(table, seat))
    if not own:
        return own
    land, castle = table.map, table.lords[seat].slot
    near = land.near
    open_ = own | land.lakes  # what no way has come to yet
    ways = [castle]
    while ways:
        for x in near[ways.pop()]:
            if x in open_:
                open_.remove(x)
                ways.append(x)
    return own - open_


def on_border(table: Table, seat: Seat, slot: str) -> bool:
    """Whether somebody else could come here soon: it touches land or a lake that is not all his."""
    own = set(held(table, seat)) | {table.lords[seat].slot}
    return any(x not in own for x in table.map.near[slot])


def targets(table: Table, seat: Seat, within: set[str] | None = None) -> list[str]:
    """Where he may advance to (MM-ADV-2): beside his castle, beside a supplied territory, or across one lake from one.

    `within` are his supplied territories, where they are at hand.
    """
    land, lands, castle = table.map, table.lands, table.lords[seat].slot
    near, lakes = land.near, land.lakes
    reached = set(near[castle])
    for source in supplied(table, seat) if within is None else within:
        for x in near[source]:
            reached.add(x)
            if x in lakes:
                reached.update(near[x])
    allies, siege = team(table, seat), table.options.siege
    found = []
    for x, slot in land.slots.items():
        if x in reached:
            if x in lands:
                if lands[x].holder not in allies:
                    found.append(x)
            elif siege and slot.kind == "castle" and x != castle:
                found.append(x)
    return found


def capacity(table: Table, slot: str) -> int:
    """How many knights of one lord a place takes; a castle under siege as many as may attack it (MM-CAP-1, MM-OPT-6)."""
    land, data = table.lands.get(slot), table.data
    return data.constants["siege_max_attackers"] if land is None else data.tiles[land.tile].capacity


def lord_of_castle(table: Table, slot: str) -> Seat:
    """Whose castle stands there."""
    return next(s for s, lord in table.lords.items() if lord.slot == slot)


def cut_off(table: Table) -> None:
    """Cut-throat: all knights on territories without supply are removed (MM-OPT-10)."""
    if not table.options.cut_throat:
        return
    for seat in table.order:
        for slot in sorted(set(held(table, seat)) - supplied(table, seat)):
            land = table.lands[slot]
            table.tell("cut_off", seat=seat, slot=slot, tile=land.tile, count=land.knights)
            land.holder, land.knights = "", 0
