"""Fief's table, and queries."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import msgspec

from engine.core import rulings
from engine.core.asks import PickOne, Seat, choices
from engine.core.chance import Chance
from engine.core.offers import Desk
from engine.core.parleys import Parley
from engine.core.procedure import Outcome
from engine.core.views import UNHEARD, Event
from engine.fief.rules.realm.pieces import D_ARC, FAMINE, HARVEST, PLAGUE, RAIN, RULINGS, WEATHER, Card, Land, Lore, lore_of

Lord = str
Place = str

OPEN = "open"
"""In the open in another's village, reached by no road (FF-MOV-6)."""
RIDE = "ride"
"""Pseudo-road of a Cavalcade's riders, to separate them from their army (FF-CAV-1)."""
AFTER = PickOne("after", choices(("end",)), optional=True)
"""Field that ends a turn with its answer, so that no second question follows."""


class Options(msgspec.Struct, frozen=True, dict=True):
    """Table options (FF-SET-7)."""

    holy_relics: bool = False
    fog_of_war: bool = False
    open_diplomacy: bool = False
    hidden_deniers: bool = False
    discard_first_disasters: bool = False
    """FF-DIS-2."""
    battle_die: str = "found"
    simultaneous_ballots: bool = False
    rounds: int = 0
    """Round limit; 0: none."""
    own: str = ""
    """Host's data file; empty: shipped data."""

    @cached_property
    def lore(self) -> Lore:
        return lore_of(self.own)


def without(few: tuple[str, ...], one: str) -> tuple[str, ...]:
    return tuple([each for each in few if each != one])


# gc=False: no reference cycles, so frequent copies are cheaper. Rarely changed fields are tuples, which copies share.
class Person(msgspec.Struct, gc=False):
    """A Lord or Lady in play (FF-GEN-3)."""

    id: Lord
    seat: Seat
    at: Place
    road: str = ""
    """The neighbour he came from; OPEN; '' in the village proper (FF-MOV-6)."""
    female: bool = False
    captor: Seat = ""
    fiefs: tuple[str, ...] = ()
    bishop: int = 0
    """Bishopric number; 0: none."""
    bishop_since: int = 0
    """Round of election."""
    cardinal: str = ""
    """`card` or `sale`: the counter's origin."""
    pope: bool = False
    king: bool = False
    queen: str = ""
    """`queen` or `regent`."""
    prince: bool = False
    d_arc: bool = False
    spouse: Lord = ""
    assassin: bool = False
    excommunicated: bool = False
    relics: tuple[str, ...] = ()
    exposed: tuple[int, ...] = ()
    """Bishoprics with a Plague he met this round (FF-DIS-6)."""
    moves: int = 0
    halted: bool = False
    """Can't move again this phase."""
    escort: tuple[Lord, ...] = ()
    """A captive's: Lords with him in all Moves this phase (FF-MOV-4)."""
    company: bool = True
    """Whether d'Arc was with him in all Moves this phase."""
    unbarred: bool = False
    """Present when control was ceded: the controller can't refuse him (FF-CTL-4)."""
    taken: str = ""
    """A captive's: the road he stood on when he was taken here, or OPEN; '' once led elsewhere (FF-MOV-6)."""

    @property
    def free(self) -> bool:
        return not self.captor

    @property
    def churchman(self) -> bool:
        """Has a Church title (FF-GEN-8)."""
        return bool(self.bishop or self.cardinal or self.pope)

    @property
    def titles(self) -> int:
        """Titles counted for a ransom (FF-RAN-1)."""
        church = bool(self.bishop) + bool(self.cardinal) + self.pope
        return len(self.fiefs) + church + self.king + bool(self.queen) + self.prince

    @property
    def titled(self) -> bool:
        """FF-GEN-7; d'Arc is no title."""
        return self.titles > 0

    @property
    def immune(self) -> bool:
        """Whether Justice spares him (FF-JUS-1)."""
        return self.king or bool(self.queen) or self.prince or self.pope

    @property
    def strength(self) -> int:
        """Battle strength of a Lord, 1 or 0: free, and male, titled or d'Arc (FF-BAT-6)."""
        return int(self.free and (not self.female or self.titled or self.d_arc))


class Group(msgspec.Struct, gc=False):
    """Troops of one player with the same position and history."""

    road: str = ""
    maa: int = 0
    knights: int = 0
    exposed: tuple[int, ...] = ()
    moves: int = 0
    escort: tuple[Lord, ...] = ()
    """Lords with them in all Moves."""
    halted: bool = False
    unbarred: bool = False
    home: Place = ""
    """A rider's road before the Cavalcade."""

    @property
    def count(self) -> int:
        return self.maa + self.knights

    def like(self, other: Group) -> bool:
        """Whether only the numbers differ."""
        return (self.road, self.exposed, self.moves, self.escort, self.halted, self.unbarred, self.home) == (
            other.road, other.exposed, other.moves, other.escort, other.halted, other.unbarred, other.home,
        )  # fmt: skip


class Village(msgspec.Struct, gc=False):
    id: Place
    controller: Seat = ""
    order: tuple[Seat, ...] = ()
    """Occupants in order of arrival (FF-CTL-9)."""
    guests: dict[Seat, Seat] = {}
    """Guest -> absent title holder (FF-CTL-7)."""
    walls: str = ""
    """`stronghold`, `city` or ''."""
    mills: int = 0
    engines: dict[Seat, int] = {}
    """Besieger -> Siege Engine dice."""
    sieged: dict[Seat, int] = {}
    """Besieger -> round of its last turn."""
    troops: dict[Seat, list[Group]] = {}
    relics: tuple[str, ...] = ()
    """Relics here, never taken or left."""
    bought: int = 0
    """Troops bought here this turn (FF-PUR-5)."""


class Family(msgspec.Struct, gc=False):
    seat: Seat
    deniers: int = 0
    hand: list[Card] = []
    markers: int = 0
    """Diplomacy markers (FF-DIP-2)."""


class Laid(msgspec.Struct):
    """A card at a Bishopric (FF-PLY-2)."""

    card: Card
    see: int


class Tax(msgspec.Struct):
    """A tax laid by a title's holder (FF-TAX)."""

    seat: Seat
    lord: Lord
    title: str
    """`fief`, `royal`, `bishop`, `cardinal` or `pope`."""
    fief: str = ""
    sees: list[int] = []
    home: int = 0
    """Bishopric that its Lord held when he taxed as Cardinal or Pope (FF-TAX-5)."""


class Fallen(msgspec.Struct):
    """A relic not yet reassigned (FF-OPT-4)."""

    relic: str
    at: Place
    seat: Seat
    side: list[Seat] = []
    """Allied fighters, first chooser first."""


class Table(msgspec.Struct):
    seats: list[Seat]
    chance: Chance
    options: Options = Options()
    families: dict[Seat, Family] = {}
    lords: dict[Lord, Person] = {}
    villages: dict[Place, Village] = {}
    lords_deck: list[Card] = []
    """The top is last in every pile."""
    lords_pile: list[Card] = []
    fortune_deck: list[Card] = []
    fortune_pile: list[Card] = []
    track: list[Card] = []
    """Face-down Disasters (FF-CRD-5)."""
    weather: list[Laid] = []
    taxes: list[Tax] = []
    gone: list[str] = []
    fallen: list[Fallen] = []
    held: dict[str, Seat] = {}
    """Relic lying in a village after a first taking -> seat with Troops holding it."""
    first: Seat = ""
    round: int = 0
    phase: str = "setup"
    """`1a` to `7`, `cp1` to `cp3`."""
    prayed: list[str] = []
    """Uses of Eyes and Bone this round: `eyes/blaye`."""
    stirred: int = 0
    """Counter of public cards and powers, which repeat a checkpoint (FF-ASY-10)."""
    banned: int = 0
    """Round of the last excommunication (FF-POP-5)."""
    grants: list[tuple[Seat, Seat, Place]] = []
    """Passage: (granter, grantee, village) (FF-MOV-14)."""
    bound: list[tuple[Seat, Seat, Place]] = []
    """Irrevocable grants: exchanged, or used."""
    buying: Seat = ""
    """Seat in its purchase turn."""
    ransoms: dict[Seat, int] = {}
    """Ransom paid by exchange in step 4a (FF-AMB-42)."""
    parleys: list[Parley] = []
    """Paid private talks (FF-DIP-10), open until the phase ends."""
    consents: list[tuple[Seat, Seat, Lord]] = []
    """A Pope's consents this round: (Pope's seat, grantee, Bishop)."""
    proposals: Desk[Any] = msgspec.field(default_factory=Desk)
    outcome: Outcome | None = None
    news: list[Event] = []
    rulings: dict[str, str] = {}

    def ruled(self, id: str) -> str:
        return rulings.of(RULINGS, self.rulings, id)

    # --- the box ------------------------------------------------------------------------------------------------------

    @property
    def lore(self) -> Lore:
        return self.options.lore

    @property
    def limits(self) -> dict[str, int]:
        return self.options.lore.limits

    def land_of(self, place: Place) -> Land:
        return self.lore.lands[self.lore.sites[place].fief]

    def see_of(self, place: Place) -> int:
        return self.lore.sites[place].bishopric

    def roads(self, place: Place) -> tuple[Place, ...]:
        return self.lore.roads[place]

    def mills_left(self) -> int:
        return self.lore.shared["mills"] - sum(v.mills for v in self.villages.values())

    def walls_left(self) -> int:
        return self.lore.shared["stronghold_or_city"] - sum(bool(v.walls) for v in self.villages.values())

    def placed(self, seat: Seat) -> tuple[int, int]:
        return total([group for village in self.villages.values() for group in village.troops.get(seat, ())])

    def stock(self, seat: Seat) -> tuple[int, int]:
        """Men-at-Arms and Knights not placed (FF-GEN-12)."""
        maa, knights = self.placed(seat)
        per = self.lore.per_player
        return per["men_at_arms"] - maa, per["knights"] - knights

    def engines_left(self, seat: Seat) -> int:
        return self.lore.per_player["siege_engines"] - sum(seat in v.engines for v in self.villages.values())

    # --- order --------------------------------------------------------------------------------------------------------

    def in_order(self) -> list[Seat]:
        """Seats in turn order (FF-GEN-10)."""
        at = self.seats.index(self.first)
        return self.seats[at:] + self.seats[:at]

    def others(self, seat: Seat) -> list[Seat]:
        return [s for s in self.in_order() if s != seat]

    # --- Lords --------------------------------------------------------------------------------------------------------

    def family(self, seat: Seat) -> list[Person]:
        """Lords in play, captives included."""
        return [p for p in self.lords.values() if p.seat == seat]

    def free(self, seat: Seat, place: Place = "") -> list[Person]:
        if place:
            return [p for p in self.lords.values() if p.at == place and p.seat == seat and not p.captor]
        return [p for p in self.lords.values() if p.seat == seat and not p.captor]

    def captives(self, captor: Seat, place: Place = "") -> list[Person]:
        return [p for p in self.lords.values() if p.captor == captor and place in ("", p.at)]

    def at(self, place: Place) -> list[Person]:
        return [p for p in self.lords.values() if p.at == place]

    def who(self, title: str, of: Any = True) -> Person | None:
        """Holder of `king`, `pope`, `queen`, `prince`, `d_arc`, or `bishop` of a number."""
        for p in self.lords.values():
            held = getattr(p, title)
            if held and (of is True or held == of):
                return p
        return None

    def holder(self, fief: str) -> Person | None:
        for p in self.lords.values():
            if fief in p.fiefs:
                return p
        return None

    def lord_of(self, fief: str) -> Seat:
        """The title holder's player; '' if none (FF-GEN-9)."""
        holder = self.holder(fief)
        return holder.seat if holder is not None else ""

    def royal(self) -> Person | None:
        """The King or Queen Regent (FF-KNG-6)."""
        regent = None
        for p in self.lords.values():
            if p.king:
                return p
            if p.queen == "regent":
                regent = p
        return regent

    def ally(self, seat: Seat) -> Seat:
        """Ally by marriage; '' with three players (FF-MAR-9, FF-P3-2)."""
        return self.spouses(seat) if len(self.seats) > 3 else ""

    def spouses(self, seat: Seat) -> Seat:
        """Player linked by marriage; '' if none (FF-MAR-2)."""
        for p in self.lords.values():
            if p.spouse and p.seat == seat:
                return self.lords[p.spouse].seat
        return ""

    def with_room(self, seat: Seat) -> list[Person]:
        """Lords with room for a Fief title (FF-TTL-2)."""
        most = self.limits["fief_titles_per_lord"]
        return [p for p in self.lords.values() if p.seat == seat and len(p.fiefs) < most]

    # --- villages -----------------------------------------------------------------------------------------------------

    def troops(self, seat: Seat, place: Place) -> tuple[int, int]:
        return total(self.villages[place].troops.get(seat, ()))

    def has_troops(self, seat: Seat, place: Place) -> bool:
        groups = self.villages[place].troops.get(seat)
        if groups is not None:
            for group in groups:
                if group.maa or group.knights:
                    return True
        return False

    def occupies(self, seat: Seat, place: Place) -> bool:
        """Whether a free Lord or Troops are there (FF-GEN-4)."""
        if self.has_troops(seat, place):
            return True
        for p in self.lords.values():  # noqa: SIM110 - `any` takes half as long again
            if p.at == place and p.seat == seat and not p.captor:
                return True
        return False

    def controlled(self, seat: Seat) -> list[Village]:
        return [v for v in self.villages.values() if v.controller == seat]

    def controls(self, seat: Seat) -> bool:
        for v in self.villages.values():  # noqa: SIM110 - `any` takes half as long again
            if v.controller == seat:
                return True
        return False

    def besieged(self, place: Place) -> bool:
        """Whether a village is besieged: engines of another than its controller (FF-SIE-5)."""
        village = self.villages[place]
        return bool(village.engines) and any(seat != village.controller for seat in village.engines)

    def besiegers(self, place: Place) -> list[Seat]:
        village = self.villages[place]
        return [s for s in self.in_order() if s in village.engines and s != village.controller]

    def city(self, fief: str) -> Village | None:
        villages = self.villages
        for place in self.lore.lands[fief].villages:
            if villages[place].walls == "city":
                return villages[place]
        return None

    def armies(self, place: Place) -> list[Seat]:
        """Seats with free Lords or Troops, in turn order."""
        here = {p.seat for p in self.lords.values() if p.at == place and not p.captor}
        here.update([s for s in self.villages[place].troops if self.has_troops(s, place)])
        return [s for s in self.in_order() if s in here]

    # --- weather ------------------------------------------------------------------------------------------------------

    def lies(self, card: Card, see: int) -> bool:
        for laid in self.weather:  # noqa: SIM110 - `any` takes half as long again
            if laid.card == card and laid.see == see:
                return True
        return False

    def rainy(self, place: Place) -> bool:
        return bool(self.weather) and self.lies(RAIN, self.see_of(place))

    def starving(self, place: Place) -> bool:
        return self.lies(FAMINE, self.see_of(place))

    def plagued(self, place: Place) -> bool:
        return self.lies(PLAGUE, self.see_of(place))

    def mill_income(self, see: int) -> int:
        """Income per Mill (FF-INC-1)."""
        return 0 if self.lies(FAMINE, see) else 2 + self.lies(HARVEST, see) + self.lies(WEATHER, see)

    # --- cards and money ----------------------------------------------------------------------------------------------

    def grey(self, seat: Seat) -> bool:
        """Whether a card's back could be a Secret Passage's (FF-ASY-3)."""
        return any(self.lore.back(card) == "fortune" for card in self.families[seat].hand)

    def cards(self) -> list[Card]:
        """All cards but of Lords in `SetUp`; some lie with a Lord's title (FF-OPP-3)."""
        found = [card for family in self.families.values() for card in family.hand]
        found += [*self.lords_deck, *self.lords_pile, *self.fortune_deck, *self.fortune_pile, *self.track]
        found += [*(laid.card for laid in self.weather), *self.lords]
        found += ["cardinal" for p in self.lords.values() if p.cardinal == "card"]
        return found + [D_ARC for p in self.lords.values() if p.d_arc]

    def discard(self, card: Card) -> None:
        (self.lords_pile if self.lore.back(card) == "lords" else self.fortune_pile).append(card)

    def spend(self, seat: Seat, card: Card) -> None:
        self.families[seat].hand.remove(card)
        self.discard(card)

    def room(self, seat: Seat) -> int:
        """Free hand slots (FF-CRD-2)."""
        return self.limits["hand"] - len(self.families[seat].hand)

    def pay(self, seat: Seat, deniers: int, to: Seat = "") -> None:
        self.families[seat].deniers -= deniers
        if to:
            self.families[to].deniers += deniers

    # --- Troops -------------------------------------------------------------------------------------------------------

    def put(self, seat: Seat, place: Place, group: Group) -> None:
        if not group.count:
            return
        groups = self.villages[place].troops.setdefault(seat, [])
        for there in groups:
            if there.like(group):
                there.maa += group.maa
                there.knights += group.knights
                return
        groups.append(group)

    def lose(self, seat: Seat, place: Place, maa: int, knights: int) -> None:
        """Return Troops to stock, outermost groups first."""
        take(reversed(self.villages[place].troops.get(seat, [])), maa, knights)
        self.tidy(seat, place)

    def tidy(self, seat: Seat, place: Place) -> None:
        troops = self.villages[place].troops
        groups = troops.get(seat)
        if groups is None or (len(groups) == 1 and groups[0].count and seat == next(reversed(troops))):
            return  # order is already right
        del troops[seat]
        for group in groups:
            self.put(seat, place, group)

    # --- events -------------------------------------------------------------------------------------------------------

    def silence(self) -> None:
        """Keep no events from now on: the table is a trial's."""
        self.news = UNHEARD

    def tell(self, event: str, /, only: Iterable[Seat] | None = None, but: Iterable[Seat] = (), **facts: Any) -> None:
        if self.news is not UNHEARD:
            self.news.append(Event(event, facts, None if only is None else tuple(only), tuple(but)))

    def roll(self, purpose: str) -> int:
        """One die (FF-GEN-11)."""
        return self.chance.die(6, purpose)

    def battle_dice(self, n: int, purpose: str) -> list[int]:
        """Roll battle dice with the faces of the chosen preset (FF-CMP-6)."""
        faces = self.lore.dice[self.options.battle_die]
        return [faces[self.chance.below(len(faces), purpose)] for _ in range(n)]


def take(groups: Iterable[Group], maa: int, knights: int) -> None:
    for group in groups:
        gone = min(maa, group.maa), min(knights, group.knights)
        group.maa, group.knights = group.maa - gone[0], group.knights - gone[1]
        maa, knights = maa - gone[0], knights - gone[1]


def total(groups: Iterable[Group]) -> tuple[int, int]:
    maa = knights = 0
    for group in groups:
        maa, knights = maa + group.maa, knights + group.knights
    return maa, knights


def strength(table: Table, seat: Seat, place: Place) -> int:
    """Army strength (FF-BAT-6)."""
    maa, knights = table.troops(seat, place)
    return maa + 3 * knights + sum(p.strength for p in table.free(seat, place))


def titles_of(table: Table, lord: Person) -> int:
    """FF-GEN-7; d'Arc counts only under the house ruling FF-AMB-12."""
    return lord.titles + (lord.d_arc and table.ruled("FF-AMB-12") == "title")


def points(table: Table, seat: Seat) -> int:
    """Victory points (FF-TTL-5)."""
    return all_points(table)[seat]


def all_points(table: Table) -> dict[Seat, int]:
    found = dict.fromkeys(table.seats, 0)
    for p in table.lords.values():
        found[p.seat] += len(p.fiefs) + p.king + p.pope
    return found
