"""Tables against bots: guests and their limits, no clock, no letters, the lowest priority, closed after a day."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from sqlmodel import Session, col, func, select

from engine.core import procedure
from engine.core.asks import NotLegal, NotUnderstood, write
from engine.games import GAMES
from service.clock import pace
from service.errors import NotAllowed
from service.games import lobby
from service.log import chronicle, names
from service.log.entries import as_event
from service.people import accounts, address_changes, browsers
from service.seat import submissions
from service.seat.state import state_of
from service.settings import Settings
from service.store import limits, queue
from service.store.database import open_session, transaction
from service.store.models import (
    Account,
    AskRow,
    Browser,
    Command,
    EventRow,
    Letter,
    Match,
    MatchStatus,
    PackedLog,
    SeatRow,
    Submission,
    new_id,
    now,
)
from service.store.seats import by_match_id, seats_of
from service.table import practice
from tests.service.conftest import on_sqlite, person
from workers import adjudicate, outages, retention, sweep

Sent = list[tuple[str, ...]]


def begin(settings: Settings, game: str = "mastery", played: bool = True) -> str:
    """A guest's table; its id."""
    with transaction(settings) as session:
        account = practice.guest(session, "192.0.2.0/24")
        browsers.enter(session, account, account.generation)
        id = practice.begin(session, account, game).id
    if played:
        adjudicate.adjudicate(settings, id)
    return id


def own_seat(session: Session, id: str) -> SeatRow:
    return next(seat for seat in seats_of(session, by_match_id(session, id)) if not seat.bot)


def answer(session: Session, match: Match) -> None:
    """Queue the default to the person's question."""
    state = state_of(match)
    ask = procedure.ask_of(state, "a")
    submissions.submit(session, match, "a", new_id(), state.serial, ask.kind, ask.default)


def later(**span: float) -> time_machine.travel:
    return time_machine.travel(now() + timedelta(**span))


def close(settings: Settings, id: str) -> None:
    """What the workers do with a table that is due, in two rounds of the clean-up."""
    practice.close_due(settings)
    adjudicate.adjudicate(settings, id)
    practice.close_due(settings)


def test_a_guest_plays_at_once_without_clock_and_letters(settings: Settings, sent: Sent) -> None:
    id = begin(settings)
    assert sent == [(queue.PRACTISE, id)]
    with open_session(settings) as session:
        match = by_match_id(session, id)
        assert match.status == MatchStatus.RUNNING and match.practice and "a" in state_of(match).waiting
        assert [seat.name for seat in seats_of(session, match)] == ["Guest", "Drogo", "Emma"]
        asked = session.exec(select(AskRow).where(col(AskRow.answered_at).is_(None))).one()
        assert (asked.due_at, asked.falls_at, asked.remind_at) == (None, None, None)
        assert pace.brief(pace.of(match.pace)) == pace.words(pace.of(match.pace)) == "no clock"
        assert session.exec(select(func.count()).select_from(Letter)).one() == 0


@on_sqlite
def test_the_deck_for_a_first_game_is_chosen_and_another_can_be(settings: Settings, sent: Sent) -> None:
    build = GAMES["ortus"].rules.build
    assert build is not None
    with transaction(settings) as session:
        for name, deck, chosen in (("Anna", "", build.ready[0]), ("Bert", build.ready[2].id, build.ready[2])):
            match = practice.begin(session, person(session, name), "ortus", deck)
            assert own_seat(session, match.id).prepared == {build.kind: write(build.answer(chosen.cards))}
        with pytest.raises(NotUnderstood, match="no such deck"):
            practice.begin(session, person(session, "Cleo"), "ortus", "nonsense")


@on_sqlite
def test_one_table_a_game_runs_for_a_person(settings: Settings, sent: Sent) -> None:
    with transaction(settings) as session:
        anna = person(session, "Anna")
        first = practice.begin(session, anna, "mastery")
        assert practice.begin(session, anna, "mastery").id == first.id
        assert practice.begin(session, anna, "fief").id != first.id
        assert practice.ongoing(session, anna).keys() == {"mastery", "fief"}


@on_sqlite
def test_guests_are_limited_by_house_and_network(settings: Settings, sent: Sent) -> None:
    few = settings.model_copy(update={"guests": 1})
    begin(few, played=False)
    with transaction(few) as session, pytest.raises(NotAllowed, match="All tables for guests are taken"):
        practice.guest(session, "192.0.2.0/24")
    with transaction(settings) as session:
        for _ in range(limits.GUESTS_FROM[0][0] - 1):
            practice.guest(session, "192.0.2.0/24")
        with pytest.raises(NotLegal, match="Your network has opened too many tables"):
            practice.guest(session, "192.0.2.0/24")
        practice.guest(session, "198.51.100.0/24")


@on_sqlite
@pytest.mark.parametrize("closed", [{"guests": 0}, {"registration": "invitation"}])
def test_a_closed_house_has_no_guests(settings: Settings, closed: dict[str, object]) -> None:
    shut = settings.model_copy(update=closed)
    with transaction(shut) as session:
        with pytest.raises(NotAllowed, match="Sign in first"):
            practice.guest(session, "192.0.2.0/24")
        assert practice.allowed(shut, person(session, "Anna")) and not practice.allowed(shut, None)


def test_the_sweep_leaves_such_a_table_alone_and_its_page_wakes_it(settings: Settings, sent: Sent) -> None:
    id = begin(settings, played=False)
    with later(minutes=5):
        sent.clear()
        sweep.sweep(settings)
        assert sent == [], "never opened, and not the sweep's business"
    adjudicate.adjudicate(settings, id)
    with transaction(settings) as session:
        match = by_match_id(session, id)
        practice.wake(session, match)
        assert sent == [], "it has just been played"
        answer(session, match)
    sent.clear()
    with later(minutes=5):
        sweep.sweep(settings)
        assert sent == []
        with open_session(settings) as session:
            practice.wake(session, by_match_id(session, id))
    assert sent == [(queue.PRACTISE, id)]
    sent.clear()
    with transaction(settings) as session, later(minutes=5):
        match = by_match_id(session, id)
        match.halted_at = now()
        practice.wake(session, match)
        match.halted_at, match.status = None, MatchStatus.FINISHED
        practice.wake(session, match)
        session.rollback()
    assert sent == []


@on_sqlite
def test_an_outage_moves_nothing_at_such_a_table(settings: Settings, sent: Sent) -> None:
    begin(settings)
    with transaction(settings) as session:
        outages.wake(session)
    with later(hours=3), transaction(settings) as session:
        assert outages.wake(session) == 0


def test_an_unclaimed_table_is_ended_revoked_and_packed_after_a_day(settings: Settings, sent: Sent) -> None:
    id = begin(settings)
    practice.close_due(settings)
    with open_session(settings) as session:
        assert session.exec(select(Command.id)).first() is None, "not before its day is over"
    with later(days=1, minutes=1):
        sent.clear()
        retention.tidy(settings)
        practice.close_due(settings)
        assert sent == [(queue.PRACTISE, id)] * 2, "a lost task is sent again, and no second command is made"
        close(settings, id)
        with open_session(settings) as session:
            match = by_match_id(session, id)
            assert match.status == MatchStatus.FINISHED and session.get(PackedLog, id) is not None
            assert session.exec(select(func.count()).select_from(Submission)).one() == 0
            seat = next(row for row in seats_of(session, match) if row.name == "Guest")
            assert seat.account_id is None and seat.key_generation > 1
            guest, browser = session.get_one(Account, match.host_id), session.exec(select(Browser)).one()
            assert guest.generation > browser.generation, "its browser is signed out"
        assert practice.close_due(settings) == 0


@on_sqlite
def test_a_guest_with_another_table_keeps_that_one(settings: Settings, sent: Sent) -> None:
    id = begin(settings)
    with later(hours=20), transaction(settings) as session:
        practice.begin(session, session.exec(select(Account)).one(), "fief")
    with later(days=1, minutes=1):
        close(settings, id)
    with open_session(settings) as session:
        assert session.get(PackedLog, id) is not None and session.exec(select(Account)).one().generation == 1


@on_sqlite
def test_a_claimed_table_goes_on_and_writes_letters(settings: Settings, sent: Sent) -> None:
    id = begin(settings)
    with transaction(settings) as session:
        guest, anna = session.exec(select(Account)).one(), person(session, "Anna")
        address_changes.claim(session, anna, guest)
        match = by_match_id(session, id)
        assert match.host_id == anna.id == own_seat(session, id).account_id
        answer(session, match)
    adjudicate.adjudicate(settings, id)
    with later(days=2):
        assert practice.close_due(settings) == 0
    with open_session(settings) as session:
        assert [account.name for account in session.exec(select(Account))] == ["Anna"]
        assert {letter.to_address for letter in session.exec(select(Letter))} == {"anna@example.org"}
        asked = session.exec(select(AskRow).where(col(AskRow.answered_at).is_(None))).one()
        assert asked.due_at is None, "it keeps no clock"


# --- claimed tables ---------------------------------------------------------------------------------------------------


@on_sqlite
def test_a_claimed_seat_takes_the_accounts_name_and_earlier_lines_keep_theirs(settings: Settings) -> None:
    id = begin(settings)
    with transaction(settings) as session:
        guest = session.get_one(Account, own_seat(session, id).account_id)
        practice.name_claimed(session, guest)
        assert session.exec(select(Command)).first() is None, "a guest stays one"
        anna = person(session, "Anna")
        address_changes.claim(session, anna, guest)
        practice.name_claimed(session, anna)
    adjudicate.adjudicate(settings, id)
    with transaction(settings) as session:
        match, anna = by_match_id(session, id), person(session, "Anna")
        assert own_seat(session, id).name == anna.name == "Anna"
        then = names.then(session, match)
        assert "Guest" in then(0).values() and "Anna" in then(99).values()
        assert {"Guest", "Anna"} <= names.borne(session, match)
        practice.name_claimed(session, anna)
        assert [row.words for row in session.exec(select(Command))] == [f"name seat={own_seat(session, id).seat}"]


@on_sqlite
def test_an_account_that_has_no_name_yet_is_not_called_guest(settings: Settings) -> None:
    id = begin(settings)
    with transaction(settings) as session:
        guest = session.get_one(Account, own_seat(session, id).account_id)
        fresh = accounts.by_email(session, "fresh@example.org")
        address_changes.claim(session, fresh, guest)
        practice.name_claimed(session, fresh)
        assert fresh.name == "" and session.exec(select(Command)).first() is None


@on_sqlite
def test_its_player_ends_a_table_against_bots_and_can_begin_another(settings: Settings) -> None:
    with transaction(settings) as session:
        anna = person(session, "Anna")
        id = practice.begin(session, anna, "mastery").id
    adjudicate.adjudicate(settings, id)
    with transaction(settings) as session:
        practice.end(session, by_match_id(session, id))
        other = lobby.open_match(session, person(session, "Anna"), "With people", "mastery", 2)
        with pytest.raises(NotAllowed):
            practice.end(session, other)
    adjudicate.adjudicate(settings, id)
    with transaction(settings) as session:
        match = by_match_id(session, id)
        assert match.status == MatchStatus.FINISHED and match.outcome == {"winners": [], "how": "ended"}
        told = session.exec(select(EventRow).where(EventRow.match_id == id, EventRow.kind == "table.ended_alone")).one()
        assert "The player ended" in chronicle.tell(GAMES["mastery"], as_event(told), {}, None)
        assert practice.begin(session, person(session, "Anna"), "mastery").id != id
        with pytest.raises(NotLegal):
            practice.end(session, match)


@on_sqlite
def test_a_table_of_an_account_ends_after_a_month_without_a_move(settings: Settings) -> None:
    with transaction(settings) as session:
        id = practice.begin(session, person(session, "Anna"), "mastery").id
    adjudicate.adjudicate(settings, id)
    with time_machine.travel(now() + practice.UNPLAYED - timedelta(days=2)):
        assert practice.close_due(settings) == 0
        with transaction(settings) as session:
            answer(session, by_match_id(session, id))
        adjudicate.adjudicate(settings, id)
    with time_machine.travel(now() + practice.UNPLAYED + timedelta(days=2)):
        assert practice.close_due(settings) == 0, "a move counts"
    with time_machine.travel(now() + 2 * practice.UNPLAYED):
        assert practice.close_due(settings) == 1
        adjudicate.adjudicate(settings, id)
        assert practice.close_due(settings) == 0
    with open_session(settings) as session:
        assert by_match_id(session, id).status == MatchStatus.FINISHED
        assert own_seat(session, id).account_id, "the game stays among the account's"
        told = session.exec(select(EventRow).where(EventRow.match_id == id, EventRow.kind == "table.ended_idle")).one()
        assert "Nobody played on" in chronicle.tell(GAMES["mastery"], as_event(told), {}, None)
