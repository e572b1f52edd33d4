"""Seats by links from letters: any number in one browser, several opened at once, what a link lets its holder read."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import func, select
from werkzeug.test import TestResponse

from service.people import link_seats
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import BrowserSeat, HiddenAnswer, Match, now
from tests.service.web.conftest import Visitor

New = Callable[..., Visitor]


def opened(anna: Visitor, bert: Visitor, names: list[str]) -> dict[str, str]:
    """Games of the two that have begun; of each the path of the link in Bert's letter, by the path of its table."""
    found = {}
    for name in names:
        form = {"name": name, "game": "ortus", "seats": "2", "access": "open"}
        path = str(anna.post("/games/new", form, follow=False).location)
        bert.post(path + "/join")
        found[path] = bert.link("started", "t")
    return found


def rows(settings: Settings) -> int:
    with open_session(settings) as session:
        return session.exec(select(func.count()).select_from(BrowserSeat)).one()


def test_a_browser_plays_any_number_of_seats_by_links(anna: Visitor, bert: Visitor, visitor: New) -> None:
    games = opened(anna, bert, [f"War {n}" for n in range(15)])
    phone = visitor()
    for path, link in games.items():
        assert phone.get(link).location == f"{path}/table"
    assert {phone.get(f"{path}/table").status_code for path in games} == {200}


def keep_cookies(phone: Visitor, answer: TestResponse) -> None:
    for header in answer.headers.getlist("Set-Cookie"):
        name, _, rest = header.partition("=")
        under = re.search(r"Path=([^;]+)", rest)
        phone.client.set_cookie(name, rest.partition(";")[0], domain="writ.test", path=under[1] if under else "/")


def answered_at_once(phone: Visitor, paths: list[str]) -> list[TestResponse]:
    """What a browser gets for pages that it asks for at the same moment: each without the cookies that the others bring."""
    sent = [phone.client.get_cookie("writ", domain="writ.test")]
    answers = []
    for path in paths:
        other = Visitor(phone.client.application.test_client(), phone.settings)
        if sent[0] is not None:
            other.client.set_cookie("writ", sent[0].value, domain="writ.test")
        for name in ("writ_seat",):
            for game in paths:
                place = "/".join(game.split("/")[:3])
                kept = phone.client.get_cookie(name, domain="writ.test", path=place)
                if kept is not None:
                    other.client.set_cookie(name, kept.value, domain="writ.test", path=place)
        answers.append(other.get(path))
    for answer in answers:  # the cookies come one after the other; of one name and path the last stays
        keep_cookies(phone, answer)
    return answers


def test_four_links_that_are_opened_at_once_all_come_in_and_their_forms_are_good(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    games = opened(anna, bert, [f"War {n}" for n in range(4)])
    phone = visitor()
    first = answered_at_once(phone, list(games.values()))
    assert [answer.location for answer in first] == [f"{path}/table" for path in games]
    tables = answered_at_once(phone, [f"{path}/table" for path in games])
    assert [answer.status_code for answer in tables] == [200] * 4
    for path, table in zip(games, tables, strict=True):
        token = re.search(r'name="csrf_token" value="([^"]+)"', table.text)
        assert token is not None
        form = {"text": "Only for me.", "csrf_token": token[1]}
        sent = phone.client.post(f"{path}/notes", data=form, base_url=settings.base_url)
        assert sent.status_code == 303, "the form of each window is good"
    assert {phone.get(f"{path}/table").status_code for path in games} == {200}
    page = phone.page("/games")
    assert all(f"War {n}" in page for n in range(4)), "they are all of one browser by now"
    phone.post("/sign-out", {"where": "here"})
    assert [phone.get(f"{path}/table").location for path in games] == ["/sign-in"] * 4
    assert rows(settings) == 0


def test_a_link_opened_while_another_windows_cookie_is_on_its_way_comes_in(anna: Visitor, bert: Visitor, visitor: New) -> None:
    games = opened(anna, bert, [f"War {n}" for n in range(3)])
    first, second, third = games.values()
    phone, late = visitor(), visitor()
    phone.get(first)
    answered = late.get(second)  # asked for before the first link's cookie came
    phone.get(third)
    keep_cookies(phone, answered)
    assert {phone.get(f"{path}/table").status_code for path in games} == {200}


def test_signing_out_ends_the_seats_of_links_whose_pages_were_not_visited_since(
    anna: Visitor, bert: Visitor, visitor: New
) -> None:
    games = opened(anna, bert, [f"War {n}" for n in range(3)])
    phone = visitor()
    answered_at_once(phone, list(games.values()))
    phone.post("/sign-out", {"where": "here"})
    assert [phone.get(f"{path}/table").location for path in games] == ["/sign-in"] * 3
    one, *others = games
    phone.get(games[one])
    assert phone.get(f"{one}/table").status_code == 200, "a link opened since is good"
    assert [phone.get(f"{path}/table").location for path in others] == ["/sign-in"] * 2


def test_a_link_leads_to_the_games_of_this_browser_and_shows_no_others(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    games = opened(anna, bert, ["Harvest war", "Winter war"])
    friend = visitor()
    path, link = next(iter(games.items()))
    friend.get(link)
    assert 'href="/games"' in friend.page(f"{path}/table")
    page = friend.page("/games")
    assert "Harvest war" in page and f'href="{path}/table"' in page
    assert "Winter war" not in page and bert.email not in page, "a link that was handed on shows its own table alone"
    before = len(bert.letters("sign_in"))
    said = friend.post("/games/sign-in").text
    assert "A letter is on its way to the address that these links were sent to" in said and bert.email not in said
    assert len(bert.letters("sign_in")) == before + 1
    # With that letter all games are there.
    friend.post(bert.link("sign_in", "in"), {"choice": "enter"})
    page = friend.page("/games")
    assert "Harvest war" in page and "Winter war" in page
    assert rows(settings) == 0, "the account sits there itself"


def test_without_a_link_there_is_nobody_to_send_a_letter_to(visitor: New) -> None:
    assert visitor().post("/games/sign-in", follow=False).location == "/sign-in"


def test_who_keeps_no_cookies_is_told_so(anna: Visitor, bert: Visitor, visitor: New) -> None:
    (link,) = opened(anna, bert, ["Harvest war"]).values()

    def without(path: str) -> TestResponse:
        return visitor().get(path)

    table = without(str(without(link).location))
    assert "keeps no cookies of writ.test" in without(str(table.location)).text
    assert "keeps no cookies" not in visitor().page("/games"), "a browser that keeps them signs in as ever"


def test_a_scanners_head_request_leaves_nothing(anna: Visitor, bert: Visitor, visitor: New, settings: Settings) -> None:
    (link,) = opened(anna, bert, ["Harvest war"]).values()
    answer = visitor().client.head(link, base_url=settings.base_url)
    assert answer.status_code == 303 and not answer.headers.getlist("Set-Cookie") and rows(settings) == 0


def test_another_seats_link_takes_the_place_of_the_first(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    ((path, link),) = opened(anna, bert, ["Harvest war"]).items()
    phone = visitor()
    phone.get(link)
    phone.get(link)
    assert rows(settings) == 1
    other = anna.link("started", "t")
    assert "A link for another seat" in phone.get(other).text
    phone.post(other, {"choice": "take"})
    assert rows(settings) == 1 and "You are Anna" in phone.page(f"{path}/table")


def test_rows_of_long_ago_are_forgotten(anna: Visitor, bert: Visitor, visitor: New, settings: Settings) -> None:
    first, second = opened(anna, bert, ["Harvest war", "Winter war"]).values()
    visitor().get(first)
    with transaction(settings) as session:
        row = session.exec(select(BrowserSeat)).one()
        row.at = now() - link_seats.KEPT - timedelta(days=1)
        session.add(row)
    visitor().get(second)
    assert rows(settings) == 1


@pytest.mark.parametrize("how", ["renewed", "signed out"])
def test_a_seat_is_closed_with_its_link(anna: Visitor, bert: Visitor, visitor: New, how: str) -> None:
    ((path, link),) = opened(anna, bert, ["Harvest war"]).items()
    phone = visitor()
    phone.get(link)
    bert.post(f"{path}/letters/links") if how == "renewed" else bert.post("/sign-out", {"where": "everywhere"})
    assert phone.get(f"{path}/table").location == "/sign-in"
    assert phone.get("/games").location == "/sign-in"


def test_after_an_answer_the_next_table_of_this_browsers_links_is_one_press_away(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    """Only tables whose links were opened here: a link tells nothing of its owner's other games."""
    games = opened(anna, bert, ["First", "Second", "Third"])
    (here, link), (soon, second), (unopened, _) = games.items()
    phone = visitor()
    phone.get(link)
    phone.get(second)
    assert "Next game waiting for you" not in phone.page(here + "/table"), "the question comes first"
    with transaction(settings) as session:
        match = session.get_one(Match, here.rpartition("/")[2])
        session.add(HiddenAnswer(match_id=match.id, seat="b", serial=match.serial, kind="deck", move="x", via="page"))
    page = phone.page(here + "/table")
    assert f'href="/games/next?after={match.id}"' in page and "Next game waiting for you<" in page
    assert phone.get(f"/games/next?after={match.id}").location == soon + "/table" != unopened + "/table"
    assert phone.get(f"/games/next?after={soon.rpartition('/')[2]}").location in (here + "/table", "/games")
    assert "/sign-in" in visitor().get("/games/next").location


def test_a_letters_link_leads_on_to_my_games_a_new_game_and_an_account(anna: Visitor, bert: Visitor, visitor: New) -> None:
    ((path, link),) = opened(anna, bert, ["War"]).items()
    phone = visitor()
    assert 'href="/games"' in phone.page(link)
    mine = phone.page("/games")
    assert f'href="{path}/table"' in mine and "Send me the letter" in mine and 'action="/games/sign-in"' in mine
    assert "Try it against bots" in mine and 'href="/games/open"' in mine
    before = len(bert.letters("sign_in"))
    phone.post("/games/sign-in")
    assert len(bert.letters("sign_in")) == before + 1
