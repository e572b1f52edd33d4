"""How letters come to a person, as pages: settings, the ledger, one click, copies, the calendar."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlmodel import select

from service.post import letters, links
from service.settings import Settings
from service.store import optouts
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, LetterStatus, Match, OptOut, SeatRow
from tests.service.web.conftest import Visitor, begun
from tests.service.web.test_lobby import open_game


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


def test_who_has_no_zone_reads_that_the_digest_comes_by_utc(anna: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        session.exec(select(Account).where(Account.email == anna.email)).one().zone = ""
    assert "In your zone, UTC." in anna.page("/account/letters")


def test_a_test_letter_is_sent_and_its_fate_is_shown(anna: Visitor) -> None:
    anna.post("/account/letters/test")
    assert anna.letters("test")[-1].status == "sent"
    page = anna.page("/account/letters")
    assert "A letter from Writ, to see whether it arrives" in page and "sent – in the mailbox" in page


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
    assert "once you press the button" in scanner.client.get(address, base_url=settings.base_url).text
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


# --- opt-out from invitations -----------------------------------------------------------------------------------------


def invited(anna: Visitor, email: str) -> tuple[str, str]:
    """A table, and what its host reads after inviting that address."""
    table = open_game(anna, seats=3)
    return table, anna.post(table + "/invite", {"email": email}).text


def test_a_stranger_opts_out_of_invitations_for_good(
    anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    invited(anna, "carla@example.org")
    carla = visitor("carla@example.org")
    (letter,) = carla.letters("invitation")
    assert letter.headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    whole = letter.headers["List-Unsubscribe"].strip("<>")
    address = whole.removeprefix(settings.base_url)
    assert whole in letter.text and whole in letter.html and "carla" not in whole
    page = carla.client.get(address, base_url=settings.base_url)
    assert page.status_code == 200 and "You will get no more invitations" in page.text
    assert "once you press the button" in page.text, "not as if it were done"
    anna.post(open_game(anna, seats=3) + "/invite", {"email": "carla@example.org"})
    assert len(carla.letters("invitation")) == 2, "looking changes nothing"
    for _ in range(2):
        answer = carla.client.post(address, data={"List-Unsubscribe": "One-Click"}, base_url=settings.base_url)
        assert answer.status_code == 200 and "You get no more invitations from Writ" in answer.text
    _, told = invited(anna, "Carla@Example.org")
    assert "Writ sends no invitations to that address." in told and "opted" not in told
    assert len(carla.letters("invitation")) == 2
    with open_session(settings) as session:
        rows = session.exec(select(OptOut)).all()
    assert len(rows) == 1 and "carla" not in rows[0].mark and len(rows[0].mark) == 64


def test_nobody_else_ends_an_opt_out_and_its_owner_does(
    anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    invited(anna, "carla@example.org")
    carla = visitor("carla@example.org")
    address = carla.letters("invitation")[0].headers["List-Unsubscribe"].strip("<>").removeprefix(settings.base_url)
    carla.client.post(address, base_url=settings.base_url)
    anna.client.post("/sign-in", data={"email": "carla@example.org", "csrf_token": anna.token()}, base_url=settings.base_url)
    assert "Writ sends no invitations to that address." in invited(anna, "carla@example.org")[1], (
        "a sign-in letter ends nothing"
    )
    carla.sign_in()
    assert "You get no invitations at carla@example.org" in carla.page("/account/letters")
    carla.post("/account/letters/invitations")
    assert "You get no invitations at" not in carla.page("/account/letters")
    assert "is on its way" in invited(anna, "carla@example.org")[1]


def test_an_opt_out_holds_under_a_new_key_as_long_as_the_old_one_is_accepted(settings: Settings) -> None:
    old, new = settings.keys[0], "another-key-for-tests-of-32-letters-and-more"
    with transaction(settings) as session:
        optouts.add(session, "carla@example.org")
    for keys, out in (((new, old), True), ((new,), True)):  # it was looked up under both, and is kept under the new one
        with transaction(settings.model_copy(update={"secret_keys": keys})) as session:
            assert optouts.has(session, "carla@example.org") is out and not optouts.has(session, "dora@example.org")


def test_an_opt_out_holds_for_all_tags_of_a_mailbox(settings: Settings) -> None:
    with transaction(settings) as session:
        optouts.add(session, "carla+games@example.org")
        for address in ("carla+games@example.org", "carla@example.org", "carla+other@example.org"):
            assert optouts.has(session, address), address
        optouts.end(session, "carla@example.org")
        assert not optouts.has(session, "carla+other@example.org")


def test_the_address_of_a_letter_that_is_gone_opts_nobody_out(anna: Visitor, settings: Settings) -> None:
    address = links.leave_url(settings, links.INVITATIONS, "0" * 32, 0).removeprefix(settings.base_url)
    for answer in (anna.get(address), anna.client.post(address, base_url=settings.base_url)):
        assert answer.status_code == 200 and "nothing was changed" in answer.text
    forged = address[:-2] + ("aa" if not address.endswith("aa") else "bb")
    assert anna.client.post(forged, base_url=settings.base_url).status_code in (404, 410)


def test_an_opt_out_stops_invitations_that_wait_and_a_substitutes_letter(anna: Visitor, game: str, settings: Settings) -> None:
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        seat = session.get_one(SeatRow, (match.id, "b"))
        seat.invited_email = "carla@example.org"
        first = letters.substitute(session, match, seat, links.invite_link(session, match, seat))
        assert first.headers["List-Unsubscribe-Post"]
        optouts.add(session, "carla@example.org")
        session.refresh(first)
        assert first.status == LetterStatus.DROPPED
        later = letters.substitute(session, match, seat, links.invite_link(session, match, seat))
        assert later.status == LetterStatus.DROPPED, "she was chosen before she opted out"
        session.rollback()


def test_every_letter_says_whether_replies_are_read(anna: Visitor, game: str, settings: Settings) -> None:
    with transaction(settings) as session:
        for letter in session.exec(select(Letter)).all():
            assert "Nobody reads replies." in letter.text + letter.html and "Reply-To" not in letter.headers
    with transaction(settings.model_copy(update={"inbox": "writ@writ.test"})) as session:
        account = session.exec(select(Account).where(Account.email == "anna@example.org")).one()
        letter = letters.test_letter(session, account)
        assert "Nobody reads replies." in letter.text and "Reply-To" not in letter.headers
        session.rollback()
