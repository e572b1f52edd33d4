"""What boards, hands and letters show that has to be reckoned first: out of what the seat sees, its form, what is filled in.

No words stand here, and nothing that is drawn: templates say and draw what is found here, as `board`. Each thing is reckoned
when it is first asked for, so that a page pays for what it shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.asks import Answer, Seat
from engine.forms import AssignField, Form, FormOption, SomeField
from engine.game import View
from engine.ortus.combat import most_churches, picked_cards, toll
from engine.ortus.ids import Card, card_of, holding_id, kind, lord_id, numbered, of_earl, owner, parse
from engine.ortus.pieces import KING, SEND, strength
from engine.ortus.preview import DRAWS
from engine.ortus.table import Fief
from engine.ortus.turn import most_recruits

FORCES = frozenset(("attack", "field"))
"""Options that send forces into a Battle."""
BEQUESTS = frozenset(("bequeath", "bequeath_church"))
SPENT = {"banquet": "Banquet", "bequeath": "Banner", "bequeath_church": "Banner", "mercenary": "Mercenary", "display": "Banner"}
"""Options that take one card of the Hand without naming it: its kind."""

Seen = dict[str, Any]
"""A part of the view: an Earl, a Fief, a procedure under way."""


@dataclass(frozen=True)
class Target:
    """What all can see stand against an attack, from the outside in."""

    towers: int
    """That can be seen before it; of those that are attacked themselves a permanent one is none (OR-ROLE-32)."""
    properties: list[str]
    """The kinds of those that a Raid may destroy."""
    anchor: str
    """The kind of the one that a Siege may destroy, or empty,"""
    strength: int
    """and the points that it takes."""
    meets: int
    """Points that are lost on walls and Anchor, whoever is fielded."""
    needs: int
    """Points that take something if nobody is fielded; 0 where nothing can fall."""
    most: int
    """So many cards could be fielded at the most (OR-FLD-1 to 4): any card of a Hand may be one that can."""


@dataclass(frozen=True)
class Odds:
    """The Battle Cards that are left to draw, where anybody may count them, and those among them that may save a defender."""

    left: int
    wins: int
    church: int
    decider: Seat
    """Who decides for the Church, as far as the Cathedral and the count of Churches say (OR-BAT-3); empty where nobody does."""
    archbishop: bool
    """Whether it is by the Cathedral."""


@dataclass(frozen=True)
class Fight:
    """A Battle under way."""

    earl: Seen
    """Who defends."""
    walls: int
    """T: each absorbs a point in a Raid or a Siege (OR-OBJ-1, OR-ROLE-32)."""
    fief: Seen | None
    """The Fief that is attacked, as long as it stands."""
    strength: int
    """Of its Anchor."""
    sent: int
    met: int
    """Points of the defenders (OR-BAT-5)."""


@dataclass(frozen=True)
class Vassals:
    """Those of a side that may still be committed in a Struggle, as far as the seat knows of them (OR-STR-4)."""

    lords: list[int]
    """The Fiefs of those who are Lords, and not committed yet."""
    hand: int
    """Those in the Hand, where it is the own one; else its cards, unseen."""
    own: bool


@dataclass(frozen=True)
class Attempt:
    """Politics under way, or the Struggle about them."""

    cause: Seen | None
    """The attempt itself."""
    against: Seat
    ours: list[str]
    """What the attacker has committed,"""
    theirs: list[str]
    """and the defender."""
    kind: str
    """Of the card played."""
    fief: Seen | None
    """The one that it aims at, as long as it stands."""


@dataclass(frozen=True)
class Rider:
    """An Earl in the lists; the empty string for a card that isn't there, or isn't shown."""

    stake: Card
    """Empty for who keeps out."""
    rides: Card
    """The Lord, or the card of the Hand, who tilts for him."""
    unseen: bool
    """Whether that lies face down."""
    dealt: list[list[str]]
    """His Joust Cards: two, then one for every tie that he was in."""


@dataclass(frozen=True)
class Tiltyard:
    """A Joust under way, or that of this Turn (OR-JOU)."""

    starter: Seat
    riders: dict[Seat, Rider]
    """All who have said how they enter, in that order."""
    waits: list[Seat]
    """Who hasn't yet, in the order in which they are asked."""
    begun: bool
    """Whether the tilters are shown."""
    past: bool
    winner: Seat
    fiefs: dict[Seat, int]
    """Where a stake lies, as long as the Joust goes on."""

    @property
    def last(self) -> Seat:
        """Who spoke last; empty if nobody has."""
        return next(reversed(self.riders), "")


@dataclass(frozen=True)
class After:
    """What becomes of an Earl's cards by an answer that names none."""

    bequeaths: bool
    deck: int | None
    """As many are left then; None where it changes nothing, or is not known."""
    discard: int | None
    spent: Card
    """The Hand card that goes; empty where none is named by it."""
    drawn: int


class Board:
    """One seat's table, or a spectator's."""

    def __init__(self, view: View, form: Form | None, begun: Answer | None) -> None:
        self.view = view
        self.form = form
        self.begun = begun if form is not None else None
        """What is filled in."""
        self.asks = form.kind if form is not None else ""
        """The kind of what is asked now; empty where nothing is."""

    # --- who is who

    @cached_property
    def earls(self) -> dict[Seat, Seen]:
        return {e["seat"]: e for e in self.view["earls"]}

    @cached_property
    def me(self) -> Seen | None:
        """The own Earldom; None for a spectator."""
        return self.earls.get(self.view["seat"])

    @cached_property
    def rivals(self) -> list[Seen]:
        return [e for seat, e in self.earls.items() if seat != self.view["seat"]]

    @cached_property
    def active(self) -> Seat:
        """Whose Turn it is, while the game goes on."""
        return "" if self.view["outcome"] else self.view["active"] or ""

    @cached_property
    def winners(self) -> list[Seat]:
        return list(self.view["outcome"]["winners"]) if self.view["outcome"] else []

    @cached_property
    def cubes(self) -> list[tuple[Seat, int]]:
        """The cubes in the Bag, by seat."""
        return [(seat, e["cubes"]) for seat, e in self.earls.items() if e["cubes"]]

    # --- what is under way

    @cached_property
    def doing(self) -> list[Seen]:
        """What is drawn as under way: a Struggle stands for the Politics that it is about."""
        kinds = {d["what"] for d in self.view["doing"]}
        hidden = {"muster", "contest", *(("politics",) if "struggle" in kinds else ())}
        found = [d for d in self.view["doing"] if d["what"] not in hidden]
        return found or ([{"what": "joust"}] if self.view.get("lists") and not self.view["outcome"] else [])

    @cached_property
    def resting(self) -> bool:
        """Whether what is drawn is the Joust of this Turn, which is over."""
        return bool(self.doing) and not self.view["doing"]

    @cached_property
    def mustering(self) -> bool:
        return self._under_way("muster") is not None

    @cached_property
    def contest(self) -> Seen | None:
        """The contest for a role that is under way (OR-ROLE-42)."""
        return self._under_way("contest")

    @cached_property
    def _battles(self) -> list[Seen]:
        return [d for d in self.view["doing"] if d["what"] == "battle"]

    @cached_property
    def fights(self) -> list[Seen]:
        """Of these, what has two sides: a Battle, Politics, a Struggle."""
        return [] if self.view["outcome"] else [d for d in self.doing if d["what"] in ("battle", "politics", "struggle")]

    @cached_property
    def parties(self) -> list[Seat]:
        """Who is in these, the seat itself among them; nobody where there are none."""
        found = {d[side] for d in self.fights for side in ("attacker", "defender", "target") if side in d}
        return [seat for seat in self.earls if seat in found | {self.view["seat"]}] if found else []

    def _under_way(self, what: str) -> Seen | None:
        return next((d for d in self.view["doing"] if d["what"] == what), None)

    def under(self, seat: Seat) -> list[int | None]:
        """The numbers of a seat's Fiefs in which a Battle is."""
        return [d["fief"] for d in self._battles if d["defender"] == seat]

    def fight(self, battle: Seen) -> Fight:
        """Both sides of a Battle."""
        earl = self.earls[battle["defender"]]
        fief = _fief(earl, battle["fief"])
        force = strength(fief["anchor"]) if fief else 0
        sent, met = (sum(f["send"] for f in battle[side]) for side in ("attackers", "defenders"))
        return Fight(earl, walls(earl), fief, force, sent, met)

    def attempt(self, d: Seen) -> Attempt:
        """Politics, or a Struggle, with what it is about."""
        cause, struggle = self._under_way("politics"), d["what"] == "struggle"
        against = d["defender"] if struggle else d["target"]
        ours, theirs = (d["committed"].get(seat, []) if struggle else [] for seat in (d["attacker"], against))
        aimed = cause is not None and cause["aim"] in ("lord", "properties")
        fief = _fief(self.earls[against], cause["number"]) if cause is not None and aimed else None
        card = kind(cause["card"]) if cause is not None and cause["card"] else ""
        return Attempt(cause, against, ours, theirs, card, fief)

    def vassals(self, seat: Seat, committed: list[str]) -> Vassals:
        """A side's Vassals beside those that are committed (OR-STR-4)."""
        earl = self.earls[seat]
        lords = [n for n in _vassal_lords(earl) if lord_id(n) not in committed]
        own = self.view.get("own") if seat == self.view["seat"] else None
        return Vassals(lords, earl["hand"] if own is None else _count("Vassal", own["hand"]), own is not None)

    def tiltyard(self, joust: Seen) -> Tiltyard:
        """A Joust with what each has entered (OR-JOU-1 to 13); what has become of it, from the tilt on."""
        entries, shown = joust.get("entries"), self.view.get("lists")
        if entries is not None and not joust["begun"]:
            riders = {}
            for seat, e in entries.items():
                stake = (e["property"] or self._lying(seat, e["fief"], "anchor")) if e["ante"] else ""
                riders[seat] = Rider(stake, self._lying(seat, e["lord"], "lord") if e["lord"] else "", e["hand"], [])
            seats = list(self.earls)
            at = seats.index(joust["starter"]) + 1
            waits = [s for s in (*seats[at:], *seats[:at]) if self.earls[s]["alive"] and s not in entries]
            fiefs = {seat: e["fief"] for seat, e in entries.items() if e["ante"]}
            return Tiltyard(joust["starter"], riders, waits, False, False, "", fiefs)
        if shown is None:  # of a position from before it was kept
            riders = {s: Rider(e["property"] or "", e["card"] or "", False, []) for s, e in (entries or {}).items()}
            return Tiltyard(joust["starter"], riders, [], True, False, joust["winner"] or "", {})
        tilts, tilters = shown["tilts"], shown["tilters"]
        riders = {
            seat: Rider(stake, tilters.get(seat, ""), False, [tilt[seat] for tilt in tilts if seat in tilt])
            for seat, stake in shown["stakes"].items()
        }
        return Tiltyard(shown["starter"], riders, [], True, entries is None, shown["winner"], {})

    def _lying(self, seat: Seat, number: int, what: str) -> Card:
        """Anchor or Lord of a Fief, as long as they stand; else empty."""
        fief = _fief(self.earls[seat], number)
        return (fief[what] or "") if fief else ""

    @cached_property
    def slot(self) -> int:
        """The place of the Royal Army's first empty slot; -1 where there is none."""
        royal: list[str | None] = self.view["royal"]
        return royal.index(None) if None in royal else -1

    # --- what the answer that is being filled in will do

    @cached_property
    def forces(self) -> dict[str, str]:
        """All that can be fielded by its id in answers, and by its kind alone: its kind (OR-FLD-1 to 4)."""
        found = {id: card for card in SEND for id in (card, f"royal:{card}")}
        if self.me is not None and self.me["alive"]:
            found["king"] = KING
            found |= {lord_id(f["number"]): kind(f["lord"]) for f in self.me["fiefs"] if f["lord"]}
            for m in self.me["mercenaries"]:
                found[f"mercenary:{m['number']}"] = "Mercenary"
                if m["garrison"]:
                    found[f"garrison:{m['number']}"] = m["garrison"]
        return found

    @cached_property
    def sends(self) -> dict[str, int]:
        """The points that each of them sends (OR-CARD-1)."""
        return {id: SEND[card] for id, card in self.forces.items()}

    @cached_property
    def sent(self) -> list[str]:
        """The kinds of the cards that are sent, as far as they are filled in."""
        if self.begun is None or self.begun.option not in FORCES:
            return []
        return [self.forces.get(id) or kind(id) for id in picked_cards(self.begun)]

    @cached_property
    def points(self) -> int:
        """What they send together."""
        return sum(SEND.get(card, 0) for card in self.sent)

    @cached_property
    def target(self) -> str:
        """What is aimed at: the id of it; empty where nothing is."""
        return (self.begun.pick("target") or self.begun.pick("aim")) if self.begun is not None else ""

    @cached_property
    def aimed(self) -> Seat:
        """At whose place that is."""
        return parse(self.target).seat or self.target

    @cached_property
    def host(self) -> int:
        """Points that the whole Viking force sends (OR-VIK-9)."""
        return sum(SEND[card] * n for card, n in self.view["vikings"]["force"].items())

    @cached_property
    def targets(self) -> dict[str, Target]:
        """All that rivals have to lose in an Attack (OR-ATT-3 to 5), and their Towers in any case."""
        found: dict[str, Target] = {}
        for e in self.rivals:
            if e["alive"]:
                wall, most = walls(e), self._could_field(e)
                falls = toll("tower", wall) if e["towers"] else 0
                found[of_earl("tower", e["seat"])] = Target(e["towers"], [], "", 0, wall, falls, most)
                for f in e["fiefs"]:
                    falls, properties = toll("raid", wall) if f["properties"] else 0, [kind(p) for p in f["properties"]]
                    found[of_earl("raid", e["seat"], f["number"])] = Target(wall, properties, "", 0, wall, falls, most)
                    falls = toll("siege", wall, f["anchor"])
                    siege = Target(wall, [], kind(f["anchor"]), strength(f["anchor"]), falls, falls, most)
                    found[of_earl("siege", e["seat"], f["number"])] = siege
        return found

    def _could_field(self, e: Seen) -> int:
        forces = [*(f["lord"] for f in e["fiefs"]), *(x for m in e["mercenaries"] for x in (m["card"], m["garrison"]))]
        if e["king"]:
            forces += [KING, *self.view["royal"]]
        troops: int = min(e["reserve"], e["capacity"])
        return sum(force is not None for force in forces) + troops + int(e["hand"])

    @cached_property
    def odds(self) -> Odds | None:
        """What may be drawn; None where nobody may count it, or the deck is empty (OR-AMB-5, 6)."""
        pile = self.view["battle"]
        if not pile["deck"] or not pile["saving"]:
            return None
        bishop = next((seat for seat, e in self.earls.items() if e["archbishop"]), "")
        churches = {s: _count("Church", (p for f in e["fiefs"] for p in f["properties"])) for s, e in self.earls.items()}
        decider = bishop or most_churches(churches)
        return Odds(pile["deck"], pile["saving"]["DW"], pile["saving"]["CD"], decider, bool(bishop))

    @cached_property
    def defences(self) -> list[tuple[str, int]]:
        """What is attacked at the seat's, and the cards that hold it whatever Battle Card is drawn (OR-OBJ-1 to 4)."""
        if self.me is None or self.asks != "defend":
            return []
        found = []
        for d in self._battles:
            fief = _fief(self.me, d["fief"])
            least = toll(d["kind"], walls(self.me), fief["anchor"] if fief else "")
            found.append((d["kind"], max(0, sum(f["send"] for f in d["attackers"]) - least + 1)))
        return found

    @cached_property
    def placed(self) -> list[str]:
        """What is gained and gets a Fief each."""
        options = self.form.options if self.form is not None else []
        fields = (f for o in options if o.id == "attach" for f in o.fields if isinstance(f, AssignField))
        return [item.id for f in fields for item in f.items]

    def holdings(self, fief: Seen) -> list[tuple[str, Card]]:
        """The Properties of an own Fief, with their ids in answers."""
        ids = numbered([holding_id(fief["number"], p) for p in fief["properties"]])
        return list(zip(ids, fief["properties"], strict=True))

    def after(self, option: str) -> After:
        """What an option without fields makes of the own cards (OR-BANQ-1, OR-BEQ-3)."""
        own, me = self.view.get("own"), self.me
        if me is None or own is None:
            return After(False, None, None, "", 0)
        deck, discard, bequeaths = me["deck"], None if me["discard"] is None else len(me["discard"]), option in BEQUESTS
        spent = _in_hand(SPENT.get(option, ""), me["seat"], own["hand"])
        if bequeaths:
            # The Prince and the Banner are shuffled in with the rest, where they are of the own colour (OR-BEQ-5).
            lords = [f["lord"] for f in me["fiefs"] if f["lord"] and kind(f["lord"]) == "Prince"]
            more = sum(owner(card) == me["seat"] for card in (*lords, spent))
            return After(True, None if deck is None or discard is None else deck + discard + more, 0, spent, 0)
        if option == "banquet" and deck is not None:
            drawn = min(DRAWS["banquet"], deck)
            return After(False, deck - drawn, None if discard is None else discard + 1, spent, drawn)
        return After(False, None, None, spent, 0)

    # --- what bears on the options of a Turn

    @cached_property
    def held_land(self) -> bool:
        """Whether there is a Land in the own Hand."""
        return "own" in self.view and _count("Land", self.view["own"]["hand"]) > 0

    @cached_property
    def recruits(self) -> int:
        """Army Cards that a Recruit gives, as long as there are any (OR-REC-2)."""
        return most_recruits(Fief(**f) for f in self.me["fiefs"]) if self.me is not None else 0

    @cached_property
    def lordless(self) -> list[int]:
        """The own Fiefs that have no Lord."""
        return [f["number"] for f in self.me["fiefs"] if not f["lord"]] if self.me is not None else []

    @cached_property
    def own_vassals(self) -> int:
        """Those who could be committed in a Struggle (OR-STR-4)."""
        if self.me is None:
            return 0
        told = self.vassals(self.me["seat"], [])
        return len(told.lords) + (told.hand if told.own else 0)

    @cached_property
    def claims(self) -> list[Seen]:
        """The Earls who display Banners."""
        return [e for e in self.earls.values() if e["alive"] and e["banners"]]

    def most_sent(self, attack: FormOption) -> int:
        """The points that the option can send at the most, with all that may be fielded (OR-FLD-1 to 4)."""
        if self.me is None:
            return 0
        points = sum(SEND[kind(f["lord"])] for f in self.me["fiefs"] if f["lord"])
        points += sum(SEND["Mercenary"] + SEND.get(m["garrison"], 0) for m in self.me["mercenaries"])
        if self.me["king"]:
            points += SEND[KING] + sum(SEND[r] for r in self.view["royal"] if r)
        for f in attack.fields:
            if isinstance(f, SomeField) and f.name in ("hand", "reserve"):
                best = sorted((SEND[kind(c.id)] for c in f.choices for _ in range(c.most)), reverse=True)
                points += sum(best[: f.most])
        return points


def walls(earl: Seen) -> int:
    """T: the Towers that absorb a point each, a Duke's permanent one among them (OR-TOW-1, OR-ROLE-32); as `Earl.walls`."""
    return int(earl["towers"]) + (earl.get("role") == "duke")


def _fief(earl: Seen, number: int | None) -> Seen | None:
    return next((f for f in earl["fiefs"] if f["number"] == number), None)


def _vassal_lords(earl: Seen) -> list[int]:
    return [f["number"] for f in earl["fiefs"] if f["lord"] and kind(f["lord"]) == "Vassal"]


def _in_hand(what: str, seat: Seat, hand: list[Card]) -> Card:
    """A Hand card of that kind, the own colour first, as it is spent; empty where there is none; as `Earl.in_hand`."""
    own = card_of(what, seat)
    return own if own in hand else next((card for card in hand if kind(card) == what), "")


def _count(what: str, cards: Iterable[Card]) -> int:
    return sum(kind(card) == what for card in cards)
