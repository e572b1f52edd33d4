"""Deadlines are computed from recipes: whatever happens to a question, in whatever order, computing again changes nothing."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from engine.core.asks import Refused
from service.clock import deadlines
from service.clock import pace as paces
from service.ops import exports
from service.seat import halting
from service.settings import Settings
from service.store import database as db
from service.store.database import open_session, transaction
from service.store.models import Account, AskRow, Beat, SeatRow
from service.table import absences
from tests.conftest import START
from tests.house import HOUR, House, Sent
from tests.service.conftest import on_sqlite

Moments = dict[tuple[str, int], tuple[datetime | None, datetime | None]]


def moments(house: House) -> Moments:
    return {(ask.seat, ask.serial): (ask.due_at, ask.falls_at) for ask in house.asks()}


def computed_again(house: House) -> Moments:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        seats = session.exec(select(SeatRow).where(SeatRow.match_id == match.id)).all()
        assert deadlines.again(session, match, seats) == []
    return moments(house)


def let_pass(house: House, hours: float) -> None:
    """Let time go by in which the service runs."""
    house.clock.shift(timedelta(hours=hours))
    beat(house)


def beat(house: House) -> None:
    with transaction(house.settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=datetime.now(UTC)))


def with_a(house: House, deed: Callable[..., object]) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        seat = session.get_one(SeatRow, (match.id, "a"))
        deed(session, match, seat, session.get_one(Account, seat.account_id))
    house.tick()


def away(house: House, ahead: int, days: int) -> None:
    before, first = moments(house), datetime.now(UTC).date() + timedelta(days=ahead)
    with_a(house, lambda s, m, seat, a: absences.announce(s, m, seat, a, first, first + timedelta(days=days)))
    starts = datetime.combine(first, datetime.min.time(), UTC)
    for key, (due, falls) in moments(house).items():
        if key in before and (key[0] != "a" or (falls is not None and starts >= falls)):
            assert (due, falls) == before[key], "an absence moves the deadlines that it overlaps, and no others"


def withdraw(house: House, _hours: int, _days: int) -> None:
    with_a(house, lambda s, m, seat, _a: absences.withdraw(s, m, seat))


def pause(house: House, hours: int, _days: int) -> None:
    house.command("host", f"pause until={(datetime.now(UTC) + timedelta(hours=hours)).isoformat()}")


def resume(house: House, _hours: int, _days: int) -> None:
    house.command("host", "resume")


def extend(house: House, hours: int, _days: int) -> None:
    house.command("host", f"extend seat=b by={hours * 3600}")


def nearer(house: House, hours: int, _days: int) -> None:
    house.command("a", f"extend seat=a by={-hours * 3600}")


def outage(house: House, hours: int, _days: int) -> None:
    house.clock.shift(timedelta(hours=hours))
    house.tick()


def mail_outage(house: House, hours: int, _days: int) -> None:
    with transaction(house.settings) as session:
        session.add(Beat(name=deadlines.MAIL, at=datetime.now(UTC)))
    let_pass(house, hours)
    house.tick()


def halt(house: House, hours: int, _days: int) -> None:
    with transaction(house.settings) as session:
        house.players.match(session).halted_at = datetime.now(UTC)
    let_pass(house, hours)
    with transaction(house.settings) as session:
        halting.retry(session, house.players.match(session))
    house.tick()


def interrupt(house: House, hours: int, _days: int) -> None:
    for ask in house.asks():
        with transaction(house.settings) as session:
            deadlines.park(session.get_one(AskRow, (ask.match_id, ask.seat, ask.serial)))
    let_pass(house, hours)
    for ask in house.asks():
        with transaction(house.settings) as session:
            match, row = house.players.match(session), session.get_one(AskRow, (ask.match_id, ask.seat, ask.serial))
            stops = deadlines.stops_of(session, match.id)
            deadlines.unpark(session, match, session.get_one(SeatRow, (match.id, ask.seat)), row, stops)


def reopen(house: House, _hours: int, _days: int) -> None:
    for ask in house.asks():
        with transaction(house.settings) as session:
            match, row = house.players.match(session), session.get_one(AskRow, (ask.match_id, ask.seat, ask.serial))
            stops = deadlines.stops_of(session, match.id)
            deadlines.reopen(session, match, session.get_one(SeatRow, (match.id, ask.seat)), row, stops)


def move(house: House, hours: int, _days: int) -> None:
    """Export the game, and import it elsewhere some hours later."""
    folder = Path(tempfile.mkdtemp(dir=house.settings.data_folder.parent))
    exports.export(house.settings, house.players.match_id, folder / "game.zip")
    shutil.copy(house.settings.data_folder.parent / "empty.db", folder / "writ.db")
    house.settings = house.players.settings = house.settings.model_copy(update={"data_folder": folder})
    let_pass(house, hours)
    exports.import_(house.settings, folder / "game.zip")
    house.tick()


def wait(house: House, hours: int, _days: int) -> None:
    let_pass(house, hours)
    house.tick()


DEEDS = (away, withdraw, pause, resume, extend, nearer, outage, mail_outage, halt, interrupt, reopen, move, wait)


@pytest.fixture
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    shutil.copy(request.getfixturevalue("empty_sqlite"), tmp_path / "empty.db")
    return tmp_path


@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(1, 40), st.integers(0, 3)), min_size=2, max_size=6))
def test_in_any_order_computing_again_changes_nothing(
    empty: Path, sent: Sent, deeds: list[tuple[Callable[[House, int, int], None], int, int]]
) -> None:
    with time_machine.travel(START, tick=False) as clock:
        folder = Path(tempfile.mkdtemp(dir=empty))
        shutil.copy(empty / "empty.db", folder / "writ.db")
        found = Settings(
            data_folder=folder,
            secret_keys=("a-key-for-tests-of-32-letters-and-more",),
            base_url="http://writ.test",
            sqlite_synchronous="NORMAL",
        )
        sent.clear()
        house = House(found, sent, clock)
        for deed, hours, days in deeds:
            try:
                deed(house, hours, days)
            except Refused:
                continue  # no absence to give up, say
            assert computed_again(house) == moments(house), deed.__name__
        db.engine_for(house.settings).dispose()


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock)


@on_sqlite
def test_a_question_from_before_recipes_keeps_its_deadline_and_gets_one(house: House) -> None:
    with transaction(house.settings) as session:
        for ask in session.exec(select(AskRow)):
            ask.recipe, ask.due_at, ask.falls_at = {}, START + 30 * HOUR, START + 31 * HOUR
            session.add(ask)
    computed = computed_twice(house)
    assert {due for due, _ in computed.values()} == {START + 30 * HOUR}
    with_a(house, lambda s, m, seat, a: absences.announce(s, m, seat, a, date(2026, 12, 24), date(2026, 12, 26)))
    assert moments(house) == computed


@on_sqlite
def test_an_absence_that_begins_as_a_deadline_falls_does_not_move_it(house: House, rng: random.Random) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        hours = 15 * 3600  # from nine in the morning to midnight
        match.pace = {**paces.stored(paces.of(match.pace)), "grace": 0, "bank": 0, "turn": hours, "reaction": hours}
        session.add(match)
        for account in session.exec(select(Account)):
            account.quiet_from = account.quiet_to = ""
            session.add(account)
    house.answer_all(rng)
    before = moments(house)
    assert {falls for _, falls in before.values()} == {datetime(2026, 11, 25, tzinfo=UTC)}
    for ask in house.asks():
        with transaction(house.settings) as session:
            match, seat = house.players.match(session), session.get_one(SeatRow, (ask.match_id, ask.seat))
            account = session.get_one(Account, seat.account_id)
            absences.announce(session, match, seat, account, date(2026, 11, 25), date(2026, 11, 27))
    house.tick()
    assert moments(house) == before


def computed_twice(house: House) -> Moments:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        deadlines.again(session, match, session.exec(select(SeatRow).where(SeatRow.match_id == match.id)).all())
    return computed_again(house)


@on_sqlite
def test_a_changed_rhythm_counts_from_the_next_question_on(house: House) -> None:
    before = moments(house)
    with transaction(house.settings) as session:
        for account in session.exec(select(Account)):
            account.weekends_off, account.quiet_from, account.quiet_to, account.zone = True, "08:00", "20:00", "Asia/Tokyo"
            session.add(account)
    assert computed_again(house) == before


@on_sqlite
def test_an_absence_that_moves_a_deadline_is_told_with_the_deadline(house: House) -> None:
    away(house, 0, 1)
    assert "Anna’s deadline is now Thu 26 Nov 2026, 23:59 UTC." not in house.history("b")
    (due,) = {ask.due_at for ask in house.asks() if ask.seat == "a"}
    assert due is not None
    told = [line for line in house.history("b") if line.startswith("Anna’s deadline is now")]
    assert len(told) == 1 and f"{due:%d %b %Y, %H:%M}" in told[0]
    assert house.history("b")[-1].startswith("Anna is away from")
    away(house, 30, 1)
    assert len([line for line in house.history("b") if "’s deadline is now" in line]) == 1, "it moved nothing"


@on_sqlite
@pytest.mark.parametrize("minutes", [10, 300])
def test_a_question_that_was_interrupted_for_long_is_put_in_another_letter(house: House, minutes: int) -> None:
    """Its first letter names an earlier deadline, and the steps of the reminders may be past."""
    from workers import load, questions

    with transaction(house.settings) as session:
        table = load.load(session, house.players.match(session))
        deadlines.park(table.rows[table.run.key("b")])
    house.clock.shift(timedelta(minutes=minutes))
    with transaction(house.settings) as session:
        table = load.load(session, house.players.match(session))
        assert questions.write(session, table) == ({table.run.key("b")} if minutes > 30 else set())
        assert table.rows[table.run.key("b")].due_at == START + 24 * HOUR + timedelta(minutes=minutes)


@on_sqlite
def test_hidden_answers_deadlines_move_with_the_others_when_the_question_is_interrupted(house: House) -> None:
    """Seat a has answered in secret; the table sees one deadline for both."""
    from workers import load, questions

    with transaction(house.settings) as session:
        match = house.players.match(session)
        answered = session.get_one(AskRow, (match.id, "a", match.serial))
        answered.answered_at = datetime.now(UTC)
        session.add(answered)
    let_pass(house, 1)
    with transaction(house.settings) as session:
        table = load.load(session, house.players.match(session))
        deadlines.park(table.rows[table.run.key("b")])
        deadlines.park(table.rows[table.run.key("a")])
    let_pass(house, 5)
    with transaction(house.settings) as session:
        table = load.load(session, house.players.match(session))
        questions.close(session, table, {table.run.key("b")}, ())
    with open_session(house.settings) as session:
        assert {ask.due_at for ask in session.exec(select(AskRow))} == {START + 29 * HOUR}
