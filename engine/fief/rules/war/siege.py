"""Phase 6: battles, then sieges (chapters BAT, SIE)."""

from __future__ import annotations

from engine.core.asks import Answer, Ask, Cell, Field, NotLegal, Option, PickOne, PickSome, Seat, choices, illegal_if
from engine.core.procedure import Call, Done, Next, Procedure
from engine.fief.rules.realm.control import end_siege, in_turn_order, settled
from engine.fief.rules.realm.table import Place, Table
from engine.fief.rules.war.battle import Battle
from engine.language.words import say


def battlefields(table: Table, seat: Seat) -> dict[Place, list[Seat]]:
    """Village -> attackable seats: a free Lord and Troops, against either (FF-BAT-2)."""
    own: dict[Place, bool] = {}
    theirs: set[Place] = set()
    for p in table.lords.values():
        if not p.captor:
            if p.seat == seat:
                own[p.at] = True
            else:
                theirs.add(p.at)
    found = {}
    for place in own:
        shared = place in theirs or len(table.villages[place].troops) > 1  # skips most villages
        if shared and table.has_troops(seat, place) and not table.rainy(place):
            foes = [s for s in table.armies(place) if s != seat]
            if foes:
                found[place] = foes
    return found


def siegeable(table: Table, seat: Seat) -> list[Place]:
    """Walled villages with own Troops, occupied by the controller (FF-SIE-1)."""
    return [
        v.id
        for v in table.villages.values()
        if v.walls
        and seat in v.troops
        and v.controller not in ("", seat)
        and seat not in v.engines
        and table.has_troops(seat, v.id)
        and table.occupies(v.controller, v.id)
    ]


def sieges(table: Table, seat: Seat) -> list[Place]:
    return [v.id for v in table.villages.values() if seat in v.engines]


class Battles(Procedure):
    """In turn order: battles one by one, then sieges (FF-BAT-1)."""

    left: list[Seat] = []
    fought: list[Place] = []
    """Villages attacked this turn."""

    begin = in_turn_order

    def next(self, table: Table) -> Next:
        while self.left and not self._has_a_say(table, self.left[0]):
            self._end()
        return "battles" if self.left else Done()

    def _has_a_say(self, table: Table, seat: Seat) -> bool:
        if self._fields(table, seat):
            return True
        for v in table.villages.values():
            if v.walls or v.engines:
                return bool(sieges(table, seat)) or (bool(siegeable(table, seat)) and table.engines_left(seat) > 0)
        return False

    def _fields(self, table: Table, seat: Seat) -> dict[Place, list[Seat]]:
        return {place: foes for place, foes in battlefields(table, seat).items() if place not in self.fought}

    def who_battles(self, table: Table) -> list[Seat]:
        return [s for s in self.left[:1] if self._has_a_say(table, s)]

    def ask_battles(self, table: Table, seat: Seat) -> Ask:
        """D-BAT-1, with D-SIE-1."""
        fields = self._fields(table, seat)
        options = []
        if fields:
            foes = choices(dict.fromkeys(s for there in fields.values() for s in there))
            options.append(Option("attack", (PickOne("at", choices(fields)), PickSome("against", foes, 1, len(foes)))))
        sieging: list[Field] = []
        new = siegeable(table, seat) if table.engines_left(seat) else []
        if new:
            sieging.append(PickSome("start", choices(new), 0, min(len(new), table.engines_left(seat))))
        if held := sieges(table, seat):
            sieging += [PickSome(name, choices(held), 0, len(held)) for name in ("hold", "lift")]
        options.append(Option("done", tuple(sieging)))
        about: dict[str, Cell] = {"round": table.round}
        if new:
            about["of"] = {place: table.villages[place].controller for place in new}
        return Ask(seat, "battles", tuple(options), Answer("done"), "D-BAT-1", about)

    def vet_battles(self, table: Table, seat: Seat, answer: Answer) -> None:
        if answer.option == "attack":
            there = self._fields(table, seat)[answer.pick("at")]
            for foe in answer.some("against"):
                illegal_if(foe not in there, "fief.not_there", seat=foe, village=answer.pick("at"))
        both = {*answer.some("hold")} & {*answer.some("lift")}
        if both:
            raise NotLegal(say("fief.hold_and_lift", village=min(both)))

    def take_battles(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            if answer.option == "attack":
                at = answer.pick("at")
                self.fought.append(at)
                return Call(Battle(at=at, declarer=seat, defenders=answer.some("against")), "next")
            self._besiege(table, seat, answer)
            self._end()
            return settled(table, "next")
        return "next"

    def _end(self) -> None:
        self.left.pop(0)
        self.fought = []

    def _besiege(self, table: Table, seat: Seat, answer: Answer) -> None:
        """Lift, turn and start sieges, as the answer says (FF-SIE-1, 2, 7)."""
        for place in answer.some("lift"):
            end_siege(table, table.villages[place], seat, lifted=True)
        for place in sieges(table, seat):
            village = table.villages[place]
            if place not in answer.some("hold") and village.engines[seat] == 1 and village.sieged.get(seat, 0) < table.round:
                village.engines[seat], village.sieged[seat] = 2, table.round
                table.tell("siege_turned", seat=seat, village=place)
        for place in answer.some("start"):
            village = table.villages[place]
            village.engines[seat], village.sieged[seat] = 1, table.round
            table.tell("siege", seat=seat, village=place, of=village.controller)


class Pillage(Procedure):
    """Step 6b: in turn order, pillage Mills (FF-PIL-1)."""

    left: list[Seat] = []

    begin = in_turn_order

    def next(self, table: Table) -> Next:
        while self.left and not self._mills(table, self.left[0]):
            self.left.pop(0)
        return "pillage" if self.left else Done()

    @staticmethod
    def _mills(table: Table, seat: Seat) -> list[Place]:
        built = [v for v in table.villages.values() if v.mills]
        return [v.id for v in built if v.controller == seat or seat in v.engines for _ in range(v.mills)]

    def who_pillage(self, table: Table) -> list[Seat]:
        return [s for s in self.left[:1] if self._mills(table, s)]

    def ask_pillage(self, table: Table, seat: Seat) -> Ask:
        mills = self._mills(table, seat)
        options = (Option("pillage", (PickSome("mills", choices(mills), 1, len(mills)),)), Option("none"))
        return Ask(seat, "pillage", options, Answer("none"), "D-PIL-1", {"round": table.round})

    def take_pillage(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            self.left.pop(0)
            for place in answer.some("mills"):
                table.villages[place].mills -= 1
                table.families[seat].deniers += 1
            if answer.some("mills"):
                table.tell("pillaged", seat=seat, villages=answer.some("mills"))
        return "next"
