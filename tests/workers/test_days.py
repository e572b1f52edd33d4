"""Standing orders that end with a day: the game knows no clock, the service does (FF-SO-24)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlmodel import select

from engine.core import procedure
from engine.core.asks import Answer, NotLegal
from engine.games import game_called
from service.seat import orders
from service.seat.state import state_of
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, SeatRow
from service.store.seats import seats_of
from tests.house import House, Sent
from tests.service.conftest import on_sqlite
from workers import adjudicate

GAME = game_called("fief")
MARCH = "fief: 1\nseats: a b c\nround: 3\nphase: 5\nfirst: a\nArthur: a blaye\nBlanche: b bourg\n"


@pytest.fixture
def three(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=3, game="fief")


def day(moment: datetime) -> Answer:
    return Answer("date", {"day": moment.day, "month": f"{moment:%b}".lower(), "year": moment.year})


def march(house: House, zone: str, moved: timedelta) -> list[str]:
    """Who is asked for his Movement, where a is away until today and time has gone by since he said so."""
    state = GAME.rules.notation.read(MARCH)
    procedure.begin(state)
    with transaction(house.settings) as session:
        match = house.players.match(session)
        for account in session.exec(select(Account)):
            account.zone = zone
            session.add(account)
        orders.put_all(session, match, session.get_one(SeatRow, (match.id, "a")), {"SO-24": day(datetime.now(UTC))})
        state.serial = match.serial + 1
        match.snapshot = GAME.rules.encode(state)
        session.add(match)
    house.clock.shift(moved)
    adjudicate.adjudicate(house.settings, house.players.match_id)
    with transaction(house.settings) as session:
        match = house.players.match(session)
        kept = {seat.seat: seat.orders for seat in seats_of(session, match)}["a"]
        waiting = list(state_of(match).waiting)
    assert ("SO-24" in kept) == ("a" not in waiting)
    return waiting


@on_sqlite
@pytest.mark.parametrize(
    ("zone", "hours", "asked"), [("UTC", 0, False), ("UTC", 24, True), ("Pacific/Honolulu", 0, False), ("UTC", 48, True)]
)
def test_an_order_ends_with_its_day(three: House, zone: str, hours: int, asked: bool) -> None:  # FF-SO-24
    assert ("a" in march(three, zone, timedelta(hours=hours))) == asked


def test_the_day_is_that_of_the_player(three: House) -> None:  # FF-SO-24
    midnight = datetime.now(UTC).replace(hour=23, minute=59) - datetime.now(UTC)
    assert "a" not in march(three, "Pacific/Honolulu", midnight + timedelta(hours=3)), "there the day has ten hours more"


def test_a_day_that_is_over_is_refused(three: House) -> None:  # FF-SO-24
    with transaction(three.settings) as session:
        match = three.players.match(session)
        row = session.get_one(SeatRow, (match.id, "a"))
        with pytest.raises(NotLegal, match="over already"):
            orders.put_all(session, match, row, {"SO-24": day(datetime.now(UTC) - timedelta(days=2))})
        with pytest.raises(NotLegal, match="over already"):
            orders.put_all(session, match, row, {"SO-24": day(datetime.now(UTC) - timedelta(days=2))})
        assert row.orders == {}
