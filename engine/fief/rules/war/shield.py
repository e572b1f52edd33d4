"""Secret Passage against Assassination and Ambush (FF-SEC-5)."""

from __future__ import annotations

from typing import ClassVar

from engine.core.asks import Answer, Ask, Option, Seat, illegal_if
from engine.core.procedure import Done, Next
from engine.core.reaction_chain import Chain
from engine.fief.rules.realm.pieces import AMBUSH, PASSAGE
from engine.fief.rules.realm.table import Lord, Table

SHIELDED = "shielded"


class Shield(Chain):
    """D-AMB-1, D-ASN-2: asked with a grey back; only a card already in hand helps. Returns `shielded` or ''."""

    kind: ClassVar[str] = "shield"

    by: Seat = ""
    lord: Lord = ""
    card: str = ""

    def _announce(self, table: Table) -> list[Seat]:
        seat = table.lords[self.lord].seat
        return [seat] if table.grey(seat) else []

    def _ask(self, table: Table, seat: Seat) -> Ask:
        default = "shield" if PASSAGE in table.families[seat].hand else "none"
        row = "D-AMB-1" if self.card == AMBUSH else "D-ASN-2"
        about = {"by": self.by, "lord": self.lord, "card": self.card}
        return Ask(seat, "shield", (Option("shield"), Option("none")), Answer(default), row, about)

    def _vet(self, table: Table, seat: Seat, answer: Answer) -> None:
        illegal_if(answer.option == "shield" and PASSAGE not in table.families[seat].hand, "fief.no_such_card", card=PASSAGE)

    def _resolve(self, table: Table) -> Next:
        for seat, answer in self.said.items():
            if answer.option == "shield":
                table.spend(seat, PASSAGE)
                table.tell("shielded", seat=seat, lord=self.lord, card=self.card)
                return Done(SHIELDED)
        return Done()
