"""Step 4a: ransoms (chapter RAN)."""

from __future__ import annotations

from typing import Protocol

from engine.core.asks import Answer, Ask, Cell, NotLegal, Number, Option, PickOne, Seat, choices, prefilled
from engine.core.procedure import Call, Done, Next, Procedure, yes_no
from engine.core.visibility import Plan
from engine.fief.rules.realm.placing import Placing, set_free
from engine.fief.rules.realm.table import Lord, Person, Table, titles_of
from engine.language.words import say

LESS = "less"
"""Option of D-RAN-1; the captor alone learns its sum (FF-RAN-3)."""


def full_ransom(table: Table, lord: Person) -> int:
    """Full ransom in Deniers (FF-RAN-1)."""
    return 2 + 2 * titles_of(table, lord)


def held(table: Table, seat: Seat) -> list[Person]:
    return [p for p in table.lords.values() if p.captor and p.seat == seat]


# --- a lower sum (FF-RAN-3, 4) ----------------------------------------------------------------------------------------


class Offer(Protocol):
    """A procedure that offers `sum` for the captive `lord`."""

    lord: Lord
    sum: int
    offered: list[Lord]


def _private(table: Table) -> bool:
    return table.ruled("FF-RAN-3") == "captor"


def tell_offer(offer: Offer, table: Table) -> None:
    """Announce a ransom, by ruling to owner and captor alone (D-RAN-1)."""
    p = table.lords[offer.lord]
    only = (p.seat, p.captor) if _private(table) else None
    table.tell("ransom_offered", only=only, seat=p.seat, lord=p.id, sum=offer.sum, captor=p.captor)


def known_sum(offer: Offer, table: Table, reader: Seat | None) -> int:
    """Sum of an offer; 0 for a reader who may not know it."""
    p = table.lords.get(offer.lord)
    return offer.sum if not _private(table) or (p is not None and reader in (p.seat, p.captor)) else 0


def who_captor(offer: Offer, table: Table) -> list[Seat]:
    p = table.lords.get(offer.lord)
    return [p.captor] if p is not None and p.captor and table.families[p.seat].deniers >= offer.sum else []


def ask_captor(offer: Offer, table: Table, seat: Seat) -> Ask:
    """Whether he accepts a lower sum (D-RAN-2)."""
    p = table.lords[offer.lord]
    about: dict[str, Cell] = {"lord": p.id, "seat": p.seat, "sum": offer.sum, "full": full_ransom(table, p)}
    return yes_no(seat, "ransom_answer", "D-RAN-2", about=about)


def accepted(offer: Offer, table: Table, answers: dict[Seat, Answer]) -> bool:
    """Whether a captor accepts what can still be paid; logs and records a refusal."""
    due = bool(who_captor(offer, table))
    if due and any(answer.option == "no" for answer in answers.values()):
        table.tell("ransom_refused", lord=offer.lord, captor=table.lords[offer.lord].captor)
        offer.offered.append(offer.lord)
        return False
    return due


class Ransoms(Procedure):
    """Pay in full if able, unless the captor accepts less (FF-RAN-2, 3)."""

    left: list[Seat] = []
    purse: dict[Seat, int] = {}
    """Rest of the purse at phase start (FF-AMB-42), ransoms by exchange not yet taken off."""
    offered: list[Lord] = []
    """Lords with a lower sum refused, or none offered."""
    lord: Lord = ""
    sum: Plan[int] = 0

    known_sum, who_ransom_answer, ask_ransom_answer = known_sum, who_captor, ask_captor

    def begin(self, table: Table) -> Next:
        self.left = table.in_order()
        self.purse = {s: table.families[s].deniers for s in table.seats}
        table.ransoms = {}
        return "next"

    def next(self, table: Table) -> Next:
        while self.left:
            if due := self._due(table, self.left[0]):
                return "ransom" if any(p.id not in self.offered for p in due) else "ransom_which"
            self.left.pop(0)
        return Done()

    def _due(self, table: Table, seat: Seat) -> list[Person]:
        purse = self._rest(table, seat)
        return [p for p in held(table, seat) if full_ransom(table, p) <= purse]

    def _rest(self, table: Table, seat: Seat) -> int:
        """What is left of the purse at phase start (FF-AMB-42); some may be given away."""
        return min(self.purse[seat] - table.ransoms.get(seat, 0), table.families[seat].deniers)

    def who_ransom(self, table: Table) -> list[Seat]:
        """D-RAN-1: only those who must pay; others offer in their own turn."""
        return [s for s in self.left[:1] if any(p.id not in self.offered for p in self._due(table, s))]

    def ask_ransom(self, table: Table, seat: Seat) -> Ask:
        due = [p for p in self._due(table, seat) if p.id not in self.offered]
        lord = PickOne("captive", choices(p.id for p in due))
        most = max(full_ransom(table, p) for p in due) - 1
        about = {"due": {p.id: str(full_ransom(table, p)) for p in due}}
        offer = LESS if _private(table) else "offer"  # `audience` hides LESS from others
        options = (Option(offer, (lord, Number("sum", 0, most))), Option("full"))
        return Ask(seat, "ransom", options, Answer("full"), "D-RAN-1", about)

    def vet_ransom(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option != "full" and answer.number("sum") >= full_ransom(table, table.lords[answer.pick("captive")]):
            lord = table.lords[answer.pick("captive")]
            raise NotLegal(say("fief.over_ransom", lord=lord.id, n=full_ransom(table, lord)))

    def take_ransom(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            if answer.option == "full":
                self.offered += [p.id for p in self._due(table, seat)]
                return "next"
            self.lord, self.sum = answer.pick("captive"), answer.number("sum")
            tell_offer(self, table)
            return "ransom_answer"
        return "next"

    def take_ransom_answer(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        return self._pay(table, table.lords[self.lord], self.sum) if accepted(self, table, answers) else "next"

    # the full ransom

    def who_ransom_which(self, table: Table) -> list[Seat]:
        seat = self.left[0]
        due = self._due(table, seat)
        return [seat] if len(due) > 1 and sum(full_ransom(table, p) for p in due) > self._rest(table, seat) else []

    def ask_ransom_which(self, table: Table, seat: Seat) -> Ask:
        """D-RAN-3: which captive, if the purse can't pay for all."""
        due = sorted(self._due(table, seat), key=lambda p: (-full_ransom(table, p), p.id))
        pay = Option("pay", (PickOne("captive", choices(p.id for p in due)),))
        return prefilled(seat, "ransom_which", "D-RAN-3", pay, due={p.id: str(full_ransom(table, p)) for p in due})

    def take_ransom_which(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        seat = self.left[0]
        if not self._due(table, seat):
            return "next"
        chosen = [table.lords[answer.pick("captive")] for answer in answers.values()]
        lord = chosen[0] if chosen else self._due(table, seat)[0]
        return self._pay(table, lord, full_ransom(table, lord))

    def _pay(self, table: Table, lord: Person, sum: int) -> Next:
        self.purse[lord.seat] -= sum
        ransom(table, lord, sum)
        return Call(Placing(lords=[lord.id]), "next")


def ransom(table: Table, lord: Person, sum: int) -> None:
    """Pay the captor, without a Diplomacy marker (FF-RAN-2)."""
    table.pay(lord.seat, sum, lord.captor)
    table.tell("ransomed", lord=lord.id, seat=lord.seat, captor=lord.captor, sum=sum)
    set_free(table, lord, "ransom")
