"""How letters come to a person, as pages: settings, the ledger, one click, copies, the calendar."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlmodel import select

from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Match, SeatRow
from tests.service.web.conftest import Visitor, begun


@pytest.fixture
def game(anna: Visitor, bert: Visitor) -> str:
    return begun(anna, bert)


def account(settings: Settings, name: str) -> Account:
    with open_session(settings) as session:
        return session.exec(select(Account).where(Account.email == f"{name}@example.org")).one()


def test_letters_come_as_their_reader_wishes(anna: Visitor, settings: Settings) -> None:
    anna.post("/account/letters", {"mode": "digest", "hour": "18"})
    found = account(settings, "anna")
    assert (found.letters, found.digest_hour) == ("digest", 18)
    for form, sentence in (({"mode": "never", "hour": "7"}, "choose one"), ({"mode": "each", "hour": "25"}, "from 0 to 23")):
        page = anna.post("/account/letters", form)
        assert page.status_code == 422 and sentence in page.text


def test_a_test_letter_is_sent_and_its_fate_is_shown(anna: Visitor) -> None:
    anna.post("/account/letters/test")
    assert anna.letters("test")[-1].status == "sent"
    page = anna.page("/account/letters")
    assert "A letter from Writ, to see whether it arrives" in page and "accepted – in the mailbox" in page


def test_who_signs_in_learns_that_letters_came_back_and_mends_it(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    with transaction(settings) as session:
        found = session.exec(select(Account).where(Account.email == "bert@example.org")).one()
        found.bounced_at, found.bounce = found.created_at, "550 5.1.1 unknown"
        session.add(found)
    assert "Letters to bert@example.org come back." in bert.page("/games")
    assert "The server said: 550 5.1.1 unknown" in bert.page("/account/letters")
    assert "letters to this player come back" in anna.page(f"{game}/clock")
    bert.post("/account/letters/test")
    assert account(settings, "bert").bounced_at is None
    assert "come back" not in bert.page("/games")


def test_one_click_ends_the_letters_of_a_game_without_cookie_or_token(
    game: str, anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    address = anna.letters("started")[-1].headers["List-Unsubscribe"].strip("<>").removeprefix(settings.base_url)
    scanner = visitor("")
    for method in (scanner.client.get, scanner.client.head):
        assert method(address, base_url=settings.base_url).status_code == 200
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        assert session.get_one(SeatRow, (match.id, "a")).letters == ""
    for form in ({"List-Unsubscribe": "One-Click"}, {"List-Unsubscribe": "One-Click"}):
        answer = scanner.client.post(address, data=form, base_url=settings.base_url)
        assert answer.status_code == 200 and "No more letters of this game come to you." in answer.text
    answer = scanner.client.post(address, data=form, content_type="multipart/form-data", base_url=settings.base_url)
    assert answer.status_code == 200
    with open_session(settings) as session:
        assert session.get_one(SeatRow, (match.id, "a")).letters == "none"
    assert "Not at all" in anna.page(f"{game}/letters")
    anna.post(f"{game}/letters", {"mode": ""})
    assert scanner.client.post("/leave/nonsense", base_url=settings.base_url).status_code in (404, 410)


def test_a_copy_comes_with_a_fresh_link(game: str, anna: Visitor) -> None:
    before = len(anna.letters())
    assert "A copy is on its way." in anna.post(f"{game}/letters/again").text
    assert len(anna.letters()) == before + 1
    assert anna.post(f"{game}/letters", {"mode": "sometimes"}).status_code == 422


def test_the_calendar_has_an_address_that_can_be_called_back(
    game: str, anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    anna.post("/account/calendar", {"choice": "renew"})
    key = account(settings, "anna").calendar_key
    stranger = visitor("")
    page = stranger.get(f"/calendar/{key}.ics")
    assert page.status_code == 200 and page.mimetype == "text/calendar" and "BEGIN:VEVENT" in page.text
    anna.post("/account/calendar", {"choice": "renew"})
    assert stranger.get(f"/calendar/{key}.ics").status_code == 404
    anna.post("/account/calendar", {"choice": "close"})
    assert account(settings, "anna").calendar_key == ""


def test_a_wish_about_letters_that_cannot_be_is_kept_with_the_sentence_that_refuses_it(anna: Visitor) -> None:
    found = anna.post("/account/letters", {"mode": "asked", "hour": "99", "subjects": "thread"})
    assert found.status_code == 422 and "whole number from 0 to 23" in found.text
    assert 'value="99"' in found.text and 'value="asked" checked' in found.text and 'value="thread" checked' in found.text
    assert 'value="each" checked' in anna.page("/account/letters"), "nothing was changed"
