"""Limits by person: a fresh link brings no fresh budget, and what others trigger uses up nobody's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlmodel import Session, col, func, select

from engine.core.asks import NotLegal
from service.games import inviting, lobby, rematches
from service.people import accounts
from service.post import links
from service.seat import copies
from service.settings import Settings
from service.store import limits
from service.store.database import open_session, transaction
from service.store.models import Letter, SeatRow
from service.store.seats import by_match_id, seats_of
from service.table import host
from service.web.security import limiter
from tests.house import invite
from tests.service.conftest import Players, person
from tests.service.web.conftest import Visitor, begun

New = Callable[..., Visitor]


def letters_to(settings: Settings, email: str, kind: str) -> int:
    with open_session(settings) as session:
        found = select(func.count()).where(col(Letter.to_address) == email, col(Letter.kind) == kind)
        return int(session.exec(found).one())


# --- sign-in letters --------------------------------------------------------------------------------------------------


def test_a_stranger_who_asks_for_sign_in_letters_locks_their_owner_out_of_none(
    anna: Visitor, visitor: New, settings: Settings
) -> None:
    anna.post("/sign-out", {"where": ""})
    before = letters_to(settings, anna.email, "sign_in")
    stranger = visitor()
    for _ in range(30):
        stranger.post("/sign-in", {"email": anna.email})
    assert letters_to(settings, anna.email, "sign_in") <= before + limits.SIGN_INS_TO[0][0]
    stood = letters_to(settings, anna.email, "sign_in")
    anna.post("/sign-in", {"email": anna.email})
    assert letters_to(settings, anna.email, "sign_in") == stood + 1, "her browser was signed in before"
    for _ in range(30):
        anna.post("/sign-in", {"email": anna.email})
    assert letters_to(settings, anna.email, "sign_in") == stood + limits.SIGN_INS_TO[0][0], "but not without end"


def test_an_owner_who_asked_often_keeps_no_stranger_from_asking(anna: Visitor, visitor: New, settings: Settings) -> None:
    anna.post("/sign-out", {"where": ""})
    for _ in range(limits.SIGN_INS_TO[0][0] + 3):
        anna.post("/sign-in", {"email": anna.email})
    stood = letters_to(settings, anna.email, "sign_in")
    visitor().post("/sign-in", {"email": anna.email})
    assert letters_to(settings, anna.email, "sign_in") == stood + 1, "it may be Anna at another machine"


def test_who_was_signed_out_everywhere_is_no_known_browser(anna: Visitor, visitor: New, settings: Settings) -> None:
    thief = visitor("anna@example.org")
    thief.sign_in()
    anna.post("/sign-out", {"where": "everywhere"})
    for _ in range(10):
        thief.post("/sign-in", {"email": anna.email})
    stood = letters_to(settings, anna.email, "sign_in")
    with transaction(settings) as session:
        owner = accounts.by_email(session, anna.email)
        accounts.ask_sign_in(session, owner.email, "198.51.100.0/24", limits.OWN)
    assert letters_to(settings, anna.email, "sign_in") == stood + 1


def test_invitations_use_up_no_sign_in_letters_and_the_other_way_round(settings: Settings, sent: list[object]) -> None:
    with transaction(settings) as session:
        by = person(session, "Anna")
        match = lobby.open_match(session, by, "Harvest war", "ortus", 3)
        invite(session, match, by, "victim@example.org")
        for _ in range(limits.INVITATIONS_TO[0][0] - 1):
            inviting.resend_invitation(session, match, by, "b")
        with pytest.raises(NotLegal):
            inviting.resend_invitation(session, match, by, "b")
        accounts.ask_sign_in(session, "victim@example.org", "198.51.100.0/24")
    assert letters_to(settings, "victim@example.org", "sign_in") == 1
    with transaction(settings) as session:
        for _ in range(20):
            accounts.ask_sign_in(session, "other@example.org", "198.51.100.0/24")
        invite(session, match, person(session, "Anna"), "other@example.org")
    assert letters_to(settings, "other@example.org", "invitation") == 1


def test_the_tags_of_a_mailbox_share_its_limits(settings: Settings, sent: list[object]) -> None:
    with transaction(settings) as session:
        by = person(session, "Anna")
        match = lobby.open_match(session, by, "Harvest war", "ortus", 6)
        for n in range(limits.INVITATIONS_TO[0][0]):
            invite(session, match, by, f"victim+{n}@example.org")
        with pytest.raises(NotLegal):
            invite(session, match, by, "victim@example.org")
        for n in range(20):
            accounts.ask_sign_in(session, f"other+{n}@example.org", "198.51.100.0/24")
        found = session.exec(select(func.count()).where(col(Letter.to_address).startswith("other"))).one()
    assert found == limits.SIGN_INS_TO[0][0]


# --- copies -----------------------------------------------------------------------------------------------------------


def many(settings: Settings, act: Callable[[Session], object]) -> int:
    through = 0
    for _ in range(limits.COPIES_TO[0][0] + 3):
        try:
            with transaction(settings) as session:
                act(session)
        except NotLegal:
            continue
        through += 1
    return through


def test_a_host_who_resends_uses_up_nobodys_own_copies(table: Players, settings: Settings) -> None:
    most = limits.COPIES_TO[0][0]

    def own(session: Session) -> None:
        copies.resend(session, table.match(session), session.get_one(SeatRow, (table.match_id, "b")))

    def hosts(session: Session) -> None:
        host.resend(session, table.match(session), "b")

    assert many(settings, hosts) == most and many(settings, own) == most


def test_who_has_asked_for_copies_keeps_no_host_from_resending(table: Players, settings: Settings) -> None:
    most = limits.COPIES_TO[0][0]
    own = many(settings, lambda s: copies.resend(s, table.match(s), s.get_one(SeatRow, (table.match_id, "b"))))
    assert own == most and many(settings, lambda s: host.resend(s, table.match(s), "b")) == most


# --- rematches --------------------------------------------------------------------------------------------------------


def test_nobody_is_kept_from_a_rematch_by_what_strangers_send(over: Players, settings: Settings) -> None:
    with transaction(settings) as session:
        mallory = person(session, "Mallory")
        match = lobby.open_match(session, mallory, "Spite", "ortus", 3)
        invite(session, match, mallory, "bert@example.org")
        for _ in range(limits.INVITATIONS_TO[0][0] - 1):
            inviting.resend_invitation(session, match, mallory, "b")
    with transaction(settings) as session:
        rematches.again(session, over.match(session), person(session, "Anna"))
    assert letters_to(settings, "bert@example.org", "invitation") == limits.INVITATIONS_TO[0][0] + 1
    with transaction(settings) as session:
        again, anna = rematches.again(session, over.match(session), person(session, "Anna")), person(session, "Anna")
        seat = next(seat.seat for seat in seats_of(session, again) if seat.invited_email)
    assert many(settings, lambda session: inviting.resend_invitation(session, again, anna, seat)) < 9


# --- requests ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch, at_once: None) -> None:
    """Asked for before the app, which looks whether there are limits as it is made."""
    monkeypatch.setattr(limiter, "enabled", True)


def until_refused(browser: Visitor, path: str, most: int = 12) -> int:
    """How many posts are let through."""
    for n in range(most):
        if browser.post(path).status_code == 429:
            return n
    return most


def test_a_fresh_link_brings_no_fresh_budget(
    limited: None, anna: Visitor, bert: Visitor, app: Flask, settings: Settings
) -> None:
    path = begun(anna, bert)
    match_id = path.rsplit("/", 1)[1]

    def by_link() -> Visitor:
        browser = Visitor(app.test_client(), settings, "")
        with transaction(settings) as session:
            match = by_match_id(session, match_id)
            link = links.turn_link(session, match, session.get_one(SeatRow, (match_id, "b")))
            address = links.url(settings, link).removeprefix(settings.base_url)
        browser.get(address)
        return browser

    first = by_link()
    assert 0 < until_refused(first, f"{path}/give-up", 30) == 20
    assert until_refused(by_link(), f"{path}/give-up") == 0, "in another browser, by another link"
    assert until_refused(anna, f"{path}/give-up", 3) == 3, "the others have their own"


def test_a_void_link_uses_up_nothing_of_the_seats_new_owner(
    limited: None, anna: Visitor, bert: Visitor, app: Flask, settings: Settings
) -> None:
    path = begun(anna, bert)
    old = Visitor(app.test_client(), settings, "")
    old.get(bert.link("started", "t"))
    match_id = path.rsplit("/", 1)[1]
    with transaction(settings) as session:
        host.renew_own_links(session, by_match_id(session, match_id), "b")
    until_refused(old, f"{path}/give-up", 25)
    fresh = Visitor(app.test_client(), settings, "")
    fresh.get(bert.link("fresh_link", "t"))
    assert until_refused(fresh, f"{path}/give-up", 3) == 3
