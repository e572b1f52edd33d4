"""Court: matches are proposed and made while all are asked whether they have done, and a checkpoint closes every round.

What it proves the kernel by: a step that takes answers as they come and stays open while anything lies before somebody
(`offers.addressed`); proposals that all can see, to one or to several, without a clock of their own, which end when they can
no longer be accepted (`offers.weed`); a checkpoint that is put to all anew after a power was used in it (`again_...`); and a
power that waits while somebody draws (`waits`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from engine.core import offers
from engine.core.asks import Answer, Ask, Cell, NotLegal, NotUnderstood, Option, PickSome, Seat, choices
from engine.core.chance import Chance
from engine.core.offers import Desk, Proposal
from engine.core.procedure import Done, Next, Outcome, Procedure, State, copy_for
from engine.core.rulings import Ruled
from engine.core.views import Event
from engine.game import Game, Powers, Rules, View, Words
from engine.language.words import Catalogue, plain
from engine.text.labels import Labels
from engine.text.notation import Notation

MOST = 6
"""A checkpoint is put anew so many times at the most."""


class Suit(Proposal):
    """A suit for somebody's hand, which all can see: whoever takes it first is married."""

    kind: ClassVar[str] = "suit"
    timed: ClassVar[bool] = False

    def about(self) -> Mapping[str, Cell]:
        return {"by": self.by, "to": list(self.to)}

    def take(self, table: CourtTable, seat: Seat, answer: Answer) -> None:
        table.tell(answer.option, by=self.by, seat=seat)
        if answer.option == "accept":
            self.to = []
            table.married |= {self.by: seat, seat: self.by}
            offers.weed(table)

    def lapse(self, table: CourtTable, how: str) -> None:
        table.tell("lapsed", by=self.by, how=how)

    def stands(self, table: CourtTable) -> bool:
        return self.by not in table.married and any(seat not in table.married for seat in self.to)


class CourtTable(msgspec.Struct):
    """The whole table."""

    seats: list[Seat]
    chance: Chance
    married: dict[Seat, Seat] = {}
    purses: dict[Seat, int] = {}
    round: int = 0
    outcome: Outcome | None = None
    news: list[Event] = []
    rulings: dict[str, str] = {}
    proposals: Desk[Suit] = msgspec.field(default_factory=Desk)

    def tell(self, event: str, /, **facts: Any) -> None:
        self.news.append(Event(event, facts))


class Court(Procedure):
    """The rounds: suits, a draw, a checkpoint."""

    each: ClassVar[frozenset[str]] = frozenset({"woo", "draw"})

    done: list[Seat] = []
    drawn: list[Seat] = []
    played: bool = False
    """Whether a power was used at the checkpoint since it was put."""
    anew: int = 0

    def begin(self, table: CourtTable) -> Next:
        table.round += 1
        self.done, self.drawn, self.played, self.anew = [], [], False, 0
        return "woo"

    # as they come, until all have done and nothing lies before anybody

    def who_woo(self, table: CourtTable) -> list[Seat]:
        addressed = offers.addressed(table, "suit")
        return [s for s in table.seats if s in addressed or (s not in self.done and s not in table.married)]

    def ask_woo(self, table: CourtTable, seat: Seat) -> Ask:
        return Ask(
            seat, "woo", (Option("pass"),), Answer("pass"), "C-01", {"open": "yes" if seat in offers.addressed(table) else "no"}
        )

    def take_woo(self, table: CourtTable, answers: dict[Seat, Answer]) -> Next:
        for seat in answers:
            if seat not in self.done:
                self.done.append(seat)
            for suit in [p for p in table.proposals.open if seat in p.to]:
                suit.to.remove(seat)  # who has done leaves what lies before him
                if not suit.to:
                    offers.drop(table, suit.number, "passed")
        return "woo" if self.who_woo(table) else "draw"

    # one after the other, while no favour can be asked

    def waits(self, table: CourtTable, seat: Seat, kind: str) -> bool:
        return self.step == "draw" and kind == "levy"

    def who_draw(self, table: CourtTable) -> list[Seat]:
        return [s for s in table.seats if s not in self.drawn][:1]

    def ask_draw(self, table: CourtTable, seat: Seat) -> Ask:
        return Ask(seat, "draw", (Option("draw"),), Answer("draw"), "C-02")

    def take_draw(self, table: CourtTable, answers: dict[Seat, Answer]) -> Next:
        for seat in answers:
            self.drawn.append(seat)
            table.purses[seat] += table.chance.die(6, "draw")
        return "draw" if len(self.drawn) < len(table.seats) else "check"

    # sealed, and put anew after a power was used

    def who_check(self, table: CourtTable) -> list[Seat]:
        return list(table.seats)

    def ask_check(self, table: CourtTable, seat: Seat) -> Ask:
        return Ask(seat, "check", (Option("pass"),), Answer("pass"), "C-03", {"round": table.round})

    def again_check(self, table: CourtTable) -> bool:
        played, self.played = self.played, False
        if played and self.anew < MOST:
            self.anew += 1
            return True
        return False

    def take_check(self, table: CourtTable, answers: dict[Seat, Answer]) -> Next:
        if table.round < 2:
            return "begin"
        best = max(table.purses.values())
        table.outcome = Outcome(tuple(s for s in table.seats if table.purses[s] == best), "purse")
        return Done()


CourtState = State[CourtTable, Court]


def setup(seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, ruled: Ruled | None = None, /) -> CourtState:
    if not 2 <= len(seats) <= 4 or options:
        raise NotUnderstood(plain("Court is for 2 to 4 players, and has no options."))
    table = CourtTable(list(seats), chance, purses=dict.fromkeys(seats, 3))
    return CourtState(table, [Court()])


def powers(state: CourtState, seat: Seat) -> list[Ask]:
    table = state.table
    if table.outcome is not None:
        return []
    found = [Ask(seat, "levy", (Option("levy"),), Answer("levy"), "C-04")] if table.purses[seat] else []
    free = [s for s in table.seats if s != seat and s not in table.married]
    woos = state.stack[-1].step == "woo" and seat not in table.married
    if free and woos and not any(p.by == seat for p in table.proposals.open):
        to = PickSome("to", choices(free), 1, len(free))
        found.append(Ask(seat, "woo_for", (Option("propose", (to,)),), Answer("propose", {"to": free[:1]}), "C-05"))
    return found


def vet_power(state: CourtState, seat: Seat, kind: str, answer: Answer) -> None:
    if kind == "levy" and state.table.purses[seat] < 1:
        raise NotLegal(plain("A levy costs a coin; you have none."))


def use_power(state: CourtState, seat: Seat, kind: str, answer: Answer) -> None:
    table, court = state.table, state.stack[0]
    if kind == "levy":
        table.purses[seat] -= 1
        court.played = court.step == "check"
        table.tell("levy", seat=seat)
    else:
        number = offers.put(table, Suit(by=seat, to=answer.some("to")))
        table.tell("suit", by=seat, number=number)


def view(state: CourtState, seat: Seat | None) -> View:
    table = state.table
    return {
        "game": "court",
        "seat": seat,
        "married": dict(table.married),
        "purses": dict(table.purses),
        "round": table.round,
        "suits": [{"by": p.by, "to": list(p.to)} for p in table.proposals.open],
        "outcome": msgspec.to_builtins(table.outcome) if table.outcome else None,
    }


def lines(state: CourtState, seat: Seat | None, everything: bool) -> Iterator[str]:
    yield "court: 1"
    yield (
        f"all: {msgspec.json.encode(state).decode()}"
        if everything
        else f"seen: {msgspec.json.encode(view(state, seat)).decode()}"
    )


def read_position(text: str) -> CourtState:
    first, _, rest = text.partition("\n")
    if first != "court: 1" or not rest.startswith("all: "):
        raise NotUnderstood(plain("Line 1: a whole position of Court starts with `court: 1`."))
    try:
        return msgspec.json.decode(rest.removeprefix("all: "), type=CourtState)
    except msgspec.MsgspecError as problem:
        raise NotUnderstood(plain(f"Line 2 can't be read: {problem}.")) from None


COURT = Game(
    name="court",
    title="Court",
    rules=Rules(
        seats=range(2, 5),
        state=CourtState,
        setup=setup,
        powers=Powers(powers, use_power, vet_power),
        view=view,
        redeal=copy_for,
        audience=lambda _kind, _seat, _answer: None,
        windows=frozenset(("check",)),
        notation=Notation(lines, read_position),
    ),
    words=Words(
        catalogue=Catalogue("tests"),
        tell=lambda event, names, reader: f"{event.kind} {sorted(event.facts.items())}",
        labels=Labels(
            title=lambda ask, names: f"{names.get(ask.seat, 'Host')}: {ask.kind}?",
            option=lambda ask, option, names: option.capitalize(),
            field=lambda ask, option, field, names: field.capitalize(),
            choice=lambda ask, option, field, choice, names: names.get(choice, choice),
        ),
    ),
)
