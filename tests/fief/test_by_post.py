"""Fief by letter: a letter an ask, and what an answer to an older question comes to."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import time_machine

from engine.core import procedure
from engine.core.asks import Answer, Rows, Seat, read
from engine.fief import FIEF
from service.errors import Stale
from service.seat import submissions
from service.seat.state import state_of
from service.settings import Settings
from service.store.database import transaction
from service.store.models import new_id
from service.table import substitutes
from tests.house import House, Sent
from tests.service.conftest import person, sent, settings

__all__ = ["sent", "settings"]


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings.model_copy(update={"hold_seconds": 0}), sent, clock, people=3, game="fief")


def answer(house: House, seat: Seat, serial: int = 0, said: Answer | None = None) -> int:
    """Give an answer to the seat's question, the safe one if none is told, as a form does that shows its number; the number."""
    with transaction(house.settings) as session:
        match = house.players.match(session)
        state = state_of(match)
        ask = procedure.ask_of(state, seat)
        submissions.submit(session, match, seat, new_id(), serial or state.serial, ask.kind, said or ask.default)
        number = state.serial
    house.tick()
    return number


def test_an_ask_is_one_letter_and_an_answer_to_an_outdated_one_is_refused(house: House) -> None:  # FF-ASY-11
    (first,) = house.players.asked()
    old = answer(house, first)
    (second,) = house.players.asked()
    assert second != first
    with pytest.raises(Stale, match="moved on since that form was shown; here is what is open now"):
        answer(house, second, old)
    assert house.players.asked() == [second], "refused, and asked as before"
    answer(house, second)
    (third,) = house.players.asked()
    answer(house, third)
    letters = Counter(letter.seat for letter in house.letters("turn"))
    assert letters == {first: 1, second: 2, third: 2}, "the first question came with the letter about the start"
    assert [ask.seat for ask in house.asks()] == ["a", "b", "c"], "all are asked about marriages at once"


def suits_of(house: House, seat: Seat) -> list[tuple[str, Seat]]:
    """The matches that a seat could propose: the row as text, and to whom."""
    with transaction(house.settings) as session:
        state = state_of(house.players.match(session))
    rows = [f for o in procedure.ask_of(state, seat).options if o.id == "propose" for f in o.fields if isinstance(f, Rows)]
    return [
        (f"{lord.id}+{other.id}", state.table.lords[other.id].seat)
        for row in rows
        for lord in row.fields[0].choices  # type: ignore[union-attr]  # both are picks
        for other in row.fields[1].choices  # type: ignore[union-attr]  # as above
    ]


def test_who_has_passed_and_is_proposed_to_is_asked_again_by_a_letter(house: House) -> None:  # FF-MAR-2, FF-ASY-11
    while len(house.players.asked()) == 1:
        answer(house, house.players.asked()[0])
    suitor, (suit, other) = next((s, found[0]) for s in house.players.asked() if (found := suits_of(house, s)))
    answer(house, other)
    assert other not in house.players.asked()
    before = Counter(letter.seat for letter in house.letters("turn"))
    lord, _, lady = suit.partition("+")
    answer(house, suitor, said=read(f"propose suits=[(lord={lord},other={lady})]"))
    assert other in house.players.asked()
    assert Counter(letter.seat for letter in house.letters("turn"))[other] == before[other] + 1


def own(house: House, seat: Seat) -> Any:
    """What a seat sees of its own family."""
    with transaction(house.settings) as session:
        return FIEF.rules.view(state_of(house.players.match(session)), seat)["families"][seat]


def test_who_is_absent_keeps_his_seat_until_a_substitute_has_it_with_all_that_is_hidden(house: House) -> None:
    # FF-D-2, FF-AMB-86: nobody is eliminated.
    for _ in range(200):
        if house.seat("b").steward:
            break
        others = [s for s in house.players.asked() if s != "b"]
        if others:
            answer(house, others[0])
        else:
            (falls,) = [ask.falls_at for ask in house.asks() if ask.seat == "b"]
            assert falls is not None
            house.go_to(falls)
    absent = house.seat("b")
    assert absent.steward and absent.account_id, "he may come back at any time"
    with transaction(house.settings) as session:
        match = house.players.match(session)
        assert match.status == "running" and state_of(match).table.seats == ["a", "b", "c"]
    house.command("operator", "seek seat=b")
    before = own(house, "b")
    with transaction(house.settings) as session:
        ((match, seat),) = substitutes.open_seats(session)
        substitutes.take(session, match, seat, person(session, "Hugo"))
    house.tick()
    assert house.seat("b").account_id not in ("", None, absent.account_id) and own(house, "b") == before
    assert {"hand", "deniers"} <= before.keys()
