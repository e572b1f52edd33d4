"""Two things at once: letters that are being sent while their reader moves, leaves, is banned or erased."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, select

from service.errors import NotFound
from service.games import lobby, writing
from service.ops import own_data
from service.people import accounts, address_changes
from service.post import letters, links
from service.settings import Settings
from service.store.database import is_gone, transaction
from service.store.models import Account, AddressChange, Letter, SeatRow
from service.store.seats import by_match_id
from service.table import bans
from tests.adversary.test_identity import race
from tests.service.conftest import Players, open_table, person
from workers.letters import delivery

Deed = Callable[[Session], object]

on_postgres = pytest.mark.parametrize("settings", ["postgres"], indirect=True)
"""SQLite has one writer at a time."""
LONG = 10
"""Seconds until a thread counts as hung."""


@pytest.fixture
def table(settings: Settings, sent: list[tuple[str, ...]]) -> Players:
    players = open_table(settings, 2)
    players.adjudicate()
    return players


def while_letters_are_sent(settings: Settings, monkeypatch: pytest.MonkeyPatch, deed: Deed) -> list[BaseException]:
    """Do something after a worker has claimed letters and before it has stored their links; what failed of the two."""
    claimed, goes_on, gather = threading.Event(), threading.Event(), writing.gather

    def slowly(session: Session, owed: Sequence[Letter]) -> list[writing.Owed]:
        if owed:
            claimed.set()
            goes_on.wait(1)
        return gather(session, owed)

    failed: list[BaseException] = []

    def of(act: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            try:
                act()
            except Exception as problem:
                failed.append(problem)

        return run

    def change() -> None:
        with transaction(settings) as session:
            deed(session)

    monkeypatch.setattr(writing, "gather", slowly)
    both = [threading.Thread(target=of(act)) for act in (lambda: delivery.deliver(settings), change)]
    both[0].start()
    assert claimed.wait(LONG), "no letter was due"
    both[1].start()
    for thread in both:
        thread.join(LONG)
        assert not thread.is_alive()
    return failed


def move(session: Session) -> None:
    change = address_changes.ask(session, accounts.known(session, "anna@example.org"), "anna@new.example")
    for side in (address_changes.OLD, address_changes.NEW):
        address_changes.confirm(session, change.id, side)


def merge(session: Session) -> None:
    person(session, "Cleo")
    change = address_changes.ask(session, accounts.known(session, "cleo@example.org"), "anna@example.org")
    for side in (address_changes.OLD, address_changes.NEW):
        address_changes.confirm(session, change.id, side)


def ban(session: Session) -> None:
    bans.ban(session, accounts.known(session, "anna@example.org"), "for a test")


def erase(session: Session) -> None:
    own_data.erase(session, accounts.known(session, "anna@example.org"))


def agree(session: Session) -> None:
    address_changes.confirm(session, session.exec(select(AddressChange.id)).one(), address_changes.OLD)


@on_postgres
@pytest.mark.parametrize("deed", [move, merge, ban, erase])
def test_a_reader_moves_or_leaves_while_a_letter_is_being_sent(
    deed: Deed, table: Players, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert while_letters_are_sent(settings, monkeypatch, deed) == []


@on_postgres
def test_a_host_empties_a_seat_while_its_letter_is_being_sent(
    settings: Settings, sent: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction(settings) as session:
        anna, bert = person(session, "Anna"), person(session, "Bert")
        match = lobby.open_match(session, anna, "Harvest war", "ortus", 3, "open", mustered="never")
        seat = lobby.join(session, match, bert)
        letters.owe(session, "terms", match, seat, bert)
        seat.agreed = "others"
        session.add(seat)

    def clear(session: Session) -> None:
        lobby.clear_seat(session, by_match_id(session, match.id), accounts.by_id(session, anna.id), seat.seat)

    assert while_letters_are_sent(settings, monkeypatch, clear) == []


@contextmanager
def while_erased(settings: Settings) -> Iterator[None]:
    """After Anna's rows are deleted and before that is committed."""
    erased = threading.Event()

    def slowly() -> None:
        with transaction(settings) as session:
            erase(session)
            erased.set()
            time.sleep(0.5)

    first = threading.Thread(target=slowly)
    first.start()
    assert erased.wait(LONG)
    yield
    first.join(LONG)


@on_postgres
@pytest.mark.parametrize("deed", [ban, erase, agree])
def test_what_waits_for_a_person_who_is_being_erased_is_refused(deed: Deed, table: Players, settings: Settings) -> None:
    with transaction(settings) as session:
        address_changes.ask(session, accounts.known(session, "anna@example.org"), "anna@new.example")
    with (
        while_erased(settings),
        pytest.raises(NotFound, match="There is no such account"),
        transaction(settings) as session,
    ):
        deed(session)


@on_postgres
def test_a_row_that_refers_to_a_person_who_is_being_erased_counts_as_overtaken(table: Players, settings: Settings) -> None:
    with while_erased(settings), pytest.raises(IntegrityError) as found, transaction(settings) as session:
        address_changes.ask(session, accounts.known(session, "anna@example.org"), "anna@new.example")
    assert is_gone(found.value)


@on_postgres
def test_what_one_person_does_in_several_browsers_never_locks_itself_up(table: Players, settings: Settings) -> None:
    with transaction(settings) as session:
        ids = [accounts.known(session, f"{name}@example.org").id for name in ("anna", "bert")]

    def deed(session: Session, i: int) -> None:
        me = session.get_one(Account, ids[i % 2])
        match i % 3:
            case 0:
                accounts.sign_out_everywhere(session, me)
            case 1:
                accounts.set_pronoun(session, me, "she")
            case _:
                change = address_changes.ask(session, me, f"{i}@new.example")
                for side in (address_changes.OLD, address_changes.NEW):
                    address_changes.confirm(session, change.id, side)

    outcomes = [outcome for _ in range(5) for outcome in race(settings, deed, 12)]
    assert outcomes.count("done") >= len(outcomes) * 2 // 3


@on_postgres
@pytest.mark.parametrize("deed", [move, merge, ban, erase])
def test_a_seat_gets_new_links_while_its_owner_moves_or_leaves(deed: Deed, table: Players, settings: Settings) -> None:
    renewed, failed = threading.Event(), list[BaseException]()

    def renew() -> None:
        with transaction(settings) as session:
            seat = session.get_one(SeatRow, (table.match_id, "a"))
            links.renew_seat(session, seat)
            renewed.set()
            time.sleep(0.5)
            letters.fresh_link(session, table.match(session), seat, accounts.known(session, "anna@example.org"))

    def change() -> None:
        assert renewed.wait(LONG)
        with transaction(settings) as session:
            deed(session)

    def run(act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as problem:
            failed.append(problem)

    both = [threading.Thread(target=run, args=(act,)) for act in (renew, change)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join(LONG)
        assert not thread.is_alive()
    assert failed == []
