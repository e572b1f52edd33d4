"""Accounts: addresses, names, and the sign-in letter."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import select

from engine.core.asks import NotUnderstood
from service.common import addresses, headers
from service.errors import NotFound
from service.people import accounts
from service.post import relay
from service.settings import Settings
from service.store import database as db
from service.store import queue
from service.store.models import Account, Letter
from tests.service.conftest import on_sqlite


@on_sqlite
@pytest.mark.parametrize(
    "text",
    ["", "anna", "anna@", "@example.org", "a b@example.org", "anna@exa mple.org", "anna@@example.org", "a@b..org", "a..b@c.org",
     "anna@example.org, bert@example.org", "Anna <anna@example.org>", "anna@example.org\nBcc: all@example.org", "ü@example.org",
     "a\x00b@example.org", "x" * 65 + "@example.org", "anna@" + "x" * 64 + ".org"],
)  # fmt: skip
def test_what_is_no_address_is_refused(settings: Settings, text: str) -> None:
    with db.transaction(settings) as session:
        with pytest.raises(NotUnderstood, match="isn’t an e-mail address" if text else "no e-mail address yet"):
            accounts.ask_sign_in(session, text)
        assert session.exec(select(Account)).all() == []
        assert session.exec(select(Letter)).all() == []


@on_sqlite
def test_an_address_that_is_too_long_is_refused_without_being_repeated(settings: Settings) -> None:
    with db.transaction(settings) as session, pytest.raises(NotUnderstood, match="at most 254") as refusal:
        accounts.by_email(session, "a@" + "b." * 5000 + "org")
    assert len(str(refusal.value)) < 200


def test_one_address_is_one_account_however_it_is_written(settings: Settings) -> None:
    with db.transaction(settings) as session:
        first = accounts.by_email(session, "Anna@Example.ORG ")
        assert accounts.by_email(session, "anna@example.org").id == first.id


def test_an_address_written_for_the_first_time_twice_at_once_is_one_account(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with db.transaction(settings) as session:
        there = accounts.by_email(session, "anna@example.org")
        looks = []
        look = session.exec

        def blind_at_first(query: Any) -> object:
            looks.append(query)
            return look(select(Account).where(Account.id == "")) if len(looks) == 1 else look(query)

        monkeypatch.setattr(session, "exec", blind_at_first)
        assert accounts.by_email(session, "anna@example.org").id == there.id


@on_sqlite
@pytest.mark.parametrize(("name", "sentence"), [("", "empty"), ("   ", "empty"), ("x" * 41, "at most 40"), ("a\x00b", "shown")])
def test_a_name_that_does_not_do_is_refused(settings: Settings, name: str, sentence: str) -> None:
    with db.transaction(settings) as session:
        account = accounts.by_email(session, "anna@example.org")
        with pytest.raises(NotUnderstood, match=sentence):
            accounts.rename(session, account, name)
        assert account.name == ""


def test_a_name_is_kept_without_surplus_spaces(settings: Settings) -> None:
    with db.transaction(settings) as session:
        account = accounts.by_email(session, "anna@example.org")
        accounts.rename(session, account, "  Anna \n of\tHold ")
        assert account.name == "Anna of Hold"


def test_an_unknown_time_zone_is_refused(settings: Settings) -> None:
    with db.transaction(settings) as session:
        account = accounts.by_email(session, "anna@example.org")
        for zone in ("Middle/Earth", "localtime", "Factory", "europe/vienna", "../UTC"):
            with pytest.raises(NotUnderstood, match="isn’t a time zone"):
                accounts.set_zone(session, account, zone)
        accounts.set_zone(session, account, "Europe/Vienna")
        assert account.zone == "Europe/Vienna"


@on_sqlite
def test_asking_to_sign_in_queues_a_letter_and_its_delivery(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        accounts.ask_sign_in(session, "anna@example.org")
        letter = session.exec(select(Letter)).one()
        assert sent == []  # nothing is sent before the commit
    assert sent == [(queue.DELIVER,)]
    assert letter.to_address == "anna@example.org"
    assert "http://writ.test/in/" in letter.text and "http://writ.test/in/" in letter.html


def test_a_transaction_that_fails_sends_nothing(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with pytest.raises(ZeroDivisionError), db.transaction(settings) as session:  # noqa: PT012  (it is the whole that fails)
        accounts.ask_sign_in(session, "anna@example.org")
        raise ZeroDivisionError
    assert sent == []
    with db.open_session(settings) as session:
        assert session.exec(select(Account)).all() == []


def test_nobody_reads_a_part_of_an_address(settings: Settings) -> None:
    assert "anna" not in accounts.shown_name(Account(email="anna@example.org"), "a").lower()


def test_an_unknown_account_is_not_found(settings: Settings) -> None:
    with db.open_session(settings) as session:
        for id in (None, "", "0" * 32):
            with pytest.raises(NotFound):
                accounts.by_id(session, id)


# --- addresses in other scripts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "kept", "shown"),
    [
        ("Anna@Bücher.Example", "anna@xn--bcher-kva.example", "anna@bücher.example"),
        ("anna@XN--BCHER-KVA.example", "anna@xn--bcher-kva.example", "anna@bücher.example"),
        ("anna@faß.example", "anna@xn--fa-hia.example", "anna@faß.example"),
        ("anna@例え。テスト", "anna@xn--r8jz45g.xn--zckzah", "anna@例え.テスト"),
        ("anna@bu\u0308cher.example", "anna@xn--bcher-kva.example", "anna@bücher.example"),
        ("anna@example.org", "anna@example.org", "anna@example.org"),
        ("anna@xn--zz.example", "anna@xn--zz.example", "anna@xn--zz.example"),
    ],
)
def test_a_domain_in_any_script_is_one_address(settings: Settings, typed: str, kept: str, shown: str) -> None:
    with db.transaction(settings) as session:
        account = accounts.by_email(session, typed)
        assert account.email == kept and addresses.shown(kept) == shown
        assert accounts.by_email(session, shown).id == account.id == accounts.known(session, typed).id
        accounts.ask_sign_in(session, typed)
        (letter,) = session.exec(select(Letter)).all()
        assert headers.recipient(letter.to_address) == f"To: {kept}\r\n".encode()


@pytest.mark.parametrize("text", ["anna@-ü.org", "anna@ü..org", "anna@☃.net", "anna@ex\u202eample.org", "anna@ü", "a@b@ü.org"])
def test_what_is_no_domain_in_any_script_is_refused(text: str) -> None:
    if text == "anna@ü":  # as `localhost` is
        assert accounts.clean_email(text) == "anna@xn--tda"
        return
    with pytest.raises(NotUnderstood, match="isn’t an e-mail address"):
        accounts.clean_email(text)


def test_a_local_part_in_utf8_is_an_address_where_the_mail_server_offers_smtputf8(settings: Settings) -> None:
    settings = settings.model_copy(update={"smtp_url": "smtp://mx.test"})
    with db.transaction(settings) as session:
        with pytest.raises(NotUnderstood, match="can send to, for its “ö” before the @"):
            accounts.ask_sign_in(session, "Jörg@Bücher.example")
        assert not session.exec(select(Account)).all()
        relay.note_utf8(session, True)
        account = accounts.by_email(session, "Jörg@Bücher.example")
        assert account.email == "jörg@xn--bcher-kva.example"
        assert accounts.by_email(session, "JO\u0308RG@xn--bcher-kva.example").id == account.id
        for bad in (
            "jö rg@b.org",
            "jö\u202erg@b.org",
            "j\u00f6\u0301\u0302\u0303\u0304@b.org",
            "ö" * 33 + "@b.org",
            "jö,x@b.org",
            "ö..a@b.org",
        ):
            with pytest.raises(NotUnderstood, match="isn’t an e-mail address"):
                accounts.by_email(session, bad)
        relay.note_utf8(session, False)
        with pytest.raises(NotUnderstood, match="before the @"):
            accounts.by_email(session, "Jörg@Bücher.example")
