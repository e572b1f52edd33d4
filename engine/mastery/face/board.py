"""Board data for pages and letters. Lazy, ids and numbers only, from the seat's view, form and draft, so it can't leak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from engine.core.asks import Answer, Seat, Value
from engine.game import View
from engine.mastery.face.forecast import Clash
from engine.mastery.face.view import STEPS
from engine.mastery.rules.pieces import CALL_TO_ARMS, FRACTURE, ON_CONQUER, RESOURCES, TACTICAL_ADVANCE, Card, lore_of
from engine.ui.forms import Form, FormField, OneField, OrderField, SomeField

Seen = dict[str, Any]
"""Part of the view."""

# --- cards ------------------------------------------------------------------------------------------------------------

PLAYED_BY = {CALL_TO_ARMS: "call", TACTICAL_ADVANCE: "tactical", FRACTURE: "fracture"}
"""Cards playable outside battle (MM-RES), by option."""
DECKS = frozenset((("arrange", "cards"), ("early", "card"), ("late", "card")))
"""Asks and fields about decks or discard piles, not hands."""
FEW = 7
"""Artefacts that fit on one line of a letter."""


def sort(card: Card) -> str:
    """Class of a card: `support`, `break`, `crown` or `arms`."""
    if card == FRACTURE:
        return "break"
    if card in RESOURCES:
        return "crown"
    known = lore_of("").cards.get(card)
    # Cards of a host's own file may be unknown.
    return "support" if (known.kind == "support" if known else card.startswith("Support")) else "arms"


# --- the map ----------------------------------------------------------------------------------------------------------

AROUND = ((1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1))
"""Neighbours of a hex, clockwise from the upper right (MM-GEN-1)."""
ONCE = AROUND[1:4]
"""One direction of each edge."""
WIDE, HIGH = 50.2, 87
"""Pixels: half a hex's width at radius 58, and row height."""
BANK = 0.26
"""Half a bridge's length, relative to the distance to the edge."""
BROAD = 1.15
"""Aspect ratio from which corner strips would cover the map."""
WHOLE, ROWED = (928, 600), (928, 490)
"""Board's pixels on a common screen, without and with strips above."""
FINE = 0.78
"""Scale below which labels grow; no map of the box needs it."""
CORNERS = ("tl", "tr", "mr", "br", "bl", "ml")
"""Positions of lords' strips, clockwise from the upper left."""
SPREAD = {2: ("tl", "br"), 3: ("tl", "tr", "br"), 4: ("tl", "tr", "br", "bl"), 5: ("tl", "tr", "mr", "br", "bl")}
"""Default positions, if two strips would share a corner."""


class Place(NamedTuple):
    seen: Seen
    x: float
    y: int


@dataclass(frozen=True)
class Bridge:
    seat: Seat
    ford: bool
    ends: tuple[float, float, float, float]


@dataclass(frozen=True)
class Frame:
    left: float
    right: float
    top: int
    bottom: int

    @property
    def wide(self) -> float:
        return self.right - self.left + 124

    @property
    def broad(self) -> bool:
        """Whether strips are in a row above the map."""
        return self.wide > BROAD * self.high

    @property
    def fine(self) -> bool:
        """Whether the map is scaled down and needs larger labels."""
        width, height = ROWED if self.broad else WHOLE
        return min(width / self.wide, height / self.high) < FINE

    @property
    def high(self) -> int:
        return self.bottom - self.top + 128


@dataclass(frozen=True)
class Cell:
    """A table cell two columns wide, after `gap` empty ones."""

    gap: int
    seen: Seen


@dataclass(frozen=True)
class Row:
    cells: list[Cell]
    gap: int


class Chart:
    """Layout of the map, cacheable by the map."""

    def __init__(self, map: Sequence[Seen]) -> None:
        self.map = map

    @cached_property
    def named(self) -> dict[str, Seen]:
        return {s["slot"]: s for s in self.map}

    @cached_property
    def places(self) -> dict[str, Place]:
        return {slot: self.place(slot) for slot in self.named}

    def place(self, slot: str) -> Place:
        seen = self.named[slot]
        return Place(seen, round(WIDE * (2 * seen["q"] + seen["r"]), 1), HIGH * seen["r"])

    @cached_property
    def _at(self) -> dict[tuple[int, int], Seen]:
        return {(s["q"], s["r"]): s for s in self.map}

    def rim(self, slot: str) -> list[int]:
        """Edges where the holder's realm ends."""
        seen = self.named[slot]
        owner = seen.get("holder")
        if not owner:
            return []
        beyond = [self._at.get((seen["q"] + q, seen["r"] + r), {}) for q, r in AROUND]
        return [n for n, other in enumerate(beyond) if other.get("holder") != owner]

    def signs(self, slot: str) -> list[str]:
        """Icons: `room` for unusual capacity, then abilities (MM-TER)."""
        seen = self.named[slot]
        if seen["kind"] != "territory":
            return []
        room = ["room"] if seen["capacity"] != lore_of("").constants["default_capacity"] else []
        return room + [ability for ability in seen["abilities"] if ability != "START_KNIGHTS"]

    @cached_property
    def bridges(self) -> list[Bridge]:
        """Edges and lake shores between a lord's supplied places (MM-SUP)."""
        found = []
        for seen in self.map:
            if not _supplies(seen, seen.get("holder")):
                continue
            for q, r in (*ONCE, *AROUND[4:], AROUND[0]):
                other = self._at.get((seen["q"] + q, seen["r"] + r))
                if other is None:
                    continue
                ford = other["kind"] == "lake"
                if self._crossed(other, seen["holder"]) if ford else (q, r) in ONCE and _supplies(other, seen["holder"]):
                    found.append(Bridge(seen["holder"], ford, _ends(seen, q, r)))
        return found

    def _crossed(self, lake: Seen, seat: Seat) -> bool:
        shores = (self._at.get((lake["q"] + q, lake["r"] + r)) for q, r in AROUND)
        return sum(shore is not None and _supplies(shore, seat) for shore in shores) > 1

    @cached_property
    def frame(self) -> Frame:
        at = [2 * s["q"] + s["r"] for s in self.map]
        rows = [s["r"] for s in self.map]
        return Frame(WIDE * min(at), WIDE * max(at), HIGH * min(rows), HIGH * max(rows))

    def corners(self, homes: Sequence[str]) -> Sequence[str]:
        """Corners nearest to castles, or defaults if two would share one."""
        nearest = [self._corner(self.named[home]) for home in homes]
        return nearest if len(set(nearest)) == len(homes) else SPREAD.get(len(homes), CORNERS)

    def _corner(self, seen: Seen) -> str:
        x, middle = WIDE * (2 * seen["q"] + seen["r"]), (self.frame.left + self.frame.right) / 2
        left = x < middle if x != middle else seen["r"] < 0
        return ("t" if seen["r"] < -1 else "b" if seen["r"] > 1 else "m") + ("l" if left else "r")

    @cached_property
    def rows(self) -> list[Row]:
        """Rows, offset by half a hex."""
        at = [2 * s["q"] + s["r"] for s in self.map]
        first, end = min(at), max(at) + 2
        found = []
        for r in sorted({s["r"] for s in self.map}):
            cells, reached = [], first
            for s in sorted((s for s in self.map if s["r"] == r), key=lambda s: int(s["q"])):
                cells.append(Cell(2 * s["q"] + r - reached, s))
                reached = 2 * s["q"] + r + 2
            found.append(Row(cells, end - reached))
        return found


def _supplies(seen: Seen, seat: Seat | None) -> bool:
    """Whether a place passes its holder's supply on: his castle, or supplied (MM-SUP)."""
    return bool(seat) and seen.get("holder") == seat and (seen["kind"] == "castle" or seen["supplied"])


def _ends(seen: Seen, q: int, r: int) -> tuple[float, float, float, float]:
    dx, dy = WIDE / 2 * (2 * q + r), HIGH / 2 * r
    x, y = WIDE * (2 * seen["q"] + seen["r"]) + dx, HIGH * seen["r"] + dy
    return (round(x - BANK * dx, 1), round(y - BANK * dy, 1), round(x + BANK * dx, 1), round(y + BANK * dy, 1))


# --- battle -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fight:
    """The current battle, or the one that ended the game."""

    seen: Seen
    place: Seen
    attacker: Seen
    """The attacker's side, first in order (MM-ART-4)."""
    defender: Seen

    def side(self, seat: Seat) -> Seen:
        return self.attacker if self.attacker["seat"] == seat else self.defender

    def against(self, seat: Seat) -> Seen:
        return self.defender if self.attacker["seat"] == seat else self.attacker

    @property
    def level(self) -> bool:
        return bool(self.attacker["score"] == self.defender["score"])

    @property
    def leads(self) -> Seen:
        """The winner, or who leads before the result; ties are the defender's (MM-BAT-15, MM-OPT-14)."""
        if self.seen["winner"]:
            return self.side(self.seen["winner"])
        return self.attacker if self.attacker["score"] > self.defender["score"] else self.defender

    @property
    def trails(self) -> Seen:
        return self.against(self.leads["seat"])

    @property
    def falling(self) -> int:
        """Knights the trailing side would lose (MM-RET, MM-ORB-2)."""
        return int(min(self.seen["margin"] + bool(self.brutal), self.trails["there"]))

    @property
    def brutal(self) -> str:
        """Orb by which one more would fall; '' if none or nobody is left (MM-ORB-2)."""
        return str(self.seen["brutal"]) if self.trails["there"] > self.seen["margin"] else ""

    @property
    def storming(self) -> bool:
        """Whether a castle would be stormed (MM-OPT-8)."""
        return bool(self.seen["siege"] and self.leads is self.attacker)

    @property
    def supporting(self) -> bool:
        return bool(self.seen["number"] == STEPS["support"])

    @property
    def laid(self) -> str:
        """State of conflict cards: `coming`, `sealed` or `shown` (MM-BAT-9, 10)."""
        step, conflict = self.seen["number"], STEPS["conflict"]
        return "coming" if step < conflict else "sealed" if step == conflict else "shown"

    def counted(self, side: Seen) -> list[tuple[str, int | None]]:
        """Parts of a score, first `knights` or `castle`; None if hidden."""
        shown = self.laid == "shown"
        own = "castle" if self.seen["siege"] and side is self.defender else "knights"
        cards = (("conflict", side["conflict"] if shown else None), ("support", side["support"] if shown else None))
        return [(own, side["base"]), *((name, n) for name, n in side["added"]), *cards[: 1 if self.supportless else 2]]

    @property
    def supportless(self) -> bool:
        return "NO_SUPPORT_CARDS" in self.place.get("abilities", ())

    @property
    def allies(self) -> dict[Seat, list[Card]]:
        """Support cards of lords who don't fight themselves (MM-OPT-5)."""
        fought = (self.seen["attacker"], self.seen["defender"])
        return {seat: cards for seat, cards in self.seen["in_play"].items() if seat not in fought}


@dataclass(frozen=True)
class Backing:
    own: Seen
    other: Seen
    then: dict[Card, int]
    """Card -> own score with it."""

    @property
    def worth(self) -> dict[Card, int]:
        return {card: score - self.own["score"] for card, score in self.then.items()}


# --- the board --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stake:
    """Points if the attacker wins (MM-VIC-1)."""

    value: int
    attacker: int
    defender: int
    wins: bool
    """It would win the game (MM-VIC, MM-OPT-8)."""


@dataclass(frozen=True)
class Taking:
    seen: Seen
    points: int
    """Of the lord's side."""
    wins: bool
    """It would win the game (MM-VIC)."""
    sinks: bool
    """One knight alone is lost there (MM-TER)."""
    works: list[str]
    """Its abilities that take effect at once."""


class Board:
    def __init__(self, view: View, form: Form | None, begun: Answer | None) -> None:
        self._view, self._form, self._begun = view, form, begun

    @property
    def _own(self) -> Seen:
        own: Seen = self._view.get("own", {})
        return own

    # --- map and lords

    @cached_property
    def chart(self) -> Chart:
        return Chart(self._view["map"])

    @cached_property
    def lords(self) -> dict[Seat, Seen]:
        return {lord["seat"]: lord for lord in self._view["lords"]}

    @cached_property
    def me(self) -> Seen | None:
        return self.lords.get(self._view["seat"])

    @property
    def sides(self) -> list[list[Seen]]:
        found: dict[tuple[Seat, ...], list[Seen]] = {}
        for lord in self.lords.values():
            found.setdefault(tuple(sorted(lord["team"])), []).append(lord)
        return list(found.values())

    @property
    def winners(self) -> list[Seat]:
        outcome = self._view["outcome"]
        return list(outcome["winners"]) if outcome else []

    @property
    def ends(self) -> dict[str, str]:
        """Marks of castles: `crown` for winners, `ruins` for a stormed one (MM-OPT-8)."""
        outcome = self._view["outcome"]
        if not outcome:
            return {}
        stormed = outcome["how"] == "siege"
        fallen = [seen["slot"] for seen in self._view["map"] if stormed and seen["kind"] == "castle" and "dispute" in seen]
        return {self.lords[seat]["slot"]: "crown" for seat in self.winners} | dict.fromkeys(fallen, "ruins")

    @property
    def centre(self) -> str:
        won = [seat for seat in self.winners if self.me and seat == self.me["seat"]] or self.winners
        if won:
            return str(self.lords[won[0]]["slot"])
        return self._battle.place["slot"] if self._battle else self.me["slot"] if self.me else ""

    @property
    def on_turn(self) -> Seat | None:
        active: Seat | None = None if self._view["outcome"] else self._view["active"]
        return active

    @property
    def crowned(self) -> Seat | None:
        """Seat that used a crown this turn (MM-CRN)."""
        active: Seat | None = self._view["active"] if self._view["crown_used"] else None
        return active

    @cached_property
    def corners(self) -> dict[Seat, str]:
        homes = [lord["slot"] for lord in self.lords.values()]
        return dict(zip(self.lords, self.chart.corners(homes), strict=True))

    @property
    def beside(self) -> bool:
        return not {"ml", "mr"}.isdisjoint(self.corners.values())

    def pips(self, seat: Seat) -> tuple[int, int, int]:
        """Own points, allies', missing (MM-VIC-1, MM-OPT-3)."""
        lord, target = self.lords[seat], self._view["target"]
        team = min(lord["team_points"], target)
        own = min(lord["points"], team)
        return own, team - own, target - team

    def lands(self, seat: Seat) -> list[Seen]:
        return [s for s in self.chart.map if s["kind"] == "territory" and s["holder"] == seat]

    def tiled(self, seat: Seat) -> list[tuple[str, str, int]]:
        """`lands` in the lord's order: slot, tile, knights."""
        return [(x, self.chart.named[x]["tile"], self.chart.named[x]["knights"]) for x in self.lords[seat]["lands"]]

    # --- what is under way

    @cached_property
    def fight(self) -> Fight | None:
        return None if self._view["outcome"] else self._battle

    @cached_property
    def _battle(self) -> Fight | None:
        found = next((d for d in reversed(self._view["doing"]) if d["what"] == "battle"), None)
        return None if found is None else Fight(found, self.chart.named[found["slot"]], *found["sides"])

    @property
    def stake(self) -> Stake | None:
        if self.fight is None:
            return None
        siege, value = self.fight.seen["siege"], self.fight.place.get("value", 0)
        attacker, defender = (self.lords[side["seat"]]["team_points"] for side in (self.fight.attacker, self.fight.defender))
        won = attacker + (0 if self.fight.seen["sinks"] else value)
        return Stake(value, won, defender - value, siege or won >= self._view["target"])

    @cached_property
    def doings(self) -> list[Seen]:
        """Procedures to show, without crown windows; after the end only a battle."""
        over = self._view["outcome"]
        return [d for d in self._view["doing"] if not _on_crown(d) and (d["what"] == "battle" or not over)]

    @cached_property
    def crown_window(self) -> Seen | None:
        """Open window on a crown (MM-FRA)."""
        return next((d for d in self._view["doing"] if _on_crown(d)), None)

    @cached_property
    def questioned(self) -> list[Seen]:
        aims = next((d["aims"] for d in self._view["doing"] if d["what"] == "window"), ())
        return [a for lord in self.lords.values() for a in lord["artefacts"] if a["name"] in aims]

    @cached_property
    def owners(self) -> dict[str, Seat]:
        return {a["name"]: seat for seat, lord in self.lords.items() for a in lord["artefacts"]}

    # --- what the seat is asked

    @cached_property
    def verbs(self) -> list[str]:
        return [option.id for option in self._form.options] if self._form else []

    @cached_property
    def aims(self) -> list[str]:
        fields = (f for option in self._form.options for f in option.fields) if self._form else ()
        aims = (f.choices for f in fields if isinstance(f, OneField) and f.name in ("target", "slot"))
        return list(dict.fromkeys(choice.id for choices in aims for choice in choices))

    @cached_property
    def clashes(self) -> dict[str, Clash]:
        """Place -> possible battle (MM-ADV)."""
        return msgspec.convert(self._own.get("clashes", {}), dict[str, Clash])

    @cached_property
    def takings(self) -> list[Taking]:
        """Conquests without a battle (MM-ADV, MM-VIC)."""
        assert self.me is not None
        held, target = self.me["team_points"], self._view["target"]
        vacant = [self.chart.named[slot] for slot in self.aims if slot not in self.clashes]
        return [self._taking(s, held + s["value"], target) for s in vacant]

    def _taking(self, s: Seen, points: int, target: int) -> Taking:
        works = [ability for ability in s["abilities"] if ability in ON_CONQUER]
        return Taking(s, points, points >= target, s["slot"] in self._own.get("sinking", ()), works)

    @property
    def sceptre(self) -> str:
        return next(str(a["name"]) for a in self.me["artefacts"] if a["type"] == "sceptre") if self.me else ""

    @cached_property
    def presets(self) -> dict[str, int]:
        """Knights preset for a chosen place: as many as hold it or lead before cards, or all that can go."""
        assert self.me is not None
        castle = self.me["knights"]
        wanted = {taking.seen["slot"]: 1 + taking.sinks for taking in self.takings}
        wanted |= {slot: c.meets - c.plus + 1 for slot, c in self.clashes.items()}
        room = {slot: self.chart.named[slot].get("capacity", n) for slot, n in wanted.items()}
        return {slot: max(1, min(n, castle, room[slot])) for slot, n in wanted.items() if castle}

    @cached_property
    def backing(self) -> Backing | None:
        """Effect of support (MM-BAT-12)."""
        told = self._own.get("support")
        if told is None or self._battle is None:
            return None
        return Backing(self._battle.side(told["for"]), self._battle.against(told["for"]), told["then"])

    @property
    def target(self) -> Seen | None:
        return self.chart.named.get(str(self._begun.values.get("target"))) if self._begun else None

    @property
    def sent(self) -> Value:
        return (self._begun.values.get("knights") or "") if self._begun else ""

    # --- its own cards

    @property
    def fractures(self) -> int:
        return int(self._own["hand"].count(FRACTURE))

    @cached_property
    def crown(self) -> Seen | None:
        return next((a for a in self.me["artefacts"] if a["type"] == "crown"), None) if self.me else None

    @property
    def at_once(self) -> list[Card]:
        """Hand cards that an option plays (MM-RES)."""
        return [card for card, verb in PLAYED_BY.items() if card in self._own["hand"] and verb in self.verbs]

    @property
    def known(self) -> dict[Seat, list[Card]]:
        """Known tops of decks; not the one being arranged (MM-CRN)."""
        arranging = self._form is not None and self._form.kind == "arrange"
        return {s: cards for s, cards in self._own["known"].items() if not arranging or s != self._view["seat"]}

    @property
    def hand(self) -> list[tuple[Card, bool]]:
        """Hand cards, and whether the ask can use each; in battle usable ones first."""
        fields = (f for option in self._form.options for f in option.fields) if self._form else ()
        taken = {choice.id for f in fields if isinstance(f, OneField | SomeField) for choice in f.choices}
        if self._form is not None and self._form.kind == "fracture":
            taken.add(FRACTURE)
        hand = [(card, card in taken or not self.fight) for card in self._own["hand"]]
        return sorted(hand, key=lambda pair: not pair[1])

    @property
    def arranged(self) -> list[Card]:
        fields = (f for option in self._form.options for f in option.fields) if self._form else ()
        n = next((sum(choice.most for choice in f.choices) for f in fields if isinstance(f, OrderField)), 0)
        known: list[Card] = self._own["known"][self._view["seat"]]
        return known[:n]

    @staticmethod
    def asks_of_decks(form: Form | None) -> bool:
        return form is not None and any((form.kind, f.name) in DECKS for option in form.options for f in option.fields)

    def gathered(self, field: FormField) -> dict[Seat, list[str]]:
        """Artefacts by lord; {} if few."""
        if not isinstance(field, OneField) or len(field.choices) <= FEW:
            return {}
        ids = {choice.id for choice in field.choices}
        mine = {s: [a["name"] for a in lord["artefacts"] if a["name"] in ids] for s, lord in self.lords.items()}
        return {s: own for s, own in mine.items() if own} if sum(map(len, mine.values())) == len(field.choices) else {}

    sort = staticmethod(sort)


def _on_crown(doing: Seen) -> bool:
    return bool(doing["what"] == "window" and doing["window"] == "crown")
