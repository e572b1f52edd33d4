"""Conquest: control, victory check, tile's ability (MM-GEN-3, MM-TER-6 to 8)."""

from __future__ import annotations

from engine.core.asks import Answer, Ask, Fields, Option, PickOne, Seat, choices
from engine.core.procedure import Done, Next, Procedure
from engine.mastery.rules.cards import discard
from engine.mastery.rules.table import Table, check_victory, gain, points


class Conquest(Procedure):
    """A conquest; the knights are already in place."""

    seat: Seat = ""
    slot: str = ""
    left: list[str] = []

    def begin(self, table: Table) -> Next:
        land = table.lands[self.slot]
        table.tell(
            "conquered", seat=self.seat, slot=self.slot, tile=land.tile, count=land.knights, points=points(table, self.seat)
        )
        if table.ruled("MM-AMB-41") == "first" and check_victory(table, self.seat):
            return Done()
        self.left = list(table.tile(self.slot).on_conquer)
        return "abilities"

    def abilities(self, table: Table) -> Next:
        while self.left:
            match self.left.pop(0):
                case "PLACE_1_KNIGHT_IN_CASTLE":
                    gain(table, self.seat, 1, "tile")
                case "LOSE_1_KNIGHT_HERE":
                    self._swallow(table)
                case _:
                    return "discard"
        if table.ruled("MM-AMB-41") == "after":
            check_victory(table, self.seat)
        return Done()

    def _swallow(self, table: Table) -> None:
        """Marshlands: the last knight is lost or spared, by ruling (MM-AMB-44)."""
        land = table.lands[self.slot]
        if not land.holder and table.ruled("MM-TER-7") == "none":
            return  # vacant by now: a host's tile that takes two knights
        if land.knights == 1 and table.ruled("MM-AMB-44") == "spared":
            return
        land.knights -= 1
        if not land.knights:
            land.holder = ""
        table.tell("swallowed", seat=self.seat, slot=self.slot, tile=land.tile, left=land.knights)

    def who_discard(self, table: Table) -> list[Seat]:
        return [self.seat] if table.lords[self.seat].hand else []

    def ask_discard(self, table: Table, seat: Seat) -> Ask:
        return may_discard(table, seat, "MM-DEC-20", {"why": "tile", "tile": table.lands[self.slot].tile, "slot": self.slot})

    def take_discard(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            discard_by_choice(table, seat, answer)
        return "abilities"


def may_discard(table: Table, seat: Seat, rule: str, about: dict[str, str]) -> Ask:
    def fields() -> Fields:
        return (PickOne("card", choices(sorted(table.lords[seat].hand))),)

    return Ask(seat, "discard", (Option("keep"), Option("discard", fields)), Answer("keep"), rule, about)


def discard_by_choice(table: Table, seat: Seat, answer: Answer) -> None:
    if answer.option == "discard":
        discard(table, seat, answer.pick("card"))
        table.tell("discarded", seat=seat, card=answer.pick("card"))
    else:
        table.tell("kept_all", seat=seat)
