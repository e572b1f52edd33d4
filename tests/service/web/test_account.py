"""Signing in by letter, names, signing out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlmodel import Session, select

from service.post import links
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Link
from tests.service.web.conftest import Visitor

New = Callable[[str], Visitor]


def test_a_letter_brings_a_link_and_its_button_signs_in(visitor: New) -> None:
    anna = visitor("Anna@Example.org")
    sent = anna.post("/sign-in", {"email": anna.email})
    assert "A letter is on its way" in sent.text
    anna.email = "anna@example.org"
    link = anna.link("sign_in", "in")
    assert "anna@example.org" in anna.page(link)
    done = anna.post(link, {"choice": "enter", "name": "Anna"}, follow=False)
    assert (done.status_code, done.location) == (303, "/games"), "the token is left behind"
    assert "My games" in anna.page("/games")
    assert 'value="Anna"' in anna.page("/account")


def test_opening_a_link_changes_nothing(visitor: New, settings: Settings) -> None:
    anna = visitor("anna@example.org")
    anna.post("/sign-in", {"email": anna.email})
    link = anna.link("sign_in", "in")
    for _ in range(3):
        assert anna.client.head(link, base_url=settings.base_url).status_code == 200
        assert anna.get(link).status_code == 200
    assert anna.get("/games").location == "/sign-in", "still signed out"


def test_a_link_can_be_pressed_twice(visitor: New) -> None:
    anna = visitor("anna@example.org")
    anna.post("/sign-in", {"email": anna.email})
    link = anna.link("sign_in", "in")
    assert anna.post(link, {"choice": "enter"}).status_code == 200
    assert anna.post(link, {"choice": "enter"}).status_code == 200


@pytest.mark.parametrize(
    "address", ["", "anna", "anna@", "@example.org", "a b@example.org", "x" * 300 + "@example.org", "a@b@c"]
)
def test_what_is_no_address_gets_a_sentence(visitor: New, address: str) -> None:
    found = visitor("").post("/sign-in", {"email": address})
    assert found.status_code == 422
    assert "address" in found.text and 'role="alert"' in found.text


def test_a_forged_or_cut_link_opens_nothing(visitor: New) -> None:
    anna = visitor("anna@example.org")
    anna.post("/sign-in", {"email": anna.email})
    link = anna.link("sign_in", "in")
    mistyped = link[:-9] + ("A" if link[-9] != "A" else "B") + link[-8:]
    for broken in (link[:-1], mistyped, "/in/x", "/in/" + "a" * 400):
        for found in (anna.get(broken), anna.post(broken, {"choice": "enter"})):
            assert found.status_code == 404
            assert "This link doesn’t work" in found.text and "/sign-in" in found.text


def test_an_expired_or_revoked_link_is_gone(visitor: New, settings: Settings) -> None:
    anna = visitor("anna@example.org")
    anna.post("/sign-in", {"email": anna.email})
    link = anna.link("sign_in", "in")
    with time_machine.travel("2099-01-01"):
        assert anna.get(link).status_code == 410
        assert "has run out" in anna.get(link).text
    with transaction(settings) as session:
        links.revoke(session, session.exec(select(Link)).one())
    assert "called back" in anna.get(link).text


def test_an_older_secret_key_still_opens_links_and_sessions(anna: Visitor, settings: Settings) -> None:
    from service.web import create_app

    rotated = settings.model_copy(
        update={"secret_keys": ("a-newer-key-for-tests-of-32-letters-and-more", *settings.secret_keys)}
    )
    app = create_app(rotated)
    later = Visitor(app.test_client(), rotated, anna.email)
    cookie = anna.client.get_cookie("writ", domain="writ.test")
    assert cookie is not None
    later.client.set_cookie("writ", cookie.value, domain="writ.test")
    assert "My games" in later.page("/games")
    dropped = create_app(settings.model_copy(update={"secret_keys": ("a-newer-key-for-tests-of-32-letters-and-more",)}))
    stranger = Visitor(dropped.test_client(), settings)
    stranger.client.set_cookie("writ", cookie.value, domain="writ.test")
    assert stranger.get("/games").location == "/sign-in"


def test_signing_in_leads_back_to_where_one_was_going(visitor: New) -> None:
    anna = visitor("anna@example.org")
    assert anna.get("/decks/new").location == "/sign-in"
    anna.post("/sign-in", {"email": anna.email})
    assert anna.post(anna.link("sign_in", "in"), {"choice": "enter"}, follow=False).location == "/decks/new"


def test_signing_out_everywhere_ends_other_sessions(anna: Visitor, visitor: New) -> None:
    other = visitor("anna@example.org").sign_in()
    assert "My games" in other.page("/games")
    anna.post("/sign-out", {"where": "everywhere"})
    assert other.get("/games").location == "/sign-in"
    assert anna.get("/games").location == "/sign-in"


def test_signing_out_everywhere_calls_back_the_links_in_letters(anna: Visitor) -> None:
    anna.post("/sign-in", {"email": anna.email})
    link = anna.link("sign_in", "in")
    assert anna.get(link).status_code == 200
    anna.post("/sign-out", {"where": "everywhere"})
    assert anna.get(link).status_code == 410


@pytest.mark.parametrize("name", ["", " ", "x" * 41, "x" * 401, "a\x00b", "a\u202eb"])
def test_a_name_that_won_t_do_changes_nothing(anna: Visitor, settings: Settings, name: str) -> None:
    found = anna.post("/account", {"name": name})
    assert found.status_code in (400, 422)
    assert _account(settings, anna.email).name == "Anna"


def test_a_name_is_shown_as_text_and_never_as_markup(anna: Visitor) -> None:
    assert "&lt;b&gt;Anna&lt;/b&gt;" in anna.post("/account", {"name": "<b>Anna</b>"}).text


def _account(settings: Settings, email: str) -> Account:
    with open_session(settings) as session:
        assert isinstance(session, Session)
        return session.exec(select(Account).where(Account.email == email)).one()


def test_the_account_page_lists_the_browsers_that_are_signed_in(anna: Visitor) -> None:
    anna.post("/sign-in", {"email": anna.email})
    phone = Visitor(anna.client.application.test_client(), anna.settings, anna.email)
    phone.client.environ_base["HTTP_USER_AGENT"] = "Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0"
    phone.sign_in()
    page = anna.page("/account")
    assert page.count('action="/account/browsers"') == 2 and page.count("this one") == 1
    assert "Firefox, Android" in page and "last seen on" in page
    assert page.count('action="/sign-out"') == 1, "everywhere; this browser has its line in the list"


def test_a_browser_that_plays_by_links_alone_can_forget_them(anna: Visitor, bert: Visitor, visitor: New) -> None:
    game = anna.post("/games/new", {"name": "War", "game": "ortus", "seats": "2", "access": "open"}, follow=False).location
    bert.post(f"{game}/join")
    guest = visitor("")
    assert "Seats in this browser" not in guest.page("/sign-in")
    guest.get(anna.link("started", "t"))
    assert guest.get(f"{game}/table").status_code == 200
    assert "plays 1 seat by a link" in guest.page("/sign-in")
    guest.post("/sign-out", {"where": "here"})
    assert guest.get(f"{game}/table").location == "/sign-in"
    assert "Seats in this browser" not in guest.page("/sign-in")


def test_an_empty_address_or_zone_is_said_to_be_missing(anna: Visitor, visitor: New) -> None:
    assert "There is no e-mail address yet" in visitor("").post("/sign-in", {"email": " "}).text
    empty = {"zone": "", "quiet_from": "22:00", "quiet_to": "08:00", "ladder": ""}
    assert "The time zone is missing" in anna.post("/account/rhythm", empty).text


def test_who_comes_by_stays_signed_in_and_the_cookie_is_signed_once_a_day(anna: Visitor) -> None:
    anna.get("/account")  # its forms put a token into the cookie
    began = datetime.now(UTC)  # after the cookie, for one signed later than "now" counts as expired
    for day in range(0, 200, 40):
        with time_machine.travel(began + timedelta(days=day), tick=False):
            first, second = anna.get("/account"), anna.get("/account")
            assert first.status_code == second.status_code == 200, f"day {day}"
            assert "Set-Cookie" not in second.headers
            assert ("Set-Cookie" in first.headers) == bool(day)
            assert "Cookie" in second.headers["Vary"]
            assert "Set-Cookie" not in anna.get("/static/writ.css").headers
    with time_machine.travel(began + timedelta(days=200 + 91), tick=False):
        assert anna.get("/account").location == "/sign-in"


def test_a_person_chooses_how_the_log_speaks_of_them(anna: Visitor) -> None:
    anna.post("/account", {"name": "Anna", "pronoun": "she"})
    assert '<option value="she" selected>' in anna.page("/account")
    anna.post("/account", {"name": "Anne"})
    assert '<option value="she" selected>' in anna.page("/account"), "a form without it changes nothing"
    assert anna.post("/account", {"name": "Anne", "pronoun": "Lord"}).status_code == 422
