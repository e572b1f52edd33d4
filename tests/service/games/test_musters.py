"""Musters: who is asked, who is there, what the deadline does, and tables that bots fill after a day."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from engine.core.asks import NotUnderstood
from service.clock import deadlines
from service.clock.pace import Pace
from service.errors import NotAllowed
from service.games import lobby, muster
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import AskRow, Beat, Letter, Match, MatchStatus, SeatRow, SeatStatus, now
from service.store.seats import by_match_id, seats_of
from service.table import mine, substitutes
from tests.house import invite
from tests.service.conftest import as_sent, on_sqlite, person
from workers import adjudicate, lobby_deadlines, sweep

DAY = timedelta(days=1)
LATER = timedelta(hours=2)
Travel = time_machine.Traveller


@pytest.fixture(autouse=True)
def _quiet(sent: list[tuple[str, ...]]) -> None:
    """Nothing is run."""


@pytest.fixture
def clock() -> Iterator[Travel]:
    """It is nine o'clock: no deadline of a day falls into anybody's quiet hours."""
    with time_machine.travel(datetime(2026, 11, 28, 9, tzinfo=UTC), tick=False) as traveller:
        yield traveller


def full(settings: Settings, clock: Travel, *guests: str, **more: Any) -> str:
    """A table that Anna opened two hours before the last of the guests sat down."""
    with transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "Harvest war", "mastery", len(guests) + 1, **({"access": "open"} | more))
        for name in guests[:-1]:
            sit(session, match, name)
        match_id = match.id
    clock.shift(LATER)
    with transaction(settings) as session:
        sit(session, by_match_id(session, match_id), guests[-1])
    return match_id


def sit(session: Session, match: Match, name: str) -> None:
    lobby.take(session, match, lobby.free_seat(session, match), person(session, name))


def at(settings: Settings, match_id: str) -> tuple[Match, dict[str, SeatRow]]:
    with open_session(settings) as session:
        match = by_match_id(session, match_id)
        return match, {seat.name: seat for seat in seats_of(session, match)}


def say(settings: Settings, match_id: str, letter: str) -> None:
    with transaction(settings) as session:
        lobby.be_there(session, by_match_id(session, match_id), letter)


def told(settings: Settings, kind: str) -> dict[str, Letter]:
    """Letters of that kind as they would be sent now, by reader."""
    with open_session(settings) as session:
        found = list(session.exec(select(Letter).where(Letter.kind == kind).order_by(col(Letter.created_at))))
    return {letter.to_address.partition("@")[0]: letter for letter in as_sent(settings, found) if letter.text}


def told_all(settings: Settings, kind: str) -> list[Letter]:
    with open_session(settings) as session:
        return list(session.exec(select(Letter).where(Letter.kind == kind)))


def in_a_line(letter: Letter) -> str:
    return " ".join(letter.text.split())


def test_a_full_open_table_asks_who_did_not_just_sit_down_and_begins_when_all_are_there(
    settings: Settings, clock: Travel
) -> None:
    id = full(settings, clock, "Bert", "Cleo")
    match, seats = at(settings, id)
    assert match.status == MatchStatus.LOBBY and match.muster_until == now() + DAY
    assert [name for name, seat in seats.items() if seat.present_at is None] == ["Anna", "Bert"]
    letters = told(settings, muster.KIND)
    assert letters.keys() == {"anna", "bert"} and "are you there?" in letters["bert"].subject
    assert "?to=muster" in letters["bert"].text and "a bot takes your seat" in in_a_line(letters["bert"])
    say(settings, id, "b")
    say(settings, id, "b")
    assert at(settings, id)[0].status == MatchStatus.LOBBY
    clock.shift(LATER)
    say(settings, id, "a")
    match, seats = at(settings, id)
    assert match.status == MatchStatus.RUNNING and match.muster_until is None and match.started_at == now()
    assert told(settings, "replaced") == {}
    adjudicate.adjudicate(settings, id)
    with open_session(settings) as session:
        opened = session.exec(select(AskRow).where(AskRow.match_id == id)).all()
        assert opened and all(ask.opened_at == now() for ask in opened), "the clocks of turn 1 count from the start"


@pytest.mark.parametrize(
    ("more", "asked"),
    [
        ({}, True),
        ({"access": "invited"}, False),
        ({"access": "invited", "mustered": "always"}, True),
        ({"mustered": "never"}, False),
    ],
)
@on_sqlite
def test_the_host_chooses_which_tables_have_one(settings: Settings, clock: Travel, more: dict[str, str], asked: bool) -> None:
    match, _ = at(settings, full(settings, clock, "Bert", **more))
    assert (match.status == MatchStatus.LOBBY) == asked == (match.muster_until is not None)


@on_sqlite
def test_nobody_is_asked_who_sat_down_just_now_or_plays_with_bots_alone(settings: Settings, clock: Travel) -> None:
    with transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "At once", "mastery", 2, "open")
        clock.shift(muster.LATELY)
        sit(session, match, "Bert")
        alone = lobby.open_match(session, host, "With bots", "mastery", 2, "open", mustered=muster.ALWAYS)
        clock.shift(LATER)
        lobby.add_bot(session, alone, host)
        assert match.status == alone.status == MatchStatus.RUNNING and match.muster_until is None
        with pytest.raises(NotUnderstood):
            lobby.open_match(session, host, "Odd", "mastery", 2, mustered="sometimes")


def test_at_the_deadline_bots_take_the_seats_of_absent_players_and_anybody_may_take_them_over(
    settings: Settings, clock: Travel
) -> None:
    id = full(settings, clock, "Bert", "Cleo")
    until = at(settings, id)[0].muster_until
    assert until is not None
    clock.move_to(until - timedelta(seconds=1))
    assert lobby_deadlines.settle_due(settings) == 0
    say(settings, id, "b")
    clock.move_to(until)
    assert lobby_deadlines.settle_due(settings) == 1 and lobby_deadlines.settle_due(settings) == 0
    match, seats = at(settings, id)
    assert match.status == MatchStatus.RUNNING and seats.keys() == {"Gerda", "Bert", "Cleo"}
    seat = seats["Gerda"]
    assert (seat.account_id, seat.bot, seat.wanted, seat.colour) == (None, "", "open", "red") and seat.steward
    assert "It doesn’t count as a defeat" in in_a_line(told(settings, "replaced")["anna"])
    with open_session(settings) as session:
        anna, bert = person(session, "Anna"), person(session, "Bert")
        assert match.host_id == bert.id, "hosting passes on with the host's seat"
        assert [game.match.id for game in mine.page(session, anna)[0]] == []
    adjudicate.adjudicate(settings, id)
    with transaction(settings) as session:
        (found,) = substitutes.open_seats(session)
        substitutes.take(session, *found, person(session, "Dora"))
    adjudicate.adjudicate(settings, id)
    assert at(settings, id)[1].keys() == {"Dora", "Bert", "Cleo"}


@on_sqlite
def test_who_missed_a_muster_may_take_any_open_seat_of_the_game(settings: Settings, clock: Travel) -> None:
    id = full(settings, clock, "Bert", "Cleo", "Dora")
    clock.shift(DAY)
    lobby_deadlines.settle_due(settings)
    adjudicate.adjudicate(settings, id)
    with transaction(settings) as session:
        (seat,) = (seat for _, seat in substitutes.open_seats(session) if seat.seat == "b")
        substitutes.take(session, by_match_id(session, id), seat, person(session, "Anna"))
    adjudicate.adjudicate(settings, id)
    assert at(settings, id)[1]["Anna"].seat == "b", "she has seen no seat's secrets"


@on_sqlite
def test_at_an_invited_table_the_host_says_who_takes_a_dropped_seat(settings: Settings, clock: Travel) -> None:
    id = full(settings, clock, "Bert", "Cleo", access="invited", mustered=muster.ALWAYS)
    say(settings, id, "a")
    clock.shift(DAY)
    lobby_deadlines.settle_due(settings)
    match, seats = at(settings, id)
    assert match.status == MatchStatus.RUNNING and seats["Gerda"].wanted == "" and seats["Gerda"].steward
    with open_session(settings) as session:
        assert substitutes.open_seats(session) == []


@on_sqlite
def test_a_table_where_nobody_is_there_is_called_off(settings: Settings, clock: Travel) -> None:
    id = full(settings, clock, "Bert")
    with transaction(settings) as session:
        for seat in seats_of(session, by_match_id(session, id)):
            seat.present_at = None
            session.add(seat)
    clock.shift(DAY)
    lobby_deadlines.settle_due(settings)
    assert at(settings, id)[0].status == MatchStatus.CANCELLED
    letters = told(settings, "cancelled")
    assert letters.keys() == {"anna", "bert"} and "nobody said “I am here” in time" in in_a_line(letters["anna"])


@on_sqlite
def test_a_seat_that_comes_free_or_a_changed_option_ends_the_muster_and_the_next_one_asks_again(
    settings: Settings, clock: Travel
) -> None:
    id = full(settings, clock, "Bert", "Cleo")
    say(settings, id, "b")
    with transaction(settings) as session:
        match = by_match_id(session, id)
        lobby.leave(session, match, person(session, "Cleo"))
        assert match.muster_until is None
        with pytest.raises(NotAllowed):
            lobby.leave(session, match, person(session, "Anna"))
    assert told(settings, muster.KIND) == {}, "letters that wait aren't sent"
    clock.shift(DAY)
    assert lobby_deadlines.settle_due(settings) == 0
    with transaction(settings) as session:
        sit(session, by_match_id(session, id), "Dora")
    assert [n for n, seat in at(settings, id)[1].items() if seat.present_at is None] == ["Anna", "Bert"]
    with transaction(settings) as session:
        match = by_match_id(session, id)
        lobby.let_share(session, match, person(session, "Anna"), True)
        assert match.muster_until is None
    clock.shift(DAY)
    assert lobby_deadlines.settle_due(settings) == 0 and at(settings, id)[0].status == MatchStatus.LOBBY


@on_sqlite
def test_the_deadline_keeps_to_the_quiet_hours_of_who_is_asked_and_to_three_days(settings: Settings, clock: Travel) -> None:
    with transaction(settings) as session:
        anna = person(session, "Anna")
        anna.quiet_from, anna.quiet_to = "00:00", "12:00"
        session.add(anna)
    clock.move_to(now().replace(hour=1, minute=0, second=0, microsecond=0))
    until = at(settings, full(settings, clock, "Bert"))[0].muster_until
    assert until is not None and until.hour >= 12
    until = at(settings, full(settings, clock, "Cleo", pace=Pace(turn=20 * 24 * 3600)))[0].muster_until
    assert until is not None and muster.LONGEST <= until - now() < muster.LONGEST + DAY


@on_sqlite
def test_an_outage_moves_the_deadline(settings: Settings, clock: Travel) -> None:
    id = full(settings, clock, "Bert")
    with transaction(settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=now()))
    before = at(settings, id)[0].muster_until
    clock.shift(DAY + LATER)
    sweep.sweep(settings)
    match, _ = at(settings, id)
    assert before is not None and match.status == MatchStatus.LOBBY and match.muster_until == before + DAY + LATER


@on_sqlite
@pytest.mark.parametrize("ahead", [True, False])
def test_a_clock_that_ran_ahead_leaves_a_muster_the_time_of_a_new_one(settings: Settings, clock: Travel, ahead: bool) -> None:
    """Whether it began in that time, or before, and was moved by it."""
    id = "" if ahead else full(settings, clock, "Bert")
    with transaction(settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=now()))
    before = now()
    clock.shift(365 * DAY)
    sweep.sweep(settings)
    id = id or full(settings, clock, "Bert")
    clock.move_to(before + timedelta(minutes=2))
    sweep.sweep(settings)
    match, seats = at(settings, id)
    assert match.muster_until == now() + DAY
    assert seats["Bert"].present_at == (now() if ahead else before)
    assert "Say it by Sun 29 Nov 2026" in in_a_line(told(settings, muster.KIND)["anna"])
    sweep.sweep(settings)
    assert len([x for x in told_all(settings, muster.KIND) if x.to_address.startswith("anna")]) == 2, "asked again, once"


@on_sqlite
def test_the_sweep_closes_a_muster_at_its_deadline(settings: Settings, clock: Travel) -> None:
    id = full(settings, clock, "Bert")
    clock.shift(DAY)
    with transaction(settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=now()))
    sweep.sweep(settings)
    assert at(settings, id)[0].status == MatchStatus.RUNNING


@on_sqlite
def test_a_word_after_the_deadline_counts_until_the_muster_is_closed(settings: Settings, clock: Travel) -> None:
    id = full(settings, clock, "Bert")
    clock.shift(DAY * 2)
    say(settings, id, "a")
    match, seats = at(settings, id)
    assert match.status == MatchStatus.RUNNING and seats["Anna"].account_id
    with transaction(settings) as session, pytest.raises(NotAllowed):
        lobby.close_muster(session, by_match_id(session, id))


@pytest.mark.parametrize("settings", ["postgres"], indirect=True)
def test_a_word_and_the_deadline_at_the_same_time_leave_one_outcome(settings: Settings, clock: Travel) -> None:
    id = full(settings, clock, "Bert")
    clock.shift(DAY)
    problems: list[Exception] = []

    def speak() -> None:
        try:
            say(settings, id, "a")
        except NotAllowed:
            pass
        except Exception as problem:
            problems.append(problem)

    threads = [
        threading.Thread(target=speak),
        *(threading.Thread(target=lobby_deadlines.settle_due, args=(settings,)) for _ in "ab"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    match, seats = at(settings, id)
    assert problems == [] and match.status == MatchStatus.RUNNING and len(seats) == 2
    assert len(told(settings, "replaced")) == (0 if "Anna" in seats else 1)


@on_sqlite
def test_a_table_that_fails_is_tried_again_later_and_blocks_no_other(
    settings: Settings, clock: Travel, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = full(settings, clock, "Bert"), full(settings, clock, "Cleo")
    clock.shift(DAY + LATER)
    real = lobby.close_muster

    def fails_for_one(session: Session, match: Match) -> None:
        if match.id == first:
            raise RuntimeError
        real(session, match)

    monkeypatch.setattr(lobby, "close_muster", fails_for_one)
    lobby_deadlines.settle_due(settings)
    assert at(settings, second)[0].status == MatchStatus.RUNNING
    assert at(settings, first)[0].muster_until == now() + lobby_deadlines.AGAIN


@on_sqlite
def test_a_muster_is_closed_by_the_next_sweep_if_the_database_was_away(
    settings: Settings, clock: Travel, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = full(settings, clock, "Bert")
    clock.shift(DAY + LATER)

    def is_lost(_session: Session, _match: Match) -> None:
        raise OperationalError("SELECT 1", {}, Exception("server closed the connection unexpectedly"))

    with monkeypatch.context() as away:
        away.setattr(lobby, "close_muster", is_lost)
        lobby_deadlines.settle_due(settings)
    until = at(settings, id)[0].muster_until
    assert until is not None and until <= now(), "no fault of that table"
    say(settings, id, "b")
    lobby_deadlines.settle_due(settings)
    assert at(settings, id)[0].status == MatchStatus.RUNNING


# --- tables that bots fill --------------------------------------------------------------------------------------------


def test_after_a_day_bots_take_the_free_and_promised_seats_and_the_players_are_told(settings: Settings, clock: Travel) -> None:
    with transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "Harvest war", "mastery", 4, filled=True, mustered=muster.NEVER)
        invite(session, match, host, "dora@example.org")
        sit(session, match, "Bert")
        id = match.id
    clock.shift(DAY - timedelta(seconds=1))
    assert lobby_deadlines.settle_due(settings) == 0
    clock.shift(timedelta(seconds=1))
    assert lobby_deadlines.settle_due(settings) == 1 and lobby_deadlines.settle_due(settings) == 0
    match, seats = at(settings, id)
    assert match.status == MatchStatus.RUNNING and seats.keys() == {"Anna", "Bert", "Gerda", "Hugh"}
    assert seats["Gerda"].bot == seats["Hugh"].bot == "steady"
    letters = told(settings, "filled")
    assert letters.keys() == {"anna", "bert"} and "Gerda, Hugh" in in_a_line(letters["bert"])


@on_sqlite
def test_a_filled_table_asks_who_is_there_and_is_filled_again_if_somebody_leaves(settings: Settings, clock: Travel) -> None:
    with transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "mastery", 3, "open", filled=True)
        sit(session, match, "Bert")
        id = match.id
    clock.shift(DAY)
    lobby_deadlines.settle_due(settings)
    match, seats = at(settings, id)
    assert match.muster_until is not None and seats["Gerda"].bot
    with transaction(settings) as session:
        lobby.leave(session, by_match_id(session, id), person(session, "Bert"))
    assert lobby_deadlines.settle_due(settings) == 0
    clock.shift(lobby.AGAIN)
    lobby_deadlines.settle_due(settings)
    match, seats = at(settings, id)
    assert seats.keys() == {"Anna", "Gerda", "Hugh"} and match.status == MatchStatus.RUNNING, "one person with bots isn't asked"


@on_sqlite
def test_a_table_whose_host_does_not_wish_it_gathers_on(settings: Settings, clock: Travel) -> None:
    with transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "mastery", 3, "open")
        id = match.id
    clock.shift(DAY * 9)
    assert lobby_deadlines.settle_due(settings) == 0
    with transaction(settings) as session:
        match = by_match_id(session, id)
        lobby.fill(session, match)
        assert [seat.status for seat in seats_of(session, match)].count(SeatStatus.EMPTY) == 2
