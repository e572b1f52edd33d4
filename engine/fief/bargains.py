"""What players put to each other: exchanges (FF-DIP-9), cessions, annulments, relics that change hands.

They lie on the table as proposals do (`engine.offers`). What they come to is written in `diplomacy`, which knows the table; as
the table holds them, it can only be looked up when they are answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import msgspec

from engine.asks import Answer, Ask, Cell, Option, Seat
from engine.offers import Proposal
from engine.procedure import Procedure

if TYPE_CHECKING:
    from engine.fief.table import Table


class Terms(msgspec.Struct):
    """What one of the two gives."""

    deniers: int = 0
    cards: list[str] = []
    villages: list[str] = []
    """Villages that he cedes."""
    passage: list[str] = []
    """Villages where he grants passage this round."""
    captives: list[str] = []
    """Captives whom he releases."""
    annul: str = ""
    """As Pope: the Lord whose marriage he annuls."""

    def empty(self) -> bool:
        return self == Terms()


class Exchange(Proposal):
    """D-DIP-3 and 4: known to the two alone until it is accepted; then all of it is carried out, or nothing."""

    kind: ClassVar[str] = "exchange"
    rule: ClassVar[str] = "D-DIP-4"
    give: Terms
    want: Terms
    lord: str = ""
    """With a marriage (FF-MAR-3): the proposer's Lord, and the other's."""
    other: str = ""
    spender: Seat = ""
    """Who spends all markers, in a marriage bargain (FF-MAR-6)."""

    def about(self) -> Mapping[str, Cell]:
        told: dict[str, Cell] = {"by": self.by, "to": self.to[0] if self.to else "", "lord": self.lord, "other": self.other}
        for side, terms in (("give", self.give), ("want", self.want)):
            told |= {
                f"{side}_deniers": terms.deniers, f"{side}_cards": terms.cards, f"{side}_villages": terms.villages,
                f"{side}_passage": terms.passage, f"{side}_captives": terms.captives, f"{side}_annul": terms.annul,
            }  # fmt: skip
        return told

    def vet(self, table: Table, seat: Seat, answer: Answer) -> None:
        from engine.fief import diplomacy

        if answer.option == "accept":
            diplomacy.judge(table, self, seat)

    def take(self, table: Table, seat: Seat, answer: Answer) -> Procedure | None:
        from engine.fief import diplomacy

        if answer.option == "accept":
            return diplomacy.carry_out(table, self, seat)
        table.tell("exchange_refused", only=(self.by, seat), seat=seat, by=self.by)
        return None

    def lapse(self, table: Table, how: str) -> None:
        table.tell(
            "exchange_lapsed", only=tuple(self.only or ()), by=self.by, how="withdrawn" if how == "withdrawn" else "over"
        )


class Cession(Proposal):
    """D-CTL-2: control of a village to one who occupies it (FF-CTL-4)."""

    kind: ClassVar[str] = "cession"
    rule: ClassVar[str] = "D-CTL-2"
    village: str

    def about(self) -> Mapping[str, Cell]:
        return {"by": self.by, "village": self.village}

    def vet(self, table: Table, seat: Seat, answer: Answer) -> None:
        from engine.fief import diplomacy

        if answer.option == "accept":
            diplomacy.check_cession(table, self.by, seat, self.village)

    def take(self, table: Table, seat: Seat, answer: Answer) -> Procedure | None:
        from engine.fief import diplomacy

        if answer.option == "accept":
            return diplomacy.cede(table, self.by, seat, self.village)
        table.tell("cession_refused", only=(self.by, seat), seat=seat, by=self.by, village=self.village)
        return None

    def lapse(self, table: Table, how: str) -> None:
        table.tell("cession_lapsed", only=tuple(self.only or ()), by=self.by, village=self.village)


class Annulment(Proposal):
    """D-ANN-2: the Pope is asked to annul a marriage, before all (FF-MAR-11)."""

    kind: ClassVar[str] = "annulment"
    rule: ClassVar[str] = "D-ANN-2"
    lord: str

    def about(self) -> Mapping[str, Cell]:
        return {"by": self.by, "lord": self.lord}

    def vet(self, table: Table, seat: Seat, answer: Answer) -> None:
        from engine.fief import diplomacy

        if answer.option == "accept":
            diplomacy.check_annulment(table, seat, self.lord)

    def take(self, table: Table, seat: Seat, answer: Answer) -> Procedure | None:
        from engine.fief import diplomacy

        if answer.option == "accept":
            return diplomacy.annulled(table, self.lord)
        table.tell("annulment_refused", seat=seat, lord=self.lord)
        return None

    def lapse(self, table: Table, how: str) -> None:
        table.tell("annulment_lapsed", by=self.by, lord=self.lord)


class RelicGift(Proposal):
    """D-REL-2 and 5: a relic goes to another player's Lord in the same village, or may be taken there (FF-OPT-2, 3)."""

    kind: ClassVar[str] = "relic"
    rule: ClassVar[str] = "D-REL-5"
    relic: str
    lord: str
    """Who is to bear it."""
    taking: bool = False
    """It lies there: the controller is asked for leave (D-REL-2); else its bearer gives it (D-REL-5)."""

    def about(self) -> Mapping[str, Cell]:
        return {"by": self.by, "relic": self.relic, "lord": self.lord, "taking": int(self.taking)}

    def ask(self, table: Table, seat: Seat) -> Ask:
        options = (Option("accept"), Option("refuse"))
        row = "D-REL-2" if self.taking else "D-REL-5"
        return Ask(seat, self.kind, options, Answer("refuse"), row, self.about())

    def vet(self, table: Table, seat: Seat, answer: Answer) -> None:
        from engine.fief import relics

        if answer.option == "accept":
            relics.check_hand_over(table, self.relic, self.lord, self.taking)

    def take(self, table: Table, seat: Seat, answer: Answer) -> Procedure | None:
        from engine.fief import relics

        if answer.option == "accept":
            relics.hand_over(table, self.relic, self.lord, self.taking)
        else:
            table.tell("relic_refused", seat=seat, by=self.by, relic=self.relic)
        return None

    def lapse(self, table: Table, how: str) -> None:
        table.tell("relic_lapsed", by=self.by, relic=self.relic)


Bargain = Exchange | Cession | Annulment | RelicGift
