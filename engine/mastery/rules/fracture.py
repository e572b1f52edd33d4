"""Fracture: destroying artefacts, and simultaneous windows for it (MM-FRA)."""

from __future__ import annotations

from itertools import takewhile

from engine.core.asks import About, Answer, Ask, Cell, Choice, Field, Fields, NotLegal, Option, PickOne, Seat, choices
from engine.core.procedure import Done, Next, Procedure
from engine.language.words import say
from engine.mastery.rules.cards import could_fracture, discard
from engine.mastery.rules.ids import without
from engine.mastery.rules.pieces import FRACTURE
from engine.mastery.rules.table import Table

PASS = "pass"
PASSED = Option(PASS)
LEAVE = Choice(PASS)
MATCH = "match"
"""Field for Fear or Vigour, asked in the same window."""
RULES = {"crown": "MM-DEC-7", "sceptre": "MM-DEC-13", "orb": "MM-DEC-18"}


def destroy(table: Table, artefact: str) -> None:
    """Turn an artefact face down, stamped with the turn (MM-ART-2)."""
    table.artefact(artefact).down = table.turn


def play_fracture(table: Table, seat: Seat, artefact: str) -> None:
    """Discard the card, destroy the artefact (MM-FRA-1)."""
    discard(table, seat, FRACTURE)
    destroy(table, artefact)
    table.tell("fractured", seat=seat, artefact=artefact, owner=table.owner(artefact))


class Window(Procedure):
    """A window, asked in parallel, resolved clockwise (MM-FRA-3 to 15)."""

    what: str = ""
    """`crown`, `sceptre` or `orb`."""
    start: Seat = ""
    """First seat of the resolution: crown's owner, or attacker."""
    aims: list[str] = []
    aimed: Seat = ""
    """The crown's target lord, or ""."""
    attacker: Seat = ""
    defender: Seat = ""
    winner: Seat = ""
    matching: dict[Seat, tuple[int, int]] = {}
    """Seats asked for Fear or Vigour as well (MM-ASY-4) -> own and rival's knights."""

    def begin(self, table: Table) -> Next:
        self.aims = [name for name in self.aims if table.artefact(name).up]
        return "fracture" if self.aims else Done()

    def legal(self, table: Table, seat: Seat) -> list[str]:
        """Others' aims (MM-AMB-39)."""
        return [name for name in self.aims if table.owner(name) != seat]

    @property
    def loser(self) -> Seat:
        if not self.winner:
            return ""
        return self.defender if self.winner == self.attacker else self.attacker

    def gone_before(self, table: Table, seat: Seat) -> list[str]:
        """Aims that others may destroy before this seat, if it then has another (MM-FRA-10)."""
        if len(self.aims) < 2:
            return []
        legal = self.legal(table, seat)
        found = [gone for gone in self.aims if legal not in ([], [gone])]
        if table.ruled("MM-FRA-10") == "standing":
            earlier = takewhile(lambda s: s != seat, table.clockwise(self.start))
            could = [s for s in earlier if could_fracture(table, s)]
            found = [gone for gone in found if could and could != [table.owner(gone)]]
        return found

    def _plan(self, table: Table, seat: Seat) -> Fields:
        """A field if nothing is destroyed, and one per aim that may be."""
        legal = self.legal(table, seat)
        fields: list[Field] = [_cell("first", legal)]
        fields += [_cell(without(gone), [a for a in legal if a != gone]) for gone in self.gone_before(table, seat)]
        return (*fields, *self._match_field(seat))

    def _match_field(self, seat: Seat) -> Fields:
        return (PickOne(MATCH, choices(("yes", "no")), optional=True),) if seat in self.matching else ()

    def _could(self, table: Table) -> list[Seat]:
        """Seats that could destroy an aim, by public facts (MM-FRA-9)."""
        owners = {table.owner(name) for name in self.aims}
        only = owners.pop() if len(owners) == 1 else ""
        return [s for s in table.seats if s != only and could_fracture(table, s)]

    def alone(self, table: Table, seat: Seat) -> bool:
        """Whether he is asked for Fear or Vigour only."""
        return seat in self.matching and seat not in self._could(table)

    def _usual(self, seat: Seat) -> str:
        """Default for Fear or Vigour: if it raises the score (MM-DEC-14)."""
        own, other = self.matching[seat]
        return "yes" if other > own else "no"

    def _working(self, table: Table) -> list[str]:
        """Aims with conditions that hold (MM-AMB-38)."""
        if self.what == "crown":
            return list(self.aims)
        roles = {"attacking": self.attacker, "defending": self.defender, "win": self.winner, "lose": self.loser}
        return [name for name in self.aims if roles.get(table.data.regalia[name].when) == table.owner(name)]

    def who_fracture(self, table: Table) -> list[Seat]:
        """Seats that could destroy an aim, and owners of Fear and Vigour (MM-ASY-4)."""
        could = self._could(table)
        return [s for s in table.seats if s in could or s in self.matching]

    def ask_fracture(self, table: Table, seat: Seat) -> Ask:
        """Whether to play Fracture, as a contingency plan (MM-DEC-7, 13, 18, MM-FRA-10); with Fear or Vigour (MM-DEC-14)."""
        if seat in self.matching and self.alone(table, seat):
            options: tuple[Option, ...] = (Option("yes"), Option("no"))
            return Ask(seat, "fracture", options, Answer(self._usual(seat)), "MM-DEC-14", lambda: self._about(table, seat))
        options = (Option(PASS, self._match_field(seat)), Option("plan", lambda: self._plan(table, seat)))
        return Ask(seat, "fracture", options, Answer(PASS), RULES[self.what], lambda: self._about(table, seat))

    def vet_fracture(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option == "plan" and table.ruled("MM-FRA-10") == "standing" and not answer.values.keys() - {MATCH}:
            raise NotLegal(say("mastery.empty_plan"))

    def take_fracture(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        """Resolve plans clockwise; without the card a plan is an undisclosed pass (MM-FRA-11, 12).

        `Done` returns the seats that use Fear or Vigour.
        """
        if not any([answer.option in (PASS, "plan") for answer in answers.values()]):
            table.tell("nobody_could", what=self.what)
            return Done(self._matched(answers))
        ruling = table.ruled("MM-FRA-10")
        before = [name for name in self.aims if not table.artefact(name).up]
        gone = before.copy()
        for seat in table.clockwise(self.start):
            answer = answers.get(seat)
            if answer is None:
                continue
            aim = _aim(answer, gone, ruling)
            standing = aim in self.aims and aim not in gone
            if standing and FRACTURE in table.lords[seat].hand and table.owner(aim) != seat:
                play_fracture(table, seat, aim)
                gone.append(aim)
        if gone == before:
            table.tell("no_fracture", what=self.what)
        return Done(self._matched(answers))

    def _matched(self, answers: dict[Seat, Answer]) -> str:
        used = []
        for seat in self.matching:
            answer = answers[seat]
            said = answer.option if answer.option in ("yes", "no") else answer.pick(MATCH)
            if (said or self._usual(seat)) == "yes":
                used.append(seat)
        return " ".join(used)

    def _about(self, table: Table, seat: Seat) -> About:
        about: dict[str, Cell] = {
            "what": self.what,
            "aims": list(self.aims),
            "owners": {a: table.owner(a) for a in self.aims},
            "seat": self.start,
            "attacker": self.attacker,
            "defender": self.defender,
            "aimed": self.aimed,
            "broken": self.gone_before(table, seat),
            "open": table.ruled("MM-FRA-10"),
        }
        if self.what != "orb" or self.winner:  # windows of older games have no winner
            about["works"] = self._working(table)
        if seat in self.matching:
            own, other = self.matching[seat]
            about |= {"artefact": table.lords[seat].sceptre.name, "own": str(own), "other": str(other)}
            if self.alone(table, seat):
                about["what"] = MATCH
        return about


def _aim(answer: Answer, gone: list[str], ruling: str) -> str:
    """A plan's target after these aims are gone; an empty field: `first` or nothing, by ruling (MM-FRA-10)."""
    named = answer.pick("first" if not gone else without(gone[0]))
    return named or (answer.pick("first") if ruling == "standing" else "")


def _cell(name: str, aims: list[str]) -> PickOne:
    return PickOne(name, (LEAVE, *choices(aims)), optional=True)
