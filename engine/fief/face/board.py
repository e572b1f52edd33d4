"""Board data for pages and letters. Lazy, ids and numbers only, from the seat's view, form and draft, so it can't leak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from engine.core.asks import Answer, Row, Seat, are_rows
from engine.fief.rules.diplomacy import PARTS
from engine.fief.rules.realm.pieces import PASSAGE, RAIN, Card, Kind, lore_of
from engine.fief.rules.realm.table import Lord, Place
from engine.fief.rules.stall import Stall
from engine.game import View
from engine.ui.forms import Form

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
    """(Men-at-Arms, Knights, unseen Troops) of groups, on `road` if given."""
    seen = [g for g in groups if len(g) == 3 and road in (None, g[0])]
    unseen = [g for g in groups if len(g) == 2 and road in (None, g[0])]
    return sum(g[1] for g in seen), sum(g[2] for g in seen), sum(g[1] for g in unseen)


def slot(spots: Sequence[Sequence[float]], n: int) -> Sequence[float]:
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
    """Map pieces."""

    chart: View
    villages: Mapping[Place, View]
    lords: Mapping[Lord, View]
    weather: Sequence[tuple[Card, int]]
    taxes: Sequence[Sequence[Any]]
    seats: Sequence[Seat]

    @property
    def known(self) -> tuple[Any, ...]:
        """Cache key of drawings, with the chart by its mark."""
        return self.chart["mark"], self.villages, self.lords, self.weather, self.taxes, self.seats

    @cached_property
    def armies(self) -> dict[Place, dict[Seat, Army]]:
        """Village -> armies: the controller's first, then by seat (FF-CAP-1)."""
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
        """Fief -> title holder, free or captive (FF-GEN-9)."""
        return {fief: p for p in self.lords.values() for fief in p["fiefs"]}

    @property
    def labels(self) -> list[tuple[float, float, int]]:
        """(centre x, base y, length in letters)."""
        return [(v["at"][0], v["at"][1] + 12, len(v["name"])) for v in self.chart["villages"].values()]

    def lie(self, place: Place) -> list[Card]:
        """Cards on its Bishopric (FF-PLY-2)."""
        see = self.chart["villages"][place]["see"]
        return [card for card, at in self.weather if at == see]

    def over(self, place: Place) -> list[Card]:
        """Cards drawn on a village: all on the principal one, elsewhere a disaster on top."""
        lie = self.lie(place)
        return lie if self.chart["villages"][place]["principal"] else [c for c in lie[:1] if SORTS[c] == "disaster"]

    def taxed(self, place: Place) -> int:
        at = self.chart["villages"][place]
        return sum(t.fief == at["fief"] or at["see"] in t.sees for t in self.markers)

    @cached_property
    def markers(self) -> list[Taxed]:
        chart, found = self.chart, []
        for seat, _, _, fief, sees in self.taxes:
            principal = "" if fief else chart["sees"][str(sees[0])]["principal"]
            at = chart["villages"][principal]["at"] if principal else chart["lands"][fief]["label"]
            found.append(Taxed(seat, fief, sees, at))
        return found


# --- families ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
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
        return tuple(vars(self).values())


@dataclass(frozen=True)
class Court:
    """Families' public facts."""

    chart: View
    seat: Seat | None
    first: Seat
    held: Mapping[Seat, View]
    lords: Mapping[Lord, View]
    options: View

    @property
    def known(self) -> tuple[Any, ...]:
        """Cache key of drawings, with the chart by its mark."""
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
    """Lords' Moves left; empty unless movement is asked (FF-MOV-2, 4)."""

    left: Mapping[Lord, int] = field(default_factory=dict)
    lead: Sequence[Lord] = ()
    """d'Arc: her company gets one more Move."""
    led: Sequence[Lord] = ()
    """Lords who made every Move with d'Arc, and so get it."""
    held: Sequence[Place] = ()
    """Villages controlled by others, where leave may be needed (FF-MOV-7)."""
    shut: Sequence[Place] = ()
    """Villages closed by Heavy Rain (FF-DIS-3)."""
    one_army: bool = False
    """Whether Lords on different roads can move together (FF-MOV-3)."""
    walled: Sequence[Place] = ()
    """Besieged villages: nobody moves together across their walls."""
    inside: Sequence[Place] = ()
    """The ally's besieged villages, where a group arrives inside (FF-MOV-6)."""


@dataclass
class _Walk:
    """Lords' positions, incoming roads and Moves left after earlier rows."""

    march: March
    at: dict[Lord, Place]
    road: dict[Lord, str]
    left: dict[Lord, int]
    led: set[Lord]

    def _with_her(self, group: Sequence[Lord]) -> bool:
        return any(id in self.march.lead for id in group)

    def left_of(self, group: Sequence[Lord]) -> int:
        """Moves left of the slowest (FF-MOV-2, 4)."""
        with_her = self._with_her(group)
        return min((self.left.get(id, 0) + (with_her and id in self.led) for id in group), default=0)

    def joins(self, id: Lord, group: Sequence[Lord]) -> bool:
        """Whether a Lord can join the group: same place, Moves left, same side of the walls (FF-MOV-3)."""
        first = next(iter(group), id)
        return self.left_of([*group, id]) > 0 and self.at[id] == self.at.get(first) and self._beside(first, id)

    def _beside(self, a: Lord, b: Lord) -> bool:
        if not self.march.one_army:
            return self.road[a] == self.road[b]
        return self.at[a] not in self.march.walled or (not self.road[a]) == (not self.road[b])

    def go(self, group: Sequence[Lord], start: Place, to: Place) -> None:
        with_her = self._with_her(group)
        for id in group:
            self.at[id], self.left[id] = to, self.left.get(id, 0) - 1
            self.road[id] = start if to in self.march.held and to not in self.march.inside else ""
        if not with_her:
            self.led -= {*group}


@dataclass(frozen=True)
class Walker:
    id: Lord
    maa: int
    knights: int
    """Troops available to lead (FF-MOV-3)."""
    spent: bool
    rain: bool


@dataclass(frozen=True)
class Marching:
    """A row of a drafted march; not begun without Lords."""

    lords: Sequence[Lord]
    at: Place
    maa: int
    knights: int
    """Troops that could go with them."""
    path: Sequence[Place]
    stay: tuple[int, int]
    """Men-at-Arms and Knights that stay behind."""
    left: int
    """Roads left after the path."""
    reach: Mapping[Place, Sequence[Place]] = field(default_factory=dict)
    """Village -> stops on the way to it, itself last (FF-MOV-2)."""


# --- elections and bargains -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Marker:
    """Voting marker; only its owner sees the face (FF-INF-2)."""

    seat: Seat
    face: str
    """`for`, `decoy`, or '' if hidden."""


@dataclass(frozen=True)
class Bundle:
    """One side of an exchange (FF-DIP-9)."""

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
    """Legal loss sets (FF-BAT-10)."""

    sets: Sequence[tuple[int, int]]
    maa: Sequence[str]
    knights: Sequence[str]

    @property
    def plain(self) -> bool:
        """Whether only one player loses Troops: a set is then the whole answer."""
        return len(self.maa) < 2 and len(self.knights) < 2


SETS = 8


# --- the board --------------------------------------------------------------------------------------------------------


class Board:
    def __init__(self, view: View, form: Form | None, begun: Answer | None) -> None:
        self._view, self._form, self._begun = view, form, begun
        self._own: Seat = view["seat"] or ""

    @staticmethod
    def sort(card: Card) -> str:
        return SORTS.get(card, "lord")

    # --- the round ---

    @property
    def phase(self) -> int:
        """Phase 1 to 7; 0 during set-up."""
        phase = self._view["phase"]
        return PHASES[phase] if phase in PHASES else int(phase[:1])

    @cached_property
    def lit(self) -> list[Place]:
        """Villages with an action in progress."""
        return [place for place in map(self.place_of, self._view["doing"]) if place]

    def place_of(self, doing: View) -> Place:
        victim = self._view["lords"].get(doing["lord"]) if doing["what"] == "assassination" else None
        return str(doing.get("at", victim["at"] if victim else ""))

    def corner(self, high: float, centre: Place = "") -> str:
        """CSS classes of the corner where a panel half as wide as the chart covers fewest own and contested villages, not the
        centre.
        """
        chart = self._view["chart"]
        wide, deep = chart["size"][0] / 2, chart["size"][1] * high
        corners = dict.fromkeys(("", "f-left", "f-low", "f-low f-left"), 0)
        for place, village in chart["villages"].items():
            there = {self._view["villages"][place]["controller"], *self.standing.armies[place]} - {None, ""}
            weight = 100 if place in self.lit or place == centre else 5 if self._own in there else 3 if there else 1
            x, y = village["at"]
            for one in corners:
                under = y > chart["size"][1] - deep if "low" in one else y < deep
                if under and (x < wide) == ("left" in one):
                    corners[one] += weight
        return min(corners, key=lambda one: corners[one])

    @cached_property
    def home(self) -> Place:
        """The first Lord's village, free ones first; '' for none."""
        own = [p for p in self._view["lords"].values() if self._own and p["seat"] == self._own and p["at"]]
        return min(own, key=lambda p: bool(p["captor"]))["at"] if own else ""

    @cached_property
    def affairs(self) -> list[tuple[int, View]]:
        """Actions shown in a panel; a fought Cavalcade is a battle (FF-CAV-1)."""
        sheets = ("battle", "election", "uprising", "assassination", "cavalcade")
        numbered = enumerate((d for d in self._view["doing"] if d["what"] in sheets), 1)
        return [(n, d) for n, d in numbered if d["what"] != "cavalcade" or not self._battles]

    @property
    def _battles(self) -> bool:
        return any(d["what"] == "battle" for d in self._view["doing"])

    @property
    def fight(self) -> bool:
        """Whether letters show a battle instead of the map."""
        return self._battles and not self._view["outcome"]

    @property
    def beside(self) -> list[View]:
        """Actions for a letter's text, without the own turn."""
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
        """Whether a Fief is asked for, by its principal village."""
        return self._form is not None and any(f.name == "fief" for o in self._form.options for f in o.fields)

    @cached_property
    def wares(self) -> frozenset[str]:
        """Goods for sale (FF-PUR-1)."""
        options = self._form.options if self._form is not None else []
        rows = [o.fields[0] for o in options if o.id == "buy" and o.fields]
        return frozenset(c.id for f in rows for cell in getattr(f, "fields", ()) if cell.name == "what" for c in cell.choices)

    @cached_property
    def stall(self) -> Stall | None:
        """Goods left after the draft, if purchases are asked."""
        if self._form is None or self._form.kind != "purchase":
            return None
        return Stall(self._view, self._own, self._rows("items"))

    @cached_property
    def bought(self) -> Mapping[tuple[str, Place], int]:
        """(goods, village) -> drafted number; a Cardinal's hat has no village (FF-PUR-1)."""
        found: Counter[tuple[str, Place]] = Counter()
        for row in self._rows("items"):
            if row.get("what"):
                found[str(row["what"]), str(row.get("at") or "")] += _count(row, "n") or 1
        return found

    @property
    def sites(self) -> list[Place]:
        if not self.stall:
            return []
        open_ = {at for places in self.stall.places.values() for at in places} | {at for _, at in self.bought}
        return [at for at in self._view["chart"]["villages"] if at in open_]

    @property
    def losses(self) -> Losses:
        assert self._form is not None
        names = [f.name for f in self._form.options[0].fields]
        told: Any = self._form.about.get("sets", [])
        sets = [(int(maa), int(knights)) for maa, knights in (one.split("+") for one in told[:SETS])]
        maa, knights = ([name for name in names if name.startswith(kind)] for kind in ("maa_", "knights_"))
        return Losses(sets, maa, knights)

    # --- movement ---

    def _own_free(self) -> Iterator[tuple[Lord, View]]:
        for id, p in self._view["lords"].items():
            if p["seat"] == self._own and p["at"] and not p["captor"]:
                yield id, p

    def _moves(self, p: View) -> int:
        """Moves in a round; d'Arc has her own (FF-MOV-2)."""
        options = self._view["options"]
        return int(options["moves_d_arc"] if p["d_arc"] else options["moves"])

    def _rainy(self, place: Place) -> bool:
        """Whether Heavy Rain closes the roads (FF-DIS-3)."""
        return [RAIN, self._view["chart"]["villages"][place]["see"]] in self._view["weather"]

    def _with(self, p: View) -> tuple[int, int, int]:
        """Troops an own Lord can lead (FF-MOV-3)."""
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
        """Villages in reach of the last drafted group (FF-MOV-2, 4), if movement is asked."""
        if self._form is None or self._form.kind != "movement":
            return None
        last = next(reversed(self.marches), None)
        return self._roads([last.at, *last.path][-1]) if last is not None and last.left else []

    def choices(self, rows: Sequence[Row]) -> list[dict[str, list[str]]]:
        """Field -> possible values, per row and for one more (FF-MOV-2, 3, 4)."""
        if self._form is None or self._form.kind != "movement":
            return []
        found = list[dict[str, list[str]]]()
        for walk, row, who, place in self._walked([*rows, {}]):
            fits, left = {"lords": [id for id in walk.at if walk.joins(id, who)]}, walk.left_of(who)
            fits["trail"] = ["+".join(stops) for stops in self._trails(place, left).values()] if place else []
            for name in STOPS:
                fits[name] = self._roads(place) if place and left > 0 else []
                to = row.get(name)
                place = to if isinstance(to, str) else ""
                left -= bool(place)
            found.append(fits)
        return found

    @cached_property
    def marches(self) -> list[Marching]:
        """Draft rows, each after the earlier ones, empty ones too (FF-MOV-2, 3)."""
        if self._form is None or self._form.kind != "movement":
            return []
        found, moved = list[Marching](), dict[Place, tuple[int, int]]()
        for walk, row, who, at in self._walked(self._rows()):
            if not who:
                found.append(Marching([], "", 0, 0, [], (0, 0), 0))
                continue
            first = self._view["lords"][who[0]]
            there = self._with(first) if at == first["at"] else army(self._view["villages"][at]["troops"].get(self._own, ()))
            maa, knights = (max(0, n + more) for n, more in zip(there, moved.get(at, (0, 0)), strict=False))
            left, path = walk.left_of(who), self._stops(row)
            goes = (min(_count(row, "maa"), maa), min(_count(row, "knights"), knights))
            for place, sign in ((at, -1), (path[-1], 1)) if path else ():
                maa_now, knights_now = moved.get(place, (0, 0))
                moved[place] = maa_now + sign * goes[0], knights_now + sign * goes[1]
            stay = maa - goes[0], knights - goes[1]
            found.append(Marching(who, at, maa, knights, path, stay, max(0, left - len(path)), self._trails(at, left)))
        return found

    @property
    def marching(self) -> Marching | None:
        """The last march begun, changed by picks on the map."""
        return next((one for one in reversed(self.marches) if one.lords), None)

    def _trails(self, place: Place, left: int) -> dict[Place, list[Place]]:
        """Village -> shortest path of at most `left` roads, through few of others' villages (FF-MOV-2, 7)."""
        found: dict[Place, list[Place]] = {place: []}
        edge = [place]
        for _ in range(left):
            new: dict[Place, list[Place]] = {}
            for at in sorted(edge, key=lambda at: at in self.march.held):
                for to in self._roads(at):
                    if to not in found and to not in new:
                        new[to] = [*found[at], to]
            found |= new
            edge = list(new)
        del found[place]
        return found

    @property
    def drafted(self) -> list[dict[str, list[str]]]:
        return self.choices(self._rows())

    def _walked(self, rows: Sequence[Row]) -> Iterator[tuple[_Walk, Row, list[Lord], Place]]:
        """(each row, its Lords, their village) after earlier rows."""
        lords, march = self._view["lords"], self.march
        at, road = ({id: str(lords[id][name]) for id in march.left} for name in ("at", "road"))
        walk = _Walk(march, at, road, dict(march.left), set(march.led))
        for row in rows:
            who = [id for id in _some(row, "lords") if id in at]
            start = at[who[0]] if who else ""
            yield walk, row, who, start
            for here, to in pairwise([start, *self._stops(row)]):
                walk.go(who, here, to)

    def _roads(self, place: Place) -> list[Place]:
        shut = self.march.shut
        return [] if place in shut else [to for to in self._view["chart"]["villages"][place]["roads"] if to not in shut]

    def _rows(self, field: str = "moves") -> list[Row]:
        rows = self._begun.values.get(field) if self._begun is not None else None
        return rows if isinstance(rows, list) and are_rows(rows) else []

    def _stops(self, row: Row) -> list[Place]:
        stops = [row.get(name) for name in STOPS]
        return [to for to in stops if isinstance(to, str) and to in self._view["chart"]["villages"]]

    @property
    def armed(self) -> dict[Place, list[Seat]]:
        """Village -> seats an Uprising can attack (FF-UPR-5)."""
        here = self.standing.armies
        return {place: [s for s, a in here[place].items() if a.counters] for place in here if here[place]}

    def reaches(self, code: str) -> bool:
        if self.stall and self._begun is not None and self._begun.option == "buy":
            row = next(iter(self._rows("items")[-1:]), {})
            whole = row.get("at") or row.get("lord")
            return self.stall.takes(code, "" if whole else str(row.get("what", "")))
        return self.reach is None or code not in self._view["chart"]["villages"] or code in self.reach

    @property
    def legs(self) -> list[tuple[str, Sequence[float], Sequence[float], int]]:
        """(row number on its first leg, start, end, Troops)."""
        found, villages = [], self._view["chart"]["villages"]
        for n, row in enumerate(self._rows(), 1):
            leader = self._view["lords"].get(next(iter(_some(row, "lords")), ""))
            at, troops, number = leader["at"] if leader else "", _count(row, "knights") + _count(row, "maa"), str(n)
            for to in self._stops(row) if at else ():
                found.append((number, villages[at]["at"], villages[to]["at"], troops))
                at, number = to, ""
        return found

    # --- elections and bargains ---

    def markers(self, election: View) -> dict[Lord, list[Marker]]:
        """Candidate -> markers; own ones have faces (FF-INF-2)."""
        found: dict[Lord, list[Marker]] = {c: [] for c in election["candidates"]}
        for s, on in election["placed"].items():
            faces = election["own"] if s == self._own and any(election["own"]) else ()
            for n, lord in enumerate(on):
                if lord in found:
                    found[lord].append(Marker(s, _face(faces, lord, lord not in on[:n]) if faces else ""))
        return found

    def parties(self, field: str, code: str) -> list[Seat]:
        """Seats that own what is asked for in an exchange, or can take what is offered; [] for all (FF-DIP-9)."""
        village = self._view["villages"].get(code)
        match field:
            case "want_villages":
                return [village["controller"]]
            case "want_captives":
                return [self._view["lords"][code]["captor"]]
            case "want_passage":
                here = {village["controller"], *self.standing.armies[code]} - {self._own}
                return [s for s in self._view["seats"] if s in here]
            case "give_villages":
                return [s for s in self.standing.armies[code] if s != self._own]
        return []

    @property
    def bargains(self) -> list[Bargain]:
        open_ = [p for p in self._view["proposals"] if p["kind"] == "exchange" and self._own]
        shown = next((p for p in open_ if len(open_) == 1 or p["by"] != self._own), None)
        found = []
        for p in open_:
            about, to = p["about"], p["about"]["to"]
            sides = self._bundle(p["by"], "give", about), self._bundle(to, "want", about)
            found.append(Bargain(p["by"], to, about["lord"], about["other"], p is shown, sides, about["spent"]))
        return found

    def _bundle(self, seat: Seat, side: str, about: View) -> Bundle:
        terms = {name: about[f"{side}_{name}"] for name in PARTS}
        for name in ("villages", "passage"):
            terms[name] = [at.split("/")[0] for at in terms[name]]
        terms["title"] = terms["title"].split("/")[0]
        return Bundle(seat, self._view["families"][seat].get("deniers") if seat else None, **terms)


def _face(own: Sequence[Lord], lord: Lord, first: bool) -> str:
    """FOR first if both own markers are on one Lord."""
    for_, decoy = own
    return "for" if for_ == lord and (decoy != lord or first) else "decoy"


def _some(row: Row, name: str) -> list[str]:
    held = row.get(name)
    return held if isinstance(held, list) else []


def _count(row: Row, name: str) -> int:
    held = row.get(name)
    return int(held) if isinstance(held, int) or (isinstance(held, str) and held.isdecimal()) else 0
