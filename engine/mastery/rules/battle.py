"""Battle in nine steps (MM-BAT), losses and retreat (MM-RET), sceptres (MM-SCP), orbs (MM-ORB).

Variants: Castle Siege (MM-OPT-6 to 8), Mayhem (MM-OPT-13, 14), Allegiance (MM-OPT-5).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec

from engine.core.asks import About, Answer, Ask, Cell, Fields, Option, PickOne, PickSome, Seat, choices, illegal_if
from engine.core.procedure import Call, Done, Next, Procedure, yes_no
from engine.core.visibility import Plan
from engine.mastery.rules.cards import discard_at_random, draw_to, spent
from engine.mastery.rules.conquest import Conquest, discard_by_choice, may_discard
from engine.mastery.rules.fracture import PASS, PASSED, Window
from engine.mastery.rules.pieces import DIE, Card, Regalia
from engine.mastery.rules.table import Artefact, Discarded, Table, cut_off, gain, in_dispute, team, win

ALL, ENOUGH = "all", "min"
"""Support: all cards, or just enough (MM-STO-3, MM-BAT-13)."""
PLANS = (ENOUGH, ALL, PASS)
"""What a lord may settle about support when he chooses his conflict card (MM-ASY-3)."""


class Side(msgspec.Struct):
    seat: Seat = ""
    base: int = 0
    bonus: int = 0
    conflict: int = 0
    support: int = 0
    card: Card = ""

    @property
    def score(self) -> int:
        return self.base + self.bonus + self.conflict + self.support


def conflict_cards(table: Table, seat: Seat) -> list[Card]:
    """Conflict cards in hand, best first; an Ambush counts as the die's average."""
    cards = table.data.cards
    average = (DIE + 1) / 2

    def worth(card: Card) -> float:
        return cards[card].value or average

    hand = {c for c in table.lords[seat].hand if cards[c].kind == "conflict"}
    return sorted(hand, key=lambda c: (-worth(c), c))


def support_cards(table: Table, seat: Seat) -> list[Card]:
    cards = table.data.cards
    return sorted([c for c in table.lords[seat].hand if cards[c].kind == "support"])


def given(table: Table, lack: int, held: list[Card], policy: str) -> list[Card]:
    """Cards a policy plays; [] to pass. `lack`: see `Battle.lacks`."""
    if policy == PASS:
        return []
    return at_once(table, held if policy == ALL else fewest(table, lack, held))


def at_once(table: Table, cards: Sequence[Card]) -> list[Card]:
    """All cards, or the best if they go one at a time (MM-AMB-26)."""
    if cards and table.ruled("MM-AMB-26") == "one":
        return [max(cards, key=lambda c: table.data.cards[c].value)]
    return list(cards)


def fewest(table: Table, lack: int, held: list[Card]) -> list[Card]:
    """Fewest cards, then smallest sum, that make up `lack`; [] if impossible or needless."""
    if lack <= 0:
        return []
    cards = table.data.cards
    for count, _ in enumerate(held, 1):
        enough = [c for c in combinations(held, count) if sum(cards[x].value for x in c) >= lack]
        if enough:
            return sorted(min(enough, key=lambda c: (sum(cards[x].value for x in c), c)))
    return []


class Battle(Procedure):
    attacker: Seat = ""
    defender: Seat = ""
    slot: str = ""
    att: Side = msgspec.field(default_factory=Side)
    dfd: Side = msgspec.field(default_factory=Side)
    played: dict[Seat, list[Card]] = {}
    """In play: neither in hand nor discarded (MM-GEN-1)."""
    order: list[Seat] = []
    at: int = 0
    passes: int = 0
    passed: list[Seat] = []
    """Seats that may support no more, where a pass is final (MM-AMB-25)."""
    plans: Plan[dict[Seat, str]] = {}
    """Support settled together with the conflict card (MM-ASY-3)."""
    winner: Seat = ""
    margin: int = 0
    reversed: bool = False
    """Mayhem made the winner lose: no losses by the margin, no retreat (MM-OPT-14)."""

    siege: bool = False
    """A castle is attacked."""

    # --- what the steps share

    @property
    def loser(self) -> Seat:
        return self.defender if self.winner == self.attacker else self.attacker

    def sides(self) -> list[Side]:
        """Attacker first, also for simultaneous effects (MM-ART-4, MM-RND-3)."""
        return [self.att, self.dfd]

    def knights(self, table: Table, seat: Seat) -> int:
        """Knights of a side; in a siege those in the castle."""
        if seat == self.attacker:
            return in_dispute(table, seat)
        return table.lords[seat].knights if self.siege else table.lands[self.slot].knights

    def lose(self, table: Table, seat: Seat, count: int) -> None:
        if seat == self.attacker:
            assert table.dispute is not None
            table.dispute.knights -= count
        elif self.siege:
            table.lords[seat].knights -= count
        else:
            table.lands[self.slot].knights -= count

    def strength(self, table: Table, seat: Seat) -> int:
        """Knights that count: always eight for a castle (MM-OPT-6, MM-SCP-8)."""
        if self.siege and seat == self.defender:
            return table.data.constants["siege_castle_strength"]
        return self.knights(table, seat)

    def tile(self, table: Table) -> str:
        return "" if self.siege else table.lands[self.slot].tile

    def abilities(self, table: Table) -> tuple[str, ...]:
        return () if self.siege else table.tile(self.slot).battle_start

    def tell_score(self, table: Table, why: str) -> None:
        table.tell("score", why=why, attacker=self.attacker, defender=self.defender, scores=[self.att.score, self.dfd.score])

    def _rival(self, seat: Seat) -> Seat:
        return self.defender if seat == self.attacker else self.attacker

    def _side(self, seat: Seat) -> Side:
        return self.att if seat == self.attacker else self.dfd

    def side_for(self, table: Table, seat: Seat) -> Side:
        return self.att if seat in team(table, self.attacker) else self.dfd

    def side_against(self, table: Table, seat: Seat) -> Side:
        return self._side(self._rival(self.side_for(table, seat).seat))

    def lacks(self, attacking: bool) -> int:
        """Score needed to win: the attacker must lead, the defender be level; <= 0 if it wins."""
        difference = self.dfd.score - self.att.score
        return difference + 1 if attacking else -difference

    def _put_into_play(self, table: Table, seat: Seat, card: Card) -> None:
        table.lords[seat].hand.remove(card)
        self.played[seat].append(card)

    # --- step 1: the territory

    def begin(self, table: Table) -> Next:
        self.siege = self.slot not in table.lands
        self.att, self.dfd = Side(self.attacker), Side(self.defender)
        self.played = {s: [] for s in table.order}
        counted = {side.seat: self.strength(table, side.seat) for side in self.sides()}
        if "ARENA_ROLL" in self.abilities(table):
            self._arena(table)
            if not all(self.knights(table, s.seat) for s in self.sides()):
                return "stopped"
        before = table.ruled("MM-AMB-19") == "before"
        for side in self.sides():
            side.base = counted[side.seat] if before else self.strength(table, side.seat)
        self.att.bonus, self.dfd.bonus = self.by_place(table)
        self.tell_score(table, "territory")
        return "draw"

    def by_place(self, table: Table) -> tuple[int, int]:
        """The place's bonus for attacker and defender."""
        constants, there = table.data.constants, self.abilities(table)
        attack = constants["grasslands_bonus"] if "ATTACKER_PLUS_1" in there else 0
        return attack, constants["fort_bonus"] if "DEFENDER_PLUS_1" in there else 0

    def added(self, table: Table, side: Side) -> list[tuple[str, int]]:
        """A side's bonuses: tile, then sceptre."""
        place = min(side.bonus, self.by_place(table)[side is self.dfd])
        found = ((self.tile(table), place), (table.lords[side.seat].sceptre.name, side.bonus - place))
        return [(name, n) for name, n in found if n]

    def _arena(self, table: Table) -> None:
        """The lower roll loses a knight, both if equal (MM-TER-5)."""
        a, d = (table.chance.die(DIE, "arena") for _ in self.sides())
        losers = [self.attacker] * (a <= d) + [self.defender] * (d <= a)
        for seat in losers:
            self.lose(table, seat, 1)
        table.tell("arena", attacker=self.attacker, defender=self.defender, rolls=[a, d], losers=losers)

    # --- step 2: drawing

    def draw(self, table: Table) -> Next:
        for side in self.sides():
            draw_to(table, side.seat, table.data.constants["hand_draw_to"])
        return self._window(table, "sceptre", "match")

    def _window(self, table: Table, what: str, then: str) -> Next:
        """Window on face-up sceptres or orbs (MM-FRA-4, 5), by ruling only on those that apply (MM-AMB-38)."""
        artefacts: dict[Seat, Artefact] = {s.seat: getattr(table.lords[s.seat], what) for s in self.sides()}
        every = table.ruled("MM-AMB-38") == "any"
        aims = [a.name for s, a in artefacts.items() if a.up and (every or self.applies(table, s, what))]
        window = Window(what=what, start=self.attacker, aims=aims, attacker=self.attacker, defender=self.defender)
        if self._together(table):
            window.winner = self.winner  # for the wording; absent in older games
        if what == "sceptre" and self._together(table):
            strengths = {s.seat: self.strength(table, s.seat) for s in self.sides()}
            window.matching = {s: (strengths[s], strengths[self._rival(s)]) for s in self._matching(table)}
        return Call(window, then)

    @staticmethod
    def _together(table: Table) -> bool:
        """Whether Fear and Vigour belong to the sceptre window (MM-ASY-4)."""
        return table.ruled("MM-ASY-4") == "together"

    def applies(self, table: Table, seat: Seat, what: str) -> Regalia | None:
        """Sceptre or orb that is face up and applies (MM-ART-3)."""
        artefact: Artefact = getattr(table.lords[seat], what)
        regalia = table.data.regalia[artefact.name]
        if what == "sceptre":
            holds = regalia.when == ("attacking" if seat == self.attacker else "defending")
        else:
            holds = regalia.when == ("win" if seat == self.winner else "lose")
        return regalia if artefact.up and holds else None

    # --- step 3: sceptres

    def by_sceptre(self, table: Table, seat: Seat) -> int:
        """Bonus of a sceptre (MM-SCP-4, 7)."""
        found = self.applies(table, seat, "sceptre")
        return int(found is not None and found.effect == "SCORE_PLUS_1")

    def matches(self, table: Table, seat: Seat) -> bool:
        """Whether he may match his rival's knights (MM-SCP-2, 5)."""
        found = self.applies(table, seat, "sceptre")
        return found is not None and found.effect == "MAY_MATCH_RIVAL_KNIGHTS" and not (self.siege and seat == self.defender)

    def _matching(self, table: Table) -> list[Seat]:
        """Owners of Fear or Vigour with an effect; no castle's defender (MM-OPT-7)."""
        if self.strength(table, self.attacker) == self.strength(table, self.defender):
            return []
        return [s.seat for s in self.sides() if self.matches(table, s.seat)]

    def who_match(self, table: Table) -> list[Seat]:
        return [] if self._together(table) else self._matching(table)

    def ask_match(self, table: Table, seat: Seat) -> Ask:
        """MM-DEC-14: by default if it raises the score."""
        own, other = self.strength(table, seat), self.strength(table, self._rival(seat))
        about = {"artefact": table.lords[seat].sceptre.name, "own": str(own), "other": str(other), "rival": self._rival(seat)}
        return yes_no(seat, "match", "MM-DEC-14", "yes" if other > own else "no", about)

    def take_match(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        """Apply sceptres, the attacker's first (MM-BAT-8, MM-SCP)."""
        strengths = {s.seat: self.strength(table, s.seat) for s in self.sides()}
        asked = self._matching(table)
        said_yes = self.came.split() if self._together(table) else [s for s, a in answers.items() if a.option == "yes"]
        self.came = ""  # keeps secret whether a broken sceptre would have been used
        for side in self.sides():
            found = self.applies(table, side.seat, "sceptre")
            if found is None:
                continue
            match found.effect:
                case "MAY_MATCH_RIVAL_KNIGHTS":
                    used = side.seat in asked and side.seat in said_yes
                    if used:
                        side.base = strengths[self._rival(side.seat)]
                    told = "matched" if used else "not_matched" if side.seat in asked else "no_match"
                    table.tell(told, seat=side.seat, artefact=found.id, base=side.base)
                case "SCORE_PLUS_1":
                    side.bonus += self.by_sceptre(table, side.seat)
                    table.tell("sceptre_plus", seat=side.seat, artefact=found.id)
                case "DISCARD_1_RANDOM":
                    rival = self._rival(side.seat)
                    table.tell("sceptre_discard", seat=side.seat, artefact=found.id, rival=rival)
                    discard_at_random(table, rival)
        return "conflict"

    # --- step 4: conflict

    def _about(self, table: Table, seat: Seat) -> dict[str, Cell]:
        return {
            "slot": self.slot,
            "tile": self.tile(table),
            "attacker": self.attacker,
            "defender": self.defender,
            "own": str(self._side(seat).score),
            "other": str(self._side(self._rival(seat)).score),
        }

    def who_conflict(self, table: Table) -> list[Seat]:
        """Sides that may have a conflict card, by public facts (MM-ASY-5)."""
        kinds = table.data.of_kind("conflict")
        return [s.seat for s in self.sides() if not spent(table, table.lords[s.seat], kinds)]

    def ask_conflict(self, table: Table, seat: Seat) -> Ask:
        """MM-DEC-15, if he has one (MM-BAT-9); optional by ruling (MM-AMB-60)."""
        cards = conflict_cards(table, seat)

        def about() -> About:
            return {"rival": self._rival(seat), **self._about(table, seat)}

        if not cards:
            return Ask(seat, "conflict", (Option("none"),), Answer("none"), "MM-DEC-15", about)
        play = Option("play", (PickOne("card", choices(cards)), *self._plan_field(table, seat)))
        options = (play, Option("withhold")) if table.ruled("MM-AMB-60") == "may" else (play,)
        return Ask(seat, "conflict", options, Answer("play", {"card": cards[0]}), "MM-DEC-15", about)

    def take_conflict(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        """Reveal both; Ambushes roll, the attacker's first (MM-BAT-10)."""
        self.plans = {seat: plan for seat, answer in answers.items() if (plan := answer.pick("support"))}
        for side in self.sides():
            side.card = answers[side.seat].pick("card") if side.seat in answers else ""
            if side.card:
                self._put_into_play(table, side.seat, side.card)
        rolls = []
        for side in self.sides():
            value = table.data.cards[side.card].value if side.card else 0
            if side.card and not value:
                value = table.chance.die(DIE, "ambush")
                rolls.append([side.seat, value])
            side.conflict = value
        table.tell("conflict", seats=[s.seat for s in self.sides()], cards=[s.card for s in self.sides()], rolls=rolls)
        self.tell_score(table, "conflict")
        return "rally"

    def _plan_field(self, table: Table, seat: Seat) -> Fields:
        """Support in advance, for a side that publicly could have some (MM-ASY-3, MM-DEC-16)."""
        barred = table.ruled("MM-DEC-16") == "asked" or "NO_SUPPORT_CARDS" in self.abilities(table)
        if barred or spent(table, table.lords[seat], table.data.of_kind("support")):
            return ()
        return (PickOne("support", choices(PLANS), optional=True),)

    # --- step 5: support

    def rally(self, table: Table) -> Next:
        """Order support: lower score first; ties by ruling (MM-BAT-12, MM-AMB-24, MM-OPT-5)."""
        if "NO_SUPPORT_CARDS" in self.abilities(table):
            table.tell("no_support")
            return "result"
        lower = self.defender if self.dfd.score < self.att.score else self.attacker
        if self.dfd.score == self.att.score and table.ruled("MM-AMB-24") == "defender":
            lower = self.defender
        allowed = {*team(table, self.attacker), *team(table, self.defender)}
        self.order = [s for s in table.clockwise(lower) if s in allowed]
        self.at, self.passes, self.passed = 0, 0, []
        return "muster"

    def muster(self, table: Table) -> Next:
        """Play support settled in advance, until a seat must be asked (MM-ASY-3)."""
        while (found := self.who_support(table)) and found[0] in self.plans:
            seat = found[0]
            lack, held = self.lacks(seat == self.attacker), support_cards(table, seat)
            self._give(table, seat, given(table, lack, held, self.plans[seat]))
        return "support"

    def who_support(self, table: Table) -> list[Seat]:
        """Next seat that could support, by public facts (MM-BAT-14, MM-AMB-25)."""
        kinds = table.data.of_kind("support")
        for i in range(self.at, self.at + len(self.order) - self.passes):
            seat = self.order[i % len(self.order)]
            if seat in self.passed:
                continue
            if not spent(table, table.lords[seat], kinds, self.played[seat]):
                return [seat]
        return []

    def ask_support(self, table: Table, seat: Seat) -> Ask:
        """MM-DEC-16, for an ally MM-DEC-17: any cards, or a pass (MM-BAT-13)."""
        rule = "MM-DEC-16" if seat in (self.attacker, self.defender) else "MM-DEC-17"
        mine = self.side_for(table, seat).seat

        def about() -> About:
            return {"for": mine, **self._about(table, mine)}

        cards = support_cards(table, seat)
        options = [PASSED]
        if cards:
            most = 1 if table.ruled("MM-AMB-26") == "one" else len(cards)
            fields: Fields = (PickSome("cards", choices(cards), 1, most),)
            options.append(Option("support", fields))
        return Ask(seat, "support", tuple(options), Answer("pass"), rule, about)

    def explain_support(self, table: Table, seat: Seat, answer: Answer) -> None:
        illegal_if(answer.option == "support" and not support_cards(table, seat), "mastery.no_support_card")

    def take_support(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if not answers:
            return "result"
        for seat, answer in answers.items():
            self._give(table, seat, answer.some("cards"))
        return "muster"

    def _give(self, table: Table, seat: Seat, cards: list[Card]) -> None:
        if not cards:
            table.tell("support_passed", seat=seat)
            self.pass_by(table, seat)
            return
        self._come_to(seat)
        side = self.side_for(table, seat)
        for card in cards:
            self._put_into_play(table, seat, card)
            side.support += table.data.cards[card].value
        self.at += 1
        self.passes = 0
        table.tell("supported", seat=seat, cards=cards)
        self.tell_score(table, "support")

    def pass_by(self, table: Table, seat: Seat) -> None:
        """Pass, by ruling for the rest of the battle (MM-AMB-25)."""
        self._come_to(seat)
        if table.ruled("MM-AMB-25") == "final":
            self.passed.append(seat)
        self._pass()

    def _come_to(self, seat: Seat) -> None:
        while self.order[self.at % len(self.order)] != seat:
            self._pass()  # earlier seats had nothing to play

    def _pass(self) -> None:
        self.at += 1
        self.passes += 1

    # --- step 6: the result

    def decision(self, table: Table) -> tuple[Seat, int]:
        difference = self.att.score - self.dfd.score
        return self.attacker if difference > 0 else self.defender, abs(difference) or table.data.constants["tie_margin"]

    def result(self, table: Table) -> Next:
        """The difference decides; ties are the defender's by one (MM-BAT-15)."""
        self.winner, self.margin = self.decision(table)
        table.tell(
            "result",
            winner=self.winner,
            loser=self.loser,
            margin=self.margin,
            scores=[self.att.score, self.dfd.score],
            attacker=self.attacker,
            defender=self.defender,
        )
        return "mayhem" if table.options.mayhem else "stormed"

    def mayhem(self, table: Table) -> Next:
        """The winner rolls for each knight; with none left, the result is reversed (MM-OPT-13, 14)."""
        while True:
            castle = self.siege and self.winner == self.defender
            there = self.knights(table, self.winner)
            rolls = [table.chance.die(DIE, "mayhem") for _ in range(there)]
            dead = rolls.count(1)
            self.lose(table, self.winner, dead)
            if rolls:
                table.tell("mayhem", seat=self.winner, rolls=rolls, dead=dead)
            if castle or dead < there:
                return "stormed"
            if self.reversed:
                return "stopped"
            self.winner, self.reversed = self.loser, True
            table.tell("reversed", winner=self.winner, loser=self.loser)

    def stormed(self, table: Table) -> Next:
        if self.siege and self.winner == self.attacker:
            table.tell("stormed", seat=self.attacker, slot=self.slot, defender=self.defender)
            win(table, [self.attacker], "siege")
            return "cleanup"
        return self._window(table, "orb", "orbs")

    # --- step 7: orbs

    def orbs(self, table: Table) -> Next:
        """Apply orbs without a choice, the attacker's first (MM-BAT-16, MM-ORB)."""
        for side in self.sides():
            found = self.applies(table, side.seat, "orb")
            if found is None or found.effect == "MAY_DISCARD_1":
                continue
            table.tell("orb", seat=side.seat, artefact=found.id)
            match found.effect:
                case "LOSE_1_KNIGHT_IN_DISPUTE":
                    self._brutality(table, self._rival(side.seat))
                case "DRAW_TO_6":
                    draw_to(table, side.seat, table.data.constants["orb_draw_to"])
                case "PLACE_1_KNIGHT_IN_CASTLE":
                    gain(table, side.seat, 1, "orb")
        return "discard"

    def _brutality(self, table: Table, rival: Seat) -> None:
        if self.knights(table, rival) and not (self.siege and rival == self.defender):
            self.lose(table, rival, 1)
            table.tell("killed", seat=rival, count=1)

    def who_discard(self, table: Table) -> list[Seat]:
        found = [(s.seat, self.applies(table, s.seat, "orb")) for s in self.sides()]
        return [s for s, orb in found if orb is not None and orb.effect == "MAY_DISCARD_1" and table.lords[s].hand]

    def ask_discard(self, table: Table, seat: Seat) -> Ask:
        return may_discard(table, seat, "MM-DEC-19", {"why": "orb", "artefact": table.lords[seat].orb.name})

    def take_discard(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for side in self.sides():
            if side.seat in answers:
                discard_by_choice(table, side.seat, answers[side.seat])
        return "losses"

    # --- step 8: losses and retreat

    def losses(self, table: Table) -> Next:
        """The loser loses the margin; the rest retreats (MM-RET)."""
        loser = self.loser
        there = self.knights(table, loser)
        lost = 0 if self.reversed else min(self.margin, there)
        retreat = there - lost
        self.lose(table, loser, there)
        table.lords[loser].knights += retreat
        if there:
            table.tell("retreated", seat=loser, lost=lost, retreat=retreat)
        return "ground"

    # --- step 9: the territory, and the clean-up

    def ground(self, table: Table) -> Next:
        if self.winner == self.attacker:
            return self._take_ground(table)
        table.dispute = None
        table.tell("held", seat=self.defender, slot=self.slot)
        return "cleanup"

    def _take_ground(self, table: Table) -> Next:
        """The attacker takes the place (MM-BAT-17)."""
        assert table.dispute is not None
        land = table.lands[self.slot]
        land.holder, land.knights, table.dispute = self.attacker, table.dispute.knights, None
        return Call(Conquest(seat=self.attacker, slot=self.slot), "cleanup")

    def stopped(self, table: Table) -> Next:
        """End without a winner (MM-BAT-20)."""
        self.winner = ""
        attackers, defenders = (self.knights(table, s.seat) for s in self.sides())
        table.tell("battle_stopped", attacker=self.attacker, defender=self.defender, left=[attackers, defenders])
        if attackers and not defenders:
            return self._take_ground(table)
        table.dispute = None
        if not defenders and not self.siege:
            table.lands[self.slot].holder = ""
            table.tell("vacated", slot=self.slot, tile=table.lands[self.slot].tile)
        return "cleanup"

    def cleanup(self, table: Table) -> Next:
        """Discard cards in play (MM-BAT-19)."""
        for seat, cards in self.played.items():
            table.lords[seat].discard += [Discarded(c, table.turn) for c in cards]
        self.played = {}
        cut_off(table)
        return Done("won" if self.winner == self.attacker else "lost" if self.winner else "stopped")
