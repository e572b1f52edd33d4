"""The pages of clock, votes and rhythm, as people use them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import time_machine
from sqlmodel import select

from service.clock import pace as paces
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import Account, AskRow, Match, Notice, SeatRow
from service.store.seats import by_match_id
from tests.conftest import START
from tests.service.web.conftest import Visitor, begun
from workers import adjudicate, sweep


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(START, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def game(anna: Visitor, bert: Visitor, settings: Settings) -> str:
    """The path of a game that Anna and Bert have just begun."""
    return begun(anna, bert, preset="quick", weekends="off")


def match_of(settings: Settings) -> Match:
    with open_session(settings) as session:
        return session.exec(select(Match)).one()


def test_a_pace_is_chosen_when_a_game_is_opened(game: str, settings: Settings) -> None:
    chosen = paces.of(match_of(settings).pace)
    assert (chosen.turn, chosen.reaction, chosen.weekends) == (12 * 3600, 6 * 3600, "off")


def test_hours_typed_beside_the_preset_that_is_ticked_are_meant(anna: Visitor, settings: Settings) -> None:
    hours = {"preset": "daily", "turn": "30", "reaction": "10"}
    anna.post("/games/new", {"name": "Slow war", "game": "ortus", "seats": "2", "access": "open", **hours}, follow=False)
    chosen = paces.of(match_of(settings).pace)
    assert (chosen.turn, chosen.reaction) == (30 * 3600, 10 * 3600)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"preset": "own", "turn": "soon", "reaction": "1"}, "“soon” isn’t a number of hours"),
        ({"preset": "own", "turn": "2", "reaction": "3"}, "Reactions can&#39;t have more hours than a turn"),
        (
            {"preset": "own", "turn": "0.2", "reaction": "0.1"},
            "A turn has 1 to 720 hours, not 0.2.",
        ),
        ({"preset": "glacial"}, "There is no such pace"),
        ({"weekends": "sometimes"}, "Week-ends are played"),
        ({"steward_after": "0"}, "Deadlines until the steward comes go from"),
    ],
)
def test_a_pace_that_nobody_can_play_at_is_refused(
    anna: Visitor, settings: Settings, changes: dict[str, str], sentence: str
) -> None:
    filled = {"name": "Harvest war", "game": "ortus", "seats": "2", "access": "open", "preset": "daily"} | changes
    page = anna.post("/games/new", filled)
    assert page.status_code == 422 and sentence in page.text
    with open_session(settings) as session:
        assert session.exec(select(Match)).first() is None


def test_the_clock_page_tells_who_is_waited_for_in_the_readers_zone(game: str, anna: Visitor) -> None:
    assert anna.post("/account/rhythm", rhythm(zone="Asia/Tokyo")).status_code == 200
    page = anna.page(f"{game}/clock")
    assert "12 h a turn, 6 h for reactions, week-ends off" in page
    assert "Wed 25 Nov 2026, 06:00 JST" in page  # 21:00 lay outside her quiet hours: her zone was UTC when she was asked
    assert "All times are in your zone, Asia/Tokyo." in page
    sentences = re.findall(r"<p>(The table waits for [^<]*)</p>", page)
    assert len(sentences) == 1 and sentences[0] in anna.page(f"{game}/table"), "in the words of the turn page"


def rhythm(**changes: str) -> dict[str, str]:
    return {"zone": "UTC", "quiet_from": "22:00", "quiet_to": "08:00", "ladder": "half, 6h"} | changes


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"zone": "Atlantis"}, "“Atlantis” isn’t a time zone"),
        ({"ladder": "1h " * 1000}, "A ladder of 1000 reminders is too long"),
        ({"quiet_from": "noon"}, "“noon” isn’t a time of day"),
        ({"quiet_from": "08:59", "quiet_to": "08:58"}, "Quiet hours last at most 12 hours; from 08:59 to 08:58 are more."),
        ({"quiet_from": "20:00", "quiet_to": "08:01"}, "Quiet hours last at most 12 hours"),
    ],
)
def test_a_rhythm_that_can_not_be_is_refused_with_a_sentence(anna: Visitor, changes: dict[str, str], sentence: str) -> None:
    page = anna.post("/account/rhythm", rhythm(**changes))
    assert page.status_code == 422 and sentence in page.text


def test_an_absence_is_announced_and_given_up(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    anna.post(f"{game}/away", {"first": "2026-11-25", "last": "2026-11-28"})
    assert "You are away from Wed 25 Nov 2026 to Sat 28 Nov 2026." in anna.page(f"{game}/clock")
    assert "away from Wed 25 Nov 2026 to Sat 28 Nov 2026" in bert.page(f"{game}/clock")
    page = anna.post(f"{game}/away", {"first": "2026-11-20", "last": "2026-11-21"})
    assert page.status_code == 422 and "can&#39;t begin in the past" in page.text
    assert "Your absence has ended" in anna.post(f"{game}/home").text
    assert anna.post(f"{game}/home").status_code == 422


def test_an_absence_in_all_games_says_where_it_did_not_fit(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    for name, days in (("Second war", 21), ("Third war", 0)):
        filled = {"name": name, "game": "ortus", "seats": "2", "access": "open", "absence_days": str(days)}
        path = str(anna.post("/games/new", filled, follow=False).location)
        bert.post(path + "/join")
    page = anna.post(f"{game}/away", {"first": "2026-11-25", "last": "2026-11-28", "everywhere": "yes"}).text
    assert "here and in: Second war." in page
    assert "Not in: Third war: That takes 4 days of absence in this game; 0 is the budget, and 0 are left." in page


def test_a_vote_is_proposed_and_given(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    page = anna.post(f"{game}/votes", {"kind": "pause", "days": "3"}).text
    assert "The table pauses for 3 days." in page and "Take it back" in page
    asked = bert.page(f"{game}/clock")
    path = re.findall(r'action="(/g/[^"]+/votes/[^"]+)"', asked)[0]
    assert bert.post(path, {"choice": "maybe"}).status_code == 422
    assert "The table pauses until" in bert.post(path, {"choice": "yes"}).text
    twice = bert.post(path, {"choice": "yes"})
    assert twice.status_code == 422 and "over" in twice.text


def test_a_deadline_that_passed_in_secret_is_not_told_by_the_clock_page(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:  # OR-DEC-3
    with transaction(settings) as session:
        seat = session.get(SeatRow, (session.exec(select(Match)).one().id, "b"))
        assert seat is not None
        seat.missed = 1  # as after a default that only its seat may know of
        session.add(seat)
    page = anna.page(f"{game}/clock")
    assert "missed the last deadline" not in page and "To replace an absent player" not in page


def test_a_pause_without_end_is_refused(game: str, anna: Visitor) -> None:
    page = anna.post(f"{game}/votes", {"kind": "pause", "days": "400"})
    assert page.status_code == 422 and "A pause has an end" in page.text


def test_a_seat_is_taken_back_with_one_button(game: str, anna: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        seat = session.get(SeatRow, (match.id, "a"))
        assert seat is not None
        seat.steward, seat.missed = "steady", 2
        session.add(seat)
    assert "Take my seat back" in anna.page(f"{game}/table")
    assert "The seat is yours again." in anna.post(f"{game}/back").text
    assert "Take my seat back" not in anna.page(f"{game}/table")


def test_it_is_said_that_the_game_waits_where_all_are_away(game: str, anna: Visitor, settings: Settings) -> None:
    for seat, waits in (("a", False), ("b", True)):
        with transaction(settings) as session:
            row = session.get_one(SeatRow, (session.exec(select(Match)).one().id, seat))
            row.steward, row.missed = "steady", 2
            session.add(row)
        for page in ("table", "clock"):
            assert ("Everyone is away, so the game waits for one of you." in anna.page(f"{game}/{page}")) == waits, page


def bert_is_late(settings: Settings) -> None:
    """Let Bert have missed two deadlines, and a steward keep the seat."""
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        seat = session.get(SeatRow, (match.id, "b"))
        assert seat is not None
        seat.steward, seat.missed = "steady", 2
        session.add(seat)


def cool(settings: Settings) -> None:
    """Let the cooling-off of what is announced be over."""
    with transaction(settings) as session:
        for notice in session.exec(select(Notice)):
            notice.opened_at -= timedelta(days=30)
            notice.effect_at -= timedelta(days=30)
            session.add(notice)
    sweep.sweep(settings)


def test_a_seat_that_is_looked_for_is_taken_from_the_list(
    game: str, anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    bert_is_late(settings)
    page = anna.post(f"{game}/votes", {"kind": "replace", "seat": "b", "email": ""}).text
    assert "The seat of Bert goes to somebody else." in page and "looking for a substitute" not in page
    cool(settings)
    assert "looking for a substitute" in anna.page(f"{game}/clock")
    gwen = visitor("gwen@example.org").sign_in("Gwen")
    assert "the seat of Bert is free" in gwen.page("/games/open")
    taken = gwen.post(f"{game}/seat/b")
    assert "The seat is yours in a moment" in taken.text
    assert "You are Gwen" in gwen.page(f"{game}/table")
    assert anna.post(f"{game}/seat/b").status_code in (409, 422)


def test_the_old_owner_of_a_seat_is_shut_out_at_once(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    link = bert.link("started", "t")
    assert bert.get(link).status_code == 303
    bert_is_late(settings)
    anna.post(f"{game}/votes", {"kind": "replace", "seat": "b", "email": "gwen@example.org"})
    cool(settings)
    assert bert.get(f"{game}/table").status_code == 403
    assert bert.get(link).status_code == 410
    assert bert.get(f"{game}/clock").status_code == 403


def test_an_invited_substitute_takes_the_seat_from_the_letter(
    game: str, anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    bert_is_late(settings)
    anna.post(f"{game}/votes", {"kind": "replace", "seat": "b", "email": "gwen@example.org"})
    cool(settings)
    gwen = visitor("gwen@example.org")
    link = gwen.link("substitute", "i")
    assert "You take the place of Bert" in gwen.page(link)
    assert gwen.post(link, {"choice": "accept", "name": "Gwen"}).status_code == 200
    assert "You are Gwen" in gwen.page(f"{game}/table")
    assert gwen.post(link, {"choice": "accept"}).status_code == 200  # twice is once


def test_an_invited_substitute_who_declines_after_all_is_not_seated(
    game: str, anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    bert_is_late(settings)
    anna.post(f"{game}/votes", {"kind": "replace", "seat": "b", "email": "gwen@example.org"})
    cool(settings)
    gwen = visitor("gwen@example.org")
    link = gwen.link("substitute", "i")
    with monkeypatch.context() as busy:
        busy.setattr(queue, "send", lambda *_args, **_later: None)  # no worker has time
        gwen.post(link, {"choice": "accept", "name": "Gwen"})
        assert "You have declined." in gwen.post(link, {"choice": "decline"}).text
    adjudicate.adjudicate(settings, match_of(settings).id)
    with open_session(settings) as session:
        seat = session.exec(select(SeatRow).where(SeatRow.seat == "b")).one()
        assert (seat.account_id, seat.wanted) == (None, "open")


def test_whoever_has_taken_the_seat_is_not_told_that_it_is_free_again(
    game: str, anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    bert_is_late(settings)
    anna.post(f"{game}/votes", {"kind": "replace", "seat": "b", "email": "gwen@example.org"})
    cool(settings)
    gwen = visitor("gwen@example.org")
    link = gwen.link("substitute", "i")
    gwen.post(link, {"choice": "accept", "name": "Gwen"})
    said = gwen.post(link, {"choice": "decline"}).text  # on a page that was open
    assert "You have accepted this invitation." in said and "You have declined" not in said
    assert "You are Gwen" in gwen.page(f"{game}/table")


def test_the_turn_page_shows_the_deadline(game: str, anna: Visitor, settings: Settings) -> None:
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        ask = session.exec(select(AskRow).where(AskRow.seat == "a")).one()
        assert ask.due_at == START + timedelta(hours=12)
        assert by_match_id(session, match.id).status == "running"
        assert session.exec(select(Account)).all()
    assert "Your answer is due by Tue 24 Nov 2026, 21:00 UTC." in anna.page(f"{game}/table")


@pytest.mark.parametrize(
    ("path", "typed", "kept"),
    [
        ("/away", {"first": "2026-12-20", "last": "2026-12-10", "everywhere": "yes"}, ["2026-12-20", "2026-12-10", "checked"]),
        ("/away", {"first": "tomorrow <b>", "last": ""}, ["tomorrow &lt;b&gt;"]),
        ("/votes", {"kind": "pause", "days": "400"}, ["400"]),
        ("/votes", {"kind": "end", "reason": "why " * 100}, ["why why"]),
        ("/host", {"do": "extend", "seat": "b", "by": "soon"}, ["soon"]),
        ("/host", {"do": "pause", "days": "0x"}, ["0x"]),
    ],
    ids=["turned round", "no day", "endless", "too long", "no span", "no number"],
)
def test_what_was_typed_about_a_clock_is_kept_with_the_sentence_that_refuses_it(
    game: str, anna: Visitor, path: str, typed: dict[str, str], kept: list[str]
) -> None:
    before = anna.page(f"{game}/clock")
    found = anna.post(game + path, typed)
    assert found.status_code == 422 and 'role="alert"' in found.text
    assert all(words in found.text.split('role="alert"')[1] for words in kept)
    assert anna.page(f"{game}/clock") == before


def test_one_is_away_in_all_games_from_the_page_that_my_games_leads_to(game: str, anna: Visitor, bert: Visitor) -> None:
    link = re.search(r'href="([^"]+)">Say when', anna.page("/games"))
    assert link is not None
    day = re.search(r'name="first" min="([0-9-]+)"', anna.page(link[1]))
    assert day is not None
    other = {"name": "Second war", "game": "ortus", "seats": "2", "access": "open"}
    bert.post(str(anna.post("/games/new", other, follow=False).location) + "/join")
    wrong = anna.post("/account/away", {"first": day[1], "last": "never"})
    assert wrong.status_code == 422 and f'value="{day[1]}"' in wrong.text and 'value="never"' in wrong.text
    said = anna.post("/account/away", {"first": day[1], "last": day[1]}).text.split('role="status"')[1].split("</div>")[0]
    assert re.search(r"On \w{3} \d+ \w{3} \d{4} you are away in:", said), "the days stand there: the form is empty again"
    assert "Harvest war" in said and "Second war" in said
    assert "You are away from" in anna.page(f"{game}/clock")


def test_who_plays_nowhere_is_away_from_nothing(anna: Visitor) -> None:
    found = anna.post("/account/away", {"first": "2026-12-20", "last": "2026-12-21"})
    assert found.status_code == 422 and "No game of yours is running" in found.text and 'value="2026-12-21"' in found.text
