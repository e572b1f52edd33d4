"""Control of villages (chapter CTL) and its effect on captives, sieges and titles. Begin with `settle`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

from engine.core.asks import Answer, Ask, Option, PickOne, Seat, choices, prefilled
from engine.core.procedure import Call, Done, Next, Procedure
from engine.fief.rules.realm.table import OPEN, RIDE, Fallen, Person, Place, Table, Village, titles_of, without
from engine.fief.rules.realm.titles import by_house, give_fief


def arrive(table: Table, seat: Seat, place: Place) -> None:
    """Append to the order of arrival (FF-CTL-9)."""
    village = table.villages[place]
    if seat not in village.order:
        village.order += (seat,)


def absent_lord(table: Table, place: Place) -> Seat:
    """Player in control by title alone; '' if none (FF-CTL-6)."""
    village = table.villages[place]
    if village.controller and not table.occupies(village.controller, place):
        return village.controller
    return ""


def be_guest(table: Table, seat: Seat, place: Place) -> None:
    """Enter as a guest of the absent title holder (FF-CTL-7)."""
    village = table.villages[place]
    if seat not in village.guests:
        village.guests[seat] = table.lord_of(table.land_of(place).id)


def settle(table: Table) -> Claim | None:
    """Update control until stable; returns a title that needs a choice."""
    for _ in range(10 * len(table.villages)):
        changed = _free_captives(table)
        sites = table.lore.sites
        stood, governors = _lords(table)
        for place, village in table.villages.items():
            holder = governors.get(sites[place].fief, "") if governors else ""
            order, controller = village.order, village.controller
            if not order and not controller and not holder and not village.engines:
                continue
            for s in order:
                if (place, s) not in stood and not table.has_troops(s, place):
                    order = tuple([s for s in order if (place, s) in stood or table.has_troops(s, place)])
                    break
            # Fast path: most villages already have the right controller.
            at_rest = controller in order if order else controller == holder
            if not at_rest or village.guests or order is not village.order:
                changed |= _control(table, village, order, holder)
            if village.engines:
                _drop_engines(table, village)
        claim = _titles(table)
        if claim is not None:
            if len(claim.lords) > 1:
                return claim
            _take(table, claim.fief, claim.seat, claim.lords[0] if claim.lords else "")
            changed = True
        if not changed:
            return None
    return None


def _lords(table: Table) -> tuple[set[tuple[Place, Seat]], dict[str, Seat]]:
    stood, governors = set(), {}
    for p in table.lords.values():
        if not p.captor:
            stood.add((p.at, p.seat))
        for fief in p.fiefs:
            governors[fief] = p.seat
    return stood, governors


def _free_captives(table: Table) -> bool:
    """Free unguarded captives (FF-CAP-2)."""
    freed = False
    for p in table.lords.values():
        if p.captor and not table.occupies(p.captor, p.at):
            let_go(table, p)
            freed = True
    return freed


def let_go(table: Table, lord: Person) -> None:
    """He stays on the road by which he came (FF-CAP-2, 4, FF-MOV-6)."""
    table.tell("freed", lord=lord.id, seat=lord.seat, captor=lord.captor, at=lord.at)
    forget_moves(table, lord)
    lord.captor, lord.escort = "", ()
    if lord.road == RIDE and table.ruled("FF-CAV-9") == "taken":
        lord.road = OPEN  # he stops riding with his captors
    inside = table.villages[lord.at].controller == lord.seat
    lord.road, lord.taken = "" if inside else lord.taken or lord.road or OPEN, ""
    arrive_freed(table, lord)


def arrive_freed(table: Table, lord: Person) -> None:
    """He arrives where he was held, in an absent ally's village as a guest: he declares nothing (FF-CTL-7)."""
    ally, holder = table.ally(lord.seat), table.lord_of(table.land_of(lord.at).id)
    if ally and table.ruled("FF-CTL-7") == "guest" and absent_lord(table, lord.at) == holder == ally:
        be_guest(table, lord.seat, lord.at)
    arrive(table, lord.seat, lord.at)


def forget_moves(table: Table, lord: Person) -> None:
    """Drop Moves made as a captive (FF-MOV-2)."""
    if lord.escort or table.ruled("FF-MOV-2") == "anew":
        lord.moves, lord.company = 0, True


def _control(table: Table, village: Village, present: tuple[Seat, ...], holder: Seat) -> bool:
    """FF-CTL-1 to 7. Whether control changed. `present`: by arrival; `holder`: the title holder's player."""
    old = village.controller
    village.order = present
    if village.guests:
        village.guests = {s: of for s, of in village.guests.items() if s in village.order and of == holder}
    if old and old in village.order:
        return False
    came = [s for s in village.order if s not in village.guests]
    within = [
        s for s in came if table.ruled("FF-CTL-5") == "inside" and table.besieged(village.id) and stays(table, s, village)
    ]
    village.controller = (within or came or [holder])[0]
    if village.controller == old:
        return False
    change(table, village, old, village.controller)
    if not within:
        for seat in list(village.engines):  # all sieges end when the inside is empty (FF-SIE-8)
            end_siege(table, village, seat)
    return True


def stays(table: Table, seat: Seat, village: Village) -> bool:
    """Whether he is in the village proper, not on roads or in the open (FF-MOV-6)."""
    if any(g.road == "" and g.count for g in village.troops.get(seat, ())):
        return True
    return any(p.road == "" for p in table.free(seat, village.id))


def change(table: Table, village: Village, old: Seat, new: Seat) -> None:
    """Change control: the new controller's counters move inside, the old one's into the open (FF-AMB-85)."""
    village.controller = new
    village.guests.pop(new, None)
    if table.ruled("FF-CTL-4") == "ceded":
        _unbar(table, village, [])
    for p in table.lords.values():
        if p.at == village.id and (p.captor or p.seat) == new and p.road != RIDE:
            p.road, p.unbarred = "", False
    for group in village.troops.get(new, []):
        if group.road != RIDE:
            group.road, group.unbarred = "", False
    if new:
        table.tidy(new, village.id)
    if old:
        for p in table.lords.values():
            if p.at == village.id and (p.captor or p.seat) == old and not p.road:
                p.road = OPEN
        for group in village.troops.get(old, []):
            group.road = group.road or OPEN
    table.tell("control", village=village.id, seat=new, old=old)


def hand_over(table: Table, place: Place, to: Seat) -> None:
    """Give control; the receiver becomes first in the order of arrival."""
    village = table.villages[place]
    if village.controller != to:
        change(table, village, village.controller, to)
    if table.occupies(to, place):
        village.order = (to, *[s for s in village.order if s != to])


def cede(table: Table, place: Place, to: Seat) -> None:
    """FF-CTL-4: the new controller can't refuse departure to those present now (FF-AMB-85)."""
    lasts = table.ruled("FF-CTL-4") == "ceded"
    if lasts:
        hand_over(table, place, to)
    _unbar(table, table.villages[place], [s for s in table.seats if s != to])
    if not lasts:
        hand_over(table, place, to)


def _unbar(table: Table, village: Village, seats: Iterable[Seat]) -> None:
    """These seats' counters there, and no others, can't be refused departure (FF-CTL-4)."""
    for p in table.at(village.id):
        p.unbarred = (p.captor or p.seat) in seats
    for seat, groups in village.troops.items():
        for group in groups:
            group.unbarred = seat in seats


def end_siege(table: Table, village: Village, seat: Seat, lifted: bool = False) -> None:
    """Remove a player's engines; by the house ruling FF-SIE-4 `all` one siege's end ends all. `lifted`: by choice (D-SIE-2)."""
    if seat not in village.engines:
        return
    del village.engines[seat]
    village.sieged.pop(seat, None)
    if lifted:
        table.tell("siege_lifted", seat=seat, village=village.id)
    else:
        table.tell("siege_over", village=village.id, seat=seat)
    if table.ruled("FF-SIE-4") == "all":
        for other in list(village.engines):
            end_siege(table, village, other)


def _drop_engines(table: Table, village: Village) -> None:
    """FF-SIE-4: remove engines without Troops or walls to besiege, or in control."""
    for seat in list(village.engines):
        emptied = not table.occupies(village.controller, village.id)
        if seat == village.controller or not table.has_troops(seat, village.id) or not village.walls or emptied:
            end_siege(table, village, seat)


class Claim(NamedTuple):
    fief: str
    seat: Seat
    """The City's controller."""
    lords: list[str]
    """Eligible for the title."""


def _titles(table: Table) -> Claim | None:
    """The first title that follows its City (FF-FTL-4) or is free for its controller (FF-FTL-9)."""
    if not any([v.walls == "city" for v in table.villages.values()]):
        return None
    for fief in table.lore.lands:
        city = table.city(fief)
        if city is None or not city.controller or table.lord_of(fief) == city.controller:
            continue
        lords = [p.id for p in by_house(table, city.controller)]
        if lords or table.lord_of(fief):
            return Claim(fief, city.controller, lords)
    return None


def _take(table: Table, fief: str, seat: Seat, lord: str) -> None:
    """FF-FTL-5: without an eligible Lord the title returns to the map."""
    old = table.holder(fief)
    if lord:
        give_fief(table, fief, table.lords[lord])
        table.tell("title_taken", fief=fief, seat=seat, lord=lord, old=old.seat if old is not None else "")
    elif old is not None:
        old.fiefs = without(old.fiefs, fief)
        table.tell("title_lost", fief=fief, seat=old.seat, lord=old.id)


def drop_relics(table: Table, lord: Person, side: Iterable[Seat] = ()) -> None:
    """They stay in the village until `Settling` (FF-OPT-4)."""
    table.fallen += [Fallen(relic, lord.at, lord.seat, [s for s in side if s != lord.seat]) for relic in lord.relics]
    lord.relics = ()


class Settling(Procedure):
    """Questions after a settlement: a fallen relic's bearer (D-REL-6), a City's title (D-TTL-2)."""

    freezes: ClassVar[bool] = True

    fief: str = ""
    seat: Seat = ""
    lords: list[str] = []

    def begin(self, table: Table) -> Next:
        while table.fallen:
            self.seat, self.lords = self._bearers(table, table.fallen[0])
            if len(self.lords) > 1:
                return "bearer"
            self._bear(table, self.lords[0] if self.lords else "")
        claim = settle(table)
        if claim is None:
            return Done()
        self.fief, self.seat, self.lords = claim
        return "receiver"

    @staticmethod
    def _bearers(table: Table, fallen: Fallen) -> tuple[Seat, list[str]]:
        for seats in ([fallen.seat], fallen.side):
            found = [p for p in table.lords.values() if p.at == fallen.at and p.free and p.seat in seats]
            if found:
                return seats[0], [p.id for p in sorted(found, key=lambda p: (-titles_of(table, p), p.id))]
        return "", []

    @staticmethod
    def _bear(table: Table, lord: str) -> None:
        fallen = table.fallen.pop(0)
        if lord:
            table.lords[lord].relics += (fallen.relic,)
            table.tell("relic_passed", relic=fallen.relic, lord=lord, seat=table.lords[lord].seat)
            return
        table.villages[fallen.at].relics += (fallen.relic,)
        table.held[fallen.relic] = fallen.seat if table.has_troops(fallen.seat, fallen.at) else ""
        table.tell("relic_left", relic=fallen.relic, village=fallen.at)

    def who_bearer(self, table: Table) -> list[Seat]:
        return [self.seat]

    def ask_bearer(self, table: Table, seat: Seat) -> Ask:
        bear = Option("bear", (PickOne("lord", choices(self.lords)),))
        return prefilled(seat, "bearer", "D-REL-6", bear, relic=table.fallen[0].relic)

    def take_bearer(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        self._bear(table, answers[self.seat].pick("lord"))
        return "begin"

    def who_receiver(self, table: Table) -> list[Seat]:
        return [self.seat]

    def ask_receiver(self, table: Table, seat: Seat) -> Ask:
        give = Option("give", (PickOne("lord", choices(self.lords)),))
        return prefilled(seat, "receiver", "D-TTL-2", give, fief=self.fief)

    def take_receiver(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        _take(table, self.fief, self.seat, answers[self.seat].pick("lord"))
        return "begin"


def in_turn_order(frame: Any, table: Table) -> Next:
    frame.left = table.in_order()
    return "next"


def settling(_frame: Procedure, _table: Table) -> Next:
    return Call(Settling(), "done")


def settled(table: Table, then: str) -> Next:
    """Continue with `then`, after `Settling` if a choice is needed."""
    return then if not table.fallen and settle(table) is None else Call(Settling(), then)
