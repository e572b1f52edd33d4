"""My games: what waits first, until when, whom each waits for, points, unread talk; and the way from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import select

from engine.games import GAMES
from service.games import lobby
from service.games.state import state_of
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, AskRow, Match, SeatRow, new_id, now
from service.table import talk
from tests.service.web.conftest import Visitor
from tests.tables import games, laid, lay

Laid = Callable[..., str]


@pytest.fixture
def table(anna: Visitor, settings: Settings) -> Laid:
    """table(game, name, hours, asked) -> the id of a game of Anna's in its middle, due in so many hours."""

    def made(game: str, name: str, hours: int = 5, asked: bool = True) -> str:
        with transaction(settings) as session:
            account = session.exec(select(Account).where(Account.email == anna.email)).one()
            id = lay(session, account, laid(game, GAMES[game].most, "middle")).split("/")[2]
            match = session.get_one(Match, id)
            match.name = name
            session.add(match)
            own = session.exec(select(SeatRow).where(SeatRow.match_id == id, SeatRow.account_id == account.id)).one()
            ask = session.get_one(AskRow, (id, own.seat, match.serial))
            ask.due_at, ask.answered_at = now() + timedelta(hours=hours, minutes=1), None if asked else now()
            session.add(ask)
            return id

    return made


def change(settings: Settings, id: str, **fields: object) -> None:
    with transaction(settings) as session:
        match = session.get_one(Match, id)
        for name, value in fields.items():
            setattr(match, name, value)
        session.add(match)


def test_the_most_urgent_stands_first_and_says_until_when_and_whose_turn_it_is(anna: Visitor, table: Laid) -> None:
    table("ortus", "Late", 30)
    table("ortus", "Soon", 9)
    table("ortus", "Answered", 1, asked=False)
    page = anna.page("/games")
    assert page.index(">Soon<") < page.index(">Late<") < page.index("Others are to move") < page.index(">Answered<")
    assert "2 games wait for you" in page and page.count("The table waits for you.") == 2
    assert "in 9 h" in page and "in 30 h" in page and page.count("until ") >= 2


def test_who_is_in_no_game_yet_is_offered_to_open_one_once(anna: Visitor) -> None:
    page = anna.page("/games").partition("<main")[2]
    assert page.count('href="/games/new"') == page.count('href="/games/open"') == 1
    assert anna.page("/games/open").partition("<main")[2].count('href="/games/new"') == 1


@pytest.mark.parametrize("game", games())
def test_points_stand_there_if_the_game_counts_any(anna: Visitor, settings: Settings, table: Laid, game: str) -> None:
    id = table(game, "One")
    with transaction(settings) as session:
        match = session.get_one(Match, id)
        own = next(seat for seat in lobby.seats_of(session, match) if seat.account_id)
        score = GAMES[game].score(state_of(match), own.seat)
    page = anna.page("/games")
    assert (" points<" in page) is (score is not None)
    assert score is None or f"{score[0]} of {score[1]} points" in page
    assert page.count(f'id="thumb-{game}"') == 1 and f'href="#thumb-{game}"' in page


def test_each_drawing_stands_on_the_page_once(anna: Visitor, table: Laid) -> None:
    for n in range(3):
        table("ortus", f"Game {n}")
    page = anna.page("/games")
    assert page.count('id="thumb-ortus"') == 1 and page.count('href="#thumb-ortus"') == 3


def test_unread_talk_is_counted_and_none_that_is_private_to_others(
    anna: Visitor, bert: Visitor, settings: Settings, table: Laid
) -> None:
    id = table("ortus", "One")
    assert "unread" not in anna.page("/games")
    with transaction(settings) as session:
        match = session.get_one(Match, id)
        others = [seat.seat for seat in lobby.seats_of(session, match) if not seat.account_id]
        his = session.get_one(SeatRow, (id, others[1]))
        his.account_id = session.exec(select(Account.id).where(Account.email == bert.email)).one()
        session.add(his)
        session.flush()
        talk.say(session, match, others[0], "", "Hail", new_id())
        talk.say(session, match, others[0], others[1], "Not for her", new_id())
    page = anna.page("/games")
    assert "1 unread message<" in page and f'href="/g/{id}/talk"' in page
    with transaction(settings) as session:
        match = session.get_one(Match, id)
        own = session.exec(select(SeatRow.seat).join(Account).where(SeatRow.match_id == id, Account.email == anna.email)).one()
        talk.mark_read(session, talk.public(session, match), own)
    assert "unread message" not in anna.page("/games")


def test_a_game_that_stands_still_waits_for_nobody(anna: Visitor, settings: Settings, table: Laid) -> None:
    change(settings, table("ortus", "One"), halted_at=now())
    page = anna.page("/games")
    assert "stands still" in page and "waits for you" not in page


def test_a_position_that_cannot_be_read_hides_no_other_game(anna: Visitor, settings: Settings, table: Laid) -> None:
    change(settings, table("mastery", "Broken"), snapshot=b"\x00")
    table("mastery", "Whole")
    page = anna.page("/games")
    assert "Broken" in page and "Whole" in page and page.count(" points<") == 1


def sit_elsewhere(settings: Settings, id: str) -> None:
    """Give Anna a seat of the game that isn't asked."""
    with transaction(settings) as session:
        match = session.get_one(Match, id)
        seats, asked = lobby.seats_of(session, match), state_of(match).waiting
        own = next(seat for seat in seats if seat.account_id)
        other = next(seat for seat in seats if seat.seat not in asked and seat is not own)
        account, own.account_id = own.account_id, None
        session.add(own)
        session.flush()
        other.account_id = account
        session.add(other)


def test_after_an_answer_the_next_game_that_waits_is_one_press_away(anna: Visitor, settings: Settings, table: Laid) -> None:
    here = table("ortus", "Here")
    sit_elsewhere(settings, here)
    assert "next game that waits" not in anna.page(f"/g/{here}/table")
    assert anna.get(f"/games/next?after={here}").location == "/games"
    late, soon = table("ortus", "Late", 9), table("ortus", "Soon", 3)
    page = anna.page(f"/g/{here}/table")
    assert "You are not asked anything now" in page
    assert f'href="/games/next?after={here}"' in page and "The next of 2 games that wait for you" in page
    assert "games that wait for you" not in anna.page(f"/g/{soon}/table"), "she is asked here first"
    assert anna.get(f"/games/next?after={here}").location == f"/g/{soon}/table"
    assert anna.get(f"/games/next?after={soon}").location == f"/g/{late}/table"
