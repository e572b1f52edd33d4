"""Registration: which addresses get a sign-in letter and may make an account, and who may open games."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import Session, select

from engine.core.asks import NotLegal
from service.errors import Banned, NotAllowed
from service.games import inviting, lobby
from service.people import accounts, address_changes, registration
from service.post import links
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, Letter, Link, Match, now
from service.store.seats import by_match_id
from service.table import bans, host, substitutes
from tests.house import invite
from tests.service.conftest import on_sqlite, person

DOMAINS: dict[str, Any] = {"registration": "domains", "registration_domains": ("example.org", ".club.example")}


pytestmark = pytest.mark.usefixtures("sent")


def transact(settings: Settings, **more: Any) -> Any:
    """A transaction in a house with other settings."""
    return transaction(settings.model_copy(update=more))


def asked(session: Session, email: str, share: str = "") -> tuple[bool, int]:
    """Whether an address has an account after it asked to sign in, and how many letters went there."""
    accounts.ask_sign_in(session, email, share=share)
    letters = session.exec(select(Letter).where(Letter.to_address == email, Letter.kind == "sign_in")).all()
    account = accounts.owner_of(session, email)
    links = session.exec(select(Link).where(Link.purpose == "signin")).all()
    assert sum(account is not None and link.account_id == account.id for link in links) == len(letters)
    return account is not None, len(letters)


def table_of(session: Session, **more: Any) -> Match:
    return lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", 3, **more)


@on_sqlite
def test_in_an_open_house_anybody_registers(settings: Settings) -> None:
    with transact(settings) as session:
        assert asked(session, "gwen@anywhere.example") == (True, 1)


def test_by_invitation_only_those_register_who_have_one(settings: Settings) -> None:
    with transact(settings, registration="invitation", operators=("ole@example.org",)) as session:
        match = table_of(session)
        anna = accounts.by_id(session, match.host_id)
        assert asked(session, "gwen@anywhere.example") == (False, 0)
        assert asked(session, "ole@example.org") == (True, 1), "operators always can"
        assert asked(session, "anna@example.org") == (True, 1), "who has an account signs in"
        invite(session, match, anna, "gwen@anywhere.example")
        assert asked(session, "gwen@anywhere.example") == (True, 1)
        seat = invite(session, match, anna, "hugh@anywhere.example")
        lobby.clear_seat(session, match, anna, seat.seat)
        assert asked(session, "hugh@anywhere.example") == (False, 0), "the invitation was withdrawn"


@on_sqlite
def test_by_invitation_the_invitations_of_a_game_that_is_over_count_no_more(settings: Settings) -> None:
    with transact(settings, registration="invitation") as session:
        match = table_of(session)
        invite(session, match, accounts.by_id(session, match.host_id), "gwen@anywhere.example")
        lobby.cancel(session, match, accounts.by_id(session, match.host_id))
        assert asked(session, "gwen@anywhere.example") == (False, 0)


@on_sqlite
def test_by_invitation_a_share_link_counts_as_one_while_its_table_gathers(settings: Settings) -> None:
    with transact(settings, registration="invitation") as session:
        match = table_of(session)
        anna = accounts.by_id(session, match.host_id)
        inviting.share(session, match, anna, True)
        key = match.share_key
        assert asked(session, "gwen@anywhere.example", share="x" * 24) == (False, 0)
        assert asked(session, "gwen@anywhere.example", share=key) == (True, 1)
        inviting.share(session, match, anna, False)
        assert asked(session, "hugh@anywhere.example", share=key) == (False, 0)


def test_by_domains_no_invitation_and_no_share_link_lets_others_in(settings: Settings) -> None:
    with transact(settings) as session:
        match = table_of(session)
        anna = accounts.by_id(session, match.host_id)
        inviting.share(session, match, anna, True)
        seat = invite(session, match, anna, "gwen@anywhere.example")
        key, id, letter = match.share_key, match.id, seat.seat
        link = session.exec(select(Link).where(Link.seat == letter)).one()
    with transact(settings, **DOMAINS, operators=("ole@anywhere.example",)) as session:
        for email in ("gwen@anywhere.example", "hugh@sub.example.org", "hugh@notexample.org"):
            assert asked(session, email, share=key) == (False, 0)
        for email in ("hugh@example.org", "hugh@a.club.example", "ole@anywhere.example"):
            assert asked(session, email) == (True, 1)
        match = by_match_id(session, id)
        anna = accounts.by_id(session, match.host_id)
        with pytest.raises(NotLegal, match=r"only addresses of example\.org, club\.example"):
            inviting.accept(session, session.get_one(Link, link.id))
        assert accounts.owner_of(session, "gwen@anywhere.example") is None
        with pytest.raises(NotLegal, match="only addresses of"):
            invite(session, match, anna, "ida@anywhere.example")
        done, refused = inviting.invite_all(session, match, anna, "ida@anywhere.example ida@example.org")
        assert done == ["ida@example.org"] and [email for email, _ in refused] == ["ida@anywhere.example"]


def test_by_domains_substitutes_are_of_them_whether_they_have_an_account_or_not(settings: Settings) -> None:
    with transact(settings) as session:
        accounts.by_email(session, "gwen@anywhere.example")
    with transact(settings, **DOMAINS) as session:
        said = []
        for email in ("gwen@anywhere.example", "hugh@anywhere.example"):
            with pytest.raises(NotLegal) as refusal:
                substitutes.invitable(session, email)
            said.append(str(refusal.value))
        assert said[0] == said[1], "nobody learns which address has an account"
        assert substitutes.invitable(session, " Ida@example.org") == "ida@example.org"
        match = table_of(session)
        with pytest.raises(NotLegal, match="only addresses of"):
            host.replace(session, match, "b", "gwen@anywhere.example")


def test_by_domains_an_address_changes_only_within_them(settings: Settings) -> None:
    with transact(settings) as session:
        anna = person(session, "Anna")
        change = address_changes.ask(session, anna, "anna@anywhere.example")
        address_changes.confirm(session, change.id, address_changes.OLD)
        id = change.id
    with transact(settings, **DOMAINS) as session:
        anna = accounts.known(session, "anna@example.org")
        with pytest.raises(NotLegal, match="only addresses of"):
            address_changes.confirm(session, id, address_changes.NEW)
        with pytest.raises(NotLegal, match="only addresses of"):
            address_changes.ask(session, anna, "anna@other.example")
        assert address_changes.ask(session, anna, "anna@sub.club.example").new_email == "anna@sub.club.example"


def test_a_banned_address_gets_no_sign_in_letter_and_makes_no_second_account(settings: Settings) -> None:
    with transact(settings) as session:
        anna = person(session, "Anna")
        bans.ban(session, anna, "Threats.")
        assert asked(session, "anna@example.org") == (True, 0)
        with pytest.raises(Banned):
            accounts.by_invitation(session, "anna@example.org")
        assert len(session.exec(select(Account)).all()) == 1


@on_sqlite
def test_only_openers_open_games(settings: Settings) -> None:
    with transact(settings, openers=("bert@example.org",), operators=("ole@example.org",)) as session:
        with pytest.raises(NotAllowed, match="only some people open games"):
            table_of(session)
        for name in ("Bert", "Ole"):
            lobby.open_match(session, person(session, name), "Harvest war", "ortus", 3)
        assert len(session.exec(select(Match)).all()) == 2


def test_an_account_hosts_as_many_games_as_the_house_allows(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "MOST_OPEN", 2)
    with transact(settings, most_games=1) as session:
        match = table_of(session)
        with pytest.raises(NotAllowed, match="You host 1 unfinished game"):
            table_of(session)
        lobby.cancel(session, match, accounts.by_id(session, match.host_id))
        table_of(session)
    with transact(settings, most_games=3) as session:
        table_of(session), table_of(session)
        with pytest.raises(NotAllowed, match="You host 3 unfinished games"):
            table_of(session)


def test_a_change_to_the_address_of_a_banned_account_and_one_by_it_are_refused(settings: Settings) -> None:
    with transact(settings) as session:
        anna, bert = person(session, "Anna"), person(session, "Bert")
        change = address_changes.ask(session, anna, "bert@example.org")
        own = address_changes.ask(session, bert, "bert@second.example")
        address_changes.confirm(session, change.id, address_changes.OLD)
        bans.ban(session, bert, "Threats.")
        with pytest.raises(NotLegal, match="can’t be used here"):
            address_changes.confirm(session, change.id, address_changes.NEW)
        change = address_changes.ask(session, anna, "bert+again@example.org")
        address_changes.confirm(session, change.id, address_changes.OLD)
        with pytest.raises(NotLegal, match="can’t be used here"):
            address_changes.confirm(session, change.id, address_changes.NEW)
        session.refresh(own)
        assert own.ended_at is not None
        own.ended_at = None
        with pytest.raises(Banned):
            address_changes.find(session, own.id, address_changes.NEW)
        assert bert.email == "bert@example.org" and bert.banned_at is not None and bert.banned_at <= now()


@on_sqlite
def test_a_banned_mailbox_registers_with_no_other_tag(settings: Settings) -> None:
    with transact(settings, operators=("gwen+ops@example.org",)) as session:
        match = table_of(session)
        anna, gwen = accounts.by_id(session, match.host_id), accounts.by_email(session, "gwen+first@example.org")
        assert asked(session, "gwen+old@example.org") == asked(session, "gwen+ops@example.org") == (True, 1)
        seat = invite(session, match, anna, "gwen+friend@example.org")
        link = links.invite_link(session, match, seat)
        bans.ban(session, gwen, "Threats.")
        for email in ("gwen@example.org", "gwen+second@example.org"):
            assert asked(session, email) == (False, 0)
            with pytest.raises(NotLegal, match="sends no invitations to that address"):
                invite(session, match, anna, email)
        with pytest.raises(Banned):
            inviting.accept(session, link)
        assert asked(session, "gwen+old@example.org") == (True, 1), "an account that was there before gets no letter, either"
        old = accounts.known(session, "gwen+old@example.org")
        assert old.banned_at is not None and old.banned_why == "Threats."
        assert asked(session, "gwen+ops@example.org") == (True, 2), "operators always can"
        assert asked(session, "gwen@example.com") == asked(session, "gwendolen@example.org") == (True, 1), "other mailboxes"
        bans.unban(session, gwen)
        assert registration.may_sign_in(session, gwen.email) and not registration.may_sign_in(session, old.email)
        assert not registration.may_sign_in(session, "gwen+second@example.org"), "another account of the mailbox is banned"
        bans.unban(session, old)
        assert registration.may_sign_in(session, "gwen+second@example.org")
