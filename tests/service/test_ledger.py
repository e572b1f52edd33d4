"""The delivery ledger, bounces by SMTP and by report, replies, digests and the calendar feed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
import time_machine
from icalendar import Calendar
from sqlmodel import select

from service import calendar, delivery, digest, inbox, ledger, letters, links, talk
from service.db import open_session, transaction
from service.errors import NotFound
from service.models import Account, EntryRow, Letter, Message, Seat, Submission
from service.settings import Settings
from tests.service.conftest import Players, Sink, person
from tests.service.test_deadlines import HOUR, START, House, Sent


@pytest.fixture
def clock() -> Iterator[time_machine.Coordinates]:
    with time_machine.travel(START, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Coordinates) -> House:
    return House(settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0}), sent, clock)


def only(house: House, seat: str) -> Letter:
    return house.letters("started", seat)[0]


def told(house: House, letter: Letter) -> list[tuple[str, str]]:
    with open_session(house.settings) as session:
        return [(line.status, line.words) for line in ledger.lines(session, letter)]


# --- by SMTP ----------------------------------------------------------------------------------------------------------


def test_every_letter_has_its_own_return_address_and_the_servers_words_are_kept(
    house: House,
    sink: tuple[Sink, str],
    rng: random.Random,
) -> None:
    kept, url = sink
    house.settings = house.settings.model_copy(update={"smtp_url": url})
    house.answer_all(rng)
    (envelope,) = kept.got
    (letter,) = [x for s in "ab" for x in house.letters("turn", s)]
    assert links.letter_of(house.settings, envelope.mail_from) == ("b", letter.id)
    assert links.letter_of(house.settings, letter.headers["Reply-To"]) == ("r", letter.id)
    assert len(envelope.mail_from.partition("@")[0]) <= 64
    assert told(house, letter) == [("queued", ""), ("sent", ""), ("accepted", "250 OK")]


def test_a_refusal_for_good_marks_the_address_until_a_letter_arrives(
    house: House,
    sink: tuple[Sink, str],
    rng: random.Random,
) -> None:
    kept, url = sink
    house.settings = house.settings.model_copy(update={"smtp_url": url})
    kept.says = "550 5.1.1 No such Earl here"
    house.answer_all(rng)
    (letter,) = [x for s in "ab" for x in house.letters("turn", s)]
    assert letter.status == "bounced" and told(house, letter)[-1] == ("bounced", "550 5.1.1 No such Earl here")
    with open_session(house.settings) as session:
        match = house.players.match(session)
        assert ledger.troubled(session, match) == {letter.seat}
        account = session.get(Account, letter.account_id)
        assert account is not None and account.bounce == "550 5.1.1 No such Earl here"
    kept.says = ""
    with transaction(house.settings) as session:
        seat = session.get(Seat, (house.players.match_id, letter.seat))
        assert seat is not None
        again = letters.to_seat(session, "kept", match, seat, {"missed": 2})
        assert again.next_try_at == START + timedelta(days=1)  # no storm against a dead address
    with transaction(house.settings) as session:
        account = session.get(Account, letter.account_id)
        assert account is not None
        ledger.mended(session, account)
    house.tick()
    with open_session(house.settings) as session:
        assert not ledger.troubled(session, house.players.match(session))
        assert {x.status for x in session.exec(select(Letter).where(Letter.kind == "test"))} == {"sent"}
        # What came back and is still asked went out again.
        assert "bounced" not in ledger.counts(session) and ledger.oldest_unsent(session) is None


def test_a_server_that_is_busy_is_asked_again_and_its_words_are_kept(
    house: House,
    sink: tuple[Sink, str],
    rng: random.Random,
) -> None:
    kept, url = sink
    house.settings = house.settings.model_copy(update={"smtp_url": url})
    kept.says = "451 4.7.1 Greylisted"
    house.answer_all(rng)
    (letter,) = [x for s in "ab" for x in house.letters("turn", s)]
    assert letter.status == "queued" and told(house, letter)[-1] == ("deferred", "451 4.7.1 Greylisted")
    with open_session(house.settings) as session:
        assert not ledger.troubled(session, house.players.match(session))
    kept.says = ""
    house.pass_(timedelta(minutes=1))
    assert told(house, letter)[-1] == ("accepted", "250 OK")


# --- by report (RFC 3464) ---------------------------------------------------------------------------------------------


def report(letter: Letter, to: str, action: str = "failed", status: str = "5.1.1", original: bool = True) -> bytes:
    text = (
        f"Content-Type: multipart/report; report-type=delivery-status; boundary=xx\nFrom: MAILER-DAEMON@mx.test\nTo: {to}\n"
        "Auto-Submitted: auto-replied\nSubject: Undelivered\nMIME-Version: 1.0\n\n--xx\nContent-Type: text/plain\n\nSorry.\n\n"
        "--xx\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.test\n\n"
        f"Final-Recipient: rfc822; {letter.to_address}\nAction: {action}\nStatus: {status}\n"
        "Diagnostic-Code: smtp; 550 5.1.1 mailbox unknown\n\n"
    )
    if original:
        text += f"--xx\nContent-Type: message/rfc822\n\nMessage-ID: {letter.message_id}\nSubject: x\n\nBody\n\n"
    return (text + "--xx--\n").encode()


def test_a_report_of_failure_marks_the_letter_and_its_reader(house: House) -> None:
    letter = only(house, "a")
    to = links.mail_address(house.settings, "b", letter.id)
    assert inbox.receive(house.settings, report(letter, to)) == "bounced"
    assert inbox.receive(house.settings, report(letter, to)) == "bounced"
    assert told(house, letter)[-1] == ("bounced", "smtp; 550 5.1.1 mailbox unknown")
    assert [x for x, _ in told(house, letter)].count("bounced") == 1
    with open_session(house.settings) as session:
        assert ledger.troubled(session, house.players.match(session)) == {"a"}


def test_a_report_that_lost_the_return_address_is_known_by_the_message_id(house: House) -> None:
    assert inbox.receive(house.settings, report(only(house, "b"), "writ@writ.test")) == "bounced"


def test_a_delay_is_a_line_in_the_ledger_and_no_more(house: House) -> None:
    letter = only(house, "a")
    to = links.mail_address(house.settings, "b", letter.id)
    assert inbox.receive(house.settings, report(letter, to, "delayed", "4.4.7")) == "deferred"
    assert told(house, letter)[-1][0] == "deferred" and only(house, "a").status != "bounced"


def test_a_made_up_address_bounces_nothing(house: House) -> None:
    letter = only(house, "a")
    good = links.mail_address(house.settings, "b", letter.id)
    for to in (good[:-20] + "0" * 6 + good[-14:], f"writ+b.{letter.id}.{'0' * 16}@writ.test", "writ@writ.test", ""):
        assert inbox.receive(house.settings, report(letter, to, original=False)) == "dropped"
    assert inbox.receive(house.settings, b"\xff\xfe nonsense") == "dropped"
    assert inbox.receive(house.settings, b"x" * (inbox.LARGEST + 1)) == "dropped"
    assert only(house, "a").status != "bounced"


# --- replies ----------------------------------------------------------------------------------------------------------


def reply(house: House, letter: Letter, text: str, id: str = "<1@reader>", **headers: str) -> str:
    made = EmailMessage()
    made["From"], made["To"], made["Message-ID"] = letter.to_address, letter.headers["Reply-To"], id
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    quoted = "\n".join("> " + line for line in letter.text.splitlines())
    made.set_content(f"{text}\n\nOn Tue, Nov 24, 2026 at 9:00 AM Writ <writ@writ.test> wrote:\n{quoted}\n")
    found = inbox.receive(house.settings, made.as_bytes())
    house.tick()
    return found


def asked(house: House) -> Letter:
    (letter,) = [x for s in "ab" for x in house.letters("turn", s)][-1:]
    return letter


def test_a_reply_is_a_move_and_the_same_reply_twice_is_once(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    before = len(house.entries())
    assert reply(house, letter, "end") == "answered"
    assert [(e.actor, e.move, e.via) for e in house.entries()[before:]] == [(letter.seat, "end", "reply")]
    reply(house, letter, "end")
    assert len(house.entries()) == before + 1
    with open_session(house.settings) as session:
        assert len(session.exec(select(Submission).where(Submission.via == "reply")).all()) == 1


def test_a_number_takes_the_option_that_the_letter_lists(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    lines = [line.strip() for line in letter.text.splitlines()]
    number = next(line.partition(".")[0] for line in lines if line.endswith("End the Turn (closing draw)"))
    assert reply(house, letter, f"{number}.\n\nBest wishes") == "answered"
    assert house.entries()[-1].move == "end"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("77", "There is no option 77"),
        ("dance wildly", "can't be read"),
        ("attack target=siege:b:F9", "An attack needs a force"),
        ("concede sure=yes", "asked twice"),
        ("", "no words above the quoted letter"),
    ],
)
def test_a_reply_that_can_not_be_taken_is_answered_with_a_sentence(
    house: House, rng: random.Random, text: str, sentence: str
) -> None:
    house.answer_all(rng)
    letter, before = asked(house), len(house.entries())
    assert reply(house, letter, text) == "refused"
    assert len(house.entries()) == before
    assert sentence in house.letters("reply_refused")[-1].text


def test_refusals_never_make_a_storm_and_machines_get_none(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    for i in range(6):
        reply(house, letter, "nonsense", id=f"<{i}@reader>")
    assert len(house.letters("reply_refused")) == inbox.REFUSALS_AN_HOUR
    before = len(house.entries())
    assert reply(house, letter, "end", id="<auto@reader>", Auto_Submitted="auto-replied") == "dropped"
    assert reply(house, letter, "end", id="<bulk@reader>", Precedence="bulk") == "dropped"
    assert len(house.entries()) == before


def test_a_reply_to_an_old_letter_says_that_the_position_has_moved_on(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    house.answer_all(rng)
    assert reply(house, letter, "end") == "refused"


def test_the_mail_address_of_a_seat_dies_with_its_owner(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    house.command("operator", f"seek seat={letter.seat}")
    before = len(house.entries())
    assert reply(house, letter, "end") == "dropped"
    assert len(house.entries()) == before and not house.letters("reply_refused")


def test_a_reply_to_talk_is_said_in_the_same_conversation(house: House) -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "b", "Peace until spring?", "key-of-anna")
    house.pass_(timedelta(minutes=3))
    (letter,) = house.letters("talk", "b")
    assert reply(house, letter, "Agreed.\nUntil spring.") == "said"
    with open_session(house.settings) as session:
        said = session.exec(select(Message).order_by(Message.at)).all()
    assert [(m.seat, m.text, m.via) for m in said][-1] == ("b", "Agreed.\nUntil spring.", "reply")
    assert len({m.thread_id for m in said}) == 1


# --- as the reader wishes ---------------------------------------------------------------------------------------------


def wish(house: House, letter: str, mode: str) -> None:
    with transaction(house.settings) as session:
        seat = session.get(Seat, (house.players.match_id, letter))
        assert seat is not None
        seat.letters = mode
        session.add(seat)


def test_only_when_asked_leaves_talk_out_and_none_leaves_out_all_but_what_is_owed(house: House, rng: random.Random) -> None:
    wish(house, "a", "asked")
    wish(house, "b", "none")
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "", "Hello all.", "key-of-anna")
        talk.say(session, house.players.match(session), "b", "", "Hello Anna.", "key-of-bert")
    assert [x.status for x in house.letters("talk")] == ["dropped", "dropped"]
    for _ in range(40):
        if house.letters("turn", "a") and house.letters("turn", "b"):
            break
        house.answer_all(rng)
    assert {x.status for x in house.letters("turn", "a")} <= {"sent", "queued", "dropped"}
    assert {x.error for x in house.letters("turn", "b")} == {"not wished"}
    house.command("operator", "seek seat=b")
    assert [x.status for x in house.letters("replaced", "b")] == ["sent"]


def test_a_digest_goes_out_once_a_day_at_the_readers_hour(house: House, rng: random.Random) -> None:
    for seat in "ab":
        wish(house, seat, "digest")
    house.answer_all(rng)
    (letter,) = [x for s in "ab" for x in house.letters("turn", s)]
    assert letter.status == "gathered"
    with transaction(house.settings) as session:
        other = "a" if letter.seat == "b" else "b"
        talk.say(session, house.players.match(session), other, "", "Good luck!", "key-of-other")

    def digests() -> list[Letter]:
        with open_session(house.settings) as session:
            return list(session.exec(select(Letter).where(Letter.kind == "digest")))

    house.go_to(START + 22 * HOUR - timedelta(seconds=1))  # 06:59:59
    assert digests() == []
    house.go_to(START + 22 * HOUR)
    house.tick()
    house.tick()
    (made,) = digests()
    assert made.to_address == letter.to_address and made.status == "sent"
    token = made.headers["List-Unsubscribe"].partition("/leave/")[2].rstrip(">")
    with open_session(house.settings) as session:
        assert [(s.match_id, s.seat) for s in links.leaving(house.settings, session, token)] == [(letter.match_id, letter.seat)]
    assert "Your Turn: what next?" in made.text and "Good luck!" in made.text and "Wed 25 Nov 2026, 09:00 UTC" in made.text
    house.go_to(START + 46 * HOUR)
    assert len(digests()) <= 2  # nothing new: no empty one


def test_the_digest_hour_is_one_of_the_local_calendar() -> None:
    account = Account(email="x", zone="Europe/Vienna", digest_hour=7)
    summer, winter = datetime(2026, 10, 24, 12, tzinfo=UTC), datetime(2026, 10, 25, 12, tzinfo=UTC)
    assert digest.last_hour(account, summer) == datetime(2026, 10, 24, 5, tzinfo=UTC)
    assert digest.last_hour(account, winter) == datetime(2026, 10, 25, 6, tzinfo=UTC)
    assert digest.last_hour(account, datetime(2026, 10, 25, 5, 59, tzinfo=UTC)) == datetime(2026, 10, 24, 5, tzinfo=UTC)


def test_letters_name_their_thread_and_end_with_one_click(house: House) -> None:
    made = delivery.message(house.settings, only(house, "a"))
    assert made["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert made["List-Unsubscribe"].startswith("<http://writ.test/leave/")
    assert made["In-Reply-To"] == made["References"] and made["List-Id"] and made["Auto-Submitted"] == "auto-generated"
    assert len(only(house, "a").html) < 60_000


# --- the calendar -----------------------------------------------------------------------------------------------------


def test_the_calendar_shows_ones_own_deadlines_and_no_secret(house: House) -> None:
    with transaction(house.settings) as session:
        anna = person(session, "Anna")
        calendar.renew(session, anna)
        key = anna.calendar_key
    with open_session(house.settings) as session:
        feed = Calendar.from_ical(calendar.feed(session, key))
    (event,) = feed.walk("VEVENT")
    assert event["dtstart"].dt == START + 24 * HOUR and event["summary"] == "Harvest war: your answer is due"
    assert "/t/" not in event["url"] and "deck" not in str(feed)
    with transaction(house.settings) as session:
        calendar.close(session, person(session, "Anna"))
    with open_session(house.settings) as session:
        for dead in (key, "", "x"):
            with pytest.raises(NotFound):
                calendar.feed(session, dead)


def test_a_copy_has_a_fresh_link_and_is_no_storm(table: Players, settings: Settings) -> None:
    with transaction(settings) as session:
        match = table.match(session)
        seat = session.get(Seat, (match.id, "a"))
        assert seat is not None
        made = [ledger.resend(session, match, seat) for _ in range(ledger.RESENDS_AN_HOUR)]
        assert len({x.message_id for x in made}) == len(made) and {x.kind for x in made} == {"turn"}
        with pytest.raises(Exception, match="within an hour are enough"):
            ledger.resend(session, match, seat)
    with open_session(settings) as session:
        assert not session.exec(select(EntryRow)).all()
