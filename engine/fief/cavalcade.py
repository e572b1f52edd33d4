"""Cavalcades (chapter CAV): a way forced open by Lords and Knights."""

from __future__ import annotations

from collections.abc import Sequence

from engine.asks import Answer, Ask, Number, Option, PickOne, Seat, choices
from engine.fief.battle import Battle
from engine.fief.control import Settling, arrive
from engine.fief.entry import Entry
from engine.fief.marching import inside, may_lead, moves_of, stand
from engine.fief.table import OPEN, RIDE, Group, Lord, Place, Table
from engine.procedure import Call, Done, Next, Procedure
from engine.sight import Plan

THROUGH, OUT = "through", "out"
"""The group has just entered the village; or it starts there (sallying out of a siege, too)."""


def possible(table: Table, seat: Seat, lords: Sequence[Lord], to: Place, foes: Sequence[Seat], sort: str) -> bool:
    """FF-CAV-1 to 4: Lords and Knights with a Move left after the fight, not against walls, not under Heavy Rain."""
    first = table.lords[lords[0]]
    village = table.villages[first.at]
    if not foes or table.rainy(first.at) or table.rainy(to):
        return False
    if village.walls and village.controller in foes and village.controller != seat:
        return False
    if (
        sort == OUT
        and table.ruled("FF-CAV-2") == "road"
        and not (inside(table, seat, first) or _barred(table, seat, first.at, to))
    ):
        return False
    knights = sum(g.knights for g in village.troops.get(seat, []) if g.road == first.road and may_lead(table, g, lords))
    riders = [table.lords[id] for id in lords]
    return knights > 0 and all(moves_of(table, p, lords) - p.moves > cost(table, sort, p.moves) for p in riders)


def sort_of(table: Table, seat: Seat, lords: Sequence[Lord]) -> str:
    """Whether a group breaks out or goes through: it has come in if any of them has (FF-CAV-2)."""
    group = [table.lords[id] for id in lords]
    came = any(p.moves for p in group) if table.ruled("FF-CAV-3") == "each" else bool(group[0].moves)
    return THROUGH if came and not inside(table, seat, group[0]) else OUT


def cost(table: Table, sort: str, moves: int) -> int:
    """The Moves that the fight costs who has made so many: none whom the Move that brought him here has cost one (FF-CAV-3)."""
    return int(sort == OUT or (not moves and table.ruled("FF-CAV-3") == "each"))


def _barred(table: Table, seat: Seat, at: Place, to: Place) -> bool:
    """Whether opposing Troops stand on that road (FF-CAV-2)."""
    troops = table.villages[at].troops
    return any(g.road == to and g.count for s, groups in troops.items() if s != seat for g in groups)


class Cavalcade(Procedure):
    """One fight for a road, at once, and the Move that must follow when it is won (FF-CAV-5 to 9)."""

    seat: Seat = ""
    lords: list[Lord] = []
    knights: int = 0
    captives: list[Lord] = []
    at: Place = ""
    to: Place = ""
    foes: list[Seat] = []
    sort: str = THROUGH
    road: str = ""
    """Where the group stood before."""
    granted: bool = False
    """A truce has let it through, by the road that it wanted."""
    guest: Plan[str] = ""
    """Whether it comes as a guest to where it rides on, as its order declares (FF-CTL-7)."""

    def begin(self, table: Table) -> Next:
        self.road = table.lords[self.lords[0]].road
        for id in (*self.lords, *self.captives):
            p = table.lords[id]
            p.escort = tuple([id for id in p.escort if id in self.lords] if p.moves else self.lords)
            p.road = RIDE
            spent = cost(table, self.sort, p.moves)
            p.moves += spent
            p.company = p.company and (not spent or any(table.lords[id].d_arc for id in self.lords))
        able = [g for g in self._groups(table, self.road) if may_lead(table, g, self.lords)]
        knights = self.knights or sum(g.knights for g in able)
        for group in sorted(able, key=lambda g: -g.moves):
            n = min(knights, group.knights)
            group.knights -= n
            knights -= n
            escort = tuple([id for id in group.escort if id in self.lords] if group.moves else sorted(self.lords))
            moves = group.moves + cost(table, self.sort, group.moves)
            table.put(self.seat, self.at, Group(RIDE, 0, n, group.exposed, moves, escort))
        table.tidy(self.seat, self.at)
        foes = [s for s in self.foes if table.occupies(s, self.at)]
        return Call(Battle(at=self.at, declarer=self.seat, attackers=[self.seat], defenders=foes, cavalcade=True), "after")

    def _groups(self, table: Table, road: str) -> list[Group]:
        return [g for g in table.villages[self.at].troops.get(self.seat, []) if g.road == road]

    def _riders(self, table: Table) -> list[Lord]:
        return [id for id in self.lords if id in table.lords and table.lords[id].free and table.lords[id].road == RIDE]

    def after(self, table: Table) -> Next:
        """FF-CAV-7, 8: who has won, or was let through, goes on; for all others it ends here."""
        through = ("won", "leave") if table.ruled("FF-AMB-56") == "ends" else ("won", "leave", "both_gone")
        if self.came in through and self._riders(table) and self._roads(table):
            self.granted = self.came == "leave"
            return "ride_on"
        self._dismount(table)
        return Call(Settling(), "done")

    def _roads(self, table: Table) -> list[Place]:
        """Where it can ride on to: any road when it has won, the one that it wanted when it is let through (FF-CAV-7, 8)."""
        let = self.came == "leave" or self.granted
        roads = (self.to,) if let and table.ruled("FF-CAV-8") == "wanted" else table.roads(self.at)
        return [] if table.rainy(self.at) else [place for place in roads if not table.rainy(place)]

    def _dismount(self, table: Table) -> None:
        controller = table.villages[self.at].controller
        road = "" if controller == self.seat else self.road
        for p in table.at(self.at):
            if p.road == RIDE:
                p.road, p.halted = road, True
        for id in self.lords:
            if id in table.lords and table.ruled("FF-MOV-2") == "made":
                table.lords[id].halted = True  # captured, or free again at once: his movement is over, too
        for group in self._groups(table, RIDE):
            group.road, group.halted = road, True
        table.tidy(self.seat, self.at)

    def who_ride_on(self, table: Table) -> list[Seat]:
        return [self.seat] if self._riders(table) else []

    def ask_ride_on(self, table: Table, seat: Seat) -> Ask:
        """Where to, and how many Knights stay, to hold the village, say."""
        roads = self._roads(table)
        to = self.to if self.to in roads else roads[0]
        knights = sum(g.knights for g in self._groups(table, RIDE))
        fields = (PickOne("to", choices(roads)), Number("stay", 0, knights))
        return Ask(seat, "ride_on", (Option("ride", fields),), Answer("ride", {"to": to}), "D-MOV-1", {"at": self.at})

    def take_ride_on(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if not answers:
            self._dismount(table)
            return Call(Settling(), "done")
        answer = answers[self.seat]
        self._leave_behind(table, answer.number("stay"))
        if table.ruled("FF-CAV-9") == "stands":
            self._unhorse(table)
        to = answer.pick("to")
        road = stand(table, self.seat, self.at, to, self.guest)
        led = any(table.lords[id].d_arc for id in self._riders(table))
        riders = [*self._riders(table), *(id for id in self.captives if self._held(table, id))]
        for id in riders:
            p = table.lords[id]
            p.at, p.road, p.moves, p.unbarred, p.company = to, road, p.moves + 1, False, p.company and led
        there = table.villages[self.at].troops
        moved = [g for g in self._groups(table, RIDE) if g.count]
        there[self.seat] = [g for g in there.get(self.seat, []) if g.road != RIDE]
        for group in moved:
            group.road, group.moves = road, group.moves + 1
            table.put(self.seat, to, group)
        table.tidy(self.seat, self.at)
        arrive(table, self.seat, to)
        n = sum(g.count for g in moved)
        table.tell("moved", seat=self.seat, lords=self._named(riders, table), n=n, captives=self.captives, at=self.at, to=to)
        entry = Entry(seat=self.seat, lords=riders, came=self.at, at=to)
        return Call(entry, "done") if entry.needed(table) else Call(Settling(), "done")

    @staticmethod
    def _named(riders: list[Lord], table: Table) -> list[Lord]:
        return [id for id in riders if table.lords[id].free]

    def _held(self, table: Table, id: Lord) -> bool:
        return id in table.lords and table.lords[id].captor == self.seat

    def _leave_behind(self, table: Table, stay: int) -> None:
        controller = table.villages[self.at].controller
        road = "" if controller in ("", self.seat) else self.road
        for group in self._groups(table, RIDE):
            n = min(stay, group.knights)
            group.knights -= n
            stay -= n
            table.put(self.seat, self.at, Group(road, 0, n, group.exposed, group.moves, group.escort, True))

    def _unhorse(self, table: Table) -> None:
        """Whom the riders have just captured stays where he is (FF-CAV-9): with those who hold him, or free in the open."""
        left = [g.road for g in table.villages[self.at].troops.get(self.seat, []) if g.road != RIDE and g.count]
        left += [p.road for p in table.free(self.seat, self.at) if p.road != RIDE]
        for p in table.captives(self.seat, self.at):
            if p.road == RIDE and p.id not in self.captives:
                p.road = left[0] if left else OPEN

    def done(self, table: Table) -> Next:
        return Done(self.came)
