"""Changes of address below the pages: two at once, operators for dead addresses, what merging takes along."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import Table
from sqlmodel import Session, select

from engine.core.asks import NotLegal
from service.errors import BadLink, LinkForged
from service.games import decks, lobby
from service.people import accounts, address_changes
from service.people.accounts import references
from service.post import ledger
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, AddressChange, Deck, Letter, LetterStatus, Link, now
from service.store.seats import by_match_id, seats_of
from tests.service.conftest import Players, person
from workers import adjudicate


def kinds(session: Session, to: str) -> list[str]:
    return [letter.kind for letter in session.exec(select(Letter).where(Letter.to_address == to).order_by(Letter.id))]


def test_an_operator_changes_a_dead_address_once_the_new_one_agrees(settings: Settings) -> None:
    with transaction(settings) as session:
        anna = person(session, "Anna")
        with pytest.raises(NotLegal, match=r"Letters to anna@example\.org arrive"):
            address_changes.ask_for(session, anna, "anna@new.example")
        anna.bounced_at, anna.bounce = now(), "550 5.1.1 No"
        change = address_changes.ask_for(session, anna, "anna@new.example")
        assert anna.email == "anna@example.org", "the new address has to agree"
        assert kinds(session, "anna@example.org") == [] and kinds(session, "anna@new.example") == ["address_new"]
        address_changes.confirm(session, change.id, address_changes.NEW)
        session.refresh(anna)
        assert (anna.email, anna.bounce) == ("anna@new.example", "") and accounts.known(session, anna.email).bounced_at is None
        # A dead address may be somebody else's tomorrow: it is told nothing and can't undo.
        assert kinds(session, "anna@example.org") == []
        with pytest.raises(LinkForged):
            address_changes.undo(session, change.id)


def test_of_two_changes_the_later_counts_and_of_two_people_the_first(settings: Settings) -> None:
    with transaction(settings) as session:
        anna, bert = person(session, "Anna"), person(session, "Bert")
        first = address_changes.ask(session, anna, "one@new.example")
        second = address_changes.ask(session, anna, "two@new.example")
        with pytest.raises(BadLink):
            address_changes.confirm(session, first.id, address_changes.NEW)
        third = address_changes.ask(session, bert, "two@new.example")
        for change in (second, third):
            address_changes.confirm(session, change.id, address_changes.OLD)
        address_changes.confirm(session, second.id, address_changes.NEW)
        assert anna.email == "two@new.example" and bert.email == "bert@example.org"
        # Bert's owner reads that mailbox, too, and has agreed to it all: the accounts become one.
        id = anna.id
        address_changes.confirm(session, third.id, address_changes.NEW)
        assert bert.email == "two@new.example" and session.exec(select(Account).where(Account.id == id)).first() is None


def test_merging_takes_decks_and_letters_along_and_ends_sign_in_links(settings: Settings) -> None:
    with transaction(settings) as session:
        anna, second = person(session, "Anna"), accounts.by_email(session, "anna@second.example")
        for owner in (anna, second):
            session.add(Deck(account_id=owner.id, game="ortus", name="Siege", cards={}))
        accounts.ask_sign_in(session, second.email)
        gone = second.id
        change = address_changes.ask(session, anna, "anna@second.example")
        address_changes.confirm(session, change.id, address_changes.OLD)
        address_changes.confirm(session, change.id, address_changes.NEW)
        assert sorted(deck.name for deck in decks.of(session, anna, "ortus")) == ["Siege", "Siege (2)"]
        assert all(link.revoked_at for link in session.exec(select(Link).where(Link.purpose == "signin")))
        assert not session.exec(select(Letter).where(Letter.account_id == gone)).all()
        assert session.exec(select(AddressChange)).one().merged and anna.name == "Anna"
        with pytest.raises(BadLink):
            address_changes.undo(session, change.id)


def test_letters_on_their_way_go_to_the_new_address_and_sign_in_letters_nowhere(settings: Settings) -> None:
    with transaction(settings) as session:
        anna = person(session, "Anna")
        accounts.ask_sign_in(session, anna.email)
        change = address_changes.ask(session, anna, "anna@new.example")
        for side in (address_changes.OLD, address_changes.NEW):
            address_changes.confirm(session, change.id, side)
        mine = session.exec(select(Letter).where(Letter.kind == "sign_in")).one()
        session.refresh(mine)
        assert mine.status == "dropped"


def test_a_letter_that_is_being_sent_is_tried_again_at_the_new_address(table: Players, settings: Settings) -> None:
    with transaction(settings) as session:
        claimed = session.exec(select(Letter).where(Letter.to_address == "anna@example.org", Letter.kind == "started")).one()
        claimed.status = LetterStatus.SENDING
        change = address_changes.ask(session, accounts.known(session, "anna@example.org"), "anna@new.example")
        for side in (address_changes.OLD, address_changes.NEW):
            address_changes.confirm(session, change.id, side)
    with transaction(settings) as session:
        ledger.put_off(session, claimed, "451 4.7.1 Later")  # by the worker that has it
    (again,) = table.letters("started")[:1]
    assert (again.id, again.status, again.to_address) == (claimed.id, "queued", "anna@new.example")


def test_a_game_that_begins_with_an_account_that_is_being_merged_is_not_halted(
    settings: Settings, sent: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction(settings) as session:
        anna, bert, cleo = (person(session, name) for name in ("Anna", "Bert", "Cleo"))
        match_id = lobby.open_match(session, anna, "Harvest war", "ortus", 2, "open", mustered="never").id
    working = threading.Thread(target=adjudicate.adjudicate, args=(settings, match_id))

    def references_as_a_worker_begins() -> Iterator[tuple[Table, str]]:
        yield from references()
        working.start()
        working.join(1)

    def merge() -> None:
        with transaction(settings) as session:
            address_changes.claim(session, accounts.by_id(session, bert.id), accounts.by_id(session, cleo.id))

    monkeypatch.setattr(accounts, "references", references_as_a_worker_begins)
    with transaction(settings) as session:
        lobby.join(session, by_match_id(session, match_id), accounts.by_id(session, cleo.id))
        merging = threading.Thread(target=merge)  # its first look at the tables misses this one
        merging.start()
        merging.join(1)
    merging.join()
    working.join()
    with open_session(settings) as session:
        match = by_match_id(session, match_id)
        assert match.halted_at is None and match.snapshot and seats_of(session, match)[1].account_id == bert.id
