"""Around the table: open games, share links, invitations by the dozen, rematches, first games, subjects, absences."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from sqlmodel import select

from engine.games import GAMES
from engine.text.lessons import Lessons
from service.clock.pace import Pace, estimate
from service.games import writing
from service.log import results
from service.log.chronicle import tell
from service.log.entries import as_event
from service.post import letters
from service.post.rendering import pixel_art
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import Account, AskRow, HiddenAnswer, Match, MatchStatus, SeatRow
from tests.service.web.conftest import Visitor, begun
from tests.service.web.test_result import words as plain
from tests.tables import NAMES, complete, games, laid, lay, whole

New = Callable[[str], Visitor]


def opened(who: Visitor, name: str, game: str = "ortus", seats: int = 3, access: str = "open", **more: str) -> str:
    filled = {"name": name, "game": game, "seats": str(seats), "access": access, "preset": "daily"} | more
    return str(who.post("/games/new", filled, follow=False).location)


def match_at(settings: Settings, path: str) -> Match:
    with open_session(settings) as session:
        return session.exec(select(Match).where(Match.id == path.split("/")[2])).one()


def test_open_games_say_pace_host_and_seats_and_can_be_narrowed_down(anna: Visitor, bert: Visitor, visitor: New) -> None:
    opened(anna, "Wide", seats=5, preset="easy")
    opened(bert, "Narrow", "mastery", 2)
    anna.post(opened(anna, "Manned", seats=4) + "/bot", {"bot": "steady"})
    opened(anna, "Private", access="invited")
    page = visitor("").page("/games/open")
    assert "3 days a turn" in page and "host Anna" in page and "4 seats free" in page and "Private" not in page
    for query, found in (
        ("game=mastery", {"Narrow"}),
        ("free=3", {"Wide"}),
        ("pace=daily", {"Narrow", "Manned"}),
        ("bots=without", {"Wide", "Narrow"}),
        ("bots=with&game=ortus", {"Manned"}),
        ("language=en&free=x", {"Wide", "Narrow", "Manned"}),
        ("game=chess", set()),
    ):
        page = visitor("").page(f"/games/open?{query}")
        assert {name for name in ("Wide", "Narrow", "Manned") if f">{name}<" in page} == found, query


def test_a_share_link_seats_who_presses_and_is_signed_in_and_ends_when_withdrawn(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    table = opened(anna, "By the back door", access="invited")
    assert bert.post(table + "/share", {"choice": "make"}).status_code == 403
    link = re.search(r"/s/[\w-]+", anna.post(table + "/share", {"choice": "make"}).text)
    assert link is not None and not match_at(settings, table).share_mark.startswith(link[0][3:])
    stranger = visitor("carla@example.org")
    for _ in range(2):  # looking, as programs do that follow links, seats nobody
        page = stranger.page(link[0])
        assert "Anna" in page and "Sign in and take a seat" in page and "By the back door" not in stranger.page("/games/open")
    assert stranger.post(link[0], {"choice": "join"}, follow=False).location == "/sign-in"
    assert "Take a seat" in stranger.sign_in("Carla").page(link[0])
    assert bert.get(table).status_code == 403 and bert.post(table + "/join").status_code == 403
    assert "You have a seat" in bert.post(link[0], {"choice": "join"}).text
    other = re.search(r"/s/[\w-]+", anna.post(table + "/share", {"choice": "make"}).text)
    assert other is not None and stranger.get(link[0]).status_code == 404
    anna.post(table + "/share", {"choice": "end"})
    for path in (link[0], other[0], "/s/x"):
        assert stranger.get(path).status_code == 404 and stranger.post(path, {"choice": "join"}).status_code == 404


def test_what_can_not_be_written_comes_back_with_the_form_on_which_one_sits_down(
    anna: Visitor, bert: Visitor, visitor: New
) -> None:
    """In a lobby, behind a share link and behind an invitation: the word, or the name, is kept, and nobody has sat down."""
    game = opened(anna, "Harvest war", seats=4)
    anna.post(f"{game}/share", {"choice": "make"})
    anna.post(f"{game}/invite", {"email": "dora@example.org"})
    shared = re.findall(r"/s/[A-Za-z0-9_-]+", anna.page(game))[0]
    dora = visitor("dora@example.org")
    invited = dora.link("invitation", "i")
    for who, path, form in (
        (bert, f"{game}/join", {"word": "Good\x00day"}),
        (bert, shared, {"choice": "join", "word": "Good\x00day"}),
        (dora, invited, {"choice": "accept", "word": "Good\x00day"}),
        (dora, invited, {"choice": "accept", "name": "Good\x00day"}),
        (dora, invited, {"choice": "accept", "name": 41 * "x"}),
    ):
        answer = who.post(path, form)
        assert answer.status_code == 422 and 'role="alert"' in answer.text and "<form" in answer.text, path
        kept = re.findall(r'name="(?:word|name)"[^>]* value="([^"]+)"', answer.text)
        assert kept and (("Good" in kept[0] and "day" in kept[0]) or kept == [41 * "x"]), (path, kept)
    assert "Bert" not in anna.page(game) and anna.page(game).count("waits for somebody") == 2


def test_several_are_invited_at_once_each_wrong_one_is_said_and_a_refusal_reaches_the_host(
    anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    table = opened(anna, "Many guests", seats=5)
    asked = anna.post(table + "/invite", {"email": "bert@example.org, nonsense\ncarla@example.org;anna@example.org"})
    assert asked.status_code == 422 and "on their way to bert@example.org, carla@example.org" in asked.text
    alert = asked.text.split('role="alert"')[1].split("</div>")[0]
    assert alert.count("<li>") == 2 and "nonsense" in alert and "You have a seat in this game already" in alert
    assert ">nonsense\nanna@example.org</textarea>" in asked.text
    assert "Invitations are on their way" in anna.post(table + "/invite", {"email": "d@example.org e@example.org"}).text
    first = bert.letters("invitation")[-1]
    assert first.text.count("somebody is invited") == 1 and "free" in first.text, "of those who are invited with him, too"
    page = bert.page(bert.link("invitation", "i"))
    assert "this seat" in page and "d@example.org" not in page and page.count(">someone<") == 3
    assert "Six Earls" not in page and "share one land" in page
    bert.post(bert.link("invitation", "i"), {"choice": "decline"})
    letter = anna.letters("declined")[-1]
    assert "bert@example.org declined your invitation" in letter.text and table in letter.html
    page = anna.page(table)
    assert "free seat" in page and "1 invitation was declined" in page, "its host sees it on the page of the table, too"
    anna.post(table + "/invite", {"email": "bert@example.org"})
    assert "declined" not in bert.page(table), "and nobody else"


def test_a_letter_of_invitation_has_the_game_s_picture_as_cells_and_all_pictures_are_even(anna: Visitor, visitor: New) -> None:
    for game in [*GAMES, "none of ours"]:
        assert {sum(n for n, _ in row.runs) for row in pixel_art(game).rows} == {pixel_art(game).width}
    anna.post(opened(anna, "With a picture") + "/invite", {"email": "carla@example.org"})
    letter = visitor("carla@example.org").letters("invitation")[-1]
    assert (
        letter.html.count("<tr bgcolor=") == len(pixel_art("ortus").rows)
        and "<svg" not in letter.html
        and "<img" not in letter.html
    )
    assert len(letter.html.encode()) < 25_000 and "A  Anna, the host" in letter.text and "you, if you like" in letter.text


@pytest.mark.parametrize("game", complete())
def test_an_invitation_says_how_long_its_game_lasts_and_shows_three_of_its_cards(
    anna: Visitor, visitor: New, game: str
) -> None:
    """In the words that its measured games come to, on the page as in the letter; the cards are for the eye alone."""
    found = estimate(GAMES[game], 3, Pace())
    assert found is not None
    anna.post(opened(anna, "How long?", game=game) + "/invite", {"email": "carla@example.org"})
    carla = visitor("carla@example.org")
    letter = carla.letters("invitation")[-1]
    page = carla.page(carla.link("invitation", "i"))
    without = (
        "every table finds its own pace." if found.alone == found.offered else f"all of them yourself, it is {found.alone}."
    )
    assert f"<dd>{found.offered}</dd>" in page and without in page and without in " ".join(letter.text.split())
    assert f"It lasts {found.offered}." in letter.text and str(found.alone) in " ".join(letter.html.split())
    assert "Bots answer at once" not in page and "simulated" not in page and len(letter.html.encode()) < 25_000
    fan = page.partition('<div class="fan" aria-hidden="true">')[2].partition("</div>")[0]
    assert fan.count("<svg") == 3 and page.index('class="strip"') < page.index("Take the seat")


@pytest.fixture
def over(anna: Visitor, bert: Visitor, settings: Settings) -> str:
    """The path of a game of Anna's and Bert's that is over, with a ruling that isn't the usual."""
    path = begun(anna, bert, preset="easy")
    with transaction(settings) as session:
        match = session.get_one(Match, path.split("/")[2])
        match.status, match.outcome = MatchStatus.FINISHED, {"winners": ["b"], "how": "won"}
        session.add(match)
    return path


def test_a_rematch_is_for_the_same_people_by_name_and_a_second_click_joins_it(
    anna: Visitor, bert: Visitor, visitor: New, over: str, settings: Settings
) -> None:
    assert "Ask for a rematch" in anna.page(over + "/result")
    lobby = anna.post(over + "/rematch")
    again = lobby.request.path
    assert again != over and "Harvest war II" in lobby.text and "Bert" in lobby.text and "bert@example.org" not in lobby.text
    assert "bert@example.org is invited already" not in anna.post(again + "/invite", {"email": bert.email}).text
    assert "Anna invites you to play Ortus Regni" in bert.letters("invitation")[-1].text
    assert anna.post(over + "/rematch").request.path == again and "Join the rematch" in bert.page(over + "/result")
    assert visitor("carla@example.org").sign_in("Carla").post(over + "/rematch").status_code == 403
    assert "it begins as soon as all have accepted" in lobby.text
    assert "All have accepted: the rematch begins." in bert.post(over + "/rematch").text
    first, second = match_at(settings, over), match_at(settings, again)
    assert second.status == MatchStatus.RUNNING and second.rematch_of == first.id
    assert (second.pace, second.options) == (first.pace, first.options) and "daily" not in second.pace.values()
    with open_session(settings) as session:
        rows = session.exec(select(SeatRow).where(SeatRow.match_id == second.id)).all()
        before = session.exec(select(SeatRow).where(SeatRow.match_id == first.id)).all()
    assert {(r.account_id, r.colour) for r in rows} == {(r.account_id, r.colour) for r in before}
    assert bert.post(over + "/rematch").request.path.startswith(again)


def test_a_letters_link_leads_to_the_result_without_a_sign_in(bert: Visitor, visitor: New, over: str) -> None:
    """Whoever plays by letters alone would be asked who they are by the button for a rematch, and never see it."""
    link = bert.link("started", "t")
    by_letter = visitor("")
    assert "You have to sign in for that page" not in by_letter.page("/sign-in")
    assert by_letter.get(f"{over}/result").location == "/sign-in"
    assert "You have to sign in for that page" in by_letter.page("/sign-in"), "the form says why it stands there"
    assert by_letter.get(f"{link}?to=result").location == f"{over}/result"
    assert "Ask for a rematch" in by_letter.page(f"{over}/result")
    assert visitor("").get(f"{link}?to=history").location == f"{over}/history"
    assert visitor("").get(f"{link}?to=replay.html").location == f"{over}/replay.html"
    for page in ("clock", "talk/01a20ee4505f717e8e60fbe2c8495110"):
        assert visitor("").get(f"{link}?to={page}").location == f"{over}/{page}", "where letters of a vote and of talk lead"
    for page in ("https://example.org/", "talk/../host", "orders"):
        assert visitor("").get(f"{link}?to={page}").location.startswith(f"{over}/table?"), "and nowhere else"


@pytest.mark.parametrize("game", complete())
def test_a_result_has_standings_in_order_and_a_story_that_all_may_know(game: str, anna: Visitor, settings: Settings) -> None:
    found = laid(game, GAMES[game].rules.seats[-1], "end")
    with transaction(settings) as session:
        path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), found)
        match = session.get_one(Match, path.split("/")[2])
        won = (match.outcome or {})["winners"]
        told = results.told(session, match)
        rows = results.turning(GAMES[game], told)
        story = [tell(GAMES[game], as_event(row), NAMES, found.seat) for row in rows]
        assert 0 < len(story) <= results.SENTENCES and all(row.only_seats is None for row in rows)
        assert [(row.n, row.i) for row in rows] == sorted((row.n, row.i) for row in rows)
        called = dict.fromkeys(found.seats, "x")
        standings = results.standings(GAMES[game], found.state, called, won)
    assert [s.seat for s in standings if s.won] == [s.seat for s in standings][: len(won)] and len(standings) == len(
        found.seats
    )
    page = anna.page(path.replace("/table", "/result"))
    read = plain(page)
    assert all(sentence in read for sentence in story) and "Download the replay" in page


def test_standings_say_when_and_how_each_fell_the_last_to_fall_first(anna: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        path = lay(session, account, whole("ortus", "6-earls-last-falls-by-deck"), logged=True)
        match = session.get_one(Match, path.split("/")[2])
        told = results.told(session, match)
        called = {row.seat: row.name for row in session.exec(select(SeatRow).where(SeatRow.match_id == match.id))}
        falls = results.fallen(GAMES["ortus"], told, called)
        found = results.standings(GAMES["ortus"], None, called, (match.outcome or {})["winners"], told)
    removed = [row.facts["seat"] for row in told if row.kind == "removed"]
    assert [one.seat for one in found if one.fell] == removed[::-1] and len(removed) >= 4
    assert all(fall.how for fall in falls.values()) and all(fall.chapter.startswith("Round") for fall in falls.values())
    taken = [row.facts for row in told if row.kind == "removed" and row.facts["how"] == "anchors"]
    assert taken and all(falls[f["seat"]].how == f"the last Castle or Palace lost to {called[f['to']]}" for f in taken)
    page = anna.page(path.replace("/table", "/result"))
    assert all(f"{fall.chapter}: {fall.how}" in page for fall in falls.values())


@pytest.mark.parametrize(
    ("game", "stem", "said"),
    [
        ("mastery", "2-lords-siege", "Baldwin stormed a castle and won the game."),
        ("mastery", "4-lords-teams-of-2-points", "Baldwin and Cecily won together with 17 points."),
        ("fief", "3-seats-alone", "Cecily won alone, with 3 victory points."),
        ("fief", "4-seats-allied", "You and Baldwin won together, with 4 victory points in all."),
        ("fief", "5-seats-last-round", "Baldwin and Drogo won together, first by points, then by titles and villages."),
    ],
)
def test_the_page_of_a_game_that_is_over_says_how_it_was_won(
    anna: Visitor, settings: Settings, game: str, stem: str, said: str
) -> None:  # MM-VIC-2, FF-VIC-5
    with transaction(settings) as session:
        path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), whole(game, stem))
    over = anna.page(path).partition('id="over"')[2].partition("</div>")[0]
    assert said in over
    assert said in anna.page(path.replace("/table", "/result"))


def noted(path: str, who: Visitor) -> str:
    """The note over the board; "" for none."""
    return html.unescape(who.page(path + "/table").partition('class="first-note"')[2].partition("</form>")[0])


def test_a_question_of_a_first_game_has_its_note_until_that_is_dismissed(anna: Visitor, bert: Visitor) -> None:
    path = begun(anna, bert)
    words = GAMES["ortus"].words.note("deck", (), 2)
    assert words and words in noted(path, anna) and words in noted(path, bert)
    for _ in range(2):
        bert.post(path + "/note", {"kind": "deck"})
    assert noted(path, bert) == "" and words in noted(path, anna)
    again = begun(anna, bert)
    assert noted(again, anna) == "" and words in noted(path, anna), "the first game alone"


def test_notes_are_turned_off_for_all_questions_of_a_game(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = begun(anna, bert)
    anna.post(path + "/note", {"kind": "deck", "off": "yes"})
    with open_session(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        assert account.guides == {"ortus": ""} and account.notes_read == {}
    assert noted(path, anna) == "" and noted(path, bert)
    assert noted(begun(anna, bert), anna) == ""


def test_a_note_is_shown_when_its_kind_of_question_is_asked_for_the_first_time(
    anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    path = begun(anna, bert)
    match_id = match_at(settings, path).id
    with transaction(settings) as session:
        now = session.exec(select(AskRow).where(AskRow.match_id == match_id, AskRow.seat == "a")).one()
        session.add(AskRow(match_id=match_id, seat="a", serial=now.serial - 1, kind="turn", answered_at=now.opened_at))
    assert noted(path, anna), "another kind was asked before"
    with transaction(settings) as session:
        before = session.exec(select(AskRow).where(AskRow.match_id == match_id, AskRow.kind == "turn")).one()
        before.kind = "deck"
        session.add(before)
    assert noted(path, anna) == "" and noted(path, bert)


def test_the_letter_of_a_first_game_has_the_note_too(anna: Visitor, bert: Visitor) -> None:
    begun(anna, bert)
    words = GAMES["ortus"].words.note("deck", (), 2)
    (letter,) = anna.letters("started")
    assert f"First time? {words}" in " ".join(letter.text.split()) and words in html.unescape(letter.html)
    begun(anna, bert)
    again = anna.letters("started")[-1]
    assert again.id != letter.id and "First time?" not in again.text + again.html, "the first game alone"


@pytest.mark.parametrize("done", ["dismissed", "asked before"])
def test_a_letter_has_no_note_once_it_is_dismissed_or_its_kind_was_asked_before(
    anna: Visitor, bert: Visitor, settings: Settings, done: str
) -> None:
    path = begun(anna, bert)
    match_id = match_at(settings, path).id
    if done == "dismissed":
        anna.post(path + "/note", {"kind": "deck"})
    with transaction(settings) as session:
        match, seat = session.get_one(Match, match_id), session.get_one(SeatRow, (match_id, "a"))
        asked = session.exec(select(AskRow).where(AskRow.match_id == match_id, AskRow.seat == "a")).one()
        if done == "asked before":
            session.add(AskRow(match_id=match_id, seat="a", serial=asked.serial - 1, kind="deck", answered_at=asked.opened_at))
        account = session.get_one(Account, seat.account_id)
        owed = letters.owe(session, "turn", match, seat, account, serial=match.serial)
        session.flush()
        (one,) = writing.gather(session, [owed])
        writing.write(settings, one)
        assert "Choose your Earl Deck" in owed.text and "First time?" not in owed.text + owed.html


@pytest.mark.parametrize("game", ["fief", "mastery", "ortus"])
def test_who_is_invited_and_waits_is_led_to_the_lessons(anna: Visitor, visitor: New, game: str) -> None:
    path = opened(anna, "Lent", game, access="invited")
    anna.post(path + "/invite", {"email": "cleo@example.org"})
    cleo = visitor("cleo@example.org")
    (letter,) = cleo.letters("invitation")
    assert f"/learn/{game}" in letter.text and f'/learn/{game}"' in letter.html
    link = cleo.link("invitation", "i")
    assert f'href="/learn/{game}"' in cleo.page(link)
    joined = cleo.post(link, {"choice": "accept", "name": "Cleo", "zone": "UTC"}).text
    assert f'href="/learn/{game}"' in joined and "Learn it: six lessons of two minutes" in joined


def test_a_link_to_lessons_says_how_many_there_are(anna: Visitor, visitor: New, monkeypatch: pytest.MonkeyPatch) -> None:
    lessons = GAMES["ortus"].face.lessons
    assert lessons is not None and "Learn it: six lessons of two minutes" in anna.page("/help/ortus")
    monkeypatch.setattr(Lessons, "all", lessons.all[:5])
    assert "Learn it: five lessons of two minutes" in anna.page("/help/ortus")
    monkeypatch.setattr(Lessons, "all", lessons.all[:1])
    assert "Learn it: one lesson of two minutes" in anna.page("/help/ortus")
    anna.post(opened(anna, "Lent", access="invited") + "/invite", {"email": "cleo@example.org"})
    (letter,) = visitor("cleo@example.org").letters("invitation")
    assert "one lesson of two minutes: http" in letter.text and "one lesson of two minutes</a>" in letter.html


def test_notes_of_a_first_table_against_bots_come_again_in_the_first_game_with_people(
    anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    table = str(anna.post("/try", {"game": "ortus"}, follow=False).location)
    with open_session(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        assert account.guides == {"ortus": table.split("/")[2]}
    assert noted(begun(anna, bert), anna)


def test_who_is_not_asked_in_a_first_game_is_offered_standing_orders(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = begun(anna, bert)
    hint = "Standing orders can answer the routine ones"
    assert hint not in bert.page(path + "/table")
    match = match_at(settings, path)
    with transaction(settings) as session:
        session.add(HiddenAnswer(match_id=match.id, seat="b", serial=match.serial, kind="deck", move="x", via="page"))
    assert hint in bert.page(path + "/table") and 'href="/learn/ortus"' in bert.page(path + "/table")
    bert.post(path + "/orders/all", {"choice": "preset"})
    assert hint not in bert.page(path + "/table")
    assert "Standing orders</a>" in bert.page(path + "/table")


def test_the_subject_is_one_for_a_game_where_the_account_wants_a_thread(anna: Visitor, bert: Visitor) -> None:
    kept = bert.post("/account/letters", {"mode": "each", "hour": "7", "subjects": "thread"})
    assert 'value="thread" checked' in kept.text
    assert bert.post("/account/letters", {"mode": "each", "hour": "7", "subjects": "none"}).status_code == 422
    begun(anna, bert)
    mine = {letter.subject for letter in bert.letters() if letter.kind in ("started", "turn")}
    theirs = {letter.subject for letter in anna.letters() if letter.kind in ("started", "turn")}
    assert mine == {"Harvest war · Ortus Regni"} and not theirs & mine


def test_days_of_absence_count_before_a_worker_has_written_them_down(
    anna: Visitor, bert: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = begun(anna, bert)
    assert "You have 21 days left" in anna.page(path + "/clock")
    monkeypatch.setattr(queue, "send", lambda *_args, **_more: None)
    today = re.search(r'name="first" min="([0-9-]+)"', anna.page(path + "/clock"))
    assert today is not None
    page = anna.post(path + "/away", {"first": today[1], "last": today[1]}).text
    assert "You have 20 days left" in page and "the table will know in a moment" in page


def test_a_letter_s_preset_stays_chosen_when_a_seat_is_taken_by_another_browser(anna: Visitor, bert: Visitor) -> None:
    begun(anna, bert)
    link = anna.link("started", "t")
    asked = bert.get(f"{link}?option=deck")
    assert "A link for another seat" in asked.text
    assert bert.post(f"{link}?option=deck", {"choice": "take"}, follow=False).location.endswith("/table?option=deck")


def test_nothing_is_said_before_it_is_chosen_who_reads_it(anna: Visitor, bert: Visitor) -> None:
    path = begun(anna, bert)
    key = "key-of-anna-for-talk"
    for to in ({}, {"to_all": "yes", "to_b": "yes"}):
        refused = anna.post(f"{path}/talk", {"text": "To whom?", "key": key, **to})
        assert refused.status_code == 422 and "Choose first who is to read it" in refused.text
    assert anna.get(f"{path}/talk/new").status_code == 303 and anna.get(f"{path}/talk/new?to=e").status_code == 422
    page = anna.page(f"{path}/talk/new?to=b")
    assert "tint-" in page and "Only those named here can read this." in page and 'name="to_b"' in page and "to_all" not in page
    assert "Everybody at the table reads this." in anna.page(f"{path}/talk/new?to=all")
    thread = anna.post(f"{path}/talk", {"text": "Only you.", "key": key, "to_b": "yes"}).request.path
    assert ">new<" in bert.page(thread) and ">new<" not in anna.page(thread)


def test_who_invites_several_sees_at_once_which_seats_are_promised(anna: Visitor) -> None:
    """The answer that still has a fault to say is read after what went well was written."""
    table = opened(anna, "Promised", seats=4)
    page = anna.post(table + "/invite", {"email": "bert@example.org, carla@example.org, nonsense"}).text
    assert page.count("no answer yet") == 2 and page.count("waits for somebody") == 1


@pytest.mark.parametrize("declined", [True, False], ids=["declined", "withdrawn"])
def test_an_invitation_that_is_gone_says_so_and_of_no_newer_letter(declined: bool, anna: Visitor, bert: Visitor) -> None:
    table = opened(anna, "Gone")
    anna.post(table + "/invite", {"email": "bert@example.org"})
    link = bert.link("invitation", "i")
    bert.post(link, {"choice": "decline"}) if declined else anna.post(table + "/clear", {"seat": "b"})
    gone = bert.get(link)
    assert gone.status_code == 410 and "it was declined, or its host withdrew it" in gone.text and "newer" not in gone.text


def test_who_is_in_no_game_sees_what_is_played_and_opens_it_with_one_press(anna: Visitor, bert: Visitor) -> None:
    opened(bert, "Open")
    page = anna.page("/games")
    assert ">Open</a>" in page and 'href="/games/open"' in page
    for game in games():
        assert f'href="/help/{game}"' in page and f'id="thumb-{game}"' in page and f'href="/games/new?game={game}"' in page
        assert f'value="{game}" checked' in anna.page(f"/games/new?game={game}")
    assert anna.get("/games/new?game=chess").status_code == 200
