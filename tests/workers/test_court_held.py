"""The small court, held through the workers: proposals that all can see, to one or several, and checkpoints."""

from __future__ import annotations

import pytest
import time_machine
from sqlmodel import select

from engine.core.asks import read
from engine.games import GAMES
from service.seat import submissions
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import AskRow, new_id
from service.table import lateness
from tests.house import HOUR, House, Sent
from tests.service.conftest import on_sqlite
from tests.toy_court import COURT, Suit


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setitem(GAMES, COURT.name, COURT)
    return House(settings, sent, clock, people=4, game="court")


def say(house: House, seat: str, kind: str, text: str, serial: int | None = None) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        number = match.serial if serial is None else serial
        submissions.submit(session, match, seat, new_id(), number, kind, read(text))
    house.tick()


def put(house: House) -> list[AskRow]:
    with open_session(house.settings) as session:
        return list(session.exec(select(AskRow).where(AskRow.serial < 0).order_by(AskRow.seat)))


def asked(house: House) -> list[str]:
    return [ask.seat for ask in house.asks() if ask.serial > 0]


def test_a_proposal_to_several_is_put_to_each_and_gone_for_all_when_one_has_taken_it(house: House) -> None:
    say(house, "b", "woo", "pass")
    say(house, "a", "woo_for", "propose to=[b,c]", 0)
    assert [(ask.seat, ask.due_at, ask.falls_at) for ask in put(house)] == [("b", None, None), ("c", None, None)]
    assert sorted(letter.seat for letter in house.letters("offer")) == ["b", "c"] and asked(house) == ["a", "b", "c", "d"]
    assert len(house.letters("turn", "b")) == 0, "he is written to of the proposal, not of the question that stays open for it"
    number = put(house)[0].serial
    say(house, "c", "suit", "accept", number)
    assert all(ask.answered_at for ask in put(house)) and asked(house) == ["d"]
    say(house, "d", "woo", "pass")
    assert [ask.kind for ask in house.asks()] == ["draw"]


@on_sqlite
def test_the_deadline_of_the_step_ends_what_lies_before_those_who_say_nothing(house: House) -> None:
    for seat in "abcd":
        say(house, seat, "woo", "pass") if seat != "b" else None
    say(house, "a", "woo_for", "propose to=[b]", 0)
    (ask,) = [ask for ask in house.asks() if ask.serial > 0]
    assert ask.seat == "b" and ask.falls_at is not None
    house.go_to(ask.falls_at)
    assert put(house)[0].answered_at is not None and [ask.kind for ask in house.asks()] == ["draw"]


def test_a_proposal_left_alone_until_the_clock_ends_it_is_no_deadline_missed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Suit, "timed", True)
    say(house, "a", "woo_for", "propose to=[b]", 0)
    with transaction(house.settings) as session:
        for ask in session.exec(select(AskRow).where(AskRow.serial > 0)):
            ask.falls_at = ask.opened_at + 96 * HOUR
    (ask,) = put(house)
    assert ask.falls_at is not None
    house.go_to(ask.falls_at)
    (refused,) = [e for e in house.entries() if e.serial < 0]
    assert (refused.actor, refused.move, refused.mark, refused.via) == ("b", "refuse", "default", "clock")
    with open_session(house.settings) as session:
        assert lateness.let_pass(session, house.players.match(session)) == set()


def test_a_checkpoint_is_put_to_all_anew_with_fresh_letters_and_what_was_sealed_is_forgotten(house: House) -> None:
    for seat in "abcd":
        say(house, seat, "woo", "pass")
    say(house, "d", "levy", "levy", 0)
    for seat in "abcd":
        assert not any(e.ask == "levy" for e in house.entries()), "it waits while they draw"
        say(house, seat, "draw", "draw")
    assert [e.ask for e in house.entries()][-1] == "levy" and asked(house) == [*"abcd"]
    with open_session(house.settings) as session:
        first = house.players.match(session).serial
    say(house, "a", "check", "pass")
    say(house, "b", "levy", "levy", 0)
    with open_session(house.settings) as session:
        again = house.players.match(session).serial
    assert again == first + 1 and asked(house) == [*"abcd"]
    for seat in "abcd":
        say(house, seat, "check", "pass")
    assert [ask.kind for ask in house.asks()] == ["woo"] * 4
    assert [e.actor for e in house.entries() if e.ask == "check"] == [*"abcd"], "what was sealed first never entered the log"
