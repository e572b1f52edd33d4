"""What boards, hands and letters show that has to be reckoned first: where everything lies on the map, how far realms and
supply reach, how a battle stands, what an advance meets or takes.

All of it follows from what a seat sees, what it is asked and what it has filled in: nothing else is looked at, so nothing else
can be told. Ids and numbers alone: words and drawings are the templates'. What a page doesn't draw is never reckoned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from engine.asks import Answer, Seat, Value
from engine.forms import Form, FormField, OneField, OrderField, SomeField
from engine.game import View
from engine.mastery.forecast import Clash
from engine.mastery.pieces import CALL_TO_ARMS, FRACTURE, RESOURCES, TACTICAL_ADVANCE, Card, lore_of
from engine.mastery.view import STEPS

Seen = dict[str, Any]
"""A part of the view: a place, a lord, an artefact, a procedure under way."""

# --- cards ------------------------------------------------------------------------------------------------------------

PLAYED_BY = {CALL_TO_ARMS: "call", TACTICAL_ADVANCE: "tactical", FRACTURE: "fracture"}
"""Cards of a hand that are played outside battle too (MM-RES): by which option."""
DECKS = frozenset((("arrange", "cards"), ("early", "card"), ("late", "card")))
"""Kinds of asks, and fields of them, that are about cards of a deck or a discard pile, never about those of the hand."""
FEW = 7
"""Artefacts to choose from that one line of a letter has room for."""


def sort(card: Card) -> str:
    """What kind a card is: `support`, `break` for a Fracture, `crown` for the other resource cards, `arms` for conflict."""
    if card == FRACTURE:
        return "break"
    if card in RESOURCES:
        return "crown"
    known = lore_of("").cards.get(card)
    # A host's own file may have cards of other worth, called like those of the box.
    return "support" if (known.kind == "support" if known else card.startswith("Support")) else "arms"


# --- the map ----------------------------------------------------------------------------------------------------------

AROUND = ((1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1))
"""The edges of a hex, clockwise from the upper right: what lies beyond each (MM-GEN-1)."""
ONCE = AROUND[1:4]
"""One of the two directions of each edge."""
WIDE, HIGH = 50.2, 87
"""As it is drawn: half the width of a hex of radius 58, and how far a row lies below the one above."""
BANK = 0.26
"""How far from its middle a bridge reaches, by the way from the middle of its hex."""
BROAD = 1.15
"""By how much a map may be wider than high before strips in its corners would cover it."""
WHOLE, ROWED = (928, 600), (928, 490)
"""Width and height of the board on a common screen, and what rows of strips above a broad map leave of it."""
FINE = 0.78
"""A map that is drawn smaller than so has larger words: no map of the box is."""
CORNERS = ("tl", "tr", "mr", "br", "bl", "ml")
"""Where the strip of a lord can lie beside the map, clockwise from the upper left."""
SPREAD = {2: ("tl", "br"), 3: ("tl", "tr", "br"), 4: ("tl", "tr", "br", "bl"), 5: ("tl", "tr", "mr", "br", "bl")}
"""Where strips lie if two would share a corner, by the number of lords."""


class Place(NamedTuple):
    """A hex of the map, and where its middle is drawn."""

    seen: Seen
    x: float
    y: int


@dataclass(frozen=True)
class Bridge:
    """An edge over which supply runs, and the ends of the line that is drawn across it."""

    seat: Seat
    ford: bool
    """Whether it leads over a lake."""
    ends: tuple[float, float, float, float]


@dataclass(frozen=True)
class Frame:
    """The middles of the outermost hexes."""

    left: float
    right: float
    top: int
    bottom: int

    @property
    def wide(self) -> float:
        return self.right - self.left + 124

    @property
    def broad(self) -> bool:
        """Whether a map is broader than those of the box: the lords' strips lie in a row above it then."""
        return self.wide > BROAD * self.high

    @property
    def fine(self) -> bool:
        """Whether a map has so many hexes in a row, or so many rows, that it is drawn smaller than those of the box."""
        width, height = ROWED if self.broad else WHOLE
        return min(width / self.wide, height / self.high) < FINE

    @property
    def high(self) -> int:
        return self.bottom - self.top + 128


@dataclass(frozen=True)
class Cell:
    """A place in a row of a table in which every hex is two columns wide, and the columns that stay empty before it."""

    gap: int
    seen: Seen


@dataclass(frozen=True)
class Row:
    cells: list[Cell]
    gap: int
    """The columns that stay empty behind the last."""


class Chart:
    """The map of a view, and nothing else: what is drawn of it can be kept by its mark."""

    def __init__(self, map: Sequence[Seen]) -> None:
        self.map = map

    @cached_property
    def named(self) -> dict[str, Seen]:
        """What is seen of each place."""
        return {s["slot"]: s for s in self.map}

    @cached_property
    def places(self) -> dict[str, Place]:
        return {slot: self.place(slot) for slot in self.named}

    def place(self, slot: str) -> Place:
        """Where one place is drawn; a page that keeps the rest needs but few."""
        seen = self.named[slot]
        return Place(seen, round(WIDE * (2 * seen["q"] + seen["r"]), 1), HIGH * seen["r"])

    @cached_property
    def _at(self) -> dict[tuple[int, int], Seen]:
        return {(s["q"], s["r"]): s for s in self.map}

    def rim(self, slot: str) -> list[int]:
        """The edges of a place, by their numbers, where the realm of its holder ends."""
        seen = self.named[slot]
        owner = seen.get("holder")
        if not owner:
            return []
        beyond = [self._at.get((seen["q"] + q, seen["r"] + r), {}) for q, r in AROUND]
        return [n for n, other in enumerate(beyond) if other.get("holder") != owner]

    def signs(self, slot: str) -> list[str]:
        """What of a territory has a sign on the map: `room` for an unusual one, then what it does in play (MM-TER)."""
        seen = self.named[slot]
        if seen["kind"] != "territory":
            return []
        room = ["room"] if seen["capacity"] != lore_of("").constants["default_capacity"] else []
        return room + [ability for ability in seen["abilities"] if ability != "START_KNIGHTS"]

    @cached_property
    def bridges(self) -> list[Bridge]:
        """Every edge that joins two supplied places of a lord, and the shores of lakes that do (MM-SUP)."""
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
        """Whether two supplied places of the lord lie on this lake."""
        shores = (self._at.get((lake["q"] + q, lake["r"] + r)) for q, r in AROUND)
        return sum(shore is not None and _supplies(shore, seat) for shore in shores) > 1

    @cached_property
    def frame(self) -> Frame:
        at = [2 * s["q"] + s["r"] for s in self.map]
        rows = [s["r"] for s in self.map]
        return Frame(WIDE * min(at), WIDE * max(at), HIGH * min(rows), HIGH * max(rows))

    def corners(self, homes: Sequence[str]) -> Sequence[str]:
        """The corners nearest to these castles; clockwise from the upper left where two lords would share one."""
        nearest = [self._corner(self.named[home]) for home in homes]
        return nearest if len(set(nearest)) == len(homes) else SPREAD.get(len(homes), CORNERS)

    def _corner(self, seen: Seen) -> str:
        x, middle = WIDE * (2 * seen["q"] + seen["r"]), (self.frame.left + self.frame.right) / 2
        left = x < middle if x != middle else seen["r"] < 0
        return ("t" if seen["r"] < -1 else "b" if seen["r"] > 1 else "m") + ("l" if left else "r")

    @cached_property
    def rows(self) -> list[Row]:
        """The map as a table, every row half a hex further than the one above."""
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
    """Whether supply of the lord runs through a place of the map: his castle, or a territory of his that has some (MM-SUP)."""
    return bool(seat) and seen.get("holder") == seat and (seen["kind"] == "castle" or seen["supplied"])


def _ends(seen: Seen, q: int, r: int) -> tuple[float, float, float, float]:
    """The ends of a bridge from a place over the edge in a direction."""
    dx, dy = WIDE / 2 * (2 * q + r), HIGH / 2 * r
    x, y = WIDE * (2 * seen["q"] + seen["r"]) + dx, HIGH * seen["r"] + dy
    return (round(x - BANK * dx, 1), round(y - BANK * dy, 1), round(x + BANK * dx, 1), round(y + BANK * dy, 1))


# --- battle -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fight:
    """A battle under way, or the one in which the game has ended."""

    seen: Seen
    place: Seen

    @property
    def attacker(self) -> Seen:
        """The attacker's side"""
        side: Seen = self.seen["sides"][0]
        return side

    @property
    def defender(self) -> Seen:
        """and the defender's: their order is that of everything that both do (MM-ART-4)."""
        side: Seen = self.seen["sides"][1]
        return side

    def side(self, seat: Seat) -> Seen:
        """The side of a seat that fights itself."""
        return self.attacker if self.attacker["seat"] == seat else self.defender

    def against(self, seat: Seat) -> Seen:
        """The other side."""
        return self.defender if self.attacker["seat"] == seat else self.attacker

    def fought_by(self, seat: Seat) -> bool:
        """Whether a lord is one of the two who fight (MM-BAT-1)."""
        return seat in (self.seen["attacker"], self.seen["defender"])

    @property
    def level(self) -> bool:
        return bool(self.attacker["score"] == self.defender["score"])

    @property
    def leads(self) -> Seen:
        """The side that wins as it stands: when level, the defender's (MM-BAT-15)."""
        return self.attacker if self.attacker["score"] > self.defender["score"] else self.defender

    @property
    def trails(self) -> Seen:
        return self.against(self.leads["seat"])

    @property
    def falling(self) -> int:
        """How many knights of the side that trails fall if nothing more is played; the rest of them go home (MM-RET)."""
        return int(min(self.seen["margin"], self.trails["there"]))

    @property
    def storming(self) -> bool:
        """Whether a castle would be stormed if nothing more is played: that wins the game (MM-OPT-8)."""
        return bool(self.seen["siege"] and self.leads is self.attacker)

    @property
    def supporting(self) -> bool:
        """Whether support cards are being played (MM-BAT-12)."""
        return bool(self.seen["number"] == STEPS["support"])

    @property
    def laid(self) -> str:
        """Of the conflict cards: `coming`, `sealed` while they are chosen, then `shown` (MM-BAT-9, 10)."""
        step, conflict = self.seen["number"], STEPS["conflict"]
        return "coming" if step < conflict else "sealed" if step == conflict else "shown"

    def counted(self, side: Seen) -> list[tuple[str, int | None]]:
        """What a side's score is made of, in the order of a battle: `knights`, or `castle` for those behind walls, what has
        been added by the place and by a sceptre, `conflict`, `support`; None for what is not to be seen yet."""
        shown = self.laid == "shown"
        own = "castle" if self.seen["siege"] and side is self.defender else "knights"
        cards = (("conflict", side["conflict"] if shown else None), ("support", side["support"] if shown else None))
        return [(own, side["base"]), *((name, n) for name, n in side["added"]), *cards[: 1 if self.supportless else 2]]

    @property
    def supportless(self) -> bool:
        """Whether no support cards follow here (MM-TER)."""
        return "NO_SUPPORT_CARDS" in self.place.get("abilities", ())

    @property
    def allies(self) -> dict[Seat, list[Card]]:
        """Cards in play of lords who don't fight themselves (MM-OPT-5)."""
        return {seat: cards for seat, cards in self.seen["in_play"].items() if not self.fought_by(seat)}


@dataclass(frozen=True)
class Backing:
    """What a lord who is asked for support can make of the battle."""

    own: Seen
    """The side that he is for,"""
    other: Seen
    """and the other."""
    then: dict[Card, int]
    """card of his -> the score of his side with it."""

    @property
    def worth(self) -> dict[Card, int]:
        """card -> what it adds."""
        return {card: score - self.own["score"] for card, score in self.then.items()}


# --- the board --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stake:
    """What a battle is about: the points of both sides if the attacker wins; if not, they stay as they are (MM-VIC-1)."""

    value: int
    attacker: int
    defender: int
    wins: bool
    """Whether the game is won by it (MM-VIC, MM-OPT-8)."""


@dataclass(frozen=True)
class Taking:
    """An advance into a place that nobody defends."""

    seen: Seen
    points: int
    """Of the lord's side then."""
    wins: bool
    """Whether the game is won by it (MM-VIC)."""
    sinks: bool
    """Whether a knight is lost there (MM-TER)."""


class Board:
    """The table as a seat sees it. `form` is what it is asked, None if nothing."""

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
        """The lord of the seat; a spectator is none."""
        return self.lords.get(self._view["seat"])

    @property
    def sides(self) -> list[list[Seen]]:
        """The lords who win together, clockwise from the first; each by himself where there are no teams (MM-OPT-3)."""
        found: dict[tuple[Seat, ...], list[Seen]] = {}
        for lord in self.lords.values():
            found.setdefault(tuple(sorted(lord["team"])), []).append(lord)
        return list(found.values())

    @property
    def winners(self) -> list[Seat]:
        """Who has won, once the game is over."""
        outcome = self._view["outcome"]
        return list(outcome["winners"]) if outcome else []

    @property
    def centre(self) -> str:
        """The place that a small map begins at: that of the battle, be it the one that ended the game, else the own castle."""
        return self._battle.place["slot"] if self._battle else self.me["slot"] if self.me else ""

    @property
    def on_turn(self) -> Seat | None:
        """Whose turn it is, while the game goes on."""
        active: Seat | None = None if self._view["outcome"] else self._view["active"]
        return active

    @property
    def crowned(self) -> Seat | None:
        """Who has used his crown this turn (MM-CRN)."""
        active: Seat | None = self._view["active"] if self._view["crown_used"] else None
        return active

    @cached_property
    def corners(self) -> dict[Seat, str]:
        """Where each lord's strip lies."""
        homes = [lord["slot"] for lord in self.lords.values()]
        return dict(zip(self.lords, self.chart.corners(homes), strict=True))

    @property
    def beside(self) -> bool:
        """Whether a strip lies in the middle of a side."""
        return not {"ml", "mr"}.isdisjoint(self.corners.values())

    def pips(self, seat: Seat) -> tuple[int, int, int]:
        """Of the points that win, how many a lord has himself, his allies have, and nobody yet (MM-VIC-1, MM-OPT-3)."""
        lord, target = self.lords[seat], self._view["target"]
        team = min(lord["team_points"], target)
        own = min(lord["points"], team)
        return own, team - own, target - team

    def lands(self, seat: Seat) -> list[Seen]:
        """The territories that a lord holds, in the order of the map."""
        return [s for s in self.chart.map if s["kind"] == "territory" and s["holder"] == seat]

    def tiled(self, seat: Seat) -> list[tuple[str, str, int]]:
        """The same in his own order: the place, its tile, his knights."""
        return [(x, self.chart.named[x]["tile"], self.chart.named[x]["knights"]) for x in self.lords[seat]["lands"]]

    # --- what is under way

    @cached_property
    def fight(self) -> Fight | None:
        """The battle that is fought; None when the game is over, even if it ended in one."""
        return None if self._view["outcome"] else self._battle

    @cached_property
    def _battle(self) -> Fight | None:
        found = next((d for d in reversed(self._view["doing"]) if d["what"] == "battle"), None)
        return None if found is None else Fight(found, self.chart.named[found["slot"]])

    @property
    def stake(self) -> Stake | None:
        """What the battle is about that is fought."""
        if self.fight is None:
            return None
        siege, value = self.fight.seen["siege"], self.fight.place.get("value", 0)
        attacker, defender = (self.lords[side["seat"]]["team_points"] for side in (self.fight.attacker, self.fight.defender))
        return Stake(value, attacker + value, defender - value, siege or attacker + value >= self._view["target"])

    @cached_property
    def doings(self) -> list[Seen]:
        """What is told by itself: a window on a crown is told with it, and of a game that is over the battle alone."""
        over = self._view["outcome"]
        return [d for d in self._view["doing"] if not _on_crown(d) and (d["what"] == "battle" or not over)]

    @cached_property
    def crown_window(self) -> Seen | None:
        """The window on a crown, while it is open (MM-FRA)."""
        return next((d for d in self._view["doing"] if _on_crown(d)), None)

    @cached_property
    def questioned(self) -> list[Seen]:
        """The artefacts that an open window is about."""
        aims = next((d["aims"] for d in self._view["doing"] if d["what"] == "window"), ())
        return [a for lord in self.lords.values() for a in lord["artefacts"] if a["name"] in aims]

    # --- what the seat is asked

    @cached_property
    def verbs(self) -> list[str]:
        """The options that it can choose."""
        return [option.id for option in self._form.options] if self._form else []

    @cached_property
    def aims(self) -> list[str]:
        """The places that it can choose, as targets or otherwise."""
        fields = (f for option in self._form.options for f in option.fields) if self._form else ()
        aims = (f.choices for f in fields if isinstance(f, OneField) and f.name in ("target", "slot"))
        return list(dict.fromkeys(choice.id for choices in aims for choice in choices))

    @cached_property
    def clashes(self) -> dict[str, Clash]:
        """The battles that its advance could begin, by place (MM-ADV)."""
        return msgspec.convert(self._own.get("clashes", {}), dict[str, Clash])

    @cached_property
    def takings(self) -> list[Taking]:
        """What its advance could take without a battle (MM-ADV, MM-VIC)."""
        assert self.me is not None
        held, target = self.me["team_points"], self._view["target"]
        vacant = [self.chart.named[slot] for slot in self.aims if slot not in self.clashes]
        return [
            Taking(s, held + s["value"], held + s["value"] >= target, "LOSE_1_KNIGHT_HERE" in s["abilities"]) for s in vacant
        ]

    @cached_property
    def backing(self) -> Backing | None:
        """What its support would do; None where it isn't asked for any (MM-BAT-12)."""
        told = self._own.get("support")
        if told is None or self._battle is None:
            return None
        return Backing(self._battle.side(told["for"]), self._battle.against(told["for"]), told["then"])

    @property
    def target(self) -> Seen | None:
        """The place to which the march goes that is filled in"""
        return self.chart.named.get(str(self._begun.values.get("target"))) if self._begun else None

    @property
    def sent(self) -> Value:
        """and how many knights are sent, as far as that is filled in."""
        return (self._begun.values.get("knights") or "") if self._begun else ""

    # --- its own cards

    @property
    def fractures(self) -> int:
        """How many Fractures it holds."""
        return int(self._own["hand"].count(FRACTURE))

    @cached_property
    def crown(self) -> Seen | None:
        """Its own crown."""
        return next((a for a in self.me["artefacts"] if a["type"] == "crown"), None) if self.me else None

    @property
    def at_once(self) -> list[Card]:
        """Cards of its hand that one of its options plays (MM-RES)."""
        return [card for card, verb in PLAYED_BY.items() if card in self._own["hand"] and verb in self.verbs]

    @property
    def known(self) -> dict[Seat, list[Card]]:
        """What it knows of the tops of decks, but for what it is just putting in order (MM-CRN)."""
        arranging = self._form is not None and self._form.kind == "arrange"
        return {s: cards for s, cards in self._own["known"].items() if not arranging or s != self._view["seat"]}

    @property
    def hand(self) -> list[tuple[Card, bool]]:
        """Its hand, and whether the question can take the card; while a battle is fought those first."""
        fields = (f for option in self._form.options for f in option.fields) if self._form else ()
        taken = {choice.id for f in fields if isinstance(f, OneField | SomeField) for choice in f.choices}
        if self._form is not None and self._form.kind == "fracture":
            taken.add(FRACTURE)
        hand = [(card, card in taken or not self.fight) for card in self._own["hand"]]
        return sorted(hand, key=lambda pair: not pair[1])

    @property
    def arranged(self) -> list[Card]:
        """The top of its deck, as far as it is asked to put it in order."""
        fields = (f for option in self._form.options for f in option.fields) if self._form else ()
        n = next((sum(choice.most for choice in f.choices) for f in fields if isinstance(f, OrderField)), 0)
        known: list[Card] = self._own["known"][self._view["seat"]]
        return known[:n]

    @staticmethod
    def asks_of_decks(form: Form | None) -> bool:
        """Whether a question is about cards of a deck or a discard pile: those of the hand bear the same names."""
        return form is not None and any((form.kind, f.name) in DECKS for option in form.options for f in option.fields)

    def gathered(self, field: FormField) -> dict[Seat, list[str]]:
        """The artefacts to choose from by the lord who has them; nothing where they are few, or anything else is among them."""
        if not isinstance(field, OneField) or len(field.choices) <= FEW:
            return {}
        ids = {choice.id for choice in field.choices}
        mine = {s: [a["name"] for a in lord["artefacts"] if a["name"] in ids] for s, lord in self.lords.items()}
        return {s: own for s, own in mine.items() if own} if sum(map(len, mine.values())) == len(field.choices) else {}

    sort = staticmethod(sort)


def _on_crown(doing: Seen) -> bool:
    return bool(doing["what"] == "window" and doing["window"] == "crown")
