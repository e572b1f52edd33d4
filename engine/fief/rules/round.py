"""The round: phases, checkpoints, victory (chapters RND, ASY, END, VIC)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.core import offers
from engine.core.asks import Answer, Ask, Option, Seat
from engine.core.procedure import Call, Done, Next, Outcome, Procedure
from engine.fief.rules.court.cards import Draws
from engine.fief.rules.court.disasters import Disasters
from engine.fief.rules.court.elections import BISHOP, KING, POPE, Election
from engine.fief.rules.court.marriage import Courtship
from engine.fief.rules.court.ransom import Ransoms
from engine.fief.rules.income import collect
from engine.fief.rules.playing import Plays
from engine.fief.rules.purchase import Purchases
from engine.fief.rules.realm.control import Settling
from engine.fief.rules.realm.table import Table, all_points
from engine.fief.rules.setup import SetUp
from engine.fief.rules.war.movement import Movement
from engine.fief.rules.war.siege import Battles, Pillage

SOLO, ALLIED = 3, 4
"""Points to win alone and as allies (FF-VIC-1, 3)."""


def score(table: Table, seat: Seat) -> tuple[int, int]:
    """(points, points needed) of a side (FF-VIC-1, 3)."""
    scored, ally = all_points(table), table.ally(seat)
    return scored[seat] + (scored[ally] if ally else 0), ALLIED if ally else SOLO


class Checkpoint(Procedure):
    """CP-1 to 3: all may act; repeated after a card or power (FF-ASY-9, 10)."""

    seen: int = 0
    again: int = 0

    def begin(self, table: Table) -> Next:
        self.seen = table.stirred
        return "window"

    def who_window(self, table: Table) -> list[Seat]:
        return table.in_order()

    def ask_window(self, table: Table, seat: Seat) -> Ask:
        return Ask(seat, "window", (Option("pass"),), Answer("pass"), "D-WIN-1", {"phase": table.phase, "round": table.round})

    def take_window(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if table.stirred != self.seen and self.again < table.lore.asynchronous["checkpoint_reopen_max"]:
            self.again += 1
            return "begin"
        return Done()


PHASES: dict[str, tuple[str, Callable[[], Procedure]]] = {
    "1a": ("bishops", Courtship),
    "1b": ("bishops", lambda: Election(office=BISHOP, see=1)),
    "1c": ("king", lambda: Election(office=POPE)),
    "1d": ("draw", lambda: Election(office=KING)),
    "2a": ("disasters", Draws),
    "2b": ("play", Disasters),
    "2c": ("before_income", Plays),
    "cp1": ("income", Checkpoint),
    "4a": ("purchase", Ransoms),
    "4b": ("move", Purchases),
    "5": ("before_battles", Movement),
    "cp2": ("battles", Checkpoint),
    "6a": ("pillage", Battles),
    "6b": ("before_end", Pillage),
    "cp3": ("settle", Checkpoint),
}
"""Step of a round -> the step of `Round` after it, and its procedure."""


def _enters(step: str) -> Callable[[Round, Table], Next]:
    def enter(self: Round, table: Table) -> Next:
        return self._enter(table, step)

    return enter


class Round(Procedure):
    """Setup, then rounds (FF-RND-1)."""

    see: int = 0
    filled: list[int] = []
    """Offices held at the start of step 1b, by Bishopric number; 0 is the Pope (FF-AMB-91)."""

    def begin(self, table: Table) -> Next:
        return Call(SetUp(), "new_round")

    def new_round(self, table: Table) -> Next:
        table.round += 1
        table.tell("round", n=table.round, first=table.first)
        return self._enter(table, "1a")

    def _enter(self, table: Table, step: str, sub: Procedure | None = None) -> Next:
        self._turn_to(table, step)
        then, make = PHASES[step]
        return Call(sub or make(), then)

    @staticmethod
    def _turn_to(table: Table, phase: str) -> None:
        """Log the step; offers and parleys end with the phase (FF-DIP-9)."""
        if table.phase != phase and table.phase.rstrip("abcd") != phase.rstrip("abcd"):
            offers.end(table, "phase")
            for parley in table.parleys:
                parley.open = False
        table.phase = phase

    def bishops(self, table: Table) -> Next:
        """Elect Bishops in sequence (FF-ELE-1)."""
        if not self.see:
            self.filled = held_offices(table)
        self.see += 1
        if self.see > len(table.lore.sees):
            self.see = 0
            return "king" if 0 in self.filled else self._enter(table, "1c")
        if self.see in self.filled:
            return "bishops"
        return self._enter(table, "1b", Election(office=BISHOP, see=self.see))

    king = _enters("1d")
    draw = _enters("2a")
    disasters = _enters("2b")
    play = _enters("2c")
    before_income = _enters("cp1")

    def income(self, table: Table) -> Next:
        table.phase = "3a"
        collect(table)
        return self._enter(table, "4a")

    purchase = _enters("4b")
    move = _enters("5")
    before_battles = _enters("cp2")
    battles = _enters("6a")
    pillage = _enters("6b")
    before_end = _enters("cp3")

    def settle(self, table: Table) -> Next:
        self._turn_to(table, "7")
        return Call(Settling(), "end")

    def end(self, table: Table) -> Next:
        """Discard disasters, count points, find winners, pass the first turn on (FF-END-1 to 3)."""
        for laid in table.weather:
            table.discard(laid.card)
        table.weather = []
        for p in table.lords.values():
            p.exposed = ()
        for village in table.villages.values():
            if village.troops:
                for groups in village.troops.values():
                    for group in groups:
                        group.exposed = ()
                for seat in list(village.troops):
                    table.tidy(seat, village.id)
        table.prayed = []
        table.grants, table.bound, table.consents = [], [], []
        outcome, scored = winners(table), all_points(table)
        table.tell("round_end", n=table.round, points=scored)
        if outcome is None and table.round == table.options.rounds:
            outcome = Outcome(best(table, sides(table)), "rounds")
        if outcome is not None:
            offers.end(table, "phase")
            table.tell("won", seats=list(outcome.winners), how=outcome.how, points=scored)
            table.outcome = outcome
            return Done()
        table.first = table.in_order()[1]
        return "new_round"


def held_offices(table: Table) -> list[int]:
    """Held Bishoprics, 0 for the Pope; later vacancies wait for the next round (FF-BIS-6, FF-POP-3)."""
    held = {p.bishop for p in table.lords.values()}
    return [0] * (table.who("pope") is not None) + [see for see in table.lore.sees if see in held]


# --- victory ----------------------------------------------------------------------------------------------------------


def sides(table: Table) -> list[tuple[Seat, ...]]:
    found: list[tuple[Seat, ...]] = []
    allied: set[Seat] = set()
    for seat in table.in_order():
        if seat not in allied:
            ally = table.ally(seat)
            allied.add(ally)
            found.append((seat, ally) if ally else (seat,))
    return found


def winners(table: Table) -> Outcome | None:
    """FF-VIC-1 to 5: a solo winner beats alliances."""
    found, scored = sides(table), all_points(table)
    alone = [side for side in found if len(side) == 1 and scored[side[0]] >= SOLO]
    if alone:
        return Outcome(best(table, alone), "alone")
    allied = [side for side in found if len(side) == 2 and scored[side[0]] + scored[side[1]] >= ALLIED]
    return Outcome(best(table, allied), "allied") if allied else None


def best(table: Table, among: Sequence[tuple[Seat, ...]]) -> tuple[Seat, ...]:
    """FF-VIC-5: points, King, Pope, Queen Regent, Fief titles, Bishoprics, villages; then shared."""

    scored = all_points(table)

    def merit(side: tuple[Seat, ...]) -> tuple[int, ...]:
        lords = [p for s in side for p in table.family(s)]
        return (
            sum(scored[s] for s in side),
            sum(p.king for p in lords),
            sum(p.pope for p in lords),
            sum(p.queen == "regent" for p in lords),
            sum(len(p.fiefs) for p in lords),
            sum(bool(p.bishop) for p in lords),
            sum(len(table.controlled(s)) for s in side),
        )

    merits = {side: merit(side) for side in among}
    most = max(merits.values())
    first = {s for side, own in merits.items() if own == most for s in side}
    return tuple(s for s in table.seats if s in first)
