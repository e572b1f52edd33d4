"""Absence within its budget, pauses, and seats that change hands."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from sqlmodel import select

from engine.core.asks import NotLegal, Refused
from engine.play.match import verify
from service.errors import BadLink, Taken
from service.people import accounts
from service.post import links
from service.replay import replay_copy
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Absence, Account, Letter, Link, SeatRow
from service.table import absences, substitutes
from tests.house import HOUR, START, House, Sent
from tests.service.conftest import on_sqlite, person


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=3)


def announce(house: House, letter: str, first: date, last: date) -> None:
    with transaction(house.settings) as session:
        seat = session.get(SeatRow, (house.players.match_id, letter))
        assert seat is not None
        account = session.get(Account, seat.account_id)
        assert account is not None
        absences.announce(session, house.players.match(session), seat, account, first, last)
    house.tick()


def due(house: House) -> dict[str, datetime | None]:
    return {a.seat: a.due_at for a in house.asks()}


@on_sqlite
def test_an_absence_moves_the_deadlines_of_its_seat_alone_and_the_table_is_told(house: House) -> None:
    announce(house, "a", date(2026, 11, 25), date(2026, 11, 27))
    assert due(house) == {"a": START + timedelta(days=4), "b": START + timedelta(days=1), "c": START + timedelta(days=1)}
    assert house.history("b")[-1] == ("Anna is away from Wed 25 Nov 2026, 00:00 UTC until Sat 28 Nov 2026, 00:00 UTC.")


def test_absences_that_touch_are_joined_and_counted_once(house: House) -> None:
    announce(house, "a", date(2026, 11, 25), date(2026, 11, 27))
    announce(house, "a", date(2026, 11, 27), date(2026, 11, 30))
    with open_session(house.settings) as session:
        match, seat = house.players.match(session), house.seat("a")
        (row,) = session.exec(select(Absence)).all()
        assert (row.starts_at, row.ends_at) == (datetime(2026, 11, 25, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC))
        assert absences.used(absences.of_match(session, match), seat.seat, "UTC") == 6


@on_sqlite
def test_the_budget_of_days_holds(house: House) -> None:
    announce(house, "a", date(2026, 11, 24), date(2026, 12, 14))  # all 21 days
    with pytest.raises(NotLegal, match="22 days of absence in this game; 21 is the budget, and 0 are left"):
        announce(house, "a", date(2026, 12, 20), date(2026, 12, 20))
    announce(house, "a", date(2026, 12, 1), date(2026, 12, 2))  # days that are taken already


def test_two_absences_announced_at_once_do_not_outgrow_the_budget(house: House) -> None:
    with transaction(house.settings) as session:
        seat = session.get(SeatRow, (house.players.match_id, "a"))
        assert seat is not None
        account, match = accounts.by_id(session, seat.account_id), house.players.match(session)
        absences.announce(session, match, seat, account, date(2026, 11, 25), date(2026, 12, 15))
        absences.announce(session, match, seat, account, date(2027, 1, 1), date(2027, 1, 21))
    house.tick()
    with open_session(house.settings) as session:
        assert absences.used(absences.of_match(session, house.players.match(session)), "a", "UTC") == 21
    assert sum("Anna is away" in sentence for sentence in house.history("b")) == 1


@on_sqlite
def test_days_on_which_the_clocks_change_are_whole_days(house: House) -> None:
    house.clock.move_to(datetime(2027, 3, 26, 9, 0, tzinfo=UTC))
    with transaction(house.settings) as session:
        accounts.set_zone(session, person(session, "Anna"), "Europe/Vienna")
    announce(house, "a", date(2027, 3, 27), date(2027, 3, 29))
    with open_session(house.settings) as session:
        (row,) = session.exec(select(Absence)).all()
        assert (row.starts_at, row.ends_at) == (
            datetime(2027, 3, 26, 23, 0, tzinfo=UTC),
            datetime(2027, 3, 29, 22, 0, tzinfo=UTC),
        )
        assert absences.used(absences.of_match(session, house.players.match(session)), "a", "Europe/Vienna") == 3


@on_sqlite
@pytest.mark.parametrize(
    ("first", "last", "sentence"),
    [
        (date(2026, 11, 23), date(2026, 11, 25), "can't begin in the past; the earliest day is today, 2026-11-24"),
        (date(2026, 11, 26), date(2026, 11, 25), "can't come before its first"),
        (date(2026, 11, 26), date(2028, 11, 25), "within a year"),
    ],
)
def test_an_absence_that_can_not_be_changes_nothing(house: House, first: date, last: date, sentence: str) -> None:
    before = due(house)
    with pytest.raises(Refused, match=sentence):
        announce(house, "a", first, last)
    assert due(house) == before


def test_today_is_the_day_of_the_players_own_calendar(house: House) -> None:
    house.clock.move_to(datetime(2026, 11, 24, 23, 30, tzinfo=UTC))
    with transaction(house.settings) as session:
        account = person(session, "Anna")
        accounts.set_zone(session, account, "Asia/Tokyo")
    with pytest.raises(NotLegal, match="today, 2026-11-25"):
        announce(house, "a", date(2026, 11, 24), date(2026, 11, 25))


def test_an_absence_that_is_given_up_leaves_time_to_answer(house: House) -> None:
    announce(house, "a", date(2026, 11, 24), date(2026, 11, 30))
    house.clock.move_to(START + timedelta(days=3))
    house.tick()
    with transaction(house.settings) as session:
        seat = session.get(SeatRow, (house.players.match_id, "a"))
        assert seat is not None
        absences.withdraw(session, house.players.match(session), seat)
    house.tick()
    assert due(house)["a"] == START + timedelta(days=4)
    assert house.history("b")[-1] == "Anna is back." and house.history("a")[-1] == "You are back."
    with transaction(house.settings) as session:
        found = session.get_one(SeatRow, (house.players.match_id, "a"))
        with pytest.raises(NotLegal, match="no absence to end"):
            absences.withdraw(session, house.players.match(session), found)


@on_sqlite
def test_a_seat_changes_hands_and_the_old_keys_open_nothing(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    before = house.seat("a")
    with transaction(house.settings) as session:
        match = house.players.match(session)
        seat = session.get(SeatRow, (match.id, "a"))
        assert seat is not None
        old = links.turn_link(session, match, seat)
        seat.notes, seat.orders = "secret", {"SO-01": "on"}
        session.add(seat)
    house.command("operator", "seek seat=a", email="gwen@example.org")
    after = house.seat("a")
    assert (after.account_id, after.wanted, after.steward, after.notes, after.orders) == (None, "invited", "steady", "", {})
    with open_session(house.settings) as session, pytest.raises(BadLink):
        links.verify(house.settings, session, links.sign(house.settings, old), links.TURN)
    assert len(house.letters("replaced", "a")) == 1
    (letter,) = house.letters("substitute", "a")
    assert letter.to_address == "gwen@example.org" and "take the place of Anna" in letter.text
    with transaction(house.settings) as session:
        link = session.exec(select(Link).where(Link.purpose == links.INVITE)).one()
        account, _ = substitutes.accept(session, link)
        accounts.rename(session, account, "Gwen")
    house.tick()
    assert house.seat("a").account_id != before.account_id and house.seat("a").steward == ""
    assert house.history("b")[-1] == "Gwen took Anna’s seat." and house.history("a")[-1] == "You took Anna’s seat."
    with transaction(house.settings) as session, pytest.raises(Taken):
        substitutes.accept(session, session.exec(select(Link).where(Link.purpose == links.INVITE)).one())
    house.players.finish(rng)
    with open_session(house.settings) as session:
        assert verify(replay_copy.download(session, house.players.match(session), None)).holds


def test_an_open_seat_is_taken_from_the_list_once_and_not_by_the_table(house: House) -> None:
    house.command("operator", "seek seat=c")
    with transaction(house.settings) as session:
        ((match, seat),) = substitutes.open_seats(session)
        with pytest.raises(Taken, match="have a seat in this game already"):
            substitutes.take(session, match, seat, person(session, "Bert"))
        substitutes.take(session, match, seat, person(session, "Hugo"))
        with pytest.raises(Taken, match="taken by somebody else"):
            substitutes.take(session, match, seat, person(session, "Ivo"))  # before a worker has seated Hugo
    house.tick()
    assert house.seat("c").name == "Hugo"
    with open_session(house.settings) as session:
        assert substitutes.open_seats(session) == []
        assert not session.exec(select(Letter).where(Letter.kind == "turn", Letter.to_address == "ivo@example.org")).all()


def test_a_substitute_is_asked_what_waits_for_the_seat(house: House, rng: random.Random) -> None:
    house.command("operator", "seek seat=c")
    with transaction(house.settings) as session:
        ((match, seat),) = substitutes.open_seats(session)
        substitutes.take(session, match, seat, person(session, "Hugo"))
    house.tick()
    for _ in range(200):
        if any(a.seat == "c" for a in house.asks()):
            break
        house.answer_all(rng)
    (ask,) = [a for a in house.asks() if a.seat == "c"]
    assert ask.due_at is not None and ask.due_at >= START + HOUR
    assert house.letters("turn", "c")[-1].to_address == "hugo@example.org"
