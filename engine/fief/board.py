"""Board data for pages and letters: armies, reachable villages, ballots, bargains.

Computed lazily from the seat's own view, form and draft answer, so it can't leak hidden facts. Holds ids and numbers; templates
add words and drawings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from engine.asks import Answer, Row, Seat, are_rows
from engine.fief.diplomacy import PARTS
from engine.fief.pieces import PASSAGE, RAIN, Card, Kind, lore_of
from engine.fief.stall import Stall
from engine.fief.table import Lord, Place
from engine.forms import Form
from engine.game import View

PHASES = {"setup": 0, "cp1": 2, "cp2": 5, "cp3": 6}
"""Phases of steps without a number."""
CROWD = 20
"""Above this many armies a letter has one paragraph per Fief."""
STOPS = ("to", "then", "third")


def _sort(kind: Kind) -> str:
    if kind.back == "lords":
        return "lord" if kind.kind == "lord" else "face"
    return kind.kind or kind.back


SORTS = {card: _sort(kind) for card, kind in lore_of().kinds.items()}
"""Card -> `white` (phase 2), `opportunity`, `disaster`, `lord`, or `face` (on a Lord). Missing: a Lord from a host's file."""


# --- the chart --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Army:
    """One family's forces in a village."""

    seat: Seat
    maa: int
    knights: int
    unseen: int
    """Troops of unknown kind (FF-OPT-10)."""
    engine: int | None
    """Dice of its Siege Engine there (FF-BAT-8), if any."""
    people: Mapping[Lord, View]
    at: Sequence[float]

    @property
    def lords(self) -> list[View]:
        return [p for p in self.people.values() if not p["captor"]]

    @property
    def captives(self) -> list[View]:
        return [p for p in self.people.values() if p["captor"]]

    @property
    def counters(self) -> bool:
        return bool(self.maa or self.knights or self.unseen)


def army(groups: Sequence[Sequence[Any]], road: str | None = None) -> tuple[int, int, int]:
    """Men-at-Arms, Knights and unseen Troops of a view's groups; `road` filters by road."""
    seen = [g for g in groups if len(g) == 3 and road in (None, g[0])]
    unseen = [g for g in groups if len(g) == 2 and road in (None, g[0])]
    return sum(g[1] for g in seen), sum(g[2] for g in seen), sum(g[1] for g in unseen)


def slot(spots: Sequence[Sequence[float]], n: int) -> Sequence[float]:
    """Position of the n-th army's standard."""
    if n < len(spots):
        return spots[n]
    x, y = spots[-1]
    return x + 6 * (n - 2), y + 24 * (n - 2)


@dataclass(frozen=True)
class Taxed:
    """A Tax marker (FF-TAX)."""

    seat: Seat
    fief: str
    """The taxed Fief; '' for Bishoprics."""
    sees: Sequence[int]
    at: Sequence[float]
    """Position next to the Fief's name or the first Bishopric's principal village."""


@dataclass(frozen=True)
class Standing:
    """Depends on its fields only, since drawings are cached by them."""

    chart: View
    villages: Mapping[Place, View]
    lords: Mapping[Lord, View]
    weather: Sequence[tuple[Card, int]]
    taxes: Sequence[Sequence[Any]]
    seats: Sequence[Seat]

    @property
    def known(self) -> tuple[Any, ...]:
        """Cache key: all fields as plain data, the chart by its mark."""
        return self.chart["mark"], self.villages, self.lords, self.weather, self.taxes, self.seats

    @cached_property
    def armies(self) -> dict[Place, dict[Seat, Army]]:
        """Village -> armies, the controller's first, then by seats (FF-CAP-1)."""
        here: dict[Place, dict[Lord, View]] = {}
        for id, p in self.lords.items():
            here.setdefault(p["at"], {})[id] = p
        return {place: self._armies(place, here.get(place, {})) for place in self.chart["villages"]}

    def _armies(self, place: Place, here: Mapping[Lord, View]) -> dict[Seat, Army]:
        village, found = self.villages[place], {}
        with_lords = {p["captor"] or p["seat"] for p in here.values()}
        present = [s for s in self.seats if s in village["troops"] or s in with_lords]
        present.sort(key=lambda s: bool(s != village["controller"]))
        for n, s in enumerate(present):
            maa, knights, unseen = army(village["troops"].get(s, ()))
            people = {id: p for id, p in here.items() if (p["captor"] or p["seat"]) == s}
            at = slot(self.chart["villages"][place]["slots"], n)
            found[s] = Army(s, maa, knights, unseen, village["engines"].get(s), people, at)
        return found

    @cached_property
    def holders(self) -> dict[str, View]:
        """Fief -> title holder, captive or not (FF-GEN-9)."""
        return {fief: p for p in self.lords.values() for fief in p["fiefs"]}

    @property
    def labels(self) -> list[tuple[float, float, int]]:
        """Village labels: x centre, y base, length in letters."""
        return [(v["at"][0], v["at"][1] + 12, len(v["name"])) for v in self.chart["villages"].values()]

    def lie(self, place: Place) -> list[Card]:
        """Cards on a village's Bishopric (FF-PLY-2)."""
        see = self.chart["villages"][place]["see"]
        return [card for card, at in self.weather if at == see]

    def over(self, place: Place) -> list[Card]:
        """Cards drawn on this village: all on the principal one, else only a disaster on top."""
        lie = self.lie(place)
        return lie if self.chart["villages"][place]["principal"] else [c for c in lie[:1] if SORTS[c] == "disaster"]

    def taxed(self, place: Place) -> int:
        """Number of Tax markers affecting a village (FF-TAX)."""
        at = self.chart["villages"][place]
        return sum(t.fief == at["fief"] or at["see"] in t.sees for t in self.markers)

    @cached_property
    def markers(self) -> list[Taxed]:
        return [Taxed(seat, fief, sees, self._by(fief, sees)) for seat, _, _, fief, sees in self.taxes]

    def _by(self, fief: str, sees: Sequence[int]) -> Sequence[float]:
        chart = self.chart
        at: Sequence[float] = (
            chart["lands"][fief]["label"] if fief else chart["villages"][chart["sees"][str(sees[0])]["principal"]]["at"]
        )
        return at


# --- families ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
    """Public facts about a family."""

    seat: Seat
    mine: bool
    first: bool
    deniers: int | None
    """None: hidden."""
    brown: int
    grey: int
    """Hand size by card back: Lords deck, Fortune deck (FF-INF-1)."""
    points: int
    together: int
    """Victory points, alone and with its ally (FF-VIC-3)."""
    wins: int
    ally: Seat
    markers: int | None
    """Diplomacy markers left; None: not in use (FF-OPT-11)."""
    most_markers: int
    most_lords: int

    @property
    def known(self) -> tuple[Any, ...]:
        """Cache key."""
        return tuple(vars(self).values())


@dataclass(frozen=True)
class Court:
    """Depends on its fields only, since drawings are cached by them."""

    chart: View
    seat: Seat | None
    first: Seat
    held: Mapping[Seat, View]
    lords: Mapping[Lord, View]
    options: View

    @property
    def known(self) -> tuple[Any, ...]:
        """Cache key: all fields as plain data, the chart by its mark."""
        return self.chart["mark"], self.seat, self.first, self.held, self.lords, self.options

    @cached_property
    def families(self) -> list[Family]:
        return [self._family(s, f) for s, f in self.held.items()]

    def _family(self, s: Seat, f: View) -> Family:
        ally, points = f["ally"], f["points"]
        return Family(
            seat=s,
            mine=s == self.seat,
            first=s == self.first,
            deniers=f.get("deniers"),
            brown=f["backs"].count("lords"),
            grey=f["backs"].count("fortune"),
            points=points,
            together=points + (self.held[ally]["points"] if ally else 0),
            wins=f["wins"],
            ally=ally,
            markers=None if self.options["open_diplomacy"] else f["markers"],
            most_markers=self.options["most_markers"],
            most_lords=self.options["most_lords"],
        )

    def kin(self, seat: Seat) -> dict[Lord, View]:
        own = {id: p for id, p in self.lords.items() if p["seat"] == seat}
        return own | {p["spouse"]: self.lords[p["spouse"]] for p in own.values() if p["spouse"]}


# --- movement ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class March:
    """Moves left for the seat's Lords; empty unless movement is asked (FF-MOV-2, 4)."""

    left: Mapping[Lord, int] = field(default_factory=dict)
    lead: Sequence[Lord] = ()
    """d'Arc: others get one more Move in her company,"""
    led: Sequence[Lord] = ()
    """provided they made every Move with her."""
    held: Sequence[Place] = ()
    """Villages controlled by others, where leave may be needed (FF-MOV-7)."""
    shut: Sequence[Place] = ()
    """Villages closed by Heavy Rain (FF-DIS-3)."""
    one_army: bool = False
    """Lords on different roads can move together (FF-MOV-3),"""
    walled: Sequence[Place] = ()
    """except across walls in these besieged villages;"""
    inside: Sequence[Place] = ()
    """the ally's among them, where a group arrives inside (FF-MOV-6)."""


@dataclass(frozen=True)
class Walker:
    """A free Lord of the seat, for the movement form."""

    id: Lord
    maa: int
    knights: int
    """Troops available to lead (FF-MOV-3)."""
    spent: bool
    rain: bool


# --- elections and bargains -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Marker:
    """A voting marker on a candidate; only its owner sees the face (FF-INF-2)."""

    seat: Seat
    face: str
    """`for`, `decoy`, or '' if hidden."""


@dataclass(frozen=True)
class Bundle:
    """One side's part of an exchange (FF-DIP-9)."""

    seat: Seat
    """The giver; '' if open to anybody."""
    purse: int | None
    deniers: int
    cards: Sequence[Card]
    villages: Sequence[Place]
    passage: Sequence[Place]
    """Villages ceded, and villages with passage granted."""
    captives: Sequence[Lord]
    title: str
    ransom: int
    consent: Lord
    annul: Lord

    @property
    def empty(self) -> bool:
        return not any(getattr(self, name) for name in PARTS)


@dataclass(frozen=True)
class Bargain:
    """An open exchange between the seat and another."""

    by: Seat
    to: Seat
    lord: Lord
    other: Lord
    """The couple to marry; '': none."""
    opens: bool
    sides: tuple[Bundle, Bundle]
    spent: Mapping[Seat, str]
    """Cost in Diplomacy markers (FF-DIP-5)."""


@dataclass(frozen=True)
class Losses:
    """Legal loss sets for hits (FF-BAT-10)."""

    sets: Sequence[tuple[int, int]]
    maa: Sequence[str]
    knights: Sequence[str]

    @property
    def plain(self) -> bool:
        """Whether a set is a complete answer: only one player loses Troops."""
        return len(self.maa) < 2 and len(self.knights) < 2


SETS = 8


# --- the board --------------------------------------------------------------------------------------------------------


class Board:
    """Lazily computed board data for a seat."""

    def __init__(self, view: View, form: Form | None, begun: Answer | None) -> None:
        self._view, self._form, self._begun = view, form, begun
        self._own: Seat = view["seat"] or ""

    @staticmethod
    def sort(card: Card) -> str:
        return SORTS.get(card, "lord")

    # --- the round ---

    @property
    def phase(self) -> int:
        """Phase number 1 to 7; 0 during set-up."""
        phase = self._view["phase"]
        return PHASES[phase] if phase in PHASES else int(phase[:1])

    @cached_property
    def lit(self) -> list[Place]:
        """Villages with an action in progress."""
        return [place for place in map(self.place_of, self._view["doing"]) if place]

    def place_of(self, doing: View) -> Place:
        """Village of an action in progress; '' if none."""
        victim = self._view["lords"].get(doing["lord"]) if doing["what"] == "assassination" else None
        return str(doing.get("at", victim["at"] if victim else ""))

    @cached_property
    def home(self) -> Place:
        """Village of the seat's first Lord; '' if none."""
        return next((p["at"] for p in self._view["lords"].values() if self._own and p["seat"] == self._own and p["at"]), "")

    @cached_property
    def affairs(self) -> list[tuple[int, View]]:
        """Actions in progress with their own panel. A fought Cavalcade counts as a battle (FF-CAV-1)."""
        sheets = ("battle", "election", "uprising", "assassination", "cavalcade")
        numbered = enumerate((d for d in self._view["doing"] if d["what"] in sheets), 1)
        return [(n, d) for n, d in numbered if d["what"] != "cavalcade" or not self._battles]

    @property
    def _battles(self) -> bool:
        return any(d["what"] == "battle" for d in self._view["doing"])

    @property
    def fight(self) -> bool:
        """Whether a letter shows a battle instead of the chart."""
        return self._battles and not self._view["outcome"]

    @property
    def beside(self) -> list[View]:
        """Actions in progress for a letter's text, except the seat's own turn."""
        shown = {"election", "battle"} if self.fight else {"election"}
        told = [d for d in self._view["doing"] if d["what"] not in shown]
        return [d for d in told if d["what"] != "turn" or d["seat"] != self._own]

    def fighters(self, place: Place, seats: Sequence[Seat]) -> list[View]:
        here = self._view["lords"].values()
        return [p for p in here if p["at"] == place and p["seat"] in seats and not p["captor"]]

    # --- pieces ---

    @cached_property
    def standing(self) -> Standing:
        view = self._view
        return Standing(view["chart"], view["villages"], view["lords"], view["weather"], view["taxes"], view["seats"])

    @cached_property
    def court(self) -> Court:
        view = self._view
        return Court(view["chart"], view["seat"], view["first"], view["families"], view["lords"], view["options"])

    @property
    def crowded(self) -> bool:
        return sum(map(len, self.standing.armies.values())) > CROWD

    # --- the form ---

    @cached_property
    def picks_fiefs(self) -> bool:
        """Whether a Fief is asked for: its code is its principal village's."""
        return self._form is not None and any(f.name == "fief" for o in self._form.options for f in o.fields)

    @cached_property
    def wares(self) -> frozenset[str]:
        """Goods for sale now (FF-PUR-1)."""
        options = self._form.options if self._form is not None else []
        rows = [o.fields[0] for o in options if o.id == "buy" and o.fields]
        return frozenset(c.id for f in rows for cell in getattr(f, "fields", ()) if cell.name == "what" for c in cell.choices)

    @cached_property
    def stall(self) -> Stall | None:
        """Goods still purchasable after the draft rows; None unless purchases are asked."""
        if self._form is None or self._form.kind != "purchase":
            return None
        return Stall(self._view, self._own, self._rows_of("items"))

    @property
    def fits(self) -> list[tuple[str, Mapping[str, Sequence[str]]]]:
        """Cell -> goods -> allowed values, as board.js expects."""
        return [("at", self.stall.places), ("lord", self.stall.lords)] if self.stall else []

    @property
    def title_prices(self) -> tuple[int, int]:
        """Lowest and highest price of a Fief title (FF-MAP-2)."""
        prices = [land["price"] for land in self._view["chart"]["lands"].values()]
        return min(prices), max(prices)

    @property
    def losses(self) -> Losses:
        assert self._form is not None
        names = [f.name for f in self._form.options[0].fields]
        sets = [tuple(map(int, one.split("+"))) for one in self._sets]
        return Losses(
            [(maa, knights) for maa, knights in sets],
            [name for name in names if name.startswith("maa_")],
            [name for name in names if name.startswith("knights_")],
        )

    @property
    def _sets(self) -> list[str]:
        assert self._form is not None
        found: Any = self._form.about.get("sets", [])
        return list(found[:SETS])

    # --- movement ---

    def _own_free(self) -> Iterator[tuple[Lord, View]]:
        for id, p in self._view["lords"].items():
            if p["seat"] == self._own and p["at"] and not p["captor"]:
                yield id, p

    def _moves(self, p: View) -> int:
        """A Lord's own Moves (FF-MOV-2)."""
        options = self._view["options"]
        return int(options["moves_d_arc"] if p["d_arc"] else options["moves"])

    def _rainy(self, place: Place) -> bool:
        """Whether Heavy Rain closes the roads (FF-DIS-3)."""
        return [RAIN, self._view["chart"]["villages"][place]["see"]] in self._view["weather"]

    def _with(self, p: View) -> tuple[int, int, int]:
        """Troops that an own Lord can lead (FF-MOV-3)."""
        village = self._view["villages"][p["at"]]
        groups = village["troops"].get(self._own, ())
        if not self._view["options"]["one_army"]:
            return army(groups, p["road"])
        return army([g for g in groups if not village["besieged"] or (g[0] == "") == (p["road"] == "")])

    @property
    def walkers(self) -> list[Walker]:
        found = []
        for id, p in self._own_free():
            maa, knights, _ = self._with(p)
            spent = p["halted"] or p["moves"] >= self._moves(p)
            found.append(Walker(id, maa, knights, spent, self._rainy(p["at"])))
        return found

    @property
    def leaders(self) -> list[Lord]:
        return [id for id, p in self._own_free() if any(self._with(p))]

    @cached_property
    def march(self) -> March:
        """Moves left for the seat's Lords (FF-MOV-2, 4, 7)."""
        if self._form is None or self._form.kind != "movement":
            return March()
        view, walking = self._view, {id: p for id, p in self._own_free() if not p["halted"]}
        slips, ally = PASSAGE in view["families"][self._own]["hand"], view["families"][self._own]["ally"]
        return March(
            {id: self._moves(p) - p["moves"] for id, p in walking.items()},
            [id for id, p in walking.items() if p["d_arc"]],
            [id for id, p in walking.items() if p["company"] and not p["d_arc"]],
            [place for place, v in view["villages"].items() if v["controller"] not in ("", self._own)],
            [] if slips else [place for place in view["chart"]["villages"] if self._rainy(place)],
            view["options"]["one_army"],
            [place for place, v in view["villages"].items() if v["besieged"] and v["controller"] != self._own],
            [place for place, v in view["villages"].items() if v["besieged"] and ally and v["controller"] == ally],
        )

    @cached_property
    def reach(self) -> list[Place] | None:
        """Villages the last drafted group can reach next, limited by its slowest member (FF-MOV-2, 4);

        None unless movement is asked.
        """
        if self._form is None or self._form.kind != "movement":
            return None
        march, reach = self.march, list[Place]()
        at, left = {id: str(self._view["lords"][id]["at"]) for id in march.left}, dict(march.left)
        led = set(march.led)
        for row in self._rows:
            who = [id for id in _some(row, "lords") if id in at]
            with_her, stops = any(id in march.lead for id in who), self._stops(row)
            for id in who:
                left[id] -= len(stops)
            if stops and not with_her:
                led -= {*who}
            place = stops[-1] if stops else next((at[id] for id in who), "")
            at |= dict.fromkeys(who if stops else (), place)
            able = bool(who) and min(left[id] + (with_her and id in led) for id in who) > 0
            reach = self._roads(place) if able else []
        return reach

    def _roads(self, place: Place) -> list[Place]:
        shut = self.march.shut
        return [] if place in shut else [to for to in self._view["chart"]["villages"][place]["roads"] if to not in shut]

    @property
    def _rows(self) -> list[Row]:
        return self._rows_of("moves")

    def _rows_of(self, field: str) -> list[Row]:
        rows = self._begun.values.get(field) if self._begun is not None else None
        return rows if isinstance(rows, list) and are_rows(rows) else []

    def _stops(self, row: Row) -> list[Place]:
        stops = [row.get(name) for name in STOPS]
        return [to for to in stops if isinstance(to, str) and to in self._view["chart"]["villages"]]

    @property
    def armed(self) -> dict[Place, list[Seat]]:
        """Village -> seats with Troops: an Uprising attacks only these (FF-UPR-5)."""
        here = self.standing.armies
        return {place: [s for s, a in here[place].items() if a.counters] for place in here if here[place]}

    def reaches(self, code: str) -> bool:
        if self.stall and self._begun is not None and self._begun.option == "buy":
            row = next(iter(self._rows_of("items")[-1:]), {})
            whole = row.get("at") or row.get("lord")
            return self.stall.takes(code, "" if whole else str(row.get("what", "")))
        return self.reach is None or code not in self._view["chart"]["villages"] or code in self.reach

    @property
    def legs(self) -> list[tuple[str, Sequence[float], Sequence[float], int]]:
        """Drafted Moves: (row number on its first leg, start, end, Troops)."""
        found, villages = [], self._view["chart"]["villages"]
        for n, row in enumerate(self._rows, 1):
            leader = self._view["lords"].get(next(iter(_some(row, "lords")), ""))
            at, troops, number = leader["at"] if leader else "", _count(row, "knights") + _count(row, "maa"), str(n)
            for to in self._stops(row) if at else ():
                found.append((number, villages[at]["at"], villages[to]["at"], troops))
                at, number = to, ""
        return found

    # --- elections and bargains ---

    def markers(self, election: View) -> dict[Lord, list[Marker]]:
        """Candidate -> markers, with faces for the seat's own only (FF-INF-2)."""
        found: dict[Lord, list[Marker]] = {c: [] for c in election["candidates"]}
        for s, on in election["placed"].items():
            faces = election["own"] if s == self._own and any(election["own"]) else ()
            for n, lord in enumerate(on):
                if lord in found:
                    found[lord].append(Marker(s, _face(faces, lord, lord not in on[:n]) if faces else ""))
        return found

    @property
    def bargains(self) -> list[Bargain]:
        open_ = [p for p in self._view["proposals"] if p["kind"] == "exchange" and self._own]
        shown = next((p for p in open_ if len(open_) == 1 or p["by"] != self._own), None)
        return [self._bargain(p["by"], p["about"], p is shown) for p in open_]

    def _bargain(self, by: Seat, about: View, opens: bool) -> Bargain:
        sides = self._bundle(by, "give", about), self._bundle(about["to"], "want", about)
        return Bargain(by, about["to"], about["lord"], about["other"], opens, sides, about["spent"])

    def _bundle(self, seat: Seat, side: str, about: View) -> Bundle:
        terms = {name: about[f"{side}_{name}"] for name in PARTS}
        for name in ("villages", "passage"):
            terms[name] = [at.split("/")[0] for at in terms[name]]
        terms["title"] = terms["title"].split("/")[0]
        return Bundle(seat, self._view["families"][seat].get("deniers") if seat else None, **terms)


def _face(own: Sequence[Lord], lord: Lord, first: bool) -> str:
    """Face of an own marker; with both on one Lord, FOR comes first."""
    for_, decoy = own
    return "for" if for_ == lord and (decoy != lord or first) else "decoy"


def _some(row: Row, name: str) -> list[str]:
    held = row.get(name)
    return held if isinstance(held, list) else []


def _count(row: Row, name: str) -> int:
    held = row.get(name)
    return int(held) if isinstance(held, int) or (isinstance(held, str) and held.isdecimal()) else 0
