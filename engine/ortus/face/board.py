"""Board data for pages and letters. Lazy, without texts and drawings, from view, form and draft."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.core.asks import Answer, Seat
from engine.game import View
from engine.ortus.face.preview import DRAWS
from engine.ortus.rules.combat import picked_cards, toll
from engine.ortus.rules.pieces import KING, SEND, Card, holding_id, kind, lord_id, numbered, of_earl, owner, parse, strength
from engine.ortus.rules.table import Fief
from engine.ortus.rules.turn import most_recruits
from engine.ui.forms import AssignField, Form, FormOption, SomeField

FORCES = frozenset(("attack", "field"))
"""Options that commit forces to a Battle."""
BEQUESTS = frozenset(("bequeath", "bequeath_church"))
SPENT = {"banquet": "Banquet", "bequeath": "Banner", "bequeath_church": "Banner", "mercenary": "Mercenary", "display": "Banner"}
"""Options that spend a Hand card without naming it -> its kind."""

Seen = dict[str, Any]


@dataclass(frozen=True)
class Target:
    towers: int
    """Visible Towers, without a permanent one that is the target (OR-ROLE-32)."""
    properties: list[str]
    """Kinds a Raid may destroy."""
    anchor: str
    """Of the Anchor under Siege."""
    strength: int
    """Of the Anchor under Siege."""
    meets: int
    """Absorbed by walls and Anchor."""
    needs: int
    """Needed without defenders; 0: nothing can fall."""
    most: int
    """Most cards that could be fielded, counting any Hand card (OR-FLD-1 to 4)."""


@dataclass(frozen=True)
class Fight:
    earl: Seen
    walls: int
    """T: absorbs one point each in a Raid or Siege (OR-OBJ-1, OR-ROLE-32)."""
    fief: Seen | None
    strength: int
    sent: int
    met: int
    """Defenders' points (OR-BAT-5)."""


@dataclass(frozen=True)
class Vassals:
    """Uncommitted Vassals, as known to the seat (OR-STR-4)."""

    lords: list[int]
    """Uncommitted Vassal Lords' Fiefs."""
    hand: int
    """Vassals in the own Hand, or the size of a hidden one."""
    own: bool
    held: list[Card]
    """Those of the own Hand."""


@dataclass(frozen=True)
class Attempt:
    cause: Seen | None
    against: Seat
    ours: list[str]
    theirs: list[str]
    kind: str
    fief: Seen | None


@dataclass(frozen=True)
class Rider:
    """Joust entrant; '' for missing or hidden cards."""

    stake: Card
    """'' if not in."""
    rides: Card
    unseen: bool
    dealt: list[list[str]]
    """Joust Cards: two, then one per tie."""


@dataclass(frozen=True)
class Tiltyard:
    """A Joust in progress or over this Turn (OR-JOU)."""

    starter: Seat
    riders: dict[Seat, Rider]
    """In order of entry."""
    waits: list[Seat]
    begun: bool
    past: bool
    winner: Seat
    fiefs: dict[Seat, int]

    @property
    def last(self) -> Seat:
        return next(reversed(self.riders), "")


@dataclass(frozen=True)
class After:
    """Own cards after a fieldless option."""

    bequeaths: bool
    deck: int | None
    """Cards left after it; None if unchanged or unknown."""
    discard: int | None
    spent: Card
    drawn: int


class Board:
    def __init__(self, view: View, form: Form | None, begun: Answer | None) -> None:
        self.view = view
        self.form = form
        self.begun = begun if form is not None else None
        self.asks = form.kind if form is not None else ""

    # --- seats

    @cached_property
    def earls(self) -> dict[Seat, Seen]:
        return {e["seat"]: e for e in self.view["earls"]}

    @cached_property
    def me(self) -> Seen | None:
        return self.earls.get(self.view["seat"])

    @cached_property
    def rivals(self) -> list[Seen]:
        return [e for seat, e in self.earls.items() if seat != self.view["seat"]]

    @cached_property
    def active(self) -> Seat:
        return "" if self.view["outcome"] else self.view["active"] or ""

    @cached_property
    def winners(self) -> list[Seat]:
        return list(self.view["outcome"]["winners"]) if self.view["outcome"] else []

    @cached_property
    def cubes(self) -> list[tuple[Seat, int]]:
        return [(seat, e["cubes"]) for seat, e in self.earls.items() if e["cubes"]]

    # --- procedures

    @cached_property
    def doing(self) -> list[Seen]:
        """Procedures to draw; a Struggle replaces its Politics."""
        kinds = {d["what"] for d in self.view["doing"]}
        hidden = {"muster", "contest", *(("politics",) if "struggle" in kinds else ())}
        found = [d for d in self.view["doing"] if d["what"] not in hidden]
        return found or ([{"what": "joust"}] if self.view.get("lists") and not self.view["outcome"] else [])

    @cached_property
    def resting(self) -> bool:
        return bool(self.doing) and not self.view["doing"]

    @cached_property
    def mustering(self) -> bool:
        return self._under_way("muster") is not None

    @cached_property
    def contest(self) -> Seen | None:
        """Contest for a role (OR-ROLE-42)."""
        return self._under_way("contest")

    @cached_property
    def _battles(self) -> list[Seen]:
        return [d for d in self.view["doing"] if d["what"] == "battle"]

    @cached_property
    def fights(self) -> list[Seen]:
        return [] if self.view["outcome"] else [d for d in self.doing if d["what"] in ("battle", "politics", "struggle")]

    @cached_property
    def parties(self) -> list[Seat]:
        """Participants of fights and the seat itself, during fights."""
        found = {d[side] for d in self.fights for side in ("attacker", "defender", "target") if side in d}
        return [seat for seat in self.earls if seat in found | {self.view["seat"]}] if found else []

    def _under_way(self, what: str) -> Seen | None:
        return next((d for d in self.view["doing"] if d["what"] == what), None)

    def under(self, seat: Seat) -> list[int | None]:
        return [d["fief"] for d in self._battles if d["defender"] == seat]

    def fight(self, battle: Seen) -> Fight:
        earl = self.earls[battle["defender"]]
        fief = _fief(earl, battle["fief"])
        force = strength(fief["anchor"]) if fief else 0
        sent, met = (sum(f["send"] for f in battle[side]) for side in ("attackers", "defenders"))
        return Fight(earl, walls(earl), fief, force, sent, met)

    def attempt(self, d: Seen) -> Attempt:
        cause, struggle = self._under_way("politics"), d["what"] == "struggle"
        against = d["defender"] if struggle else d["target"]
        ours, theirs = (d["committed"].get(seat, []) if struggle else [] for seat in (d["attacker"], against))
        aimed = cause is not None and cause["aim"] in ("lord", "properties")
        fief = _fief(self.earls[against], cause["number"]) if cause is not None and aimed else None
        card = kind(cause["card"]) if cause is not None and cause["card"] else ""
        return Attempt(cause, against, ours, theirs, card, fief)

    def vassals(self, seat: Seat, committed: list[str]) -> Vassals:
        earl, cause = self.earls[seat], self._under_way("politics")
        barred = cause["barred"] if cause is not None and cause["target"] == seat else None
        lords = [f["number"] for f in earl["fiefs"] if f["lord"] and kind(f["lord"]) == "Vassal"]
        lords = [n for n in lords if lord_id(n) not in (*committed, barred)]
        own = self.view.get("own") if seat == self.view["seat"] else None
        held = [card for card in own["hand"] if kind(card) == "Vassal"] if own is not None else []
        return Vassals(lords, earl["hand"] if own is None else len(held), own is not None, held)

    def vassal(self, seat: Seat, id: str) -> Card:
        """The card of a Vassal who is or may be committed; a King may hold others' (OR-ROLE-14)."""
        told = parse(id)
        return told.card or self._card_of_fief(seat, told.number, "lord")

    def tiltyard(self, joust: Seen) -> Tiltyard:
        """A Joust's entries; from the tilt on with results (OR-JOU-1 to 13)."""
        entries = joust.get("entries")
        if entries is not None and not joust["begun"]:
            riders = {}
            for seat, e in entries.items():
                stake = (e["property"] or self._card_of_fief(seat, e["fief"], "anchor")) if e["ante"] else ""
                riders[seat] = Rider(stake, self._card_of_fief(seat, e["lord"], "lord") if e["lord"] else "", e["hand"], [])
            seats = list(self.earls)
            at = seats.index(joust["starter"]) + 1
            waits = [s for s in (*seats[at:], *seats[:at]) if self.earls[s]["alive"] and s not in entries]
            fiefs = {seat: e["fief"] for seat, e in entries.items() if e["ante"]}
            return Tiltyard(joust["starter"], riders, waits, False, False, "", fiefs)
        shown = self.view["lists"]
        tilts, tilters = shown["tilts"], shown["tilters"]
        riders = {
            seat: Rider(stake, tilters.get(seat, ""), False, [tilt[seat] for tilt in tilts if seat in tilt])
            for seat, stake in shown["stakes"].items()
        }
        return Tiltyard(shown["starter"], riders, [], True, entries is None, shown["winner"], {})

    def _card_of_fief(self, seat: Seat, number: int, what: str) -> Card:
        fief = _fief(self.earls[seat], number)
        return (fief[what] or "") if fief else ""

    @cached_property
    def slot(self) -> int:
        """First empty slot of the Royal Army; -1 if full."""
        royal: list[str | None] = self.view["royal"]
        return royal.index(None) if None in royal else -1

    # --- the draft answer

    @cached_property
    def forces(self) -> dict[str, str]:
        """Id -> kind of what can be fielded (OR-FLD-1 to 4)."""
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
        return {id: SEND[card] for id, card in self.forces.items()}

    @cached_property
    def sent(self) -> list[str]:
        if self.begun is None or self.begun.option not in FORCES:
            return []
        return [self.forces.get(id) or kind(id) for id in picked_cards(self.begun)]

    @cached_property
    def points(self) -> int:
        return sum(SEND.get(card, 0) for card in self.sent)

    @cached_property
    def target(self) -> str:
        return (self.begun.pick("target") or self.begun.pick("aim")) if self.begun is not None else ""

    @cached_property
    def aimed(self) -> Seat:
        return parse(self.target).seat or self.target

    @cached_property
    def host(self) -> int:
        """Points of the Viking force (OR-VIK-9)."""
        return sum(SEND[card] * n for card, n in self.view["vikings"]["force"].items())

    @cached_property
    def targets(self) -> dict[str, Target]:
        """Rivals' assets that can be attacked (OR-ATT-3 to 5); Towers always."""
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
    def defences(self) -> list[tuple[str, int]]:
        """(own object under attack, cards that surely hold it) (OR-OBJ-1 to 4)."""
        if self.me is None or self.asks != "defend":
            return []
        found = []
        for d in self._battles:
            fief = _fief(self.me, d["fief"])
            least = toll(d["kind"], walls(self.me), fief["anchor"] if fief else "")
            safe = d["kind"] == "tower" and not self.me["towers"]  # a permanent one never falls (OR-ROLE-33)
            found.append((d["kind"], 0 if safe else max(0, sum(f["send"] for f in d["attackers"]) - least + 1)))
        return found

    @cached_property
    def placed(self) -> list[str]:
        options = self.form.options if self.form is not None else []
        fields = (f for o in options if o.id == "attach" for f in o.fields if isinstance(f, AssignField))
        return [item.id for f in fields for item in f.items]

    def holdings(self, fief: Seen) -> list[tuple[str, Card]]:
        ids = numbered([holding_id(fief["number"], p) for p in fief["properties"]])
        return list(zip(ids, fief["properties"], strict=True))

    def after(self, option: str) -> After:
        """Own cards after an option (OR-BANQ-1, OR-BEQ-3)."""
        own, me = self.view.get("own"), self.me
        if me is None or own is None:
            return After(False, None, None, "", 0)
        deck, discard, bequeaths = me["deck"], None if me["discard"] is None else len(me["discard"]), option in BEQUESTS
        spent = _in_hand(SPENT.get(option, ""), me["seat"], own["hand"])
        if bequeaths:
            # Own-colour Prince and Banner are shuffled in as well (OR-BEQ-5).
            lords = [f["lord"] for f in me["fiefs"] if f["lord"] and kind(f["lord"]) == "Prince"]
            more = sum(owner(card) == me["seat"] for card in (*lords, spent))
            return After(True, None if deck is None or discard is None else deck + discard + more, 0, spent, 0)
        if option == "banquet" and deck is not None:
            drawn = min(DRAWS["banquet"], deck)
            more = owner(spent) == me["seat"]  # another colour's goes home (OR-DEST-1)
            return After(False, deck - drawn, None if discard is None else discard + more, spent, drawn)
        return After(False, None, None, spent, 0)

    # --- the own Turn

    @cached_property
    def held_land(self) -> bool:
        return "own" in self.view and any(kind(card) == "Land" for card in self.view["own"]["hand"])

    @cached_property
    def recruits(self) -> int:
        """Army Cards to recruit, limited by a public supply (OR-REC-2, OR-AMB-5)."""
        if self.me is None:
            return 0
        most, army = most_recruits(Fief(**f) for f in self.me["fiefs"]), self.view["army"]
        return most if army["deck"] is None else min(most, army["deck"] + sum(army["discard"].values()))

    @cached_property
    def lordless(self) -> list[int]:
        return [f["number"] for f in self.me["fiefs"] if not f["lord"]] if self.me is not None else []

    @cached_property
    def own_vassals(self) -> int:
        if self.me is None:
            return 0
        told = self.vassals(self.me["seat"], [])
        return len(told.lords) + (told.hand if told.own else 0)

    @cached_property
    def claims(self) -> list[Seen]:
        return [e for e in self.earls.values() if e["alive"] and e["banners"]]

    def most_sent(self, attack: FormOption) -> int:
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
    return int(earl["towers"]) + (earl.get("role") == "duke")


def _fief(earl: Seen, number: int | None) -> Seen | None:
    return next((f for f in earl["fiefs"] if f["number"] == number), None)


def _in_hand(what: str, seat: Seat, hand: list[Card]) -> Card:
    held = [card for card in hand if kind(card) == what]
    return next((card for card in held if owner(card) == seat), held[0] if held else "")
