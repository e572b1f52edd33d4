"""Languages of people: the browser's at the sign-up, the account's from then on, each reader's own at a table of several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from sqlmodel import select

from engine.language.i18n import made_up
from service.settings import Settings
from service.store.database import open_session
from service.store.models import Account, Letter
from tests.marked import LANGUAGE, OPEN, PseudoLocale, mark, plain
from tests.service.web.conftest import Visitor

Speaker = Callable[[str], Visitor]


@pytest.fixture(autouse=True)
def two_languages() -> Iterator[None]:
    with made_up(LANGUAGE, PseudoLocale(mark)):
        yield


@pytest.fixture
def foreign(app: Flask, settings: Settings) -> Speaker:
    """foreign(email) -> a browser whose language is the made-up one."""

    def browser(email: str = "") -> Visitor:
        client = app.test_client()
        client.environ_base["HTTP_ACCEPT_LANGUAGE"] = f"fr;q=0.9,{LANGUAGE};q=0.8"
        return Visitor(client, settings, email)

    return browser


def account(settings: Settings, email: str) -> Account:
    with open_session(settings) as session:
        return session.exec(select(Account).where(Account.email == email)).one()


def test_a_stranger_is_spoken_to_in_the_browsers_language(foreign: Speaker, visitor: Speaker) -> None:
    assert f'<html lang="{LANGUAGE}">' in foreign("").page("/help")
    assert '<html lang="en">' in visitor("").page("/help")


def test_an_account_has_the_language_of_its_first_browser(foreign: Speaker, anna: Visitor, settings: Settings) -> None:
    cleo = foreign("cleo@example.org").sign_in("Cleo")
    assert (account(settings, cleo.email).language, account(settings, anna.email).language) == (LANGUAGE, "en")
    letter = cleo.letters("sign_in")[-1]
    assert letter.headers["Content-Language"] == LANGUAGE and letter.subject.startswith(OPEN)
    assert f'lang="{LANGUAGE}"' in letter.html
    # The same person at a browser of another language keeps the account's.
    cleo.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "en"
    assert f'<html lang="{LANGUAGE}">' in cleo.page("/games")


def test_the_choice_is_on_the_account_page_and_holds(anna: Visitor, settings: Settings) -> None:
    assert f'<option value="{LANGUAGE}"' in anna.page("/account")
    after = anna.post("/account/language", {"language": LANGUAGE}).text
    assert f'<html lang="{LANGUAGE}">' in after and "⟦Pages and letters are in this language from now on.⟧" in after
    assert account(settings, anna.email).language == LANGUAGE
    assert anna.post("/account/language", {"language": "tlh"}).status_code == 422
    assert account(settings, anna.email).language == LANGUAGE


def test_there_is_no_choice_among_one(anna: Visitor) -> None:
    with pytest.MonkeyPatch.context() as alone:
        alone.setattr("engine.language.i18n._made", {})
        assert "/account/language" not in anna.page("/account")


def test_who_reads_a_language_that_is_gone_reads_english(anna: Visitor, settings: Settings) -> None:
    anna.post("/account/language", {"language": LANGUAGE})
    with pytest.MonkeyPatch.context() as gone:
        gone.setattr("engine.language.i18n._made", {})
        assert '<html lang="en">' in anna.page("/games")


def test_at_one_table_everybody_reads_their_own_language(anna: Visitor, foreign: Speaker, settings: Settings) -> None:
    bert = foreign("bert@example.org").sign_in("Bert")
    opened = anna.post("/games/new", {"game": "ortus", "name": "The Marches", "seats": "2", "access": "open"})
    game = re.search(r"/g/[0-9a-f]{32}", opened.request.path)
    assert game is not None
    bert.post(f"{game[0]}/join", {})
    english, marked = anna.letters("started")[-1], bert.letters("started")[-1]
    assert OPEN not in english.text + english.html and OPEN in marked.text
    assert (english.headers["Content-Language"], marked.headers["Content-Language"]) == ("en", LANGUAGE)
    assert english.subject == plain(marked.subject)
    assert OPEN not in anna.page(f"{game[0]}/table")
    page = bert.page(f"{game[0]}/table")
    # What is asked, what is news and the table itself, all that was written before the page was opened.
    assert "⟦Choose your Earl Deck" in page and "⟦Optional rules" not in anna.page(f"{game[0]}/table")
    # Bert asks the table to vote: Anna's letter is hers, though his browser made it.
    bert.post(f"{game[0]}/votes", {"kind": "pause", "days": "2"})
    vote = anna.letters("vote")[-1]
    assert "The table pauses for 2 days." in vote.text and OPEN not in vote.text + vote.html


def test_who_plays_by_a_link_reads_the_language_of_the_seat(foreign: Speaker, app: Flask, settings: Settings) -> None:
    bert = foreign("bert@example.org").sign_in("Bert")
    opened = bert.post("/games/new", {"game": "ortus", "name": "The Marches", "seats": "2", "access": "open"})
    bert.post(f"{opened.request.path}/bot", {"bot": "steady", "how_many": "all"})
    link = bert.link("started", "t")
    elsewhere = Visitor(app.test_client(), settings)
    assert '<html lang="en">' in elsewhere.page("/help")
    assert f'<html lang="{LANGUAGE}">' in elsewhere.page(link)
    assert '<html lang="en">' in elsewhere.page("/help")


def test_an_invitation_is_in_the_hosts_language_until_the_guest_has_one(
    foreign: Speaker, anna: Visitor, settings: Settings
) -> None:
    bert = foreign("bert@example.org").sign_in("Bert")
    opened = bert.post("/games/new", {"game": "ortus", "name": "The Marches", "seats": "3", "access": "invited"})
    for email in (anna.email, "nobody.yet@example.org"):
        bert.post(f"{opened.request.path}/invite", {"email": email})
    with open_session(settings) as session:
        found = {x.to_address: x for x in session.exec(select(Letter).where(Letter.kind == "invitation"))}
    assert OPEN not in found[anna.email].text and OPEN in found["nobody.yet@example.org"].text
