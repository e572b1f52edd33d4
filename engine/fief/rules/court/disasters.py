"""Step 2b: Disasters (chapter DIS) and the Plague."""

from __future__ import annotations

from engine.core.asks import Answer, Ask, Number, Option, Seat
from engine.core.procedure import Call, Done, Next, Procedure, ended
from engine.fief.rules.court.deaths import Deaths
from engine.fief.rules.realm.control import Settling
from engine.fief.rules.realm.pieces import PLAGUE
from engine.fief.rules.realm.table import Laid, Lord, Person, Place, Table

FALSE_ALARM = 6


class Disasters(Procedure):
    """Disaster track, resolved card by card (FF-DIS-1)."""

    def begin(self, table: Table) -> Next:
        if not table.track:
            return Done()
        card = table.track.pop(0)
        table.tell("disaster", card=card)
        if table.options.discard_first_disasters and table.round == 1:
            table.discard(card)
            table.tell("disaster_skipped", card=card)
            return "begin"
        see = table.roll("disaster")
        while see != FALSE_ALARM and table.lies(card, see):
            table.tell("disaster_again", card=card, see=see)
            see = table.roll("disaster")
        if see == FALSE_ALARM:
            table.discard(card)
            table.tell("false_alarm", card=card)
            return "begin"
        table.weather.append(Laid(card, see))
        table.tell("disaster_lies", card=card, see=see)
        if card == PLAGUE:
            return Call(Plague(see=see), "begin")
        return "begin"


def roll_for(table: Table, lords: list[Person]) -> list[Lord]:
    """Roll for Lords; 1 to 3 kill (FF-DIS-5)."""
    dying = []
    for p in lords:
        roll = table.roll("plague")
        table.tell("plague_roll", lord=p.id, seat=p.seat, roll=roll)
        if roll <= 3:
            dying.append(p.id)
    return dying


def half(maa: int, knights: int) -> tuple[int, int, int]:
    """(Troops lost, fewest Knights, most Knights) where half an army dies."""
    lost = (maa + knights) // 2
    return lost, max(0, lost - maa), min(knights, lost)


def ask_losses(seat: Seat, see: int, hit: dict[Place, tuple[int, int, int]]) -> Ask:
    fields = tuple(Number(place, a, b, a) for place, (_, a, b) in hit.items())
    lost = {place: str(n) for place, (n, _, _) in hit.items()}
    default = Answer("lose", {place: a for place, (_, a, _) in hit.items()})
    return Ask(seat, "plague", (Option("lose", fields),), default, "D-PLG-1", {"see": see, "lost": lost})


class Plague(Procedure):
    """A new Plague: each Lord of the Bishopric rolls, then each army loses half (FF-DIS-5)."""

    see: int = 0

    def begin(self, table: Table) -> Next:
        here = [p for p in table.lords.values() if table.see_of(p.at) == self.see]
        dying = roll_for(table, here)
        return Call(Deaths(dying=dying, cause="plague"), "plague")

    def hit(self, table: Table, seat: Seat) -> dict[Place, tuple[int, int, int]]:
        """Village -> `half` of its army."""
        halves = {place: half(*table.troops(seat, place)) for place in table.lore.sees[self.see].villages}
        return {place: lost for place, lost in halves.items() if lost[0]}

    def who_plague(self, table: Table) -> list[Seat]:
        """Seats with a choice; in the Fog of War all that lose Troops (FF-ASY-3)."""
        fog = table.options.fog_of_war
        return [s for s in table.in_order() if any(fog or a < b for _, a, b in self.hit(table, s).values())]

    def ask_plague(self, table: Table, seat: Seat) -> Ask:
        return ask_losses(seat, self.see, self.hit(table, seat))

    def take_plague(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat in table.in_order():
            for place, (lost, least, _) in self.hit(table, seat).items():
                knights = answers[seat].number(place) if seat in answers else least
                table.lose(seat, place, lost - knights, knights)
                table.tell("plague_losses", seat=seat, village=place, maa=lost - knights, knights=knights)
        expose(table, self.see)
        return Call(Settling(), "done")

    done = ended


def expose(table: Table, see: int) -> None:
    """Mark all in a Bishopric as exposed (FF-DIS-6)."""
    for place in table.lore.sees[see].villages:
        for p in table.at(place):
            if see not in p.exposed:
                p.exposed += (see,)
        for groups in table.villages[place].troops.values():
            for group in groups:
                if see not in group.exposed:
                    group.exposed += (see,)
