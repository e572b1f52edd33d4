"""The Plague's effect on groups that enter its Bishopric (FF-DIS-6, 7)."""

from __future__ import annotations

from engine.core.asks import Answer, Ask, Seat
from engine.core.procedure import Call, Next, Procedure, ended
from engine.fief.rules.court.deaths import Deaths
from engine.fief.rules.court.disasters import ask_losses, half, roll_for
from engine.fief.rules.realm.control import settling
from engine.fief.rules.realm.table import Group, Lord, Person, Place, Table, take, total


class Entry(Procedure):
    """Unexposed Lords of an arriving group roll, unexposed Troops lose half."""

    seat: Seat = ""
    lords: list[Lord] = []
    """Including captives."""
    came: Place = ""
    at: Place = ""

    def needed(self, table: Table) -> bool:
        return table.plagued(self.at) and bool(self._new_lords(table) or self._new_troops(table))

    def _new_lords(self, table: Table) -> list[Person]:
        see = table.see_of(self.at)
        return [p for id in self.lords if (p := table.lords.get(id)) is not None and see not in p.exposed]

    def _new_troops(self, table: Table) -> list[Group]:
        see = table.see_of(self.at)
        return [g for g in table.villages[self.at].troops.get(self.seat, []) if see not in g.exposed and g.moves]

    def begin(self, table: Table) -> Next:
        lords = self._new_lords(table)
        if table.plagued(self.came) and table.see_of(self.came) != table.see_of(self.at):
            self._expose(table)  # moving directly between Plagues counts as exposed to both
            return "settle"
        dying = roll_for(table, lords)
        for p in lords:
            p.exposed += (table.see_of(self.at),)
        return Call(Deaths(dying=dying, cause="plague"), "plague")

    def _expose(self, table: Table) -> None:
        see = table.see_of(self.at)
        for p in self._new_lords(table):
            p.exposed += (see,)
        for group in self._new_troops(table):
            group.exposed += (see,)
        table.tidy(self.seat, self.at)

    def _lost(self, table: Table) -> tuple[int, int, int]:
        return half(*total(self._new_troops(table)))

    def who_plague(self, table: Table) -> list[Seat]:
        lost, least, most = self._lost(table)
        return [self.seat] if lost and (least < most or table.options.fog_of_war) else []

    def ask_plague(self, table: Table, seat: Seat) -> Ask:
        return ask_losses(seat, table.see_of(self.at), {self.at: self._lost(table)})

    def take_plague(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        lost, least, _ = self._lost(table)
        if lost:
            knights = answers[self.seat].number(self.at) if answers else least
            maa = lost - knights
            table.tell("plague_losses", seat=self.seat, village=self.at, maa=maa, knights=knights)
            take(self._new_troops(table), maa, knights)
        for group in table.villages[self.at].troops.get(self.seat, []):
            group.halted = group.halted or (bool(group.moves) and not any(id in table.lords for id in group.escort))
        self._expose(table)
        return "settle"

    settle = settling
    done = ended
