"""Politics (rules 9): Treachery, Intrigue, and the Struggle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.core.asks import Answer, Ask, Option, PickOne, PickSome, Seat, choices, illegal_if
from engine.core.procedure import Call, Done, Next, Procedure
from engine.core.visibility import Plan
from engine.ortus.rules import roles
from engine.ortus.rules.orderings import ask_where, attach, properties_to_give, troops_to_give
from engine.ortus.rules.pieces import Card, at, kind, lord_id, of_earl, parse
from engine.ortus.rules.removal import remove_if_landless
from engine.ortus.rules.table import Earl, Fief, Table, banish, discard, discard_all, lose_mercenary, lying, tell_lost

TAKEN = 2


def treachery_aims(table: Table, seat: Seat) -> Iterator[str]:
    """Aims `lord:b:F2`, `hand:b`, `mercenary:b:1` (OR-TRE-1 to 3), without the Archbishop's Abbots (OR-ROLE-17)."""
    for e in table.others(seat):
        for f in e.fiefs:
            if f.lord is not None and not roles.is_immune(e, f.lord):
                yield of_earl("lord", e.seat, f.number)
        if e.hand:
            yield of_earl("hand", e.seat)
        for m in e.mercenaries:
            yield of_earl("mercenary", e.seat, mercenary=m.number)


def intrigue_aims(table: Table, seat: Seat) -> Iterator[str]:
    """Aims `properties:b:F2`, `armies:b`, `mercenary:b:1` (OR-INT-1 to 3)."""
    for e in table.others(seat):
        for f in e.fiefs:
            if f.properties:
                yield of_earl("properties", e.seat, f.number)
        if e.reserve:
            yield of_earl("armies", e.seat)
        for m in e.mercenaries:
            yield of_earl("mercenary", e.seat, mercenary=m.number)


def barred(table: Table, aim: str, number: int) -> str:
    """The Vassal Lord barred from his own Struggle, by ruling (OR-AMB-47)."""
    return lord_id(number) if aim == "lord" and table.ruled("OR-AMB-47") == "no" else ""


class Politics(Procedure):
    """Treachery or Intrigue (OR-POL-3)."""

    card: Card = ""
    attacker: Seat = ""
    aim: str = ""
    """`lord`, `hand`, `mercenary`, `properties` or `armies`."""
    target: Seat = ""
    number: int = 0
    allies: Card = ""
    taken: list[Card] = []

    @classmethod
    def at(cls, card: Card, attacker: Seat, aim: str) -> Politics:
        aimed = parse(aim)
        return cls(card=card, attacker=attacker, aim=aimed.where, target=aimed.seat, number=aimed.number)

    def held(self) -> list[Card]:
        """Cards in no other zone."""
        return [c for c in (self.card, self.allies) if c] + self.taken

    def _victim(self, table: Table) -> Earl:
        return table.earls[self.target]

    def _fief(self, table: Table) -> Fief:
        return self._victim(table).held_fief(self.number)

    def about(self) -> dict[str, str | int | list[str] | dict[str, str]]:
        return {
            "attacker": self.attacker,
            "target": self.target,
            "card": kind(self.card),
            "aim": self.aim,
            "number": self.number,
        }

    def begin(self, table: Table) -> Next:
        table.tell("politics", seat=self.attacker, target=self.target, card=kind(self.card), aim=self.aim, number=self.number)
        roles.hostile_act(table, self.attacker, self.target)
        return "allies"

    def who_allies(self, table: Table) -> list[Seat]:
        """The target, with or without Allies (OR-INFO-8), unless its Hand is empty (OR-DEC-5)."""
        victim = self._victim(table)
        return [self.target] if victim.hand or "Allies" in victim.assets else []

    def ask_allies(self, table: Table, seat: Seat) -> Ask:
        options = [Option("decline")]
        earl = table.earls[seat]
        if earl.in_hand("Allies"):
            options.append(Option("allies", roles.which(earl, "Allies")))
        if "Allies" in earl.assets:
            options.append(Option("asset"))
        return Ask(seat, "allies", tuple(options), Answer("decline"), "D-30", self.about())

    def verbs_allies(self, table: Table, seat: Seat) -> list[str]:
        return ["decline", "allies"]

    def explain_allies(self, table: Table, seat: Seat, answer: Answer) -> None:
        illegal_if(answer.option == "allies" and not table.earls[seat].in_hand("Allies"), "ortus.needs_allies")

    def take_allies(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        answer = answers.get(self.target)
        if answer is None or answer.option == "decline":
            table.tell("no_allies", seat=self.target)
            return "apply"
        earl = self._victim(table)
        if answer.option == "asset":
            roles.spend(table, earl, "Allies")  # no card to discard (OR-ROLE-36)
        else:
            card = answer.pick("card") or earl.in_hand("Allies")
            assert card is not None
            earl.hand.remove(card)
            self.allies = card
        table.tell("allies", seat=self.target)
        return Call(Struggle(attacker=self.attacker, defender=self.target, about_attempt=self.about()), "judge")

    def judge(self, table: Table) -> Next:
        return "apply" if self.came == "success" else "finish"

    def apply(self, table: Table) -> Next:
        if kind(self.card) == "Treachery":
            self._treachery(table)
            return "finish"
        if self.aim == "mercenary":
            self._steal_mercenary(table)
            return "finish"
        return "give_properties" if self.aim == "properties" else "give_armies"

    # Treachery (9.1)

    def _treachery(self, table: Table) -> None:
        earl = self._victim(table)
        if self.aim == "lord":
            fief = self._fief(table)
            lord = fief.lord
            if lord is not None and kind(lord) == "Prince":
                fief.lord = None
                discard(table, lord)
                table.tell("prince_slain", seat=earl.seat, fief=self.number)
            else:
                # None: he was committed as Vassal and lost; his Anchor still falls (OR-STR-7).
                table.tell("assassinated", seat=earl.seat, fief=self.number, lord=lord, cards=banish(table, earl, fief))
        elif self.aim == "hand":
            # Sort first: the draw must not depend on the owner's order.
            earl.hand.sort()
            places = table.chance.sample(len(earl.hand), TAKEN, "treachery-hand")
            lost = [earl.hand[i] for i in places]
            for card in lost:
                earl.hand.remove(card)
            discard_all(table, lost)
            table.tell("hand_damaged", seat=earl.seat, cards=lost)
        else:
            lose_mercenary(table, earl, earl.held_mercenary(self.number))
            table.tell("mercenary_removed", seat=earl.seat)

    # Intrigue (9.2)

    def _steal_mercenary(self, table: Table) -> None:
        victim, thief = self._victim(table), table.earls[self.attacker]
        mercenary = victim.held_mercenary(self.number)
        victim.mercenaries.remove(mercenary)
        thief.hire(mercenary.card, mercenary.garrison)
        table.tell("mercenary_stolen", seat=self.attacker, target=self.target)

    def who_give_properties(self, table: Table) -> list[Seat]:
        properties = self._fief(table).properties
        return [self.target] if len(properties) > TAKEN and len(set(properties)) > 1 else []

    def ask_give_properties(self, table: Table, seat: Seat) -> Ask:
        fief = self._fief(table)
        field = PickSome("properties", choices(fief.properties), TAKEN, TAKEN)
        default = Answer("give", {"properties": properties_to_give(table.earls[seat], fief, TAKEN)})
        return Ask(seat, "give_properties", (Option("give", (field,)),), default, "D-34", self.about())

    def take_give_properties(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        fief = self._fief(table)
        answer = answers.get(self.target)
        given = answer.some("properties") if answer else fief.properties[:TAKEN]
        for card in list(given):
            fief.properties.remove(card)
            self.taken.append(card)
        table.tell("properties_stolen", seat=self.attacker, target=self.target, fief=self.number, cards=self.taken[:])
        return "attach"

    def who_attach(self, table: Table) -> list[Seat]:
        return [self.attacker] if len(table.earls[self.attacker].fiefs) > 1 else []

    def ask_attach(self, table: Table, seat: Seat) -> Ask:
        return ask_where(table.earls[seat], self.taken, "D-35", lambda: {**self.about(), "lies": lying(table)})

    def take_attach(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        attach(table.earls[self.attacker], self.taken, answers)
        self.taken = []
        return "finish"

    def who_give_armies(self, table: Table) -> list[Seat]:
        return [self.target] if len(self._victim(table).reserve) > TAKEN else []

    def ask_give_armies(self, table: Table, seat: Seat) -> Ask:
        """D-36; secret to the two Earls."""
        reserve = table.earls[seat].reserve
        field = PickSome("armies", choices(sorted(reserve)), TAKEN, TAKEN)
        default = Answer("give", {"armies": troops_to_give(reserve, TAKEN)})
        return Ask(seat, "give_armies", (Option("give", (field,)),), default, "D-36", self.about())

    def take_give_armies(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        victim, thief = self._victim(table), table.earls[self.attacker]
        given = answers[self.target].some("armies") if answers else victim.reserve[:TAKEN]
        given = list(given)
        for troop in given:
            victim.reserve.remove(troop)
            thief.reserve.append(troop)
        table.tell_two(
            "armies_stolen",
            (self.attacker, self.target),
            {"cards": sorted(given)},
            seat=self.attacker,
            target=self.target,
            count=len(given),
        )
        return "finish"

    def finish(self, table: Table) -> Next:
        """Discard, then check eliminations (OR-STR-8)."""
        discard_all(table, [c for c in (self.card, self.allies) if c])
        self.card = self.allies = ""
        remove_if_landless(table, self._victim(table), self.attacker)
        return Done()


class Struggle(Procedure):
    """Vassals committed alternately; the attacker needs more (OR-STR)."""

    attacker: Seat = ""
    defender: Seat = ""
    about_attempt: dict[str, str | int | list[str] | dict[str, str]] = {}
    committed: dict[Seat, list[str]] = {}
    """`hand:Vassal/a` or `lord:F2`, in order."""
    ahead: Plan[dict[Seat, list[str]]] = {}
    """Further Vassals promised in secret."""

    def held(self) -> list[Card]:
        return [parse(id).card for ids in self.committed.values() for id in ids if parse(id).where == "hand"]

    def begin(self, table: Table) -> Next:
        self.committed = {self.attacker: [], self.defender: []}
        self.ahead = {}
        return "commit"

    def vassals(self, table: Table, seat: Seat) -> list[str]:
        earl = table.earls[seat]
        used = self.committed[seat]
        ids = [at("hand", c) for c in sorted(earl.hand) if kind(c) == "Vassal"]
        lords = [lord_id(f.number) for f in earl.fiefs if f.lord is not None and kind(f.lord) == "Vassal"]
        aimed = self.about_attempt
        if seat == self.defender:
            used = [*used, barred(table, str(aimed.get("aim", "")), int(str(aimed.get("number", 0))))]
        return ids + [id for id in lords if id not in used]

    def _asked(self, table: Table, seat: Seat) -> list[Seat]:
        """The seat, if publicly it could commit a Vassal and has promised none."""
        vassals = self.vassals(table, seat)
        able = table.earls[seat].hand or any(parse(id).where == "lord" for id in vassals)
        return [seat] if able and {*self.ahead.get(seat, ())}.isdisjoint(vassals) else []

    def who_commit(self, table: Table) -> list[Seat]:
        return self._asked(table, self.attacker)

    def ask_commit(self, table: Table, seat: Seat) -> Ask:
        return self._ask(table, seat, "commit", "D-31")

    def vet_commit(self, table: Table, seat: Seat, answer: Answer) -> None:
        have = Counter(self.vassals(table, seat))
        for id, n in Counter([answer.pick("vassal"), *answer.some("further")]).items():
            illegal_if(id and n > have[id], "ortus.committed_twice", id=id, n=n, have=have[id])

    def verbs_commit(self, table: Table, seat: Seat) -> list[str]:
        return ["pass", "commit"]

    def explain_commit(self, table: Table, seat: Seat, answer: Answer) -> None:
        illegal_if(answer.option == "commit" and not self.vassals(table, seat), "ortus.needs_vassal")

    def take_commit(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if self._commit(table, self.attacker, answers):
            return "counter"
        return self._end(table)

    def who_counter(self, table: Table) -> list[Seat]:
        return self._asked(table, self.defender)

    def ask_counter(self, table: Table, seat: Seat) -> Ask:
        return self._ask(table, seat, "counter", "D-32")

    vet_counter, verbs_counter, explain_counter = vet_commit, verbs_commit, explain_commit

    def take_counter(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if self._commit(table, self.defender, answers):
            return "commit"
        return self._end(table)

    def _ask(self, table: Table, seat: Seat, name: str, rule: str) -> Ask:
        ids = self.vassals(table, seat)
        options = [Option("pass")]
        if ids:
            one = PickOne("vassal", choices(sorted(set(ids))))
            options.append(
                Option("commit", (one, PickSome("further", choices(ids), 0, len(ids) - 1)) if len(ids) > 1 else (one,))
            )
        about = {**self.about_attempt, "attackers": len(self.committed[self.attacker])}
        about["defenders"] = len(self.committed[self.defender])
        return Ask(seat, name, tuple(options), Answer("pass"), rule, lambda: {**about, "lies": lying(table)})

    def _commit(self, table: Table, seat: Seat, answers: dict[Seat, Answer]) -> bool:
        """Commit a Vassal; False: pass."""
        able = self.vassals(table, seat)
        promised = self.ahead.get(seat, [])
        answer = answers.get(seat)
        if answer is not None:
            if answer.option == "pass":
                return False
            id, self.ahead[seat] = answer.pick("vassal"), list(answer.some("further"))
        else:
            promised = [p for p in promised if p in able]
            if not promised:
                return False
            id, self.ahead[seat] = promised[0], promised[1:]
        if parse(id).where == "hand":
            table.earls[seat].hand.remove(parse(id).card)
        self.committed[seat].append(id)
        table.tell("vassal", seat=seat, id=id)
        return True

    def _end(self, table: Table) -> Next:
        """End a Struggle: cards from Hands are discarded, and the loser's Vassal Lords (OR-STR-5)."""
        won = len(self.committed[self.attacker]) > len(self.committed[self.defender])
        loser, lost = self.defender if won else self.attacker, list[Card]()
        for seat in (self.attacker, self.defender):
            for id in self.committed[seat]:
                if parse(id).where == "hand":
                    discard(table, parse(id).card)
                elif seat == loser:
                    fief = table.earls[seat].fief(parse(id).number)
                    assert fief is not None and fief.lord is not None
                    discard(table, fief.lord)
                    lost.append(fief.lord)
                    fief.lord = None
        self.committed = {self.attacker: [], self.defender: []}
        table.tell("struggle_over", seat=self.attacker, target=self.defender, won=won)
        tell_lost(table, table.earls[loser], lost)
        return Done("success" if won else "failure")
