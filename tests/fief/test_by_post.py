"""Fief by letter: a letter an ask, and what an answer to an older question comes to."""

from __future__ import annotations

from collections import Counter

import pytest
import time_machine

from engine import procedure
from engine.asks import Seat
from service.errors import Stale
from service.games import submissions
from service.games.state import state_of
from service.settings import Settings
from service.store.database import transaction
from service.store.models import new_id
from tests.house import House, Sent
from tests.service.conftest import sent, settings

__all__ = ["sent", "settings"]


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings.model_copy(update={"hold_seconds": 0}), sent, clock, people=3, game="fief")


def answer(house: House, seat: Seat, serial: int = 0) -> int:
    """Give the safe answer to the seat's question, as a form does that shows its number; the number."""
    with transaction(house.settings) as session:
        match = house.players.match(session)
        state = state_of(match)
        ask = procedure.ask_of(state, seat)
        submissions.submit(session, match, seat, new_id(), serial or state.serial, ask.kind, ask.default)
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
