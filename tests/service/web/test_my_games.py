"""My games: what waits first, until when, whom each waits for, points, unread talk; and the way from one to the next."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlmodel import select

from engine.core import procedure
from engine.game import AnyState, labels_of
from engine.games import GAMES
from engine.ortus import ORTUS
from engine.play.ranking import place
from engine.tools.owed import unused
from service.games import cards
from service.seat.state import state_of
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, AskRow, Match, MatchStatus, SeatRow, new_id, now
from service.store.seats import seats_of
from service.table import talk
from service.web import files
from service.web.people import small_boards
from tests.service.web.conftest import Visitor, begun, signed_in
from tests.tables import NAMES, complete, laid, lay

Laid = Callable[..., str]


@pytest.fixture
def table(anna: Visitor, settings: Settings) -> Laid:
    """table(game, name, hours, asked) -> the id of a game of Anna's in its middle, due in so many hours."""

    def made(game: str, name: str, hours: int = 5, asked: bool = True) -> str:
        with transaction(settings) as session:
            account = session.exec(select(Account).where(Account.email == anna.email)).one()
            id = lay(session, account, laid(game, GAMES[game].rules.seats[-1], "middle")).split("/")[2]
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


@pytest.mark.parametrize("game", complete())
def test_a_card_says_what_is_asked_of_oneself_in_which_round(anna: Visitor, settings: Settings, table: Laid, game: str) -> None:
    id, found = table(game, "One"), laid(game, GAMES[game].rules.seats[-1], "middle")
    other = table(game, "Two", asked=False)
    ask = procedure.ask_of(found.state, found.seat)
    heading = labels_of(GAMES[game], ask).heading(ask, NAMES)
    page = html.unescape(anna.page("/games"))
    assert heading and page.count(f'<p class="whose">{heading}<') == 1, "nothing of a question that is answered"
    seen = GAMES[game].rules.view(found.state, found.seat)
    counted = f"Turn {seen['turn']}" if game == "mastery" else f"Round {seen['round']}"
    assert page.count(f" · </span>{counted}") == 1 and page.count(f">{counted}<") == 1
    sit_elsewhere(settings, id)
    assert heading not in html.unescape(anna.page("/games")), "of nobody else's"
    assert other in page


def test_open_games_stand_beside_one_or_two_games_and_below_more(anna: Visitor, table: Laid) -> None:
    for n in range(3):
        table("ortus", f"Game {n}")
        assert ('class="few"' in anna.page("/games")) is (n < 2)


def test_an_earl_s_fiefs_stand_where_no_points_are_counted(anna: Visitor, table: Laid) -> None:
    table("ortus", "One")
    found = laid("ortus", 6, "middle")
    fiefs = len(found.state.table.earls[found.seat].fiefs)
    assert f"<p>{fiefs} Fiefs</p>" in anna.page("/games") and fiefs > 1
    state = ORTUS.rules.decode(ORTUS.rules.encode(found.state))
    state.table.earls[found.seat].alive = False
    assert ORTUS.holding(state, found.seat) == ""


def test_games_of_others_that_look_for_players_stand_beside_the_own(
    anna: Visitor, bert: Visitor, settings: Settings, table: Laid
) -> None:
    table("ortus", "Mine")
    assert "No open tables right now." in anna.page("/games")
    for n in range(5):
        bert.post("/games/new", {"name": f"Table {n}.", "game": "ortus", "seats": "3", "access": "open"})
    bert.post("/games/new", {"name": "Closed", "game": "ortus", "seats": "3", "access": "invited"})
    page = anna.page("/games").partition('id="elsewhere"')[2]
    assert [n for n in range(5) if f">Table {n}.<" in page] == [2, 3, 4] and "Closed" not in page
    assert "All 5 open games" in page and "host Bert" in page and "2 seats free" in page
    anna.post(re.findall(r'<h3><a href="([^"]+)">Table 4', page)[0] + "/join")
    page = anna.page("/games").partition('id="elsewhere"')[2]
    assert [n for n in range(5) if f">Table {n}.<" in page] == [1, 2, 3], "not those where one sits already"


def test_a_game_just_won_leads_to_its_story_for_some_days(anna: Visitor, settings: Settings, table: Laid) -> None:
    id = table("ortus", "Mercia", asked=False)
    over = {"status": MatchStatus.FINISHED, "outcome": {"winners": ["c"]}}
    change(settings, id, **over, finished_at=now() - timedelta(days=6))
    assert f'Mercia: won by Cecily. <a href="/g/{id}/result">' in anna.page("/games")
    change(settings, id, finished_at=now() - timedelta(days=8))
    assert "/result" not in anna.page("/games") and "won by Cecily" in anna.page("/games")
    change(settings, id, finished_at=now(), outcome={"winners": []})
    assert "/result" not in anna.page("/games")


def test_who_is_in_no_game_yet_is_offered_to_open_one_once(anna: Visitor) -> None:
    page = anna.page("/games").partition("<main")[2]
    assert page.count('href="/games/new"') == page.count('href="/games/open"') == 1
    assert anna.page("/games/open").partition("<main")[2].count('href="/games/new"') == 1


@pytest.mark.parametrize("game", complete())
def test_points_stand_there_if_the_game_counts_any(anna: Visitor, settings: Settings, table: Laid, game: str) -> None:
    id = table(game, "One")
    with transaction(settings) as session:
        match = session.get_one(Match, id)
        own = next(seat for seat in seats_of(session, match) if seat.account_id)
        score, found = GAMES[game].rules.score(state_of(match), own.seat), place(GAMES[game], state_of(match), own.seat)
    page = anna.page("/games")
    assert (" points, " in page) is (score is not None)
    assert (found is None) is unused(GAMES[game], "rules.score")
    words = (
        f", {'joint ' * found.joint}{('first', 'second', 'third', 'fourth', 'fifth', 'sixth')[found.nth - 1]}<" if found else ""
    )
    assert score is None or f"{score[0]} of {score[1]} points{words}" in page
    board = page.partition('class="thumb small-board"')[2].partition("</svg>")[0]
    assert 2_000 < len(board) < 40_000 and f'id="thumb-{game}"' not in page
    assert "style=" not in page, "the Content-Security-Policy blocks it"
    drawn = set(re.findall(r'href="/static/([a-z]+\.svg)\?v=\w+#([\w-]*)"', board))
    assert drawn and not [one for one in drawn if f'<symbol id="{one[1]}"' not in (files.FOLDER / one[0]).read_text()]


def test_the_first_three_show_their_boards_and_the_others_one_drawing(anna: Visitor, table: Laid) -> None:
    for n in range(5):
        table("ortus", f"Game {n}")
    page = anna.page("/games")
    assert page.count('class="thumb small-board"') == 3
    assert page.count('id="thumb-ortus"') == 1 and page.count('href="#thumb-ortus"') == 2


def test_a_small_board_is_drawn_once_for_a_position_and_a_seat_and_only_from_what_it_sees(
    anna: Visitor, settings: Settings, table: Laid, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, seen = table("mastery", "One"), list[object]()
    rules = GAMES["mastery"].rules

    def view(state: AnyState, reader: str | None) -> dict[str, Any]:
        if len(state.table.seats) == 6:  # and not a trial of the game's templates
            seen.append(reader)
        return rules.view(state, reader)

    monkeypatch.setitem(GAMES, "mastery", replace(GAMES["mastery"], rules=replace(rules, view=view)))
    small_boards.KEPT.clear()
    first, second = anna.page("/games"), anna.page("/games")
    with transaction(settings) as session:
        own = next(seat.seat for seat in seats_of(session, session.get_one(Match, id)) if seat.account_id)
    assert seen == [own] and first.count("small-board") == second.count("small-board") == 1
    change(settings, id, head="another")
    anna.page("/games")
    assert seen == [own, own]


def test_a_board_that_cannot_be_drawn_leaves_the_drawing_of_its_game(
    anna: Visitor, table: Laid, monkeypatch: pytest.MonkeyPatch
) -> None:
    table("fief", "One")
    monkeypatch.setattr(small_boards, "render_template", lambda *_, **__: 1 // 0)
    small_boards.KEPT.clear()
    page = anna.page("/games")
    assert "small-board" not in page and 'href="#thumb-fief"' in page


def test_unread_talk_is_counted_and_none_that_is_private_to_others(
    anna: Visitor, bert: Visitor, settings: Settings, table: Laid
) -> None:
    id = table("ortus", "One")
    assert "unread" not in anna.page("/games")
    with transaction(settings) as session:
        match = session.get_one(Match, id)
        others = [seat.seat for seat in seats_of(session, match) if not seat.account_id]
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
        talk.mark_read(session, talk.thread_of(session, match, ""), own)
    assert "unread message" not in anna.page("/games")


def test_a_game_that_stands_still_waits_for_nobody(anna: Visitor, settings: Settings, table: Laid) -> None:
    change(settings, table("ortus", "One"), halted_at=now())
    page = anna.page("/games")
    assert "on hold" in page and "waits for you" not in page


def test_a_position_that_cannot_be_read_hides_no_other_game(anna: Visitor, settings: Settings, table: Laid) -> None:
    change(settings, table("mastery", "Broken"), snapshot=b"\x00")
    table("mastery", "Whole")
    page = anna.page("/games")
    assert "Broken" in page and "Whole" in page and page.count(" of 13 points, ") == 1


def sit_elsewhere(settings: Settings, id: str) -> None:
    """Give Anna a seat of the game that isn't asked."""
    with transaction(settings) as session:
        match = session.get_one(Match, id)
        seats, asked = seats_of(session, match), state_of(match).waiting
        own = next(seat for seat in seats if seat.account_id)
        other = next(seat for seat in seats if seat.seat not in asked and seat is not own)
        account, own.account_id = own.account_id, None
        session.add(own)
        session.flush()
        other.account_id = account
        session.add(other)


def test_rules_that_fail_at_a_position_hide_no_other_game(anna: Visitor, table: Laid, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, whole = table("ortus", "The broken one"), table("mastery", "The whole one")

    def fails(*_: object) -> tuple[str, int]:
        raise AttributeError("a fault of the rules")

    monkeypatch.setitem(GAMES, "ortus", replace(ORTUS, rules=replace(ORTUS.rules, held=fails)))
    page = anna.page("/games")
    assert f"/g/{broken}" in page and f"/g/{whole}" in page and "The table waits for you" in html.unescape(page)


def test_after_an_answer_the_next_game_that_waits_is_one_press_away(anna: Visitor, settings: Settings, table: Laid) -> None:
    here = table("ortus", "Here")
    sit_elsewhere(settings, here)
    assert "Next game waiting" not in anna.page(f"/g/{here}/table")
    assert anna.get(f"/games/next?after={here}").location == "/games"
    late, soon = table("ortus", "Late", 9), table("ortus", "Soon", 3)
    page = anna.page(f"/g/{here}/table")
    assert "Nothing to do here now" in page
    assert f'href="/games/next?after={here}"' in page and "Next game waiting for you (2)" in page
    assert "Next game waiting" not in anna.page(f"/g/{soon}/table"), "she is asked here first"
    assert anna.get(f"/games/next?after={here}").location == f"/g/{soon}/table"
    assert anna.get(f"/games/next?after={soon}").location == f"/g/{late}/table"


def test_a_list_reads_the_cards_of_asked_seats_and_decodes_no_position(
    anna: Visitor, bert: Visitor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = begun(anna, bert)
    with transaction(settings) as session:
        for seat in session.exec(select(SeatRow).where(SeatRow.match_id == path.split("/")[2])):
            assert seat.card["at"][1:] == [*cards.mark(session.get_one(Match, seat.match_id))[1:]]
    before = anna.page("/games")
    monkeypatch.setitem(ORTUS.rules.__dict__, "decode", lambda _: pytest.fail("the position is decoded"))
    assert anna.page("/games") == before and "The table waits for" in before
    with transaction(settings) as session:
        for seat in session.exec(select(SeatRow)):
            seat.card = {}
    monkeypatch.undo()
    assert anna.page("/games") == before, "without cards it is made from the position"


def test_a_first_visit_offers_a_lesson_where_there_are_any_a_table_against_bots_and_open_ones(
    visitor: Callable[[str], Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = signed_in(visitor("fresh@example.org"), "Fresh")
    page = fresh.page("/games")
    assert "Try it against bots" in page and "Open games" in page
    assert set(re.findall('href="(/learn/[^"]*)"', page)) == {"/learn/ortus", "/learn/fief", "/learn/mastery"}
    monkeypatch.setitem(ORTUS.face.__dict__, "lessons", None)
    assert "/learn/ortus" not in fresh.page("/games")
    assert 'href="/learn/mastery"' in fresh.page("/games")
