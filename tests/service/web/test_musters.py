"""The muster on its own page, in the lobby, and among one's games; looking at it says nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import select

from service.settings import Settings
from service.store.database import transaction
from service.store.models import MatchStatus, SeatRow, now
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import match_of

New = Callable[..., Visitor]


def opened(anna: Visitor, **more: str) -> str:
    """A table whose host opened it two hours ago."""
    form = {"name": "Harvest war", "game": "mastery", "seats": "2", "access": "open"} | more
    path = str(anna.post("/games/new", form, follow=False).location)
    long_ago(anna.settings, path)
    return path


def long_ago(settings: Settings, path: str) -> None:
    """Let two hours pass since everybody sat down."""
    with transaction(settings) as session:
        for seat in session.exec(select(SeatRow).where(SeatRow.match_id == path.rpartition("/")[2])):
            seat.present_at = now() - timedelta(hours=2)
            session.add(seat)


def mustered(anna: Visitor, bert: Visitor) -> str:
    """A table that Bert has completed just now."""
    path = opened(anna)
    bert.post(path + "/join")
    return path


def test_by_the_letters_link_one_says_so_without_a_sign_in_and_looking_says_nothing(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    path = mustered(anna, bert)
    phone, link = visitor(), anna.link("muster", "t") + "?to=muster"
    for _ in range(2):
        page = phone.page(link)
        phone.client.head(link, base_url=settings.base_url)
        assert "Are you there?" in page and "I am here" in page
    assert match_of(settings, path)[0].status == MatchStatus.LOBBY, "a mail program opens links, too"
    assert "Are you there?" in phone.page(path + "/table") and "Your answer is due" in phone.page("/games")
    answer = phone.post(path + "/muster")
    assert match_of(settings, path)[0].status == MatchStatus.RUNNING and "All are there" in answer.text
    assert phone.get(path + "/muster").location.endswith("/table")
    assert "data-part=" in phone.post(path + "/muster").text, "a second press leads to the table"


def test_lobby_and_list_of_games_ask_who_is_missing_and_tell_the_others(
    anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    path = mustered(anna, bert)
    lobby, waits = anna.page(path), bert.page(path)
    assert "I am here" in lobby and "not there yet" in lobby and "everybody has said to be there" in lobby
    assert "I am here" not in waits and "You are there. The game begins when all are" in waits
    assert "1 game waits for you" in anna.page("/games") and "waits for you" not in bert.page("/games")
    assert "Harvest war" not in bert.page("/games/open")
    assert "Not there yet: Anna" in bert.page(path + "/muster")
    assert anna.get("/games/next").location == path + "/table"
    anna.post(path + "/muster")
    assert match_of(settings, path)[0].status == MatchStatus.RUNNING


def test_who_cannot_play_now_leaves_from_the_same_page(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = opened(anna, seats="3", muster="always")
    bert.post(path + "/join")
    long_ago(settings, path)
    anna.post(path + "/bot", {"bot": "steady"})
    assert "Leave the game" not in anna.page(path + "/muster") and "Leave the game" in bert.page(path + "/muster")
    assert "You have left the game." in bert.post(path + "/muster", {"choice": "leave"}).text
    match, seats = match_of(settings, path)
    assert match.muster_until is None and sum(seat.account_id is not None for seat in seats) == 1
    assert "so nobody is asked" in anna.page(path + "/muster")


@pytest.mark.parametrize(("given", "stored"), [({}, "strangers"), ({"muster": "never"}, "never"), ({"muster": "x"}, "")])
def test_the_form_offers_musters_and_bots_after_a_day(
    anna: Visitor, settings: Settings, given: dict[str, str], stored: str
) -> None:
    form = {"name": "Harvest war", "game": "mastery", "seats": "3", "access": "open", "fill": "yes"} | given
    answer = anna.post("/games/new", form, follow=False)
    if not stored:
        assert answer.status_code == 422 and "choose one of the list" in answer.text
        return
    match, _ = match_of(settings, str(answer.location))
    assert match.muster == stored and match.fill_at is not None
    assert "Bots take the seats that are still free on" in anna.page(str(answer.location))
