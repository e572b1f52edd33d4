"""The Vikings (rules 11)."""

from __future__ import annotations

from engine.core.asks import About, Answer, Ask, Option, PickOne, Seat, choices
from engine.core.procedure import Call, Done, Next, Procedure
from engine.ortus.rules.combat import Battle, targets
from engine.ortus.rules.kingship import crown_check
from engine.ortus.rules.pieces import MARKERS, VIKINGS
from engine.ortus.rules.table import Table, draw_several, lying


class VikingTurn(Procedure):
    """The last Turn of each Round."""

    controller: Seat = ""

    def begin(self, table: Table) -> Next:
        table.active = ""
        if table.arrived:
            _grow(table, 1)
        elif not self._approach(table):
            return Done()
        if len(table.force) < table.n + 1:
            table.tell("vikings_idle", force=len(table.force), needed=table.n + 1)
            return Done()
        return "control"

    def _approach(self, table: Table) -> bool:
        """Advance a marker (OR-VIK-1); True on arrival."""
        if table.black < MARKERS:
            if table.white:
                table.white = False
                table.tell("vikings_held", black=table.black)
                return False
            table.black += 1
            table.tell("vikings_nearer", black=table.black)
            if table.black < MARKERS:
                return False
        table.arrived, table.white = True, False
        table.tell("vikings_arrived")
        _grow(table, table.n + 1)
        return True

    def control(self, table: Table) -> Next:
        """Draw a cube and return it (OR-VIK-8), or by ruling keep it out until the Bag is empty (OR-AMB-10)."""
        if not any(earl.cubes for earl in table.earls.values()):
            for earl in table.earls.values():
                earl.cubes, earl.cubes_out = earl.cubes_out, 0
            table.tell("cubes_back")
        bag = [s for s in table.seats for _ in range(table.earls[s].cubes)]
        self.controller = bag[table.chance.below(len(bag), "influence-cube")]
        if table.ruled("OR-AMB-10") == "spent":
            table.earls[self.controller].cubes -= 1
            table.earls[self.controller].cubes_out += 1
        table.tell("vikings_controlled", seat=self.controller)
        return "vikings"

    def who_vikings(self, table: Table) -> list[Seat]:
        return [self.controller]

    def ask_vikings(self, table: Table, seat: Seat) -> Ask:
        """D-50: none, or any kind on any surviving Earl, himself included (OR-VIK-9)."""
        earls = [*table.others(seat), table.earls[seat]]
        force = len(table.force)

        def about() -> About:
            return {"force": force, "lies": lying(table)}

        options = (Option("hold"), Option("attack", lambda: (PickOne("target", choices(targets(earls))),)))
        return Ask(seat, "vikings", options, Answer("hold"), "D-50", about)

    def take_vikings(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        answer = answers[self.controller]
        if answer.option == "hold":
            table.tell("vikings_spared", seat=self.controller)
            return Done()
        return Call(Battle.on(answer.pick("target"), VIKINGS, self.controller), "leave")

    def leave(self, table: Table) -> Next:
        crowning = crown_check(table)
        return Call(crowning, "leave") if crowning else Done()


def _grow(table: Table, count: int) -> None:
    """Add Viking Cards, as available (OR-VIK-4, 5, 7)."""
    drawn = draw_several(table, table.vikings, "viking-deck", count)
    table.force += drawn
    table.tell("vikings_grew", cards=sorted(drawn), force=len(table.force))
