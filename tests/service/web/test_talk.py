"""The table talks, writes notes, reads its journal; and what strangers and third Earls don't learn of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlmodel import select

from service.common.messages import sentence
from service.log.chronicle import about_table
from service.post import links
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import EventRow, Letter, Match, Message, Report, SeatRow, Thread
from service.table import commands, talk
from tests import kept
from tests.service.web.conftest import Visitor, begun, signed_in

START = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(START, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def cleo(visitor: Callable[[str], Visitor]) -> Visitor:
    return signed_in(visitor("cleo@example.org"), "Cleo")


@pytest.fixture
def game(anna: Visitor, bert: Visitor, cleo: Visitor) -> str:
    def begin() -> str:
        filled = {"name": "Harvest war", "game": "ortus", "seats": "4", "access": "open"}
        path = str(anna.post("/games/new", filled, follow=False).location)
        for who in (bert, cleo):
            who.post(path + "/join")
        anna.post(path + "/bot", {"bot": "steady"})
        return path

    return kept.led(anna.settings, [anna.client, bert.client, cleo.client], "four at a table", begin)


def say(who: Visitor, game: str, text: str, *to: str, **more: object) -> str:
    key = f"key-{who.email}-{abs(hash((text, to)))}".replace("@", "-").replace(".", "-")
    chosen = {f"to_{s}": "yes" for s in to} if to or "thread" in more else {"to_all": "yes"}
    return who.post(f"{game}/talk", {"text": text, "key": key} | chosen | more).text


def match_of(settings: Settings) -> Match:
    with open_session(settings) as session:
        return session.exec(select(Match)).one()


def test_what_is_said_to_the_table_everybody_reads_and_gets_by_letter(
    game: str, anna: Visitor, bert: Visitor, cleo: Visitor, settings: Settings
) -> None:
    say(anna, game, "Good harvest to all!\n<b>Anna</b>")
    for who in (bert, cleo):
        page = who.page(f"{game}/talk")
        assert "1 unread" in page and "Good harvest to all!" in page
        assert "&lt;b&gt;Anna&lt;/b&gt;" in page and "<b>Anna</b>" not in page
        letter = who.letters("talk")[-1]
        assert "Anna, Wed 1 Jul 2026, 09:00 UTC" in letter.text and "Good harvest to all!" in letter.text
        assert letter.next_try_at == START + timedelta(seconds=settings.hold_seconds)
    assert not anna.letters("talk") and "unread" not in anna.page(f"{game}/talk")


def test_what_a_bot_says_stands_in_the_public_talk_as_a_bots_and_is_unread_to_nobody(
    game: str, anna: Visitor, settings: Settings
) -> None:
    match = match_of(settings)
    event = about_table("said", seat="d", moment="won", words=sentence("Good."))
    with transaction(settings) as session:
        session.add(EventRow(match_id=match.id, n=0, i=99, kind=event.kind, facts=dict(event.facts)))
        name = session.get_one(SeatRow, (match.id, "d")).name
    for path in ("talk", "beside"):
        page = anna.page(f"{game}/{path}")
        assert name in page and "a bot" in page and "Good." in page and "unread" not in page
    say(anna, game, "Well played")
    with open_session(settings) as session:
        thread = session.exec(select(Thread)).one()
    page = anna.page(f"{game}/talk/{thread.id}")
    assert "Good." in page and page.index("Good.") < page.index("Well played") and "badge turn" not in page
    assert "/report/" not in page
    anna.post(f"{game}/mute", {"seat": "d", "on": "yes"})
    assert "Good." not in anna.page(f"{game}/talk/{thread.id}")


def test_words_that_run_from_right_to_left_do_so_by_themselves(game: str, anna: Visitor, bert: Visitor) -> None:
    """And what stands around them keeps its own way."""
    words = "مرحبا (C4)"
    say(anna, game, words)
    page = bert.page(f"{game}/talk")
    assert f"<bdi>{words}</bdi>" in page
    thread = re.search(rf'href="({game}/talk/(?!new)[^"]+)"', page)
    assert thread is not None and f'dir="auto">{words}<' in bert.page(thread[1])
    assert re.search(rf'<blockquote dir="auto"[^>]*>{re.escape(words)}<', bert.letters("talk")[-1].html)


def test_messages_that_are_still_unsent_go_in_one_letter(game: str, anna: Visitor, bert: Visitor) -> None:
    say(anna, game, "First.")
    say(anna, game, "Second.")
    say(bert, game, "Third.")
    assert [x.status for x in bert.letters("talk")] == ["dropped", "queued"]
    letter = bert.letters("talk")[-1]
    assert letter.text.index("First.") < letter.text.index("Second.") and "Third." not in letter.text


def test_a_lively_talk_loses_no_words_and_is_not_put_off(
    game: str, anna: Visitor, bert: Visitor, settings: Settings, clock: time_machine.Traveller
) -> None:
    for words in ("First.", "Second.", "Third."):
        say(anna, game, words)
        clock.shift(timedelta(seconds=40))
    *before, letter = bert.letters("talk")
    assert [x.status for x in before] == ["dropped", "dropped"] and letter.status == "queued"
    assert letter.text.index("First.") < letter.text.index("Second.") < letter.text.index("Third.")
    assert letter.next_try_at == START + timedelta(seconds=settings.hold_seconds)


def test_conversations_that_others_begin_keep_nobody_from_beginning_one(
    game: str, anna: Visitor, bert: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "THREADS_AN_HOUR", 1)
    assert "are the most" not in say(anna, game, "To Bert.", "b")
    assert "are the most" in say(anna, game, "To Cleo.", "c")
    assert "are the most" not in say(bert, game, "To Cleo too.", "c")
    assert "are the most" not in say(anna, game, "To Bert again.", "b")


def test_a_private_letter_is_for_those_it_names_alone(
    game: str, anna: Visitor, bert: Visitor, cleo: Visitor, settings: Settings
) -> None:
    before = {p: cleo.page(f"{game}/{p}") for p in ("talk", "table", "journal", "history")}
    say(anna, game, "Let us take Cleo's castle.", "b")
    with open_session(settings) as session:
        thread = session.exec(select(Thread)).one()
        message = session.exec(select(Message)).one()
    assert thread.members == "ab"
    assert (
        "Let us take Cleo" in bert.page(f"{game}/talk/{thread.id}")
        and "A private letter in “Harvest war”, from Anna to Bert and nobody else:" in bert.letters("talk")[-1].text
    )

    def strip(page: str) -> str:
        return re.sub(r'(name="(csrf_token|key)" value="|nonce=")[^"]+', "", page)

    for path, page in before.items():
        assert strip(cleo.page(f"{game}/{path}")) == strip(page), path
    assert not cleo.letters("talk")
    assert cleo.get(f"{game}/talk/{thread.id}").status_code == 404
    for path, form in (
        (f"talk/{thread.id}/read", {}),
        ("talk", {"thread": thread.id, "text": "I read that!", "key": "key-of-cleo"}),
        (f"report/{message.id}", {"thread": thread.id}),
    ):
        assert cleo.post(f"{game}/{path}", form).status_code == 404
    with open_session(settings) as session:
        assert len(session.exec(select(Message)).all()) == 1 and not session.exec(select(Report)).all()


def test_the_log_and_the_spectators_know_nothing_of_talk(
    game: str, anna: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    say(anna, game, "A word in public.")
    say(anna, game, "A word in private.", "b")
    assert "A word" not in anna.page(f"{game}/log.jsonl")
    refused = anna.post(f"{game}/spectators", {"on": "yes"})
    assert "by a vote of the table" in refused.text and "/watch/" not in refused.text
    with transaction(settings) as session:
        commands.command(session, session.exec(select(Match)).one(), "operator", "watch on=yes")
    assert "The people who run this service opened the game to spectators." in anna.letters("notice")[-1].text
    address = re.findall(r"/watch/[A-Za-z0-9_-]+", anna.page(f"{game}/journal"))[0]
    stranger = visitor("")
    page = stranger.get(address)
    assert page.status_code == 200 and "A word" not in page.text and "Harvest war" in page.text
    assert re.search(r">The table waits for [^<]+\.<", page.text) and "waits for you" not in page.text
    assert page.headers["Referrer-Policy"] == "no-referrer" and "noindex" in page.headers["X-Robots-Tag"]
    anna.post(f"{game}/spectators", {"on": "yes"})
    assert stranger.get(address).status_code == 404
    fresh = re.findall(r"/watch/[A-Za-z0-9_-]+", anna.page(f"{game}/journal"))[0]
    anna.post(f"{game}/spectators", {"on": ""})
    assert stranger.get(fresh).status_code == 404


def test_only_the_host_opens_the_game_to_spectators(game: str, bert: Visitor) -> None:
    assert bert.post(f"{game}/spectators", {"on": "yes"}).status_code == 403


def test_a_conversation_shows_who_wrote_when_in_the_readers_zone(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    rhythm = {"zone": "Europe/Vienna", "quiet_from": "22:00", "quiet_to": "08:00", "ladder": ""}
    bert.post("/account/rhythm", rhythm)
    say(anna, game, "When is it?")
    with open_session(settings) as session:
        thread = session.exec(select(Thread)).one()
    assert "Wed 1 Jul 2026, 11:00 CEST" in bert.page(f"{game}/talk/{thread.id}")
    assert "1 unread" in bert.page(f"{game}/talk")  # reading changed nothing
    bert.post(f"{game}/talk/{thread.id}/read")
    assert "unread" not in bert.page(f"{game}/talk")


def test_a_long_conversation_is_read_page_by_page(
    game: str, anna: Visitor, settings: Settings, clock: time_machine.Traveller
) -> None:
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        thread = talk.thread_of(session, match, "")
        for i in range(talk.PAGE + 3):
            clock.shift(timedelta(minutes=4))
            talk.say(session, match, "b", "", f"Number {i}.", f"key-number-{i:03}")
    last = anna.page(f"{game}/talk/{thread.id}")
    assert "Number 52." in last and "Number 49." not in last and "Page 2 of 2" in last
    assert "Number 0." in anna.page(f"{game}/talk/{thread.id}?page=1")


def test_a_muted_earl_is_neither_read_nor_written_by_letter(game: str, anna: Visitor, bert: Visitor) -> None:
    bert.post(f"{game}/mute", {"seat": "a", "on": "yes"})
    say(anna, game, "Can you hear me?")
    assert "Can you hear me?" not in bert.page(f"{game}/talk") and not bert.letters("talk")
    bert.post(f"{game}/mute", {"seat": "a", "on": ""})
    assert "Can you hear me?" in bert.page(f"{game}/talk")
    assert bert.post(f"{game}/mute", {"seat": "b", "on": "yes"}).status_code == 422


def test_a_message_is_reported_once(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    say(anna, game, "Something rude.")
    with open_session(settings) as session:
        message = session.exec(select(Message)).one()
    form = {"thread": message.thread_id, "why": "rude"}
    assert "Reported." in bert.post(f"{game}/report/{message.id}", form).text
    assert bert.post(f"{game}/report/{message.id}", form).status_code == 422
    assert anna.post(f"{game}/report/{message.id}", form).status_code == 422
    with open_session(settings) as session:
        assert [(r.seat, r.why) for r in session.exec(select(Report))] == [("b", "rude")]


def test_marks_that_turn_what_follows_are_left_out_and_other_languages_marks_kept(
    game: str, anna: Visitor, settings: Settings
) -> None:
    say(anna, game, "Bert\u00a0:\u202eyes\u202c 👨\u200d👩\u200d👧")
    with open_session(settings) as session:
        assert [m.text for m in session.exec(select(Message))] == ["Bert :yes 👨\u200d👩\u200d👧"]


@pytest.mark.parametrize(
    ("text", "to", "sentence"),
    [
        ("", (), "The message is empty"),
        ("   \n ", (), "The message is empty"),
        ("x" * 2001, (), "The text has 2001 characters"),
        ("hello\ue000", (), "characters that can&#39;t be shown"),
        ("hello", ("f",), "Nobody at this table has the seat “f”"),
        ("hello", ("a",), "needs somebody to read it besides yourself"),
        ("hello", ("d",), "reads no letters"),
    ],
    ids=["empty", "blank", "long", "unprintable", "stranger", "oneself", "bot"],
)
def test_what_can_not_be_said_is_refused_with_a_sentence(
    game: str, anna: Visitor, settings: Settings, text: str, to: tuple[str, ...], sentence: str
) -> None:
    assert sentence in say(anna, game, text, *to)
    with open_session(settings) as session:
        assert not session.exec(select(Message)).all()


def test_a_flood_is_held_back(game: str, anna: Visitor, settings: Settings, clock: time_machine.Traveller) -> None:
    for i in range(talk.AN_HOUR):
        assert "within an hour" not in say(anna, game, f"Message {i}")
    assert "You have sent 20 messages within an hour" in say(anna, game, "One more")
    clock.shift(timedelta(hours=1))
    assert "within an hour" not in say(anna, game, "After a while")


def test_the_same_form_twice_is_said_once(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    for _ in range(2):
        anna.post(f"{game}/talk", {"text": "Once.", "to_all": "yes", "key": "the-same-key"})
    assert bert.post(f"{game}/talk", {"text": "Mine.", "to_all": "yes", "key": "the-same-key"}).status_code == 422
    with open_session(settings) as session:
        assert [m.text for m in session.exec(select(Message))] == ["Once."]


def test_notes_are_kept_for_their_seat(game: str, anna: Visitor, bert: Visitor) -> None:
    anna.post(f"{game}/notes", {"text": "Bert bluffs.\nAlways."})
    assert "Bert bluffs." in anna.page(f"{game}/notes") and "Bert bluffs." not in bert.page(f"{game}/notes")
    page = anna.post(f"{game}/notes", {"text": "x" * 10_001})
    assert page.status_code == 422 and "at most 10000 fit" in page.text


def test_no_page_cuts_a_long_text_that_is_pasted(game: str, anna: Visitor) -> None:
    path = anna.post(f"{game}/talk", {"text": "Hail.", "to_all": "yes", "key": "a-key-of-a-form"}, follow=False).location
    for page in (f"{game}/talk/new?to=b", f"{game}/notes", f"{game}/beside", path):
        area = anna.page(page).partition("<textarea")[2].partition(">")[0]
        assert area and "maxlength" not in area


def test_the_journal_tells_what_all_may_know(game: str, anna: Visitor, bert: Visitor) -> None:
    page = anna.page(f"{game}/journal")
    assert "Spectators" in page and "Spectators" not in bert.page(f"{game}/journal")
    assert anna.get(f"{game}/journal.txt").text.startswith("Harvest war\n===========\n")


def test_a_substitute_does_not_read_what_the_seat_wrote_in_private_before(
    game: str, anna: Visitor, bert: Visitor, cleo: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    gwen = visitor("gwen@example.org").sign_in("Gwen")
    for turn, who in enumerate((bert, gwen)):
        say(anna, game, f"A secret for seat b, no. {turn}.", "b")
        assert f"no. {turn}." in who.page(f"{game}/talk")
        with transaction(settings) as session:
            commands.command(session, session.exec(select(Match)).one(), "operator", "seek seat=b")
        if who is bert:
            assert "The seat is yours in a moment" in gwen.post(f"{game}/seat/b").text
            assert "A secret" not in gwen.page(f"{game}/talk")
    page = anna.page(f"{game}/talk")
    with open_session(settings) as session:
        (thread,) = session.exec(select(Thread).where(Thread.members != "")).all()
    assert thread.members == "Ba" and f"/talk/{thread.id}" in page
    page = anna.page(f"{game}/talk/{thread.id}")
    assert "no. 0." in page and "no. 1." in page
    assert (
        "Somebody in this conversation has left the game"
        in anna.post(f"{game}/talk", {"thread": thread.id, "text": "Still there?", "key": "key-into-the-void"}).text
    )


def test_what_can_not_be_written_is_refused_on_the_form_with_what_was_typed(game: str, anna: Visitor) -> None:
    """A word with a NUL among others: to the table, in the notes, as a name or a reason."""
    for path, form in (
        (game + "/talk", {"text": "Good\x00day", "to_all": "1", "key": "key-of-anna-1"}),
        (game + "/notes", {"text": "Good\x00day"}),
        ("/account", {"name": "Good\x00day"}),
        ("/games/new", {"name": "Good\x00day", "game": "ortus", "seats": "4", "access": "open"}),
        ("/decks/new", {"name": "Good\x00day", "game": "ortus", **dict.fromkeys(("Castle", "Land", "Vassal", "Monk"), "6")}),
        (game + "/host", {"do": "end", "reason": "Good\x00day"}),
        (game + "/votes", {"kind": "end", "reason": "Good\x00day"}),
    ):
        answer = anna.post(path, form)
        assert answer.status_code == 422 and "characters that can" in answer.text, path
        assert "Good" in answer.text and "day" in answer.text and "<form" in answer.text, path
        if path.endswith(("/talk", "/notes", "/account")):
            field = re.search(r'<(?:textarea|input)[^>]* id="(?:text|name)"[^>]*>', answer.text)
            assert field is not None and 'aria-invalid="true"' in field[0], path
            assert re.search(r'aria-describedby="[^"]*\bfault"', field[0]) and 'role="alert" id="fault"' in answer.text, path
    assert "Good" not in anna.page(game + "/notes")


def test_a_private_link_in_a_text_comes_back_with_the_text_and_opens_nothing_any_more(
    game: str, anna: Visitor, bert: Visitor, settings: Settings
) -> None:
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        link = links.url(settings, links.turn_link(session, match, session.get_one(SeatRow, (match.id, "b"))))
    page = say(anna, game, f"Bert, what is this?\n{link}")
    assert "That text has a private link or address of Writ in it" in page and "Bert, what is this?" in page
    opened = anna.client.get(link, base_url=settings.base_url)
    assert opened.status_code in (403, 404, 410) and "called back" in opened.text
    with open_session(settings) as session:
        assert session.exec(select(Message)).first() is None
        told = session.exec(select(Letter).where(Letter.kind == "fresh_link")).one()
        assert told.to_address == bert.email and "others were about to read" in " ".join(told.text.split())
    for path, form in ((f"{game}/votes", {"kind": "end", "reason": f"see {link}"}), ("/account", {"name": "writ+x@writ.test"})):
        assert "That text has a private link" in anna.post(path, form).text


def test_no_page_shows_the_reason_of_a_vote_to_who_has_muted_its_writer(anna: Visitor, bert: Visitor) -> None:
    path = begun(anna, bert)
    insult = "because you are a toad"
    bert.post(path + "/mute", {"seat": "a", "on": "yes"})
    anna.post(path + "/votes", {"kind": "end", "reason": insult})

    def pages(who: Visitor) -> str:
        return "\n".join(who.page(path + page) for page in ("/clock", "/table", "/history"))

    assert insult in pages(anna) and insult not in pages(bert)
    page = bert.page(path + "/clock")
    assert "The game ends without a winner." in page and "Asked by Anna" in page
    vote = re.search(rf'action="({path}/votes/[^"]+)"', page)
    assert vote is not None
    bert.post(vote[1], {"choice": "yes"})
    assert insult in pages(anna) and insult not in pages(bert)
    assert "The table voted to end the game at " in bert.page(path + "/history")


def test_talk_beside_the_board_stays_there_and_only_the_house_frames_it(
    game: str, anna: Visitor, bert: Visitor, cleo: Visitor
) -> None:
    say(anna, game, "A word in your ear", "b")
    table = bert.page(f"{game}/table")
    assert f'<iframe src="{game}/beside" loading="lazy"' in table and "A word in your ear" not in table
    empty = bert.get(f"{game}/beside")
    assert "Nothing has been said here." in empty.text and empty.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in empty.headers["Content-Security-Policy"]
    key = "a-key-of-bert-beside"
    sent = bert.post(f"{game}/talk", {"text": "Hail to all", "key": key, "to_all": "yes", "beside": "yes"}, follow=False)
    assert sent.status_code == 303 and sent.headers["X-Frame-Options"] == "SAMEORIGIN"
    shown = anna.page(str(sent.location))
    assert sent.location.startswith(f"{game}/beside/") and "Hail to all" in shown and "A word in your ear" not in shown
    assert "Mark as read" in shown
    read = anna.post(f"{game}/talk/{sent.location.rpartition('/')[2]}/read", {"beside": "yes"}, follow=False)
    assert read.location == sent.location and "Mark as read" not in anna.page(str(read.location))
    private = re.search(rf'href="({game}/beside/[0-9a-f]+)"(?! aria-current)', anna.page(str(sent.location)))
    assert private is not None and "A word in your ear" in bert.page(private[1])
    assert cleo.get(private[1]).status_code == 404
    refused = bert.post(f"{game}/talk", {"text": "", "key": f"{key}-2", "to_all": "yes", "beside": "yes"})
    assert refused.status_code == 422 and "masthead" not in refused.text
