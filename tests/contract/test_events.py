"""Every game: an event is told to those alone who may know what it says.

What is told to a reader must be the same in every position that he can't tell from this one: all that he can't know is dealt
anew, the same answers are given there by the same dice, and where he sees the same table afterwards too, he must have been
told the same. A question that something interrupted is left out: what lies sealed for it can't be given again. What shows
hidden things on purpose, and leaves them hidden, a game says in `Rules.shows`, with to whom.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from engine.core import procedure
from engine.core.asks import Answer, Ask, NotUnderstood, Option, PickOne, Refused, Seat, choices
from engine.core.chance import Chance
from engine.core.procedure import Done, Next, Outcome, Procedure, State
from engine.core.views import Event
from engine.core.visibility import Counted, Own
from engine.game import AnyState, Game, Rules, Words, copy
from engine.games import GAMES
from engine.language.words import Catalogue, say
from engine.play.match import check_offer, run_offer
from tests.contract.walk import LIMIT, Sample, Step, fresh, readers, walk


def meant(game: Game, event: Event, reader: Seat | None) -> bool:
    """Whether the game says that this event shows the reader hidden things on purpose."""
    to = game.rules.shows.get(event.kind)
    if to is None or to == "all":
        return to == "all"
    seats = event.facts.get(to)
    return reader is not None and reader in (seats if isinstance(seats, (list, tuple)) else [seats])


def played_there(game: Game, state: AnyState, other: AnyState, step: Step) -> list[Event] | None:
    """What happens in another position when the same is answered there, sealed answers too; None where it can't be."""
    other.table.chance = Chance(state.table.chance.secret, dict(state.table.chance.drawn))
    other.sealed, other.waiting = {}, [s for s in state.table.seats if s in state.waiting or s in state.sealed]
    try:
        for sealed, before in state.sealed.items():
            procedure.play(other, sealed, before)
        if not step.offer:
            return procedure.play(other, step.seat, step.answer)
        answer = check_offer(game, other, step.seat, step.offer, step.answer, step.number)
        return run_offer(game, other, step.seat, step.offer, answer, step.number)
    except Refused:
        return None


def told_apart(game: Game, before: list[Event], other: list[Event], reader: Seat | None) -> str:
    """The first event that tells the reader which of two positions it is; '' for none."""

    def told(events: list[Event]) -> list[Event]:
        return [e for e in events if e.seen_by(reader) and not meant(game, e, reader)]

    here, there = told(before), told(other)
    for one, two in zip(here, there, strict=False):
        if one != two:
            return one.kind
    longer = here[len(there) :] or there[len(here) :]
    return longer[0].kind if longer else ""


def leaks(game: Game, n: int, number: int, sample: Sample, stop: int = LIMIT) -> Iterator[str]:
    """What is told to whom may not know it, in a match at random. Yields an empty text for each time that nothing is."""
    chance = Chance("events")
    match = fresh(game, n, number)
    before = copy(game, match.state)
    for step in walk(match, random.Random(number), stop=stop):
        taken = sample.takes(match, step)
        for reader in readers(before) if taken and not before.parked else ():
            other = game.rules.redeal(before, reader, chance)
            events = played_there(game, before, other, step)
            if events is None or game.rules.view(other, reader) != game.rules.view(match.state, reader):
                continue
            kind = told_apart(game, step.events, events, reader)
            yield f"{game.name}: “{kind}” tells {reader or 'a spectator'} what he can't know" if kind else ""
        before = copy(game, match.state)


ADVICE = "; tell it as two events, one `only` to whom it is for, or say in Rules.shows whom it shows hidden things on purpose"


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.soak)])
def test_events_are_told_to_those_alone_who_may_know_them(game: Game, every: int) -> None:
    compared = 0
    for n in {game.rules.seats[0], (game.rules.seats[0] + game.rules.seats[-1]) // 2, game.rules.seats[-1]}:
        sample = Sample(each=5, every=every)
        for number in (33, 34):
            for leak in leaks(game, n, number, sample, stop=150):
                assert not leak, leak + ADVICE
                compared += 1
    assert compared > 50 or game.rules.seats[-1] * 6 > compared > 0, "nothing was compared: views differ after every answer"


# --- a game that leaks ------------------------------------------------------------------------------------------------


class PeekTable(msgspec.Struct):
    """Everybody holds a card. On his turn a seat looks at another's, as a Priest does; nothing on the table changes by it."""

    seats: list[Seat]
    chance: Chance
    pile: Counted[list[str]] = []
    cards: Own[dict[Seat, str]] = {}
    outcome: Outcome | None = None
    news: list[Event] = []
    rulings: dict[str, str] = {}


class Peek(Procedure):
    """Everybody in turn."""

    told: str = "one"
    at: int = 0

    def begin(self, table: PeekTable) -> Next:
        for seat in table.seats:
            table.cards[seat] = table.pile.pop()
            to = None if self.told == "dealt" else (seat,)
            table.news.append(Event("dealt", {"seat": seat, "card": table.cards[seat]}, to))
        return "look"

    def who_look(self, table: PeekTable) -> list[Seat]:
        return [table.seats[self.at]]

    def ask_look(self, table: PeekTable, seat: Seat) -> Ask:
        target = PickOne("target", choices(s for s in table.seats if s != seat))
        return Ask(seat, "look", (Option("look", (target,)),), Answer("look", {"target": target.choices[0].id}), "P-1")

    def take_look(self, table: PeekTable, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            target = answer.pick("target")
            to = {"all": None, "wrong": tuple(s for s in table.seats if s != seat)}.get(self.told, (seat,))
            table.news.append(Event("looked", {"seat": seat, "target": target, "card": table.cards[target]}, to))
        self.at += 1
        if self.at < len(table.seats):
            return "look"
        table.outcome = Outcome((), "draw")
        return Done()


def peek(told: str) -> Game:
    def setup(seats: Any, options: Any, chance: Chance, _ruled: Any = None, /) -> AnyState:
        if not 2 <= len(seats) <= 4 or options:
            raise NotUnderstood(say("setting.none"))
        pile = [f"card{i}" for i in range(8)]
        chance.shuffle(pile, "pile")
        return State[PeekTable, Peek](PeekTable(list(seats), chance, pile), [Peek(told=told)])

    return Game(
        name="peek",
        title="Peek",
        rules=Rules(
            seats=range(2, 5),
            state=State[PeekTable, Peek],
            setup=setup,
            shows={"looked": "seat"},
        ),
        words=Words(Catalogue("tests")),
    )


def found(game: Game, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    monkeypatch.setitem(GAMES, game.name, game)
    return {leak for number in range(4) for leak in leaks(game, 3, number, Sample(each=1, every=1)) if leak}


def test_a_look_is_for_whom_it_is_shown_to(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(peek("one"), monkeypatch) == set()


@pytest.mark.parametrize("told", ["all", "wrong"])
def test_a_look_that_is_told_to_others_is_found(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    leaky = found(peek(told), monkeypatch)
    assert leaky and all("“looked”" in leak for leak in leaky)
    assert any("spectator" in leak for leak in leaky) == (told == "all")


def test_a_look_that_no_game_speaks_of_is_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(replace(peek("one"), rules=replace(peek("one").rules, shows={})), monkeypatch)
