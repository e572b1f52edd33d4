"""Mail as it really comes: malformed, from machines, twice, to dead addresses, into digests that are switched on meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage

import pytest
import time_machine
from aiosmtpd.smtp import Envelope
from sqlmodel import select

from service import inbox, letters, links, talk
from service.db import open_session, transaction
from service.models import Letter, Seat
from service.settings import Settings
from tests.service.conftest import Sink
from tests.service.test_deadlines import HOUR, START, House, Sent
from tests.service.test_ledger import asked, only, reply, report, wish


@pytest.fixture
def clock() -> Iterator[time_machine.Coordinates]:
    with time_machine.travel(START, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Coordinates) -> House:
    return House(settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0}), sent, clock)


def test_a_dead_address_is_tried_once_a_day_whatever_waits_for_it(
    house: House, sink: tuple[Sink, str], rng: random.Random
) -> None:
    kept, url = sink
    house.settings = house.settings.model_copy(update={"smtp_url": url})
    kept.says = "550 5.1.1 No"
    house.answer_all(rng)
    letter = asked(house)
    with transaction(house.settings) as session:
        match = house.players.match(session)
        seat = session.get(Seat, (match.id, letter.seat))
        assert seat is not None
        for _ in range(5):
            letters.to_seat(session, "kept", match, seat, {"missed": 2})
    house.go_to(START + 25 * HOUR)
    states = [x.status for x in house.letters("kept", letter.seat)]
    assert states.count("bounced") <= 1 and states.count("queued") >= 4


def test_who_has_no_return_address_gets_no_answer(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    made = EmailMessage()
    made["From"], made["To"], made["Message-ID"] = letter.to_address, letter.headers["Reply-To"], "<ooo@x>"
    made.set_content("I am out of office.")
    envelope = Envelope()
    envelope.mail_from, envelope.rcpt_tos, envelope.content = "", [letter.headers["Reply-To"]], made.as_bytes()
    said = asyncio.run(inbox.Handler(house.settings).handle_DATA(None, None, envelope))
    assert said.startswith("250") and not house.letters("reply_refused")


def test_a_server_asks_only_for_addresses_that_are_ours(house: House) -> None:
    handler, envelope = inbox.Handler(house.settings), Envelope()
    good = links.mail_address(house.settings, "b", only(house, "a").id)
    for address in ("writ@writ.test", "anna@example.org", good.replace("+b.", "+r.")):
        assert asyncio.run(handler.handle_RCPT(None, None, envelope, address, [])).startswith("550")
    assert asyncio.run(handler.handle_RCPT(None, None, envelope, good, [])) == "250 OK"
    assert envelope.rcpt_tos == [good]


def test_the_same_refused_reply_twice_is_answered_once(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    for _ in range(2):
        reply(house, asked(house), "nonsense", id="<same@reader>")
    assert len(house.letters("reply_refused")) == 1


def test_a_reply_to_a_letter_from_before_the_links_were_called_back_is_dead(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    with transaction(house.settings) as session:
        seat = session.get(Seat, (house.players.match_id, letter.seat))
        assert seat is not None
        links.renew_seat(session, seat)
    assert reply(house, letter, "end") == "dropped"


def test_no_word_of_talk_is_lost_when_the_reader_takes_to_digests_meanwhile(house: House) -> None:
    house.settings = house.settings.model_copy(update={"hold_seconds": 120})

    def say(text: str) -> None:
        with transaction(house.settings) as session:
            talk.say(session, house.players.match(session), "a", "", text, f"key-of-anna-{text.split()[0]}")

    say("First words")
    house.clock.shift(timedelta(seconds=30))
    wish(house, "b", "digest")
    say("Second words")
    house.go_to(START + 22 * HOUR)
    with open_session(house.settings) as session:
        text = "".join(x.text for x in session.exec(select(Letter).where(Letter.kind == "digest")))
    assert "First words" in text and "Second words" in text


def test_a_digest_whose_question_was_answered_is_not_sent(house: House, rng: random.Random) -> None:
    for seat in "ab":
        wish(house, seat, "digest")
    house.answer_all(rng)
    letter = asked(house)
    for _ in range(60):
        if letter.seat not in house.players.asked():
            break
        house.players.submit(letter.seat, rng)
        house.tick()
    house.go_to(START + 22 * HOUR)
    with open_session(house.settings) as session:
        assert letter.account_id not in [x.account_id for x in session.exec(select(Letter).where(Letter.kind == "digest"))]


BAD = [
    b"Message-ID: <a@[\r\n",
    b"Message-ID: <>\r\n",
    b"To: <\r\n",
    b'To: "\r\n',
    b"Cc: a:b:c;;<\r\n",
    b"From: =?utf-8?q?=\r\n",
    b"Content-Type: text/plain; charset=nonsense\r\n",
    b"Content-Type: multipart/mixed\r\n",
    b"Content-Transfer-Encoding: base64\r\nContent-Type: text/plain\r\n",
    b"Auto-Submitted: \xff\xfe\r\n",
    b"Content-Type: message/rfc822\r\n",
    b"Content-Type: multipart/report; boundary=\r\n",
    b"Content-Type: ;;;=\r\n",
    b"Content-Disposition: attachment; filename*=x'y\r\n",
]


@pytest.mark.parametrize("head", BAD)
def test_nothing_that_a_message_may_hold_stops_the_post(house: House, head: bytes) -> None:
    letter = only(house, "a")
    for what in ("r", "b", ""):
        to = (links.mail_address(house.settings, what, letter.id),) if what else ()
        for body in (b"\r\nhello\r\n", b"\r\n", b"", b"\r\n\xff\xfe\x00\r\n"):
            inbox.receive(house.settings, head + body, to)
            inbox.receive(house.settings, b"From: a@b\r\n" + head + body, to)


def test_a_mangled_report_is_dropped_or_read(house: House) -> None:
    letter = only(house, "a")
    to = links.mail_address(house.settings, "b", letter.id)
    good, rng = report(letter, to), random.Random(3)
    for i in range(150):
        data = bytearray(good)
        for _ in range(rng.randrange(1, 8)):
            k = rng.randrange(len(data))
            data[k : k + rng.randrange(0, 4)] = bytes(rng.randrange(256) for _ in range(rng.randrange(3)))
        assert inbox.receive(house.settings, bytes(data), (to,) if i % 2 else ()) in ("bounced", "deferred", "dropped")


def test_a_reply_in_html_alone_is_read(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    data = b"From: a@b\r\nMessage-ID: <z@z>\r\nContent-Type: text/html\r\n\r\n<p>end</p><blockquote>Writ wrote</blockquote>\r\n"
    assert inbox.receive(house.settings, data, (letter.headers["Reply-To"],)) == "answered"
