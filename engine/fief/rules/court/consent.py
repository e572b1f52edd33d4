"""The Pope's consent to Cardinals (FF-CAR-3), for a hand card and a bought counter."""

from __future__ import annotations

from typing import ClassVar

from engine.core.asks import Ask, Seat
from engine.core.procedure import Done, Next, yes_no
from engine.core.reaction_chain import Chain
from engine.fief.rules.realm.pieces import CARDINAL
from engine.fief.rules.realm.table import Lord, Person, Table

REFUSED = "refused"


def hatless(table: Table) -> list[Lord]:
    """Bishops who aren't Cardinals, captives included (FF-CAR-2, FF-AMB-23)."""
    return [p.id for p in table.lords.values() if p.bishop and not p.cardinal]


def has_to_consent(table: Table, seat: Seat) -> Person | None:
    """Another player's Pope, if he must be asked."""
    pope = consenting_pope(table)
    return pope if pope is not None and pope.seat != seat else None


def consenting_pope(table: Table) -> Person | None:
    """A captive one only under the house ruling FF-AMB-21."""
    pope = table.who("pope")
    return pope if pope is not None and (pope.free or table.ruled("FF-AMB-21") == "asked") else None


def make_cardinal(table: Table, seat: Seat, lord: Lord, by: str) -> None:
    """FF-CAR-2; a card stays out while he is Cardinal."""
    if by == "card":
        table.families[seat].hand.remove(CARDINAL)
    else:
        table.pay(seat, table.lore.prices["cardinal"])
    table.lords[lord].cardinal = by
    table.consents = [c for c in table.consents if c[2] != lord]
    table.tell("cardinal", seat=seat, lord=lord, by=by)


class Consent(Chain):
    """D-CAR-2: no answer is a refusal and costs nothing (FF-AMB-22)."""

    kind: ClassVar[str] = "consent"

    seat: Seat = ""
    lord: Lord = ""
    by: str = "card"

    def _announce(self, table: Table) -> list[Seat]:
        pope = has_to_consent(table, self.seat)
        if pope is None or (pope.seat, self.seat, self.lord) in table.consents:
            return []
        table.tell("consent_asked", seat=self.seat, lord=self.lord, by=self.by, pope=pope.id)
        return [pope.seat]

    def _ask(self, table: Table, seat: Seat) -> Ask:
        return yes_no(seat, "consent", "D-CAR-2", about={"seat": self.seat, "lord": self.lord, "by": self.by})

    def _resolve(self, table: Table) -> Next:
        if all(answer.option == "yes" for answer in self.said.values()):
            make_cardinal(table, self.seat, self.lord, self.by)
            return Done("consent")
        table.tell("consent_refused", seat=self.seat, lord=self.lord, by=self.by)
        return Done(REFUSED)
