"""Fracture: destroying artefacts, and the windows in which all who could are asked at once (MM-FRA)."""

from __future__ import annotations

from engine.asks import About, Answer, Ask, Choice, Fields, Option, PickOne, Seat
from engine.mastery.cards import could_fracture, discard
from engine.mastery.ids import without
from engine.mastery.pieces import FRACTURE
from engine.mastery.table import Table
from engine.procedure import Done, Next, Procedure

PASS = "pass"
PASSED = Option(PASS)
LEAVE = Choice(PASS)
RULES = {"crown": "MM-DEC-7", "sceptre": "MM-DEC-13", "orb": "MM-DEC-18"}


def destroy(table: Table, artefact: str) -> None:
    """Turn an artefact face down, with the turn's stamp (MM-ART-2)."""
    table.artefact(artefact).down = table.turn


def play_fracture(table: Table, seat: Seat, artefact: str) -> None:
    """Spend the card and destroy the artefact (MM-FRA-1)."""
    discard(table, seat, FRACTURE)
    destroy(table, artefact)
    table.tell("fractured", seat=seat, artefact=artefact, owner=table.owner(artefact))


class Window(Procedure):
    """One chance for everybody, asked in parallel and resolved clockwise (MM-FRA-3 to 15)."""

    what: str = ""
    """`crown`, `sceptre` or `orb`."""
    start: Seat = ""
    """Where the clockwise pass begins: the crown's owner, or the attacker."""
    aims: list[str] = []
    """The artefacts that may be destroyed."""
    aimed: Seat = ""
    """At whom the crown is aimed, if at anybody."""
    attacker: Seat = ""
    defender: Seat = ""

    def begin(self, table: Table) -> Next:
        self.aims = [name for name in self.aims if table.artefact(name).up]
        return "fracture" if self.aims else Done()

    def legal(self, table: Table, seat: Seat) -> list[str]:
        """The aims that are not his own (MM-AMB-39)."""
        return [name for name in self.aims if table.owner(name) != seat]

    def _plan(self, table: Table, seat: Seat) -> Fields:
        """One field where one artefact is in question; with two, what to do also when the other is gone by then."""
        legal = self.legal(table, seat)
        fields = [_cell("first", legal)]
        if len(self.aims) > 1:
            for gone in self.aims:
                left = [name for name in legal if name != gone]
                if left:
                    fields.append(_cell(without(gone), left))
        return tuple(fields)

    def who_fracture(self, table: Table) -> list[Seat]:
        """Everybody who could, by public facts alone (MM-FRA-9)."""
        owners = {table.owner(name) for name in self.aims}
        only = owners.pop() if len(owners) == 1 else ""
        return [s for s in table.seats if s != only and could_fracture(table, s)]

    def ask_fracture(self, table: Table, seat: Seat) -> Ask:
        """MM-DEC-7, 13, 18: a plan for every state in which the chance may come (MM-FRA-10)."""
        options = (PASSED, Option("plan", lambda: self._plan(table, seat)))
        return Ask(seat, "fracture", options, Answer(PASS), RULES[self.what], lambda: self._about(table))

    def take_fracture(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        """Play the plans out clockwise; a plan from one without the card is a pass, and is not shown (MM-FRA-11, 12)."""
        if not answers:
            table.tell("nobody_could", what=self.what)
            return Done()
        played = 0
        for seat in table.clockwise(self.start):
            answer = answers.get(seat)
            if answer is None or answer.option == PASS:
                continue
            standing = [name for name in self.aims if table.artefact(name).up]
            gone = [name for name in self.aims if name not in standing]
            aim = answer.pick("first" if not gone else without(gone[0]))
            if len(gone) < 2 and aim in standing and table.owner(aim) != seat and FRACTURE in table.lords[seat].hand:
                play_fracture(table, seat, aim)
                played += 1
        if not played:
            table.tell("no_fracture", what=self.what)
        return Done()

    def _about(self, table: Table) -> About:
        return {
            "what": self.what,
            "aims": list(self.aims),
            "owners": {a: table.owner(a) for a in self.aims},
            "seat": self.start,
            "attacker": self.attacker,
            "defender": self.defender,
            "aimed": self.aimed,
        }


def _cell(name: str, aims: list[str]) -> PickOne:
    return PickOne(name, (LEAVE, *[Choice(a) for a in aims]), optional=True)
