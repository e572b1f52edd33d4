"""The turn page: from the letter's link to the answer in the log, and everything that must be refused on the way."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select, update

from engine.games import GAMES
from engine.play.match import verify
from service.seat import submissions
from service.seat.seat_view import load
from service.seat.state import state_of
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import EntryRow, HiddenAnswer, Link, Match, Submission, now
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import open_game
from workers import adjudicate

DECK = {"f_cards__Castle": "6", "f_cards__Land": "6", "f_cards__Vassal": "6", "f_cards__Prince": "6"}


@pytest.fixture
def table(anna: Visitor, bert: Visitor) -> str:
    """A running game of Anna (a) and Bert (b), both asked for their decks; the address of its pages."""
    game = open_game(anna, seats=2, access="open")
    bert.post(game + "/join")
    return game


def serial(settings: Settings) -> int:
    with open_session(settings) as session:
        return session.exec(select(Match)).one().serial


def entries(settings: Settings) -> int:
    """Accepted answers: in the log, or sealed outside it."""
    with open_session(settings) as session:
        return len(session.exec(select(EntryRow)).all()) + len(session.exec(select(HiddenAnswer)).all())


def answer(settings: Settings, kind: str, option: str, **fields: str) -> dict[str, object]:
    form = {"key": secrets.token_hex(16), "serial": str(serial(settings)), "kind": kind, "option": option}
    return {**form, **{k.replace("__", "__", 1): v for k, v in fields.items()}}


def started(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> Visitor:
    """Both decks are in; the visitor whose Turn it is."""
    for who in (anna, bert):
        found = who.post(table + "/answer", answer(settings, "deck", "deck", **DECK))
        assert found.status_code == 200, found.text
    with open_session(settings) as session:
        seen = load(session, session.exec(select(Match)).one(), "a")
    return anna if seen is not None and seen.form else bert


# --- the way in -------------------------------------------------------------------------------------------------------


def test_the_letter_s_link_opens_the_seat_without_an_account(
    table: str, visitor: Callable[[str], Visitor], bert: Visitor, settings: Settings
) -> None:
    stranger = visitor("bert@example.org")
    link = stranger.link("started", "t")
    first = stranger.get(link)
    assert first.status_code == 303 and first.location.endswith(table + "/table")
    assert "token" not in first.location and link.split("/")[-1] not in first.location
    page = stranger.page(table + "/table")
    assert "Choose your Earl Deck" in page and "You are Bert" in page
    assert entries(settings) == 0, "opening a link changes nothing"


def test_a_cut_link_says_what_to_do(table: str, bert: Visitor) -> None:
    found = bert.get(bert.link("started", "t")[:-4])
    assert found.status_code == 404 and "Part of this link is missing" in found.text


def test_a_link_that_has_run_out_can_be_had_anew(
    table: str, visitor: Callable[[str], Visitor], bert: Visitor, settings: Settings
) -> None:
    link, late = bert.link("started", "t"), visitor("bert@example.org")
    with transaction(settings) as session:
        session.exec(update(Link).values(expires_at=now() - timedelta(days=1)))
    found = late.get(link)
    assert found.status_code == 410 and "Send me a new link" in found.text and not late.letters("fresh_link")
    assert "on its way" in late.post(link, {"choice": "again"}).text
    assert late.get(table + "/table").status_code == 303, "asking for a link opens nothing"
    assert (
        "You are Bert" in late.client.get(late.link("fresh_link", "t"), base_url=settings.base_url, follow_redirects=True).text
    )
    assert late.post(link[:-3], {"choice": "again"}).status_code == 404


def test_strangers_see_no_table(table: str, visitor: Callable[[str], Visitor]) -> None:
    assert visitor("").get(table + "/table").status_code == 303
    eve = visitor("eve@example.org").sign_in("Eve")
    assert eve.get(table + "/table").status_code == 403
    assert eve.get(table + "/history").status_code == 403


# --- answering --------------------------------------------------------------------------------------------------------


def test_a_turn_is_taken_in_one_visit(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> None:
    active = started(anna, bert, table, settings)
    page = active.page(table + "/table")
    assert "Your turn. What do you do?" in page and "End the turn (draw a card)" in page
    placed = re.search(r'name="f_cards__([A-Za-z]+/[ab])"', page)
    assert placed is not None
    ahead = active.post(table + "/preview", answer(settings, "turn", "tower", **{f"f_cards__{placed[1]}": "1"}))
    assert 'id="confirm"' in ahead.text and entries(settings) == 2
    after = active.post(table + "/answer", answer(settings, "turn", "tower", **{f"f_cards__{placed[1]}": "1"}))
    assert "You raised a Tower with " in after.text and "Your turn. What do you do?" in after.text
    done = active.post(table + "/answer", answer(settings, "turn", "end"))
    assert "Nothing to do here now" in done.text
    assert "End the turn (draw a card)" in (bert if active is anna else anna).page(table + "/table")


def test_what_is_confirmed_is_what_was_looked_at(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> None:
    active = started(anna, bert, table, settings)
    ahead = active.post(table + "/preview", answer(settings, "turn", "concede", f_sure="yes")).text
    text = re.search(r'name="answer" value="([^"]+)"', ahead)
    assert text is not None and text[1] == "concede sure=yes"
    over = active.post(table + "/answer", answer(settings, "turn", "") | {"answer": text[1]})
    assert "The game is over" in over.text
    log = active.get(table + "/log.jsonl")
    assert verify(log.text.splitlines()).holds


def test_a_doubled_post_counts_once(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> None:
    form = answer(settings, "deck", "deck", **DECK)
    for _ in range(3):
        assert anna.post(table + "/answer", form).status_code == 200
    assert entries(settings) == 1


def test_a_stale_form_shows_the_new_position(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> None:
    active = started(anna, bert, table, settings)
    old = answer(settings, "turn", "end")
    active.post(table + "/answer", answer(settings, "turn", "end"))
    found = active.post(table + "/answer", old)
    assert found.status_code == 409 and "moved on" in found.text and "The table in Round" in found.text


def test_a_move_for_another_seat_is_refused(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> None:
    active = started(anna, bert, table, settings)
    other = bert if active is anna else anna
    found = other.post(table + "/answer", answer(settings, "turn", "end"))
    assert found.status_code == 409
    form = answer(settings, "turn", "end")
    active.post(table + "/answer", form)
    assert other.post(table + "/answer", form).status_code in (403, 409), "another seat's key"


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"f_cards__Castle": "7"}, 422, "at most 6"),
        ({"f_cards__Castle": "5"}, 422, "exactly 24"),
        ({"f_cards__Castle": "²"}, 400, "takes a number"),
        ({"f_cards__Castle": "9" * 100}, 400, "takes a number"),
        ({"f_cards__Castle": "x" * 5000}, 400, "longer than any answer"),
        ({"f_cards__Dragon": "1"}, 400, "does not belong"),
        ({"option": "shout"}, 422, "not open to you"),
        ({"option": "<b>"}, 400, "names no option"),
        ({"serial": "x"}, 400, "serial"),
        ({"serial": "999"}, 409, "moved on"),
        ({"key": "short"}, 400, "key"),
        ({"f_cards__Land": ["6", "6"]}, 400, "times"),
        ({"kind": "turn"}, 409, ""),
        ({"option": "", "answer": "deck cards=[Castle*7]"}, 400, "belong"),
    ],
)
def test_bad_forms_get_a_sentence_and_change_nothing(
    anna: Visitor, table: str, settings: Settings, change: dict[str, object], status: int, words: str
) -> None:
    found = anna.post(table + "/answer", answer(settings, "deck", "deck", **DECK) | change)
    assert (found.status_code, words in found.text) == (status, True), found.text
    assert entries(settings) == 0
    assert anna.post(table + "/answer", answer(settings, "deck", "deck", **DECK)).status_code == 200
    assert entries(settings) == 1


def test_a_move_is_never_shown_before_the_worker_has_played_it(
    anna: Visitor, table: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "send", lambda *_a: None)
    monkeypatch.setattr(submissions, "wait", submissions.outcome)
    form = answer(settings, "deck", "deck", **DECK)
    waiting = anna.post(table + "/answer", form)
    assert "on its way" in waiting.text and 'http-equiv="refresh"' in waiting.text
    assert waiting.text.count("/games/next?after=") == 1, "one need not wait for it to go on to the next game"
    assert "<code>" not in waiting.text and "Champion" not in waiting.text, "an answer isn't shown as it is written in a log"
    assert "on its way" in anna.page(table + "/table")
    with open_session(settings) as session:
        match = session.exec(select(Match)).one().id
        assert session.exec(select(Submission)).one().status == "queued"
    adjudicate.adjudicate(settings, match)
    assert "on its way" not in anna.page(table + "/table")


# --- secrets ----------------------------------------------------------------------------------------------------------


def test_no_page_or_letter_shows_another_hand(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> None:
    started(anna, bert, table, settings)
    with open_session(settings) as session:
        state = state_of(session.exec(select(Match)).one())
        hands = {seat: GAMES["ortus"].rules.view(state, seat)["own"]["hand"] for seat in "ab"}
    for who, other in ((anna, "b"), (bert, "a")):
        seen = who.page(table + "/table") + who.page(table + "/history") + who.get(table + "/log.jsonl").text
        seen += "".join(letter.text + letter.html for letter in who.letters())
        for card in hands[other]:
            assert card not in seen


def test_a_queued_concession_shows_on_no_other_page(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> None:
    # D-80, OR-TURN-6
    active = started(anna, bert, table, settings)
    other = bert if active is anna else anna

    def shown() -> tuple[str, int]:
        page = active.page(table + "/table")
        return re.sub(r'value="[^"]*"', "", page), len(active.letters())

    before = shown()
    form = answer(settings, "concession", "queue") | {"serial": "0"}
    assert "You concede at the start of your next Turn" in other.post(table + "/answer", form).text
    assert shown() == before
    assert "Withdraw my concession" in other.page(table + "/table")


def test_history_tells_all_that_the_seat_may_know(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> None:
    active = started(anna, bert, table, settings)
    active.post(table + "/answer", answer(settings, "turn", "end"))
    page = active.page(table + "/history")
    other = bert if active is anna else anna
    theirs = other.page(table + "/history")
    assert "The decks are in. You start." in page and "Your first hand: " in page and "You drew " in page
    assert "You start." not in theirs and theirs.count("Your first hand: ") == page.count("Your first hand: ") == 1
    assert "You drew " not in theirs and " drew a card; " in theirs
    assert active.get(table + "/history?page=99").status_code == 200
    assert active.get(table + "/history?page=²").status_code == 200


def test_the_running_log_is_redacted_and_the_whole_one_verifies(
    anna: Visitor, bert: Visitor, table: str, settings: Settings, tmp_path: Path
) -> None:
    started(anna, bert, table, settings)
    log = anna.get(table + "/log.jsonl").text
    assert '"move":null' in log and "seed" not in log
    assert not verify(log.splitlines()).holds


def test_who_has_answered_is_waited_for_nowhere_by_their_own_pages(
    anna: Visitor, bert: Visitor, table: str, settings: Settings
) -> None:
    """A question to all is answered: turn page and clock say the same, and to the others nothing of it."""
    anna.post(table + "/answer", answer(settings, "deck", "deck", **DECK))
    for page in ("/table", "/clock"):
        assert "The table waits for Bert." in anna.page(table + page), page
        assert "The table waits for you and for Anna." in bert.page(table + page), page


def test_a_bot_beside_people_is_not_what_a_table_waits_for(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    table = open_game(anna, seats=3, access="open")
    bert.post(table + "/join")
    anna.post(table + "/bot", {"bot": "steady"})
    for page in ("/table", "/clock"):
        assert "The table waits for you and for Bert." in anna.page(table + page), page
    assert anna.page(table + "/table").count("the table waits for this seat</span>") == 2
