"""Placement of new, ransomed, released or escaped Lords (FF-LRD-2)."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from engine.core.asks import Answer, Ask, Option, PickOne, Seat, choices
from engine.core.procedure import Next, Procedure, ended, yes_no
from engine.fief.rules.realm.control import absent_lord, arrive, arrive_freed, be_guest, forget_moves, settling
from engine.fief.rules.realm.table import OPEN, Lord, Person, Place, Table

HOSTED, FREE = 5, 6
"""Tiers of FF-LRD-2: another's village, with the controller's consent; free choice for a player with nothing left."""


def tier(table: Table, seat: Seat, but: Collection[Lord] = ()) -> tuple[int, list[Place]]:
    """First applicable tier and its villages; 0 if none. `but`: Lords still to be placed."""
    villages = table.villages.values()
    own = [v for v in villages if v.controller == seat]
    if walled := [v.id for v in own if v.walls]:
        return 1, walled
    with_lords = {p.at for p in table.free(seat) if p.id not in but}
    if with_lords:
        return 2, [v.id for v in villages if v.id in with_lords]
    if table.ruled("FF-AMB-39") == "free" and not any(table.placed(seat)):
        places = [v.id for v in villages if v.controller or not v.order]
        return (FREE, places) if places else (0, [])
    if own:
        return 3, [v.id for v in own]
    ally = table.ally(seat)
    if free := [v.id for v in villages if (not v.controller and not v.order) or (ally and v.controller == ally)]:
        return 4, free
    hosts = [v.id for v in villages if v.controller]
    return (HOSTED, hosts) if hosts else (0, [])


def hosted(table: Table, seat: Seat, n: int, place: Place) -> bool:
    """Whether the controller must consent (FF-LRD-2)."""
    return n in (HOSTED, FREE) and table.villages[place].controller not in ("", seat)


def by_house(table: Table, seat: Seat, places: list[Place]) -> Place:
    """Own village with most own Troops, then map order (D-LRD-1)."""
    villages, free = table.villages, table.ruled("FF-AMB-39") == "free"

    def merit(place: Place) -> tuple[int, int]:
        controller = villages[place].controller
        return sum(table.troops(seat, place)), free * (2 * (controller == seat) + (not controller))

    return max(places, key=merit)


def put_lord(table: Table, lord: Person, at: Place, freed: bool = False) -> None:
    """Place a Lord in the village, the open, or as a guest. `freed`: log it, he was in play."""
    seat, village = lord.seat, table.villages[at]
    lord.at = at
    if not freed or table.ruled("FF-MOV-2") == "anew":
        lord.moves, lord.halted, lord.company = 0, False, True
    lord.road = "" if village.controller in ("", seat) else OPEN
    lord.exposed = tuple(sorted({*lord.exposed, *([table.see_of(at)] if table.plagued(at) else [])}))
    if absent_lord(table, at) not in ("", seat):
        be_guest(table, seat, at)
    arrive(table, seat, at)
    table.tell("placed", lord=lord.id, seat=seat, village=at, freed=freed)


class Placing(Procedure):
    """D-LRD-1 for ransomed, released or escaped Lords (FF-RAN-5)."""

    freezes: ClassVar[bool] = True

    lords: list[Lord] = []
    at: Place = ""
    refused: list[Place] = []

    def begin(self, table: Table) -> Next:
        self.lords = [id for id in self.lords if id in table.lords]
        self.at, self.refused = "", []
        return "place" if self.lords else "settle"

    def _where(self, table: Table) -> tuple[int, list[Place]]:
        lord = table.lords[self.lords[0]]
        n, places = tier(table, lord.seat, self.lords)
        return n, [place for place in places if place not in self.refused]

    def who_place(self, table: Table) -> list[Seat]:
        return [table.lords[self.lords[0]].seat] if len(self._where(table)[1]) > 1 else []

    def ask_place(self, table: Table, seat: Seat) -> Ask:
        n, places = self._where(table)
        options = [Option("place", (PickOne("at", choices(places)),))]
        unasked = [place for place in places if not hosted(table, seat, n, place)]
        if unasked:
            default = Answer("place", {"at": by_house(table, seat, unasked)})
        else:
            options.append(Option("stay"))
            default = Answer("stay")
        return Ask(seat, "place", tuple(options), default, "D-LRD-1", {"lord": self.lords[0], "tier": n})

    def take_place(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        n, places = self._where(table)
        answer = next(iter(answers.values()), None)
        self.at = answer.pick("at") if answer is not None else places[0] if places else ""
        if not self.at:
            return "stay"
        return "host" if hosted(table, table.lords[self.lords[0]].seat, n, self.at) else "put"

    def who_host(self, table: Table) -> list[Seat]:
        return [table.villages[self.at].controller]

    def ask_host(self, table: Table, seat: Seat) -> Ask:
        lord = table.lords[self.lords[0]]
        return yes_no(seat, "host", "D-PLY-3", about={"lord": lord.id, "seat": lord.seat, "village": self.at})

    def take_host(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if all(answer.option == "yes" for answer in answers.values()):
            return "put"
        table.tell("not_hosted", lord=self.lords[0], village=self.at, seat=table.villages[self.at].controller)
        self.refused.append(self.at)
        return "place"

    def put(self, table: Table) -> Next:
        put_lord(table, table.lords[self.lords.pop(0)], self.at, freed=True)
        return "begin"

    def stay(self, table: Table) -> Next:
        """He stays where no tier applies (FF-RAN-5)."""
        lord = table.lords[self.lords.pop(0)]
        arrive_freed(table, lord)
        return "begin"

    settle = settling
    done = ended


def set_free(table: Table, lord: Person, how: str) -> None:
    """Release a captive; `Placing` moves him (FF-CAP-7)."""
    table.tell("released", lord=lord.id, seat=lord.seat, captor=lord.captor, how=how)
    if table.ruled("FF-MOV-2") == "made":
        forget_moves(table, lord)
    lord.captor, lord.escort, lord.taken = "", (), ""
    inside = table.villages[lord.at].controller == lord.seat
    lord.road = "" if inside else OPEN
