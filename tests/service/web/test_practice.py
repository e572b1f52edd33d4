"""Against bots from the home page, without an address: play, what a guest can't do, and how a table is claimed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from sqlmodel import select

from engine.core.asks import write
from engine.games import GAMES
from service.seat import seat_view
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import Account, Match, Submission, new_id, now
from service.store.seats import by_match_id
from service.table import commands
from service.web import create_app
from tests.service.web.conftest import Visitor, begun

New = Callable[..., Visitor]


def started(guest: Visitor, game: str = "mastery", **more: str) -> str:
    """The path of the table that the button of that game begins."""
    found = guest.post("/try", {"game": game, **more}, follow=False)
    assert found.status_code == 303, found.text
    return str(found.location).removesuffix("/table")


def answered(guest: Visitor, path: str) -> str:
    """Answer with the default; the page that follows."""
    with open_session(guest.settings) as session:
        match = by_match_id(session, path.split("/")[2])
        view = seat_view.load(session, match, "a")
        assert view is not None and view.form is not None
        form = view.form
        given = {"key": new_id(), "serial": form.serial, "kind": form.kind, "answer": form.default}
    found = guest.post(f"{path}/answer", given)
    assert found.status_code == 200, found.text
    return found.text


def test_a_visitor_plays_without_an_address(visitor: New, settings: Settings) -> None:
    guest = visitor()
    home = guest.page("/")
    for game in GAMES.values():
        assert f"Play {game.title}" in home
    assert home.count("Change deck") == 1 and "You and 2 bots" in home
    path = started(guest)
    page = guest.page(f"{path}/table")
    assert "Drogo" in page and "Emma" in page and "Keep this game" in page
    assert "Your answer is due" not in page and "Talk" not in page and 'href="/account"' not in page
    answered(guest, path)
    with open_session(settings) as session:
        assert session.exec(select(Submission)).one().status == "accepted"
    assert started(guest) == path and "Go on with your game" in guest.page("/")
    assert "Against bots" in guest.page("/games") and "Keep this game" in guest.page("/games")


def test_bots_are_marked_with_their_characters_and_are_quiet_for_a_guest_until_told(visitor: New, settings: Settings) -> None:
    guest = visitor()
    path = started(guest)
    page = guest.page(f"{path}/table")
    assert page.count("(a bot)") >= 2 and page.count(">a bot<") == 2 and "Marches first and counts his knights" in page

    def quiet() -> bool:
        with open_session(settings) as session:
            return by_match_id(session, path.split("/")[2]).quiet_bots

    assert quiet() and "Let the bots talk" in page
    assert "Quiet, bots" in guest.post(f"{path}/quiet", {}).text and not quiet()
    assert "Let the bots talk" in guest.post(f"{path}/quiet", {"on": "yes"}).text and quiet()


def test_a_table_with_people_chooses_when_it_is_opened_whether_bots_speak(anna: Visitor, bert: Visitor) -> None:
    path = begun(anna, bert)
    answer = anna.post(f"{path}/quiet", {"on": "yes"})
    assert answer.status_code == 403 and "Mute a bot under “Talk”" in answer.text
    form = {"name": "Harvest war", "game": "ortus", "seats": "3", "access": "open", "word": ""}
    for said, given in (("may say a line at great moments", {}), ("say nothing", {"quiet": "yes"})):
        assert said in anna.page(str(anna.post("/games/new", form | given, follow=False).location))


@pytest.mark.parametrize("given", [{"game": "nothing"}, {"game": "ortus", "deck": "none"}, {"game": "ortus", "more": "1"}])
def test_a_bad_choice_gets_a_sentence(visitor: New, settings: Settings, given: dict[str, str]) -> None:
    answer = visitor().post("/try", given)
    assert answer.status_code in (400, 404, 422) and "<h1" in answer.text
    with open_session(settings) as session:
        assert session.exec(select(Match)).first() is None and session.exec(select(Account)).first() is None


def test_a_deck_is_never_the_first_question(visitor: New) -> None:
    guest = visitor()
    for game in ("ortus", "fief"):
        with open_session(guest.settings) as session:
            match = by_match_id(session, started(guest, game).split("/")[2])
            view = seat_view.load(session, match, "a")
            assert view is not None and view.form is not None and view.form.kind != "deck"


CLOSED = ["/clock", "/talk", "/talk/new?to=all", "/letters", "/host"]
OF_ACCOUNTS = ["/account", "/account/letters", "/account/rhythm", "/games/new", "/decks/new"]


def test_a_guest_has_a_table_and_nothing_else(visitor: New, anna: Visitor, bert: Visitor) -> None:
    guest, other = visitor(), visitor()
    path = started(guest)
    assert "<iframe" not in guest.page(f"{path}/table")
    for page in (*CLOSED, "/beside"):
        answer = guest.get(path + page)
        assert answer.status_code == 403 and "Only bots sit at this table" in answer.text, page
    for action in ("/votes", "/away", "/give-up", "/letters/again", "/letters/links", "/spectators", "/rematch", "/talk"):
        assert "Only bots sit at this table" in guest.post(path + action).text, action
    for page in ("/notes", "/journal", "/orders", "/history", "/advance"):
        assert guest.get(path + page).status_code == 200, page
    for page in OF_ACCOUNTS:
        assert guest.get(page).status_code in (303, 404), page
    theirs = begun(anna, bert)
    for page in ("/table", "/talk"):
        assert guest.get(theirs + page).location == "/sign-in" and other.get(path + page).status_code in (303, 403)
    assert "Only bots" in anna.get(f"{path}/clock").text and anna.get(f"{path}/table").status_code == 403


def signed_in(guest: Visitor, email: str, by: Visitor | None = None) -> None:
    """The guest asks for a letter; `by`, or the same browser, opens its link."""
    guest.email = email
    assert "comes with you" in guest.page("/sign-in")
    assert "Open it in this browser" in guest.post("/sign-in", {"email": email}).text
    link = guest.link("sign_in", "in")
    reader = by or guest
    assert ("Your game against bots comes with you" in reader.page(link)) == (by is None)
    assert reader.post(link, {"choice": "enter", "name": "Alys", "zone": "UTC"}).status_code == 200


def test_signing_in_claims_the_table(visitor: New, settings: Settings) -> None:
    guest = visitor()
    path = started(guest)
    signed_in(guest, "alys@example.org")
    assert "Against bots" in guest.page("/games") and "Keep this game" not in guest.page(f"{path}/table")
    answered(guest, path)
    assert {letter.match_id for letter in guest.letters("turn")} == {path.split("/")[2]}
    assert guest.get(f"{path}/letters").status_code == 200 and guest.get(f"{path}/clock").status_code == 403
    with open_session(settings) as session:
        assert [account.email for account in session.exec(select(Account))] == ["alys@example.org"]


def test_a_claim_needs_the_browser_that_holds_the_table(visitor: New) -> None:
    guest, phone = visitor(), visitor()
    path = started(guest)
    signed_in(guest, "alys@example.org", phone)
    assert phone.get(f"{path}/table").status_code == 403 and guest.get(f"{path}/table").status_code == 200


def test_a_guest_keeps_links_and_the_other_way_round(visitor: New, anna: Visitor, bert: Visitor) -> None:
    game, guest = begun(anna, bert), visitor()
    path = started(guest)
    guest.get(anna.link("started", "t"))
    assert guest.get(f"{game}/table").status_code == 200 and guest.get(f"{path}/table").status_code == 200
    listed = guest.page("/games")
    assert "Harvest war" in listed and f"{path}/table" in listed, "its links' tables, and the way to its own"
    signed_in(guest, "alys@example.org")
    assert guest.get(f"{game}/table").status_code == 200 and guest.get(f"{path}/table").status_code == 200


def test_a_house_without_guests_offers_the_tables_to_its_accounts_alone(
    settings: Settings, anna: Visitor, visitor: New
) -> None:
    closed = settings.model_copy(update={"guests": 0})
    app = create_app(closed)
    stranger = Visitor(app.test_client(), closed)
    assert "Try it against bots" not in stranger.page("/")
    assert "Sign in first" in stranger.post("/try", {"game": "mastery"}).text
    assert "Try it against bots" in anna.page("/") and started(anna)


def test_a_fresh_page_of_my_games_offers_a_bot_table_rules_and_open_tables(anna: Visitor, bert: Visitor) -> None:
    bert.post("/games/new", {"name": "Harvest war", "game": "ortus", "seats": "2", "access": "open"})
    page = anna.page("/games")
    assert "You are not in any game yet" in page and "Play Medieval Mastery" in page and 'href="/help/ortus"' in page
    assert "Harvest war" in page
    assert "Play Ortus Regni" in anna.page("/games/open?game=fief"), "nor is a list of open tables empty"


def test_after_an_answer_the_next_game_is_beside(anna: Visitor, bert: Visitor) -> None:
    game = begun(anna, bert)
    started(anna)
    assert "Next game waiting for you" not in anna.page(f"{game}/table"), "not before the answer"
    page = answered_in(anna, game)
    assert re.search(r'class="button primary" href="/games/next\?after=[0-9a-f]+">Next game waiting for you<', page)


def answered_in(visitor: Visitor, game: str) -> str:
    """Lay the first house deck, if it is asked for."""
    build = GAMES["ortus"].rules.build
    assert build is not None
    with open_session(visitor.settings) as session:
        match = by_match_id(session, game.split("/")[2])
        serial = match.serial
    given = {"key": new_id(), "serial": serial, "kind": build.kind, "answer": write(build.answer(build.ready[0].cards))}
    return visitor.post(f"{game}/answer", given).text


def test_after_the_end_one_plays_again(visitor: New, settings: Settings) -> None:
    guest = visitor()
    path = started(guest)
    with transaction(settings) as session:
        commands.command(session, by_match_id(session, path.split("/")[2]), commands.OPERATOR, "end reason=enough")
    page = guest.page(f"{path}/result")
    assert "Play again" in page and "Keep this game" in page and "The game stays among yours" in page and "rematch" not in page
    assert started(guest) != path


def test_the_page_of_a_table_whose_task_was_lost_sends_it_again(visitor: New, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, ...]] = []
    monkeypatch.setattr(queue, "send", lambda _settings, task, *args, **_later: sent.append((task, *args)))
    guest = visitor()
    path = started(guest)
    sent.clear()
    assert "The table is being laid" in guest.get(f"{path}/table").text and sent == []
    with time_machine.travel(now() + timedelta(minutes=1)):
        assert guest.get(f"{path}/table").status_code == 202
    assert sent == [(queue.PRACTISE, path.split("/")[2])]


def test_a_claimed_seat_bears_the_name_that_is_given_at_the_claim(visitor: New) -> None:
    guest = visitor("alys@example.org")
    path = started(guest)
    assert "under your name" in guest.page(f"{path}/table")
    signed_in(guest, guest.email)
    page = guest.page(f"{path}/table")
    assert (
        "You are called Alys from now on." in page
        and "Guest" not in page.partition('data-part="board"')[2].split("</section>")[0]
    )
    assert "Alys" in guest.page("/account")


def test_a_table_against_bots_is_ended_by_its_player_and_another_can_begin(visitor: New) -> None:
    guest = visitor()
    path = started(guest)
    assert "End this game" in guest.page(f"{path}/table") and "after a day for a guest" in guest.page(f"{path}/table")
    for _ in range(2):
        assert guest.post(f"{path}/end").status_code == 200
    assert "The game is over" in guest.page(f"{path}/table") and "End this game" not in guest.page(f"{path}/table")
    assert started(guest) != path


def test_a_game_with_people_is_not_ended_so(anna: Visitor, bert: Visitor) -> None:
    answer = anna.post(begun(anna, bert) + "/end")
    assert answer.status_code == 403 and "by a vote of its table" in answer.text
