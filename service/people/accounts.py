"""Accounts, identified by e-mail address; no passwords."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from zoneinfo import available_timezones

import msgspec
from sqlalchemy import Table
from sqlmodel import Session, SQLModel, col, select, update

from engine.core.asks import NotUnderstood
from engine.language.i18n import ENGLISH, language, languages
from engine.language.words import Message
from service.clock import calendar
from service.common import addresses, headers, text_input
from service.common.messages import nsentence, sentence
from service.errors import Misread, NotFound
from service.people import registration
from service.post import disclosure, letters, links, relay
from service.store import bulk, limits
from service.store.models import Account, Link, SeatRow

LONGEST_NAME = 40


def clean_email(text: str) -> str:
    """Normalise an address (`service.common.addresses`). Raises NotUnderstood."""
    text = text.strip()
    if len(text) > addresses.LONGEST:
        raise NotUnderstood(
            nsentence(
                "That address is %(num)s character long; an address has at most %(most)s.",
                "That address is %(num)s characters long; an address has at most %(most)s.",
                len(text),
                most=addresses.LONGEST,
            )
        )
    if not text:
        raise NotUnderstood(sentence("There is no e-mail address yet; write one like alys@example.org."))
    try:
        return addresses.clean(text)
    except ValueError:
        raise NotUnderstood(
            sentence("“%(email)s” isn’t an e-mail address; one looks like alys@example.org.", email=headers.shown(text[:60]))
        ) from None


def reachable(session: Session, text: str) -> str:
    """Normalise an address the relay can send to (SMTPUTF8). Raises NotUnderstood."""
    email = clean_email(text)
    if not email.isascii() and not relay.offers_utf8(session):
        sign = next(c for c in email if not c.isascii())
        raise NotUnderstood(
            sentence(
                "“%(email)s” isn’t an e-mail address that our mail server can send to, for its “%(sign)s” before the @; use one"
                " with plain letters there.",
                email=headers.shown(text.strip()[:60]),
                sign=sign,
            )
        )
    return email


def clean_name(text: str, what: str = "name", most: int = LONGEST_NAME) -> str:
    """Validate a name: the only entry for people's text that may reach a mail header. Raises NotUnderstood for invisible, long
    or unprintable names, bidi controls, piled marks, or RFC 2047 encoded words.

    `what`: a key of BAD_NAMES.
    """
    name = text_input.in_a_line(text)
    faults = {
        "long": len(name) > most,
        "turned": headers.HIDDEN.search(name),
        "unprintable": text_input.unfit(name),
        "piled": text_input.piled(name),
        "encoded": headers.is_encoded(name),
        "empty": not text_input.face(name),  # or of joiners, variation selectors and marks alone
    }
    for fault, found in faults.items():
        if found:
            facts = {"num": most if fault == "empty" else len(name), "most": most}
            raise Misread(msgspec.structs.replace(BAD_NAMES[what][fault], facts=facts), "name")
    return name


BAD_NAMES: dict[str, dict[str, Message]] = {
    "name of the deck": {
        "empty": nsentence(
            "The name of the deck is empty; give one of 1 to %(num)s character.",
            "The name of the deck is empty; give one of 1 to %(num)s characters.",
            0,
        ),
        "long": nsentence(
            "The name of the deck has %(num)s character; at most %(most)s fit.",
            "The name of the deck has %(num)s characters; at most %(most)s fit.",
            0,
        ),
        "turned": sentence(
            "The name of the deck has marks that turn the direction of writing; leave them out, it reads well without."
        ),
        "unprintable": sentence(
            "The name of the deck has characters that can't be shown; use letters, digits and punctuation."
        ),
        "piled": sentence("The name of the deck has more than three marks on one letter; leave some of them out."),
        "encoded": sentence("The name of the deck has “=?” in it, which mail programs read as a code; write it without."),
    },
    "name of the game": {
        "empty": nsentence(
            "The name of the game is empty; give one of 1 to %(num)s character.",
            "The name of the game is empty; give one of 1 to %(num)s characters.",
            0,
        ),
        "long": nsentence(
            "The name of the game has %(num)s character; at most %(most)s fit.",
            "The name of the game has %(num)s characters; at most %(most)s fit.",
            0,
        ),
        "turned": sentence(
            "The name of the game has marks that turn the direction of writing; leave them out, it reads well without."
        ),
        "unprintable": sentence(
            "The name of the game has characters that can't be shown; use letters, digits and punctuation."
        ),
        "piled": sentence("The name of the game has more than three marks on one letter; leave some of them out."),
        "encoded": sentence("The name of the game has “=?” in it, which mail programs read as a code; write it without."),
    },
    "name": {
        "empty": nsentence(
            "The name is empty; give one of 1 to %(num)s character.",
            "The name is empty; give one of 1 to %(num)s characters.",
            0,
        ),
        "long": nsentence(
            "The name has %(num)s character; at most %(most)s fit.", "The name has %(num)s characters; at most %(most)s fit.", 0
        ),
        "turned": sentence("The name has marks that turn the direction of writing; leave them out, it reads well without."),
        "unprintable": sentence("The name has characters that can't be shown; use letters, digits and punctuation."),
        "piled": sentence("The name has more than three marks on one letter; leave some of them out."),
        "encoded": sentence("The name has “=?” in it, which mail programs read as a code; write it without."),
    },
}
"""What is named -> fault -> message; `clean_name` fills in the facts. Whole sentences, for translators."""


def by_email(session: Session, email: str) -> Account:
    """Find or create an account, in the current language. Raises NotUnderstood."""
    email = reachable(session, email)
    found = select(Account).where(Account.email == email)
    account = session.exec(found).first()
    if account is None:
        bulk.add_unless_there(session, Account(email=email, language=language()))
        account = session.exec(found).one()
    return account


def by_invitation(session: Session, email: str) -> Account:
    """Find or create an account. Raises NotLegal outside the allowed domains, Banned."""
    registration.check_invited(session, email)
    return by_email(session, email)


def known(session: Session, email: str) -> Account:
    """Find an account. Raises NotUnderstood for a bad address, NotFound."""
    account = session.exec(select(Account).where(Account.email == clean_email(email))).first()
    if account is None:
        raise NotFound(sentence("Nobody with that address has an account here."))
    return account


def spoken(account: Account) -> str:
    """The account's language, if still supported, else English."""
    return account.language if account.language in languages() else ENGLISH


def reader_at(session: Session, match_id: str, seat: str | None) -> tuple[str, str]:
    """Language and zone of a seat; English and UTC if empty."""
    row = session.get(SeatRow, (match_id, seat)) if seat else None
    account = session.get(Account, row.account_id) if row is not None and row.account_id else None
    return (spoken(account), account.zone) if account is not None else (ENGLISH, "UTC")


def set_language(session: Session, account: Account, language: str) -> None:
    """Raises NotUnderstood for an unsupported language."""
    if language not in languages():
        raise NotUnderstood(sentence("Writ doesn’t speak that language; choose one of the list."))
    account.language = language
    session.flush()


def by_id(session: Session, id: str | None) -> Account:
    """The account. Raises NotFound."""
    account = session.get(Account, id) if id else None
    if account is None:
        raise NotFound(sentence("There is no such account."))
    return account


def reread(session: Session, account: Account) -> None:
    """Refresh an account after waiting for its lock. Raises NotFound if it was erased or merged meanwhile."""
    if session.get(Account, account.id, populate_existing=True) is None:
        raise NotFound(sentence("There is no such account."))


def by_ids(session: Session, ids: Iterable[str]) -> dict[str, Account]:
    wanted = set(ids)
    found = session.exec(select(Account).where(col(Account.id).in_(wanted))) if wanted else ()
    return {account.id: account for account in found}


def ask_sign_in(session: Session, email: str, network: str = "", by: str = limits.BY_OTHERS, share: str = "") -> None:
    """Queue a sign-in letter, unless registration, a ban or a rate limit forbids it. Earlier links stay valid, against
    lock-outs by flooding. `share`: key of the page's share link. Raises NotUnderstood.
    """
    email = reachable(session, email)
    if not limits.sign_in(session, email, network, by):
        return
    welcome = registration.may_sign_in(session, email, share)
    with session.begin_nested() as attempt:
        account = by_email(session, email)
        letters.sign_in(session, account, links.sign_in_link(session, account))
        if not welcome:
            # Written and rolled back: response times must not reveal which addresses have accounts.
            attempt.rollback()


def sign_in(session: Session, link: Link) -> Account:
    return by_id(session, link.account_id)


PRONOUNS = ("", "she", "he")
"""Of people in sentences; empty: they."""


def set_pronoun(session: Session, account: Account, pronoun: str) -> None:
    """Set a person's pronoun at all tables. Raises NotUnderstood."""
    if pronoun not in PRONOUNS:
        raise NotUnderstood(sentence("Choose they, she or he."))
    account.pronoun = pronoun
    session.exec(update(SeatRow).where(col(SeatRow.account_id) == account.id).values(pronoun=pronoun))
    session.flush()


def rename(session: Session, account: Account, name: str) -> None:
    """Change an account's name. Raises NotUnderstood."""
    disclosure.check(session, name)
    account.name = clean_name(name)
    session.flush()


NO_PLACES_ZONE = frozenset(("localtime", "Factory"))
"""Entries of some machines' tz database that name no place."""


def set_zone(session: Session, account: Account, zone: str) -> None:
    """Set the time zone. Raises NotUnderstood for an unknown one."""
    if zone not in available_timezones() or zone in NO_PLACES_ZONE:
        if not zone:
            raise Misread(sentence("The time zone is missing; write one like Europe/Vienna."), "zone")
        raise Misread(sentence("“%(zone)s” isn’t a time zone; one looks like Europe/Vienna.", zone=zone[:40]), "zone")
    account.zone = zone
    session.flush()


def take_zone(session: Session, account: Account, zone: str) -> None:
    """Set the browser's zone if none is chosen yet. Raises NotUnderstood."""
    if zone and not account.zone_chosen:
        set_zone(session, account, zone)


REGIONS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")


@cache
def zones() -> tuple[str, ...]:
    return ("UTC", *sorted(zone for zone in available_timezones() if zone.partition("/")[0] in REGIONS and "/" in zone))


def sign_out_everywhere(session: Session, account: Account) -> None:
    """Revoke everything: browsers, links, letters' addresses, the calendar feed."""
    links.renew_person(session, account)
    calendar.close(session, account)
    limits.sign_in_anew(session, account.email)


def shown_name(account: Account, seat: str) -> str:
    """Public name; never a part of the address."""
    return account.name or f"Player {seat.upper()}"


def seated_at(session: Session, account: Account, match_ids: Iterable[str]) -> set[str]:
    there = SeatRow.account_id == account.id, col(SeatRow.match_id).in_(list(match_ids))
    return set(session.exec(select(SeatRow.match_id).where(*there)))


def owner_of(session: Session, email: str) -> Account | None:
    return session.exec(select(Account).where(Account.email == email)).first()


def references() -> list[tuple[Table, str]]:
    """Tables with a foreign key to accounts, and its column."""
    return [
        (owner, column.name)
        for owner in SQLModel.metadata.sorted_tables
        for column in owner.columns
        if any(key.column.table.name == Account.__tablename__ for key in column.foreign_keys)
    ]
