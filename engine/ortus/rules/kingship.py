"""Kingship: Banners, crown check, levy (rules 8.9)."""

from __future__ import annotations

from engine.core.asks import Answer, Ask, Option, PickOne, Seat, choices
from engine.core.procedure import Done, Next, Procedure
from engine.ortus.rules.orderings import troops_to_give
from engine.ortus.rules.table import Table, discard_all


def crown_check(table: Table) -> Crowning | None:
    """Crowning due if an Earl leads by 2 Banners without a King (OR-KING-2)."""
    if table.king or table.outcome is not None:
        return None
    counts = sorted(((len(table.earls[s].banners), s) for s in table.alive()), reverse=True)
    if counts and counts[0][0] >= 2 and (len(counts) == 1 or counts[0][0] - counts[1][0] >= 2):
        return Crowning(king=counts[0][1])
    return None


class Crowning(Procedure):
    """A King is crowned; others give Reserve cards to the Royal Army (OR-KING-3, 4)."""

    king: Seat = ""

    def begin(self, table: Table) -> Next:
        table.king = self.king
        for earl in table.earls.values():
            discard_all(table, earl.banners)
            earl.banners = []
        table.tell("crowned", seat=self.king)
        return "levy"

    def _givers(self, table: Table) -> list[Seat]:
        return [e.seat for e in table.others(self.king) if e.reserve]

    def who_levy(self, table: Table) -> list[Seat]:
        """Earls with several Reserve cards; a single one is publicly forced (OR-DEC-5)."""
        return [s for s in self._givers(table) if len(table.earls[s].reserve) > 1]

    def ask_levy(self, table: Table, seat: Seat) -> Ask:
        """D-33: concurrent, hidden."""
        reserve = table.earls[seat].reserve
        give = Option("give", (PickOne("card", choices(sorted(set(reserve)))),))
        default = Answer("give", {"card": troops_to_give(reserve, 1)[0]})
        return Ask(seat, "levy", (give,), default, "D-33", {"king": self.king})

    def take_levy(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat in self._givers(table):
            earl = table.earls[seat]
            card = answers[seat].pick("card") if seat in answers else earl.reserve[0]
            earl.reserve.remove(card)
            table.royal.append(card)
            table.tell("levied", seat=seat, card=card, king=self.king)
        return Done()
