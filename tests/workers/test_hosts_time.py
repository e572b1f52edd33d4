"""Time that a host gives: nobody extends their own seat, pauses add little, and one game has one budget."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlmodel import select

from engine.core.asks import NotLegal
from service.post import letter_preferences
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import AskRow, Command, SeatRow
from service.table import host, permissions
from tests.house import HOUR, START, House, Sent, do
from tests.service.conftest import on_sqlite

DAY = timedelta(days=1)


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock)


def due(house: House, seat: str) -> datetime:
    (ask,) = [ask for ask in house.asks() if ask.seat == seat]
    assert ask.due_at is not None
    return ask.due_at


def refused(house: House) -> int:
    with open_session(house.settings) as session:
        return len(session.exec(select(Command).where(Command.status == "refused")).all())


def given(house: House) -> timedelta:
    with open_session(house.settings) as session:
        return permissions.given_by_host(session, house.players.match(session), datetime.now(UTC))


@on_sqlite
def test_a_host_who_plays_gives_time_to_others_and_none_to_the_own_seat(house: House) -> None:
    before = due(house, "a")
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="your own seat more time"):
        host.extend(session, house.players.match(session), "a", 12 * HOUR)
    house.command("host", "extend seat=a by=7200")
    assert due(house, "a") == before and refused(house) == 1
    house.command("host", "extend seat=b by=7200")
    assert due(house, "b") == before + 2 * HOUR
    house.command("operator", "extend seat=a by=7200")
    assert due(house, "a") == before + 2 * HOUR, "those who run the service aren't at the table"


@on_sqlite
def test_the_budget_is_one_for_pauses_and_deadlines_of_all_seats(house: House) -> None:
    do(house, lambda s, m: host.extend(s, m, "b", 20 * DAY))
    house.command("host", f"pause until={(START + 5 * DAY).isoformat()}")
    house.go_to(START + 5 * DAY)
    assert given(house) == 25 * DAY
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="30 days in all; for more the table votes"):
        host.pause(session, house.players.match(session), datetime.now(UTC) + 6 * DAY)
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="30 days in all; for more the table votes"):
        host.extend(session, house.players.match(session), "b", 6 * DAY)
    do(house, lambda s, m: host.extend(s, m, "b", 5 * DAY))
    assert given(house) == 30 * DAY
    house.command("host", f"pause until={(datetime.now(UTC) + HOUR).isoformat()}")
    assert refused(house) == 1
    house.command("table", f"pause until={(datetime.now(UTC) + HOUR).isoformat()}")
    assert refused(house) == 1, "the table has a budget of nobody's"


@on_sqlite
def test_a_pause_that_runs_is_counted_to_its_end_when_a_deadline_is_moved(house: House) -> None:
    house.command("host", f"pause until={(START + 28 * DAY).isoformat()}")
    house.command("host", f"extend seat=b by={3 * 86400}")
    assert refused(house) == 1


@on_sqlite
def test_pauses_that_end_at_once_keep_nobody_from_timing_out(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.due_at is not None
    paused, first = timedelta(), ask.due_at
    for _ in range(8):
        (ask,) = house.asks()
        assert ask.due_at is not None
        house.go_to(ask.due_at - timedelta(minutes=5))
        house.command("host", f"pause until={(datetime.now(UTC) + 2 * DAY).isoformat()}")
        house.go_to(datetime.now(UTC) + HOUR)
        house.command("host", "resume")
        paused += HOUR
    (ask,) = house.asks()
    assert ask.due_at is not None
    assert ask.due_at == first + paused + HOUR, "an hour once, and never the time that a pause did not last"


@on_sqlite
def test_a_pause_of_no_length_adds_nothing(house: House) -> None:
    before = due(house, "b")
    house.go_to(before - timedelta(minutes=5))
    house.command("host", f"pause until={(datetime.now(UTC) + 2 * DAY).isoformat()}")
    house.command("host", "resume")
    assert due(house, "b") == before


@on_sqlite
def test_a_longer_pause_makes_up_for_what_a_short_one_did_not(house: House) -> None:
    """A host can't use up a question's good will with a pause of a minute, and end a long one at night."""
    house.go_to(due(house, "b") - timedelta(minutes=5))
    for hours in (0.1, 3.0):
        left = due(house, "b") - datetime.now(UTC)
        house.command("host", f"pause until={(datetime.now(UTC) + 2 * DAY).isoformat()}")
        house.go_to(datetime.now(UTC) + timedelta(hours=hours))
        house.command("host", "resume")
    assert due(house, "b") - datetime.now(UTC) == left + timedelta(hours=2.9)
    assert any(line.startswith("Bert’s deadline is now") for line in house.history("a")), "and the table reads it"


@on_sqlite
@pytest.mark.parametrize("whose", ["table", "operator"])
def test_a_host_can_not_end_anothers_pause_by_putting_a_longer_one_in_its_place(house: House, whose: str) -> None:
    house.command(whose, f"pause until={(START + 3 * DAY).isoformat()}")
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="isn't yours to change"):
        host.pause(session, house.players.match(session), START + 4 * DAY)
    house.command("host", f"pause until={(START + 4 * DAY).isoformat()}")
    house.command("host", "resume")
    assert refused(house) == 2 and due(house, "b") == START + 4 * DAY


@on_sqlite
def test_a_question_that_has_half_a_day_left_gets_no_more_by_a_pause(house: House) -> None:
    house.command("host", f"pause until={(START + 2 * DAY).isoformat()}")
    house.go_to(START + 5 * HOUR)
    house.command("host", "resume")
    assert due(house, "b") == START + 29 * HOUR


@on_sqlite
def test_a_pause_stops_the_grace_as_well(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.due_at is not None
    before = len(house.entries())
    house.go_to(ask.due_at + timedelta(minutes=30))
    house.command("table", f"pause until={(datetime.now(UTC) + DAY).isoformat()}")
    house.go_to(ask.due_at + 5 * HOUR)
    assert len(house.entries()) == before + 1, "nothing falls while the table pauses"


@on_sqlite
def test_time_that_was_given_fills_the_time_bank_no_more_than_a_turn_does(house: House, rng: random.Random) -> None:
    with transaction(house.settings) as session:
        for row in session.exec(select(AskRow)):
            row.extended = 20 * 86400
            session.add(row)
    house.answer_all(rng)
    assert max(house.seat(seat).bank for seat in "ab") == 24 * 3600 // 4


def test_a_player_with_another_deadline_gets_one_letter_with_it(
    settings: Settings, sent: Sent, clock: time_machine.Traveller
) -> None:
    """By a vote, the host or the operators; but not who has it from their own page, or wants no letters of the game."""
    house = House(settings, sent, clock, people=3)
    with transaction(house.settings) as session:
        seat = session.get_one(SeatRow, (house.players.match_id, "b"))
        seat.letters = letter_preferences.NONE
        session.add(seat)
    house.command("table", f"pause until={(START + 2 * DAY).isoformat()}")
    asked = {ask.seat: ask.due_at for ask in house.asks()}
    assert asked.keys() == {"a", "b", "c"} and sorted(letter.seat for letter in house.letters("notice")) == ["a", "c"]
    (told,) = house.letters("notice", "a")
    text = " ".join(told.text.split())
    assert "The table pauses until Thu 26 Nov 2026, 09:00 UTC. Your deadline is now Fri 27 Nov 2026, 09:00 UTC." in text
    assert "Your deadline is now Fri 27 Nov 2026, 09:00 UTC." in told.html and "run this service" not in text + told.html
    house.command("host", f"extend seat=c by={6 * 3600}")
    assert [len(house.letters("notice", seat)) for seat in "abc"] == [1, 0, 2]
    text = " ".join(house.letters("notice", "c")[-1].text.split())
    assert text.count("Fri 27 Nov 2026, 15:00 UTC") == 1 and "The host moved your deadline to" in text
    house.command("a", f"extend seat=a by={-6 * 3600}")
    house.command("a", f"away seat=a from={(START + HOUR).isoformat()} until={(START + DAY).isoformat()}")
    assert [len(house.letters("notice", seat)) for seat in "abc"] == [1, 0, 2]
    house.command("operator", "resume")
    assert [len(house.letters("notice", seat)) for seat in "abc"] == [2, 1, 3], "one, with what the operators did"
    text = " ".join(house.letters("notice", "a")[-1].text.split())
    assert "Your deadline is now" in text and "The people who run this service did it" in text
