"""Deaths of Lords, batched by event (chapter DTH), with relics (FF-OPT-4, 9)."""

from __future__ import annotations

from typing import ClassVar

from engine.core.asks import Answer, Ask, Option, PickOne, Seat, choices, prefilled
from engine.core.procedure import Next, Procedure, ended
from engine.fief.rules.realm.control import drop_relics, hand_over, settling
from engine.fief.rules.realm.pieces import D_ARC, TEETH
from engine.fief.rules.realm.table import Group, Lord, Person, Table, without
from engine.fief.rules.realm.titles import by_house, give_fief, leave_church, part, rank, succeed


class Deaths(Procedure):
    """One event's deaths (FF-DTH-1, 2): relics, counters, succession, heirs, spouses."""

    freezes: ClassVar[bool] = True

    dying: list[Lord] = []
    cause: str = ""
    """`plague`, `battle`, `uprising`, `stoning`, `assassination` or `justice`."""
    sides: list[list[Seat]] = []
    """A battle's sides, strongest seat first."""
    fiefs: list[str] = []
    """Titles without heir, with their families and spouses."""
    families: dict[str, Seat] = {}
    spouses: dict[str, Lord] = {}

    def begin(self, table: Table) -> Next:
        self.dying = [id for id in self.dying if id in table.lords]
        return "teeth" if self.dying else "settle"

    # the Teeth of St Géronce (FF-OPT-9)

    def _saviour(self, table: Table) -> Person | None:
        return next((p for p in table.lords.values() if TEETH in p.relics and p.free), None)

    def who_teeth(self, table: Table) -> list[Seat]:
        bearer = self._saviour(table)
        return [bearer.seat] if bearer is not None else []

    def ask_teeth(self, table: Table, seat: Seat) -> Ask:
        own = [id for id in self.dying if table.lords[id].seat == seat]
        options = (Option("save", (PickOne("lord", choices(self.dying)),)), Option("none"))
        default = Answer("save", {"lord": own[0]}) if own else Answer("none")
        return Ask(seat, "teeth", options, default, "D-REL-4", {"cause": self.cause, "dying": self.dying})

    def take_teeth(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for answer in answers.values():
            if answer.option == "save":
                bearer = self._saviour(table)
                assert bearer is not None
                bearer.relics = without(bearer.relics, TEETH)
                table.gone.append(TEETH)
                saved = answer.pick("lord")
                self.dying.remove(saved)
                table.tell("saved", lord=saved, seat=table.lords[saved].seat, by=bearer.id)
        return "bury"

    def bury(self, table: Table) -> Next:
        """Remove the dead and queue their titles for heirs (FF-DTH-2)."""
        dead = [table.lords[id] for id in self.dying]
        for p in dead:
            table.tell("died", lord=p.id, seat=p.seat, at=p.at, cause=self.cause)
            table.lords_pile.append(p.id)
            if p.pope:
                end_ban(table)
            leave_church(table, p)
            if p.d_arc:
                table.lords_pile.append(D_ARC)
            for fief in p.fiefs:
                self.fiefs.append(fief)
                self.families[fief] = p.seat
                self.spouses[fief] = p.spouse
        for p in dead:
            if p.spouse:
                part(table, p)
        for p in dead:
            drop_relics(table, p, next((side for side in self.sides if p.seat in side), []))
            del table.lords[p.id]
        succeed(table, dead)
        self.spouses = {fief: spouse for fief, spouse in self.spouses.items() if spouse in table.lords}
        self.fiefs.sort(key=lambda fief: (-rank(table, fief), fief))
        return "next_heir"

    def next_heir(self, table: Table) -> Next:
        while self.fiefs:
            lords = self._heirs(table, self.fiefs[0])[1]
            if len(lords) > 1:
                return "heir"
            self._pass_on(table, lords[0] if lords else None)
        return "settle"

    # heirs, title by title (FF-DTH-3 to 5)

    def _heirs(self, table: Table, fief: str) -> tuple[Seat, list[Person]]:
        family = self.families[fief]
        if table.family(family):
            return family, by_house(table, family)
        if fief not in self.spouses:
            return "", []
        wed = table.lords[self.spouses[fief]]
        able = by_house(table, wed.seat)
        return wed.seat, [wed] if wed in able else able

    def who_heir(self, table: Table) -> list[Seat]:
        return [self._heirs(table, self.fiefs[0])[0]]

    def ask_heir(self, table: Table, seat: Seat) -> Ask:
        fief = self.fiefs[0]
        lords = choices(p.id for p in self._heirs(table, fief)[1])
        return prefilled(seat, "heir", "D-TTL-1", Option("give", (PickOne("lord", lords),)), fief=fief)

    def take_heir(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for answer in answers.values():
            self._pass_on(table, table.lords[answer.pick("lord")])
        return "next_heir"

    def _pass_on(self, table: Table, heir: Person | None) -> None:
        fief = self.fiefs.pop(0)
        family = self.families[fief]
        if heir is None:
            table.tell("title_back", fief=fief, seat=family)
            return
        give_fief(table, fief, heir)
        table.tell("inherited", fief=fief, lord=heir.id, seat=heir.seat, of=family)
        if heir.seat != family:
            _replace_troops(table, fief, family, heir.seat)

    settle = settling
    done = ended


def end_ban(table: Table) -> None:
    for p in table.lords.values():
        if p.excommunicated:
            p.excommunicated = False
            table.tell("ban_lifted", lord=p.id, seat=p.seat)


def _replace_troops(table: Table, fief: str, old: Seat, new: Seat) -> None:
    """FF-DTH-4: the spouse's counters replace his in the City, within stock (FF-AMB-48)."""
    city = table.city(fief)
    if city is None:
        return
    troops = table.has_troops(old, city.id)
    for group in city.troops.pop(old, []):
        maa, knights = table.stock(new)
        table.put(new, city.id, Group("", min(group.maa, maa), min(group.knights, knights), group.exposed))
    hand_over(table, city.id, new)
    if troops:
        table.tell("troops_replaced", village=city.id, seat=new, old=old)


def excommunicate(table: Table, lord: Person) -> None:
    """FF-POP-6: lose Bishop and Cardinal at once, keep the rest."""
    lord.excommunicated, table.banned = True, table.round
    table.tell("excommunicated", lord=lord.id, seat=lord.seat)
    leave_church(table, lord)
