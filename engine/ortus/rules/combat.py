"""Combat (rules 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping

import msgspec

from engine.core.asks import About, Answer, Ask, Assign, Choice, Fields, Option, PickOne, PickSome, Seat, choices, illegal_if
from engine.core.procedure import Done, Next, Procedure
from engine.ortus.rules import orderings, roles
from engine.ortus.rules.orderings import damage_rank
from engine.ortus.rules.pieces import (
    FACES,
    KING,
    SEND,
    VIKINGS,
    Card,
    at,
    fief_id,
    is_anchor,
    kind,
    lord_id,
    numbered,
    of_earl,
    parse,
    strength,
    tower_id,
)
from engine.ortus.rules.removal import remove_if_landless
from engine.ortus.rules.table import (
    Earl,
    Fief,
    Mercenary,
    Table,
    discard_all,
    dissolve,
    draw_from,
    hand_over,
    holdings,
    lose_mercenary,
    lying,
    tell_lost,
)

# --- declaring (10.1) -------------------------------------------------------------------------------------------------


def targets(earls: Iterable[Earl]) -> list[str]:
    """Legal targets: `siege:b:F1`, `raid:b:F1` with a Property, `tower:b` (OR-ATT-3 to 5)."""
    found = []
    for e in earls:
        for f in e.fiefs:
            found.append(of_earl("siege", e.seat, f.number))
            if f.properties:
                found.append(of_earl("raid", e.seat, f.number))
        if e.walls:
            found.append(of_earl("tower", e.seat))
    return found


def toll(what: str, walls: int, anchor: Card = "") -> int:
    """Points beyond fielded cards that make a target lose something (OR-OBJ-1 to 5, OR-ROLE-27), if anything can fall."""
    if what == "siege":
        return walls + (strength(anchor) if anchor else 2)
    return walls + 1 if what == "raid" else 1


# --- fielding (10.2) --------------------------------------------------------------------------------------------------


class Fielded(msgspec.Struct, frozen=True):
    """A card in Battle: answer id, source zone, home Fief or Mercenary.

    `by`: lord, hand, reserve, mercenary, garrison, royal, king, or force (Vikings).
    """

    id: str
    card: str
    by: str
    home: int = 0

    @property
    def send(self) -> int:
        """Points sent, even if it dies (OR-CARD-1)."""
        return SEND[kind(self.card)]


def lord_ids(earl: Earl) -> list[str]:
    """Ids of an Earl's Lords, by Fief (OR-FLD-2)."""
    return [lord_id(f.number) for f in earl.fiefs if f.lord is not None]


def other_ids(table: Table, earl: Earl) -> list[str]:
    """Forces that need no Land (OR-FLD-4)."""
    ids = []
    if table.king == earl.seat:
        ids.append("king")
        ids += [at("royal", t) for t in sorted(table.royal)]
    for m in earl.mercenaries:
        ids.append(at("mercenary", m.number))
        if m.garrison is not None:
            ids.append(at("garrison", m.number))
    return ids


def hand_forces(earl: Earl) -> list[Card]:
    """Fieldable Face Cards: at most one Prince, none next to a Prince Lord (OR-FLD-1)."""
    princes = _princes(earl)[:1]
    return sorted([*(c for c in earl.hand if kind(c) in FACES and kind(c) != "Prince"), *princes])


def _princes(earl: Earl) -> list[Card]:
    """Princes available; a King may hold two colours (OR-ROLE-14)."""
    return sorted({c for c in earl.hand if kind(c) == "Prince"}) if earl.prince_home() is None else []


def force_fields(table: Table, earl: Earl) -> Fields:
    lords, hand, others = lord_ids(earl), hand_forces(earl), other_ids(table, earl)
    able = (
        ("lords", lords, len(lords)),
        ("hand", sorted([*hand, *_princes(earl)[1:]]), len(hand)),
        ("reserve", sorted(earl.reserve), min(earl.capacity(), len(earl.reserve))),
        ("others", others, len(others)),
    )
    return tuple(PickSome(name, choices(ids), 0, most) for name, ids, most in able if most)


def could_field(table: Table, earl: Earl) -> bool:
    """Whether he can field anything, his Hand included."""
    if table.king == earl.seat or earl.mercenaries or _has_lord(earl) or (earl.reserve and earl.capacity()):
        return True
    return not FACES.isdisjoint(map(kind, earl.hand))  # a Prince too, without a Lord


def _has_lord(earl: Earl) -> bool:
    for f in earl.fiefs:  # noqa: SIM110 - a third of the time of any()
        if f.lord is not None:
            return True
    return False


def picked_cards(answer: Answer) -> list[str]:
    return [id for name in ("lords", "hand", "reserve", "others") for id in answer.some(name)]


def vet_princes(answer: Answer) -> None:
    """Raises NotLegal (OR-FLD-1)."""
    illegal_if(sum(kind(card) == "Prince" for card in answer.some("hand")) > 1, "ortus.two_princes")


def field_forces(table: Table, earl: Earl, answer: Answer) -> list[Fielded]:
    """Field an answer's forces; takes Hand and Reserve cards from their zones."""
    out: list[Fielded] = []
    for id in answer.some("lords"):
        fief = earl.fief(parse(id).number)
        assert fief is not None and fief.lord is not None
        out.append(Fielded(id, fief.lord, "lord", fief.number))
    for card in answer.some("hand"):
        earl.hand.remove(card)
        out.append(Fielded(at("hand", card), card, "hand"))
    for troop in answer.some("reserve"):
        earl.reserve.remove(troop)
        out.append(Fielded(at("reserve", troop), troop, "reserve"))
    return [*out, *(other_force(earl, id) for id in answer.some("others"))]


def other_force(earl: Earl, id: str) -> Fielded:
    told = parse(id)
    if told.where in ("king", "royal"):
        return Fielded(id, told.card or KING, told.where)
    mercenary = earl.held_mercenary(told.number)
    force = mercenary.card if told.where == "mercenary" else mercenary.garrison
    assert force is not None
    return Fielded(id, force, told.where, mercenary.number)


ARMY = frozenset(("reserve", "garrison", "royal"))

# --- the Battle (10.3) ------------------------------------------------------------------------------------------------


def most_churches(counts: Mapping[Seat, int]) -> Seat:
    """Earl with strictly most Churches; '' if tied (OR-BAT-3)."""
    most = max(counts.values(), default=0)
    holders = [seat for seat, n in counts.items() if n == most]
    return holders[0] if most and len(holders) == 1 else ""


class Battle(Procedure):
    """A Battle; the attacker is a seat or `VIKINGS`."""

    attacker: str = ""
    actor: Seat = ""
    """Seat deciding for the attackers."""
    defender: Seat = ""
    what: str = ""
    """`siege`, `raid`, `tower`, or `canterbury` (OR-ROLE-26)."""
    number: int = 0
    attacking: list[Fielded] = []
    defending: list[Fielded] = []
    card: str = ""
    result: str = ""
    """`undefended`, `NB`, `AW` or `DW`."""
    captured: list[int] = []
    """Homes of captured Lords."""
    ransomed: list[int] = []
    """Homes of ransomed Lords."""
    doomed: list[Card] = []
    """Captured Lords with homes paid away; discarded at cleanup (OR-RAN-4)."""
    paid: list[Card] = []
    """Ransoms to attach."""
    hit: list[str] = []
    """Attacking cards hit; `struck` for the defender's."""
    struck: list[str] = []
    falling: list[str] = []
    """Properties, or Towers by place, that fall."""
    destroyed: list[Card] = []
    """Destroyed Holdings, until seized or discarded."""
    weighed: list[Seat] = []
    """Dukes who decided on spending their Church (D-73)."""
    spent: list[Seat] = []

    @classmethod
    def on(cls, target: str, attacker: str, actor: Seat) -> Battle:
        told = parse(target)
        return cls(attacker=attacker, actor=actor, defender=told.seat, what=told.where, number=told.number)

    def held(self) -> list[Card]:
        """Cards in no other zone."""
        return [
            *(f.card for f in (*self.attacking, *self.defending) if f.by in ("hand", "reserve")),
            *([self.card] if self.card else []),
            *self.doomed,
            *self.paid,
            *self.destroyed,
        ]

    # (1), (2) declaration

    def begin(self, table: Table) -> Next:
        if self.attacker == VIKINGS:
            self.attacking = [Fielded(at("force", c), c, "force") for c in sorted(table.force)]
        if table.ruled("OR-AMB-80") == "declared":
            self._alarm(table)
        table.tell(
            "attack",
            seat=self.attacker,
            actor=self.actor,
            defender=self.defender,
            what=self.what,
            fief=self.number,
            cards=[f.card for f in self.attacking],
            points=self.sent(self.attacking),
        )
        if self.attacker != VIKINGS:
            roles.hostile_act(table, self.attacker, self.defender)
        return "defend"

    def _alarm(self, table: Table) -> None:
        """Earls' combat advances the white marker before the Vikings arrive (OR-ATT-8)."""
        if not table.arrived and self.attacker != VIKINGS:
            table.white = True

    @staticmethod
    def sent(forces: list[Fielded]) -> int:
        points = 0
        for f in forces:
            points += SEND[kind(f.card)]
        return points

    def needs(self, earl: Earl) -> int:
        fief = earl.fief(self.number)
        return toll(self.what, earl.walls, fief.anchor if fief is not None else "")

    def about(self) -> dict[str, str | int | list[str] | dict[str, str]]:
        return {
            "attacker": self.attacker,
            "defender": self.defender,
            "what": self.what,
            "fief": self.number,
            "points": self.sent(self.attacking),
            "cards": [f.card for f in self.attacking],
        }

    def _facts(self, table: Table, **more: str | int | list[str]) -> Callable[[], About]:
        return lambda: {**self.about(), **more, "lies": lying(table)}

    # (3) defence

    def who_defend(self, table: Table) -> list[Seat]:
        """The defender, if publicly he could field anything (OR-DEC-5)."""
        earl = table.earls[self.defender]
        return [self.defender] if earl.hand or could_field(table, earl) else []

    def ask_defend(self, table: Table, seat: Seat) -> Ask:
        earl = table.earls[seat]
        options = [Option("stand_down")]
        if could_field(table, earl):
            options.append(Option("field", lambda: force_fields(table, earl)))
        return Ask(seat, "defend", tuple(options), Answer("stand_down"), "D-41", self._facts(table))

    def vet_defend(self, table: Table, seat: Seat, answer: Answer) -> None:
        illegal_if(answer.option == "field" and not picked_cards(answer), "ortus.nothing_fielded")
        vet_princes(answer)

    def take_defend(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        earl = table.earls[self.defender]
        answer = answers.get(self.defender)
        if answer is not None and answer.option == "field":
            self.defending = field_forces(table, earl, answer)
        if not self.defending:
            self.result = "undefended"
            table.tell("undefended", seat=self.defender)
            return "attacker_hits"
        self._alarm(table)
        table.tell("defended", seat=self.defender, cards=[f.card for f in self.defending], points=self.sent(self.defending))
        if table.ruled("OR-AMB-58") == "army" and not any(f.by in ARMY for f in self.defending):
            self.result = "NB"
            table.tell("no_battle_card")
            return "capture"
        return "draw"

    # (4), (5) Battle Card

    def draw(self, table: Table) -> Next:
        card = draw_from(table, table.battle, "battle-deck")
        self.card = card or ""
        table.tell("battle_card", card=card)
        if card != "CD":
            self.result = card or "NB"
            return "capture"
        return "church_asset"

    def churches(self, table: Table, seat: Seat) -> int:
        """Churches of the count that decides, with a spent asset (OR-BAT-3, OR-ROLE-39)."""
        return table.earls[seat].holds("Church") + (seat in self.spent)

    def who_church_asset(self, table: Table) -> list[Seat]:
        if table.canterbury or table.cathedral_holder() is not None:
            return []
        order = orderings.clockwise(table.seats, table.active or table.start)
        return [s for s in order if "Church" in table.earls[s].assets and s not in self.weighed][:1]

    def ask_church_asset(self, table: Table, seat: Seat) -> Ask:
        most = max(self.churches(table, e.seat) for e in table.others(seat))
        about = {**self.about(), "churches": table.earls[seat].holds("Church"), "most": most}
        return Ask(seat, "church_asset", (Option("keep"), Option("spend")), Answer("keep"), "D-73", about)

    def take_church_asset(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            self.weighed.append(seat)
            if answer.option == "spend":
                self.spent.append(seat)
                roles.spend(table, table.earls[seat], "Church")
            else:
                table.tell("asset_kept", seat=seat, card="Church")
        return "church_asset" if self.who_church_asset(table) else "church"

    def who_church(self, table: Table) -> list[Seat]:
        """Decider: Canterbury, else Cathedral, else strictly most Churches (OR-BAT-3, OR-ROLE-23)."""
        holder = table.canterbury or table.cathedral_holder()
        holder = holder or most_churches({s: self.churches(table, s) for s in table.alive()})
        return [holder] if holder else []

    def ask_church(self, table: Table, seat: Seat) -> Ask:
        """No Battle, attacker wins, or defender wins (D-42)."""
        options = (Option("NB"), Option("AW"), Option("DW"))
        return Ask(seat, "church", options, Answer("NB"), "D-42", self.about())

    def take_church(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        self.result = "NB"
        for seat, answer in answers.items():
            self.result = answer.option
            table.tell("church_decided", seat=seat, result=self.result)
        if not answers:
            table.tell("church_undecided")
        return "capture"

    # (6) capture and ransom (10.4)

    def capture(self, table: Table) -> Next:
        side = {"AW": self.defending, "DW": self.attacking}.get(self.result, [])
        lords = [f for f in side if f.by == "lord"]
        self.captured = [f.home for f in lords]
        if lords:
            table.tell("captured", seat=self._loser_captor()[0], cards=[f.card for f in lords])
        return "ransom"

    def _loser_captor(self) -> tuple[str, str]:
        return (self.defender, self.attacker) if self.result == "AW" else (self.attacker, self.defender)

    def who_ransom(self, table: Table) -> list[Seat]:
        """The loser, if legal; Vikings take none (OR-RAN-9)."""
        if not self.captured or self.attacker == VIKINGS:
            return []
        loser, _ = self._loser_captor()
        held = set(holdings(table.earls[loser]))
        return [loser] if any(held - {fief_id(home)} for home in self.captured) else []

    def ask_ransom(self, table: Table, seat: Seat) -> Ask:
        """D-43: one Holding per Lord (OR-RAN-1 to 3)."""
        earl = table.earls[seat]
        _, captor = self._loser_captor()

        def fields() -> Fields:
            lords = tuple(Choice(lord_id(home)) for home in self.captured)
            return (Assign("payments", lords, choices(holdings(earl)), optional=True, distinct=True),)

        options = (Option("none"), Option("pay", fields))
        return Ask(seat, "ransom", options, Answer("none"), "D-43", self._facts(table, captor=captor))

    def vet_ransom(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option != "pay":
            return
        payments = answer.assigned("payments")
        illegal_if(not payments, "ortus.nothing_paid")
        for lord in payments:
            home = fief_id(parse(lord).number)
            illegal_if(home in payments.values(), "ortus.home_paid", fief=parse(lord).number)

    def take_ransom(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        loser, captor = self._loser_captor()
        payments = answers[loser].assigned("payments") if loser in answers else {}
        if payments:
            self._pay(table, table.earls[loser], table.earls[captor], payments)
        elif self.captured:
            table.tell("no_ransom", seat=loser)
        return "attacker_hits"

    def _pay(self, table: Table, loser: Earl, captor: Earl, payments: dict[str, str]) -> None:
        self.ransomed = [parse(lord).number for lord in payments]
        for lord, holding in payments.items():
            home = loser.fief(parse(lord).number)
            given = loser.fief(parse(holding).number)
            assert home is not None and given is not None
            what = parse(holding).card or given.anchor
            table.tell("ransomed", seat=loser.seat, captor=captor.seat, lord=home.lord, card=what)
        self._give(table, loser, captor, list(payments.values()))

    def _give(self, table: Table, loser: Earl, captor: Earl, given: list[str]) -> None:
        # Properties first: one on a paid Anchor must go to the captor, not be discarded (OR-RAN-4).
        for holding in given:
            paid = parse(holding)
            if paid.card:
                fief = loser.held_fief(paid.number)
                fief.properties.remove(paid.card)
                self.paid.append(paid.card)
        for number in sorted(parse(h).number for h in given if not parse(h).card):
            fief = loser.held_fief(number)
            if fief.number in self.captured and fief.lord is not None:
                self.doomed.append(fief.lord)
                fief.lord = None
            hand_over(table, loser, fief, captor)

    # (7), (8) damage (10.5)

    def points(self) -> tuple[int, int]:
        """Points received by attacker and defender (OR-BAT-5)."""
        attack, defence = self.sent(self.attacking), self.sent(self.defending)
        if self.result == "NB":
            return defence, attack
        return (defence, 0) if self.result == "DW" else (0, attack)

    def overflow(self) -> int:
        """Points beyond the defender's cards (OR-OBJ-1)."""
        return max(0, self.points()[1] - len(self.defending))

    @staticmethod
    def _choice_of_hits(forces: list[Fielded], points: int) -> bool:
        return 0 < points < len(forces) and len({f.id for f in forces}) > 1

    def who_attacker_hits(self, table: Table) -> list[Seat]:
        return [self.actor] if self._choice_of_hits(self.attacking, self.points()[0]) else []

    def ask_attacker_hits(self, table: Table, seat: Seat) -> Ask:
        return self._ask_hits(table, seat, "attacker_hits", "D-44", self.attacking, self.points()[0])

    def take_attacker_hits(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        answer = answers.get(self.actor)
        points = self.points()[0]
        self.hit = answer.some("cards") if answer else default_hits(table, self.attacker, self.attacking, points)
        return "defender_hits"

    def _ask_hits(self, table: Table, seat: Seat, ask: str, rule: str, forces: list[Fielded], points: int) -> Ask:
        field = PickSome("cards", choices(f.id for f in forces), points, points)
        default = Answer("hit", {"cards": default_hits(table, seat, forces, points)})
        return Ask(seat, ask, (Option("hit", (field,)),), default, rule, self._facts(table, count=points))

    def _falls(self, table: Table) -> int:
        """Towers or Properties that fall (OR-OBJ-2, 3); 0 in a Siege."""
        earl = table.earls[self.defender]
        if self.what == "tower":
            return min(self.overflow(), len(earl.towers))  # a Duke's permanent Tower never falls (OR-ROLE-33)
        fief = earl.fief(self.number)
        if self.what == "raid" and fief is not None:
            return min(max(0, self.overflow() - earl.walls), len(fief.properties))
        return 0

    def _defender_choice(self, table: Table) -> str:
        """`cards`, `towers`, `properties`, or ''."""
        if self._choice_of_hits(self.defending, self.points()[1]):
            return "cards"
        falls, earl = self._falls(table), table.earls[self.defender]
        if self.what == "tower":
            return "towers" if 0 < falls < len(earl.towers) else ""
        fief = earl.fief(self.number)
        if falls and fief is not None and falls < len(fief.properties) and len(set(fief.properties)) > 1:
            return "properties"
        return ""

    def who_defender_hits(self, table: Table) -> list[Seat]:
        return [self.defender] if self._defender_choice(table) else []

    def ask_defender_hits(self, table: Table, seat: Seat) -> Ask:
        """D-45, D-46, D-47: hit cards, or falling Towers or Properties; never both."""
        what, earl = self._defender_choice(table), table.earls[seat]
        if what == "cards":
            return self._ask_hits(table, seat, "defender_hits", "D-45", self.defending, self.points()[1])
        falls = self._falls(table)
        if what == "towers":
            ids = [tower_id(i) for i in range(1, len(earl.towers) + 1)]
            default, rule = ids[:falls], "D-46"
        else:
            fief = earl.held_fief(self.number)
            ids, default, rule = fief.properties, orderings.properties_to_give(earl, fief, falls), "D-47"
        option = Option("lose", (PickSome(what, choices(ids), falls, falls),))
        about = {**self.about(), "count": falls}
        if what == "towers":
            about["towers"] = earl.towers
        return Ask(seat, "defender_hits", (option,), Answer("lose", {what: default}), rule, about)

    def take_defender_hits(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        earl, falls = table.earls[self.defender], self._falls(table)
        answer = answers.get(self.defender)
        cards = answer.some("cards") if answer else []
        self.struck = cards or default_hits(table, self.defender, self.defending, self.points()[1])
        chosen = (answer.some("towers") or answer.some("properties")) if answer else []
        if not chosen and falls:
            fief = earl.fief(self.number)
            properties = fief.properties if fief is not None else []
            chosen = [tower_id(i) for i in range(1, falls + 1)] if self.what == "tower" else properties[:falls]
        self.falling = list(chosen)
        return "damage"

    # (9), (10) hits and the target (10.6)

    def damage(self, table: Table) -> Next:
        over = self.overflow()  # before casualties (OR-CARD-1)
        for seat, forces, hits in (
            (self.attacker, self.attacking, self.hit),
            (self.defender, self.defending, self.struck),
        ):
            killed = self._kill(table, table.earls.get(seat), forces, hits)
            if killed:
                table.tell("killed", seat=seat, cards=killed)
        self._hurt_object(table, table.earls[self.defender], over)
        return "canterbury" if self.what == "canterbury" else "spoils"

    def _kill(self, table: Table, earl: Earl | None, forces: list[Fielded], ids: list[str]) -> list[str]:
        """Apply hits (OR-DMG-3); returns Army, Mercenary and Viking cards killed."""
        killed: list[str] = []
        gone: list[Mercenary] = []
        left = Counter(ids)
        for f in list(forces):
            if not left[f.id]:
                continue
            left[f.id] -= 1
            if f.by in ("lord", "hand", "king"):
                continue
            killed.append(f.card)
            if f.by == "force":
                table.force.remove(f.card)
                table.vikings.discard.append(f.card)
                continue
            assert earl is not None
            if f.by == "reserve":
                table.army.discard.append(f.card)
                forces.remove(f)
            elif f.by == "royal":
                table.royal.remove(f.card)
                table.army.discard.append(f.card)
            else:
                mercenary = earl.held_mercenary(f.home)
                if f.by == "mercenary":
                    gone.append(mercenary)
                elif mercenary.garrison is not None:
                    table.army.discard.append(mercenary.garrison)
                    mercenary.garrison = None
        # Mercenaries last, or a garrison card hit itself would count twice (OR-DMG-4).
        for mercenary in gone:
            assert earl is not None
            if mercenary.garrison is not None:
                killed.append(mercenary.garrison)
            lose_mercenary(table, earl, mercenary)
        return killed

    def _hurt_object(self, table: Table, earl: Earl, over: int) -> None:
        if self.what == "canterbury":
            # Towers don't protect there: one point is enough (OR-ROLE-27, 29).
            if over:
                table.canterbury = ""
            table.tell("canterbury_taken" if over else "canterbury_held", seat=earl.seat, captor=self.attacker)
            return
        if self.what == "tower":
            places = sorted((parse(t).number - 1 for t in self.falling), reverse=True)
            shown = [earl.towers.pop(i) for i in places]
            discard_all(table, shown)
            if shown or earl.walls == len(earl.towers):
                table.tell("towers_fell", seat=earl.seat, cards=sorted(shown))
            if over > len(shown) and earl.walls > len(earl.towers):
                table.tell("tower_stands", seat=earl.seat)
            return
        fief = earl.fief(self.number)
        if fief is None:
            table.tell("object_gone", seat=earl.seat)
            return
        if self.what == "raid":
            for card in self.falling:
                fief.properties.remove(card)
            self.destroyed = list(self.falling)
            table.tell("raided", seat=earl.seat, fief=fief.number, cards=self.destroyed)
        elif over >= self.needs(earl):
            self.destroyed = dissolve(table, earl, fief)
            table.tell("fell", seat=earl.seat, fief=fief.number, cards=self.destroyed)
            tell_lost(table, earl, [fief.lord])
        else:
            table.tell("held", seat=earl.seat, fief=fief.number)

    # the Archbishop's payment (16.3)

    def _payable(self, table: Table) -> list[str]:
        """Holdings; not the last Anchor if he has others (OR-ROLE-28)."""
        earl = table.earls[self.defender]
        held = holdings(earl)
        return held if len(earl.fiefs) > 1 or len(held) == 1 else [h for h in held if parse(h).card]

    def who_canterbury(self, table: Table) -> list[Seat]:
        """The captured Archbishop, unless publicly forced (OR-DEC-5)."""
        captured = table.canterbury != self.defender
        return [self.defender] if captured and len(set(self._payable(table))) > 1 else []

    def ask_canterbury(self, table: Table, seat: Seat) -> Ask:
        field = PickOne("holding", choices(sorted(set(self._payable(table)))))
        default = Answer("pay", {"holding": orderings.holding_to_give(table.earls[seat])})
        return Ask(seat, "canterbury", (Option("pay", (field,)),), default, "D-71", self._facts(table))

    def take_canterbury(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if table.canterbury == self.defender:
            return "spoils"
        loser = table.earls[self.defender]
        holding = answers[self.defender].pick("holding") if answers else self._payable(table)[0]
        fief = loser.held_fief(parse(holding).number)
        table.tell("canterbury_paid", seat=loser.seat, captor=self.attacker, card=parse(holding).card or fief.anchor)
        self._give(table, loser, table.earls[self.attacker], [holding])
        return "spoils"

    # (11) seizing (10.7), (13) attaching (OR-DEC-7)

    def seize_limit(self) -> int:
        """Holdings to seize: one each for a fielded Prince Lord and Vassal Lord (OR-SEI-2)."""
        if self.attacker == VIKINGS or self.what in ("tower", "canterbury"):
            return 0
        lords = {kind(f.card) for f in self.attacking if f.by == "lord"}
        return len(lords & {"Prince", "Vassal"})

    def _receiver(self) -> str:
        return self.attacker if self.result != "DW" else self.defender

    def _gains(self) -> list[Card]:
        seizable = [c for c in self.destroyed if not is_anchor(c)] if self.seize_limit() else []
        return [*self.paid, *seizable]

    def who_spoils(self, table: Table) -> list[Seat]:
        receiver = self._receiver()
        if receiver == VIKINGS:
            return []
        choice = bool(self.destroyed and self.seize_limit()) or (bool(self.paid) and len(table.earls[receiver].fiefs) > 1)
        return [receiver] if choice else []

    def ask_spoils(self, table: Table, seat: Seat) -> Ask:
        """D-48, D-49: what to seize, and where to attach gains."""
        earl, limit = table.earls[seat], self.seize_limit()

        def fields() -> Fields:
            form: list[PickSome | Assign] = []
            places = [f.id for f in earl.fiefs]
            if self.destroyed and limit:
                form.append(PickSome("seize", choices(self.destroyed), 0, min(limit, len(self.destroyed))))
                places += [at("new", c) for c in self.destroyed if is_anchor(c)]
            gains = self._gains()
            if gains and len(places) > 1:
                form.append(Assign("attach", choices(numbered(gains)), choices(places), optional=True))
            return tuple(form)

        default = Answer("take")
        if self.destroyed and limit:
            default = Answer("take", {"seize": orderings.seize(self.destroyed, limit)})
        rule = "D-48" if self.destroyed and limit else "D-49"
        return Ask(seat, "spoils", (Option("take", fields),), default, rule, self._facts(table, limit=limit))

    def vet_spoils(self, table: Table, seat: Seat, answer: Answer) -> None:
        seized, attached = answer.some("seize"), answer.assigned("attach")
        for place in attached.values():
            card = parse(place).card
            illegal_if(parse(place).where == "new" and card not in seized, "ortus.not_seized", card=kind(card))
        if table.ruled("D-48") == "lost":
            return
        left = Counter(parse(item).card for item in attached) - Counter(self.paid) - Counter(seized)
        illegal_if(left, "ortus.attached_unseized", card=kind(min(left)) if left else "")

    def take_spoils(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        receiver = self._receiver()
        if receiver == VIKINGS:
            discard_all(table, self.destroyed)
            self.destroyed = []
            return "cleanup"
        earl = table.earls[receiver]
        answer = answers.get(receiver, Answer("take"))
        seized = answer.some("seize")
        gains = dict(zip(numbered(self._gains()), self._gains(), strict=True))
        new: dict[str, Fief] = {}
        for card in sorted(seized, key=lambda c: not is_anchor(c)):
            self.destroyed.remove(card)
            if is_anchor(card):
                new[at("new", card)] = earl.found(card)
        if seized:
            table.tell("seized", seat=receiver, cards=seized)
        discard_all(table, self.destroyed)
        self.destroyed = []
        attach = answer.assigned("attach")
        kept = Counter(self.paid) + Counter(c for c in seized if not is_anchor(c))
        # Placed items first; equal ones left over go to the lowest Fief (DEF-6).
        for item in sorted(gains, key=lambda i: i not in attach):
            card = gains[item]
            if kept[card]:
                kept[card] -= 1
                place = attach.get(item, "")
                target = new.get(place) or earl.fief(parse(place).number)
                (target or orderings.lowest_fief(earl)).properties.append(card)
        self.paid = []
        return "cleanup"

    # (12), (14) cleanup, eliminations

    def cleanup(self, table: Table) -> Next:
        for seat, forces in ((self.attacker, self.attacking), (self.defender, self.defending)):
            earl = table.earls.get(seat)
            spent = [f.card for f in forces if f.by == "hand"]
            if spent:
                discard_all(table, spent)
                table.tell("spent", seat=seat, cards=spent)
            if earl is not None:
                earl.reserve += [f.card for f in forces if f.by == "reserve"]
        self._bury_captives(table)
        if self.card:
            table.battle.discard.append(self.card)
        self.attacking, self.defending, self.card = [], [], ""
        # The attacker keeps an Anchor: he can't pay with the home of a Lord he ransoms (OR-RAN-3).
        remove_if_landless(table, table.earls[self.defender], self.attacker)
        return Done()

    def _bury_captives(self, table: Table) -> None:
        loser = table.earls.get(self._loser_captor()[0])
        lost = list(self.doomed)
        for home in self.captured:
            fief = loser.fief(home) if loser is not None and home not in self.ransomed else None
            if fief is not None and fief.lord is not None:
                lost.append(fief.lord)
                fief.lord = None
        discard_all(table, lost)
        self.doomed = []
        if lost and loser is not None:
            table.tell("captives_died", seat=loser.seat, cards=lost)


def default_hits(table: Table, seat: Seat, forces: list[Fielded], points: int) -> list[str]:
    """Default hit cards (DEF-2), by the ruling."""
    if 0 < points < len(forces) and any(f.by == "mercenary" for f in forces):
        return rational_hits(forces, points, spared(table, seat, forces))
    return rational_hits(forces, points)


def spared(table: Table, seat: Seat, forces: list[Fielded]) -> set[int]:
    """Mercenaries hit last (DEF-2): with a garrison outside the Battle."""
    fielded = {f.home for f in forces if f.by == "garrison"}
    if table.ruled("DEF-2") == "fielded" or seat not in table.earls:
        return fielded
    return {m.number for m in table.earls[seat].mercenaries if m.garrison is not None} - fielded


def rational_hits(forces: list[Fielded], points: int, spare: Container[int] = ()) -> list[str]:
    """Default order of hits (DEF-2), `spare` Mercenaries last."""
    if points >= len(forces):
        return [f.id for f in forces]
    if points <= 0:
        return []
    return [f.id for f in by_loss(forces, spare)[:points]]


def by_loss(forces: list[Fielded], spare: Container[int]) -> list[Fielded]:
    """Forces in default order of hits (DEF-2)."""
    return sorted(forces, key=lambda f: damage_rank(f.id, f.card, f.by, f.home, f.home in spare))
