"""Table of Medieval Mastery, and derived facts: dice (MM-DIC), control and points (MM-GEN-2, MM-VIC-1), supply (MM-SUP),
capacity (MM-CAP).
"""

from __future__ import annotations

import msgspec

from engine.core import rulings
from engine.core.asks import Seat
from engine.core.procedure import BaseTable, Outcome
from engine.mastery.rules.maps import Geography, geography
from engine.mastery.rules.pieces import RULINGS, Card, Lore, Tile, lore_of

UP = -1
"""`down` of a face-up artefact."""


class Options(msgspec.Struct, frozen=True):
    teams: int = 0
    """Allegiance: size of a team, 2 or 3; 0 for none."""
    siege: bool = False
    cut_throat: bool = False
    skirmish: bool = False
    mayhem: bool = False


class Artefact(msgspec.Struct):
    """Crown, sceptre or orb; `down` is its turn of destruction, or `UP` (MM-ART-1, 2)."""

    name: str
    down: int = UP

    @property
    def up(self) -> bool:
        return self.down == UP


class Discarded(msgspec.Struct, frozen=True):
    """A discarded card and its turn (MM-TRN-8)."""

    card: Card
    turn: int


class Lord(msgspec.Struct):
    seat: Seat
    castle: str
    """Castle's name; no effect (MM-CMP-7)."""
    slot: str
    """Castle's place."""
    knights: int = 0
    """In the castle."""
    deck: list[Card] = []
    """Top card last."""
    hand: list[Card] = []
    discard: list[Discarded] = []
    """Newest last."""
    crown: Artefact = msgspec.field(default_factory=lambda: Artefact(""))
    sceptre: Artefact = msgspec.field(default_factory=lambda: Artefact(""))
    orb: Artefact = msgspec.field(default_factory=lambda: Artefact(""))
    known: dict[Seat, int] = {}
    """Seat -> number of top cards it knows (MM-HID-12)."""

    def artefacts(self) -> list[Artefact]:
        return [self.crown, self.sceptre, self.orb]


class Land(msgspec.Struct):
    """A territory; without knights it has no holder (MM-GEN-2)."""

    tile: str
    holder: Seat = ""
    knights: int = 0


class Dispute(msgspec.Struct):
    """Attackers in a battle; the slot is still the defender's (MM-BAT-1)."""

    slot: str
    attacker: Seat
    knights: int


class Table(BaseTable):
    """`order`: seats clockwise around the map (MM-MAP-4)."""

    order: list[Seat]
    lords: dict[Seat, Lord]
    lands: dict[str, Land]
    options: Options = Options()
    lore: str = ""
    """The host's data file, or "" for the shipped one (MM-DAT-3)."""
    first: Seat = ""
    turn: int = 0
    """Global turn number (MM-TRN-8)."""
    active: Seat = ""
    crown_used: bool = False
    dispute: Dispute | None = None

    def ruled(self, id: str) -> str:
        return rulings.of(RULINGS, self.rulings, id)

    @property
    def data(self) -> Lore:
        return lore_of(self.lore)

    @property
    def map(self) -> Geography:
        return geography(self.lore, len(self.seats))

    def tile(self, slot: str) -> Tile:
        return self.data.tiles[self.lands[slot].tile]

    def clockwise(self, start: Seat) -> list[Seat]:
        i = self.order.index(start)
        return self.order[i:] + self.order[:i]

    def owner(self, artefact: str) -> Seat:
        """Owner of an artefact. Raises KeyError."""
        for seat, lord in self.lords.items():
            if lord.crown.name == artefact or lord.sceptre.name == artefact or lord.orb.name == artefact:
                return seat
        raise KeyError(artefact)

    def artefact(self, name: str) -> Artefact:
        for lord in self.lords.values():
            for artefact in (lord.crown, lord.sceptre, lord.orb):
                if artefact.name == name:
                    return artefact
        raise KeyError(name)


# --- control, points, teams -------------------------------------------------------------------------------------------


def held(table: Table, seat: Seat) -> list[str]:
    """Territories in map order (MM-GEN-2)."""
    return [slot for slot, land in table.lands.items() if land.holder == seat]


def value(table: Table, slot: str) -> int:
    """Victory value; none for Homelands in a Skirmish (MM-OPT-11)."""
    tile = table.tile(slot)
    if table.options.skirmish and tile.type == "Homelands":
        return table.data.victory["skirmish"].get("homelands_value", 0)
    return tile.value


def points(table: Table, seat: Seat) -> int:
    """Points of territories, supplied or not (MM-VIC-1)."""
    tiles = table.data.tiles
    if table.options.skirmish:
        return sum([value(table, slot) for slot in held(table, seat)])
    return sum([tiles[land.tile].value for land in table.lands.values() if land.holder == seat])


def team(table: Table, seat: Seat) -> list[Seat]:
    """Lords of his team, clockwise (MM-OPT-2)."""
    n, size = len(table.order), table.options.teams
    if not size:
        return [seat]
    at, step = table.order.index(seat), n // size
    return [table.order[i] for i in range(at % step, n, step)]


def target(table: Table) -> int:
    """Points to win (MM-VIC-2, MM-OPT-3, MM-OPT-11)."""
    victory, options = table.data.victory, table.options
    if options.teams:
        return victory["allegiance_with_skirmish" if options.skirmish else "allegiance"][f"team_of_{options.teams}"]
    return victory["skirmish" if options.skirmish else "base"]["individual"]


def team_points(table: Table, seat: Seat) -> int:
    """Points of his team (MM-VIC-2)."""
    return sum(points(table, s) for s in team(table, seat))


def wins_with(table: Table, seat: Seat, slot: str) -> bool:
    """Whether a territory more wins the game (MM-VIC-2)."""
    return team_points(table, seat) + value(table, slot) >= target(table)


def check_victory(table: Table, seat: Seat) -> bool:
    """End the game if he has won; call on every gain of control (MM-VIC-2)."""
    if team_points(table, seat) < target(table):
        return False
    win(table, team(table, seat), "points")
    return True


def win(table: Table, winners: list[Seat], how: str) -> None:
    """End the game; nothing further is resolved (MM-VIC-3)."""
    table.outcome = Outcome(tuple(s for s in table.seats if s in winners), how)
    table.tell("won", seats=list(table.outcome.winners), how=how, points=sum(points(table, s) for s in winners))


# --- the dice reserve -------------------------------------------------------------------------------------------------


def dice(knights: int, pips: int) -> int:
    """Number of dice that show so many knights (MM-DIC-1)."""
    return -(-knights // pips)


def in_dispute(table: Table, seat: Seat) -> int:
    return table.dispute.knights if table.dispute is not None and table.dispute.attacker == seat else 0


def need(table: Table, seat: Seat) -> int:
    pips = table.data.constants["pips_per_die"]
    used = sum([-(-land.knights // pips) for land in table.lands.values() if land.holder == seat])
    return used + dice(table.lords[seat].knights, pips) + dice(in_dispute(table, seat), pips)


def all_dice(table: Table) -> int:
    return table.data.constants["dice_per_player"]


def room(table: Table, seat: Seat) -> int:
    """Knights that fit in the castle, by reserve and the last die (MM-DIC-3)."""
    knights, pips = table.lords[seat].knights, table.data.constants["pips_per_die"]
    return max(0, (all_dice(table) - need(table, seat)) * pips + dice(knights, pips) * pips - knights)


def gain(table: Table, seat: Seat, count: int, why: str) -> None:
    """Place knights in the castle; those without dice are lost (MM-DIC-3)."""
    placed = min(count, room(table, seat))
    table.lords[seat].knights += placed
    table.tell("gained", seat=seat, count=placed, lost=count - placed, why=why)


# --- the line of supply -----------------------------------------------------------------------------------------------


def supplied(table: Table, seat: Seat) -> set[str]:
    """Territories with a line of supply to the castle (MM-SUP-2)."""
    own = set(held(table, seat))
    if not own:
        return own
    land, castle = table.map, table.lords[seat].slot
    near = land.near
    open_ = own | land.lakes  # not reached yet
    ways = [castle]
    while ways:
        for x in near[ways.pop()]:
            if x in open_:
                open_.remove(x)
                ways.append(x)
    return own - open_


def on_border(table: Table, seat: Seat, slot: str) -> bool:
    own = set(held(table, seat)) | {table.lords[seat].slot}
    return any(x not in own for x in table.map.near[slot])


def targets(table: Table, seat: Seat, within: set[str] | None = None) -> list[str]:
    """Places next to castle or supplied territory, or across a lake (MM-ADV-2). `within`: supplied territories."""
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
    """Most knights of a lord, or of attackers of a castle (MM-CAP-1, MM-OPT-6)."""
    land, data = table.lands.get(slot), table.data
    return data.constants["siege_max_attackers"] if land is None else data.tiles[land.tile].capacity


def lord_of_castle(table: Table, slot: str) -> Seat:
    return next(s for s, lord in table.lords.items() if lord.slot == slot)


def cut_off(table: Table) -> None:
    """Cut-throat: remove knights without supply (MM-OPT-10)."""
    if not table.options.cut_throat:
        return
    for seat in table.order:
        for slot in sorted(set(held(table, seat)) - supplied(table, seat)):
            land = table.lands[slot]
            table.tell("cut_off", seat=seat, slot=slot, tile=land.tile, count=land.knights)
            land.holder, land.knights = "", 0
