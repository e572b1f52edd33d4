"""A turn that an order plays deed by deed: one run takes it as far as it goes, and asks its owner for nothing on the way."""

from __future__ import annotations

import pytest
import time_machine

from engine.core import procedure
from engine.games import game_called
from service.settings import Settings
from service.store.database import transaction
from service.store.seats import seats_of
from tests.house import House, Sent
from workers import adjudicate

GAME = game_called("mastery")
TURN = """mastery: 1
seats: a b
a: knights=6
a.artefacts: Corruption, Fear, Greed
b.artefacts: Fury, Influence, Brutality
a.hand: CallToArms, Conflict3
b.hand: Conflict2, Conflict3
B1: Forest
"""
MARCH = "(deed=march,slot=B1,knights=k2)"


@pytest.fixture
def two(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=2, game="mastery")


def turn(house: House, orders: dict[str, str]) -> list[str]:
    """Let a's turn begin with these orders, in one run; what was answered for a in it."""
    state = GAME.rules.notation.read(TURN)
    procedure.begin(state)
    before = len(house.entries())
    with transaction(house.settings) as session:
        match = house.players.match(session)
        for seat in seats_of(session, match):
            seat.orders = orders if seat.seat == "a" else {"STO-1": "pass"}
            session.add(seat)
        state.serial = match.serial + 1
        match.snapshot = GAME.rules.encode(state)
        session.add(match)
    adjudicate.adjudicate(house.settings, house.players.match_id)
    return [f"{entry.ask} {entry.move}" for entry in house.entries()[before:] if entry.actor == "a"]


def test_a_script_goes_on_to_its_next_deed_in_the_run_that_played_the_first(two: House) -> None:  # MM-STO-8
    played = turn(two, {"STO-8": f"on steps=[{MARCH},(deed=end)]"})
    assert played == ["early march target=B1 knights=2 then=more", "late end"]
    assert [ask.seat for ask in two.asks()] == ["b"] and two.letters("turn", "a") == []
    assert two.seat("a").orders == {}, "it is over with its turn"


def test_a_script_that_can_not_go_on_asks_and_waits_at_its_next_deed(two: House) -> None:  # MM-STO-8
    played = turn(two, {"STO-8": f"on steps=[{MARCH},(deed=march,slot=C1)]"})
    assert played == ["early march target=B1 knights=2 then=more"]
    assert [(ask.seat, ask.kind) for ask in two.asks()] == [("a", "late")]
    kept = two.seat("a").orders
    assert list(kept) == ["STO-8+", "STO+"] and "at=2" in kept["STO-8+"], "and which turn it is"
