"""Cavalcades (chapter CAV): Lords and Knights fight for passage."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.asks import Answer, Ask, Field, NotLegal, Number, Option, PickOne, PickSome, Seat, choices
from engine.core.procedure import Call, Done, Next, Procedure
from engine.core.visibility import Plan
from engine.fief.rules.realm.control import Settling, arrive, let_go
from engine.fief.rules.realm.table import OPEN, RIDE, Group, Lord, Place, Table
from engine.fief.rules.war.battle import Battle
from engine.fief.rules.war.captives import begin_captive, seize
from engine.fief.rules.war.entry import Entry
from engine.fief.rules.war.marching import able, brought, inside, moves_of, one_army, picked, stand
from engine.language.words import say

THROUGH, OUT = "through", "out"
"""The group just entered the village, or starts there."""


def possible(table: Table, seat: Seat, lords: Sequence[Lord], to: Place, foes: Sequence[Seat]) -> bool:
    """FF-CAV-1 to 4: a Move left after the fight, no walls, no Heavy Rain."""
    first, sort = table.lords[lords[0]], sort_of(table, seat, lords)
    if not foes or table.rainy(first.at) or table.rainy(to):
        return False
    if _walled(table, seat, lords, foes, sort) or _strands(table, seat, lords, sort):
        return False
    if (
        sort == OUT
        and table.ruled("FF-CAV-2") == "road"
        and not (inside(table, seat, first) or _barred(table, seat, first.at, to))
    ):
        return False
    knights = sum([g.knights for g in mounts(table, seat, lords)])
    riders = [table.lords[id] for id in lords]
    return knights > 0 and all(moves_of(table, p, lords) - p.moves > cost(table, sort, p.moves) for p in riders)


def mounts(table: Table, seat: Seat, lords: Sequence[Lord]) -> list[Group]:
    """Groups of Knights that can ride; out of walls only those inside (FF-CAV-4)."""
    groups = able(table, seat, lords)
    if table.villages[table.lords[lords[0]].at].walls and table.ruled("FF-CAV-4") == "never":
        groups = [g for g in groups if g.road == ""]
    return groups


def _walled(table: Table, seat: Seat, lords: Sequence[Lord], foes: Sequence[Seat], sort: str) -> bool:
    """Whether walls forbid it: a walled village `through`, or an opposed controller; those inside may leave (FF-CAV-4)."""
    village = table.villages[table.lords[lords[0]].at]
    if not village.walls:
        return False
    if village.controller in foes and village.controller != seat:
        return True
    return table.ruled("FF-CAV-4") == "never" and (sort == THROUGH or any(table.lords[id].road != "" for id in lords))


def _strands(table: Table, seat: Seat, lords: Sequence[Lord], sort: str) -> bool:
    """Whether Men-at-Arms brought this phase forbid it: `through` always, `out` unless another Lord stays (FF-CAV-1,
    FF-MOV-11).
    """
    if not one_army(table):
        return False
    at = table.lords[lords[0]].at
    if not any(g.maa for g in brought(table, seat, at, lords)):
        return False
    return sort == THROUGH or all(p.id in lords for p in table.free(seat, at))


def sort_of(table: Table, seat: Seat, lords: Sequence[Lord]) -> str:
    """`through` if any came in this phase, else `out` (FF-CAV-2)."""
    group = [table.lords[id] for id in lords]
    came = any(p.moves for p in group) if table.ruled("FF-CAV-3") == "each" else bool(group[0].moves)
    return THROUGH if came and not inside(table, seat, group[0]) else OUT


def cost(table: Table, sort: str, moves: int) -> int:
    """Moves it costs; none if the Move that brought them here was paid (FF-CAV-3)."""
    return int(sort == OUT or (not moves and table.ruled("FF-CAV-3") == "each"))


def _barred(table: Table, seat: Seat, at: Place, to: Place) -> bool:
    """Whether opposing Troops stand on that road (FF-CAV-2)."""
    troops = table.villages[at].troops
    return any(g.road == to and g.count for s, groups in troops.items() if s != seat for g in groups)


class Cavalcade(Procedure):
    """The fight and the mandatory Move after a win (FF-CAV-5 to 9)."""

    seat: Seat = ""
    lords: list[Lord] = []
    knights: int = 0
    captives: list[Lord] = []
    at: Place = ""
    to: Place = ""
    foes: list[Seat] = []
    sort: str = THROUGH
    road: str = ""
    granted: bool = False
    """A truce let it through by the road it wanted."""
    guest: Plan[str] = ""
    """Whether it enters the next village as a guest (FF-CTL-7)."""
    roads: dict[Lord, Place] = {}
    """Road of each Lord before the fight."""
    held: list[Lord] = []
    """Captives held here before the fight."""
    end: Place = ""

    def begin(self, table: Table) -> Next:
        self.road = table.lords[self.lords[0]].road
        if one_army(table):
            self.roads = {id: table.lords[id].road for id in (*self.lords, *self.captives)}
        self.held = [p.id for p in table.captives(self.seat, self.at)]
        able = mounts(table, self.seat, self.lords)
        groups = picked(table, able, self.road, 0, self.knights or sum([g.knights for g in able]), self.to)
        for id in self.captives:
            begin_captive(table, table.lords[id])
        for id in (*self.lords, *self.captives):
            p = table.lords[id]
            p.escort = tuple([id for id in p.escort if id in self.lords] if p.moves else self.lords)
            if p.captor and table.ruled("FF-MOV-6") == "own":
                p.taken = p.taken or p.road or OPEN
            p.road = RIDE
            spent = cost(table, self.sort, p.moves)
            p.moves += spent
            p.company = p.company and (not spent or any(table.lords[id].d_arc for id in self.lords))
        for group, _, n in groups:
            group.knights -= n
            escort = tuple([id for id in group.escort if id in self.lords] if group.moves else sorted(self.lords))
            moves = group.moves + cost(table, self.sort, group.moves)
            home = group.road if one_army(table) else ""
            table.put(self.seat, self.at, Group(RIDE, 0, n, group.exposed, moves, escort, home=home))
        table.tidy(self.seat, self.at)
        foes = [s for s in self.foes if table.occupies(s, self.at)]
        return Call(Battle(at=self.at, declarer=self.seat, defenders=foes, cavalcade=True), "after")

    def _mounted(self, table: Table) -> list[Group]:
        return [g for g in table.villages[self.at].troops.get(self.seat, []) if g.road == RIDE]

    def _riders(self, table: Table) -> list[Lord]:
        return [id for id in self.lords if id in table.lords and table.lords[id].free and table.lords[id].road == RIDE]

    def after(self, table: Table) -> Next:
        """FF-CAV-7, 8: ride on after a win or leave, else stop."""
        through = ("won", "leave") if table.ruled("FF-AMB-56") == "ends" else ("won", "leave", "both_gone")
        self.granted = self.came == "leave"
        if self.came in through and self._riders(table) and self._roads(table):
            return "ride_on"
        self._dismount(table)
        return Call(Settling(), "done")

    def _roads(self, table: Table) -> list[Place]:
        """Any after a win, the requested one after a truce (FF-CAV-7, 8)."""
        roads = (self.to,) if self.granted and table.ruled("FF-CAV-8") == "wanted" else table.roads(self.at)
        return [place for place in roads if not table.rainy(place)]

    def _home(self, table: Table, road: Place) -> Place:
        return "" if table.villages[self.at].controller == self.seat else road

    def _dismount(self, table: Table) -> None:
        for p in table.at(self.at):
            if p.road == RIDE:
                p.road, p.halted = self._home(table, self.roads.get(p.id, self.road)), True
        for p in [table.lords[id] for id in self.lords if id in table.lords]:
            if table.ruled("FF-MOV-2") == "made":
                p.halted = True  # captured, even if freed at once: their movement is over
            if p.taken:
                p.taken = self.roads.get(p.id) or OPEN
        for group in self._mounted(table):
            group.road, group.home, group.halted = self._home(table, self._stood(group)), "", True
        table.tidy(self.seat, self.at)

    def _stood(self, group: Group) -> Place:
        return group.home if self.roads else self.road

    def _prey(self, table: Table) -> list[Lord]:
        """The group's captives and those just taken (FF-CAV-9)."""
        held = [id for id in self.captives if self._held(table, id)]
        return held + [p.id for p in table.captives(self.seat, self.at) if p.id not in self.held]

    def who_ride_on(self, table: Table) -> list[Seat]:
        return [self.seat] if self._riders(table) else []

    def ask_ride_on(self, table: Table, seat: Seat) -> Ask:
        """D-CAV-2: destination, Knights to leave, captives to leave or free."""
        roads = self._roads(table)
        to = self.to if self.to in roads else roads[0]
        knights = sum(g.knights for g in self._mounted(table))
        fields: list[Field] = [PickOne("to", choices(roads)), Number("stay", 0, knights)]
        prey = self._prey(table) if table.ruled("FF-CAV-9") == "taken" else []
        if prey:
            fields += [PickSome("left", choices(prey), 0, len(prey)), PickSome("freed", choices(prey), 0, len(prey))]
        return Ask(seat, "ride_on", (Option("ride", tuple(fields)),), Answer("ride", {"to": to}), "D-CAV-2", {"at": self.at})

    def vet_ride_on(self, table: Table, seat: Seat, answer: Answer) -> None:
        """A captive left behind needs Knights (FF-CAV-9)."""
        left = answer.some("left")
        if both := [id for id in left if id in answer.some("freed")]:
            raise NotLegal(say("fief.left_and_freed", lord=both[0]))
        if left and not answer.number("stay"):
            raise NotLegal(say("fief.left_unguarded", lord=left[0]))

    def take_ride_on(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if not answers:
            self._dismount(table)
            return Call(Settling(), "done")
        answer = answers[self.seat]
        self._leave_behind(table, answer.number("stay"))
        if table.ruled("FF-CAV-9") == "taken":
            self._take_along(table, answer)
        if table.ruled("FF-CAV-9") != "rides":
            self._unhorse(table)
        to = self.end = answer.pick("to")
        road = stand(table, self.seat, self.at, to, self.guest)
        lords = self._riders(table)
        d_arc = any(table.lords[id].d_arc for id in lords)
        riders = [*lords, *(id for id in self.captives if self._held(table, id))]
        for id in riders:
            p = table.lords[id]
            p.at, p.road, p.moves, p.unbarred, p.company = to, road, p.moves + 1, False, p.company and d_arc
            p.taken = ""
        there = table.villages[self.at].troops
        moved = [g for g in self._mounted(table) if g.count]
        there[self.seat] = [g for g in there.get(self.seat, []) if g.road != RIDE]
        for group in moved:
            group.road, group.home, group.moves = road, "", group.moves + 1
            table.put(self.seat, to, group)
        table.tidy(self.seat, self.at)
        arrive(table, self.seat, to)
        n = sum(g.count for g in moved)
        lords = [id for id in riders if table.lords[id].free]
        table.tell("moved", seat=self.seat, lords=lords, n=n, captives=self.captives, at=self.at, to=to)
        entry = Entry(seat=self.seat, lords=riders, came=self.at, at=to)
        if entry.needed(table):
            return Call(entry, "ended")
        seize(table, self.seat, to)
        return Call(Settling(), "done")

    def ended(self, table: Table) -> Next:
        return Call(Settling(), "done") if seize(table, self.seat, self.end) else "done"

    def _take_along(self, table: Table, answer: Answer) -> None:
        """Take captives along, leave or free them (FF-CAV-9)."""
        freed, lords = answer.some("freed"), self._riders(table)
        self.captives = [id for id in self._prey(table) if id not in (*answer.some("left"), *freed)]
        for id in self.captives:
            begin_captive(table, table.lords[id])
            table.lords[id].escort = table.lords[id].escort or tuple(lords)
        for id in freed:
            if self._held(table, id):
                table.lords[id].road = OPEN
                let_go(table, table.lords[id])

    def _held(self, table: Table, id: Lord) -> bool:
        return id in table.lords and table.lords[id].captor == self.seat

    def _leave_behind(self, table: Table, stay: int) -> None:
        controller = table.villages[self.at].controller
        for group in self._mounted(table):
            road = "" if controller in ("", self.seat) else self._stood(group)
            n = min(stay, group.knights)
            group.knights -= n
            stay -= n
            table.put(self.seat, self.at, Group(road, 0, n, group.exposed, group.moves, group.escort, True))

    def _unhorse(self, table: Table) -> None:
        """New captives stay in place, held or free in the open (FF-CAV-9)."""
        left = [g.road for g in table.villages[self.at].troops.get(self.seat, []) if g.road != RIDE and g.count]
        left += [p.road for p in table.free(self.seat, self.at) if p.road != RIDE]
        for p in table.captives(self.seat, self.at):
            if p.road == RIDE and p.id not in self.captives:
                p.road = left[0] if left else OPEN

    def done(self, table: Table) -> Next:
        return Done(self.came)
