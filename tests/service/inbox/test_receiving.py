"""Mail as it really comes: malformed, from machines, twice, to dead addresses, into digests that are switched on meanwhile."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from unittest.mock import Mock

import pytest
import time_machine
from aiosmtpd.smtp import Envelope
from sqlalchemy import text
from sqlmodel import Session, col, delete, select

from engine.core.asks import Ambiguous, NotUnderstood
from engine.ui.forms import Form, FormOption
from engine.ui.heard import example
from service.inbox import answers, server
from service.inbox import receiving as inbox
from service.people import accounts, address_changes
from service.post import letters, links
from service.seat import handover, seat_view
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, LetterEvent, LetterStatus, Message, SeatRow, Submission
from service.table import talk
from tests.aside import aside
from tests.house import HOUR, START, House, Sent
from tests.service.conftest import Sink, on_postgres, on_sqlite, person
from tests.service.post.test_ledger import asked, only, reply, report, wish
from workers import adjudicate
from workers.letters import digest


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0}), sent, clock)


def test_talk_to_a_dead_address_is_tried_once_a_day_and_all_else_at_once(
    house: House, sink: tuple[Sink, str], rng: random.Random
) -> None:
    kept, url = sink
    house.settings = house.settings.model_copy(update={"smtp_url": url})
    kept.says = "550 5.1.1 No"
    with transaction(house.settings) as session:
        account = session.get(Account, only(house, "b").account_id)
        assert account is not None
        account.bounced_at = START
        session.add(account)
        for n in range(3):
            talk.say(session, house.players.match(session), "a", "", "Words", f"key-of-anna-{n}")
    house.tick()
    waiting = [x for x in house.letters("talk", "b") if x.status == "queued"]
    assert waiting and {x.next_try_at for x in waiting} == {START + 24 * HOUR}
    while not house.letters("turn", "b"):
        house.answer_all(rng)
    assert house.letters("turn", "b")[-1].status in ("bounced", "dropped")
    house.go_to(START + 25 * HOUR)
    states = [x.status for x in house.letters("talk", "b")]
    assert "sent" not in states and states.count(LetterStatus.BOUNCED) <= 1


def posted(letter: Letter, text: str, sender: str) -> tuple[EmailMessage, Envelope]:
    """A reply to a letter, and its SMTP envelope with this sender."""
    made, envelope = EmailMessage(), Envelope()
    made["From"], made["To"], made["Message-ID"] = letter.to_address, letter.headers["Reply-To"], "<1@reader>"
    made.set_content(text)
    envelope.mail_from, envelope.rcpt_tos, envelope.content = sender, [letter.headers["Reply-To"]], made.as_bytes()
    return made, envelope


@on_sqlite
def test_who_has_no_return_address_gets_no_answer(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    _, envelope = posted(letter, "I am out of office.", "")
    said = aside(server.Handler(house.settings).handle_DATA(None, None, envelope))
    assert said.startswith("250") and not house.letters("reply_refused")


@on_sqlite
def test_a_reply_to_a_letter_that_a_restored_backup_does_not_have_is_returned_to_its_writer(
    house: House, rng: random.Random
) -> None:
    """It would play nothing, and its writer would believe that it had."""
    house.answer_all(rng)
    letter = asked(house)
    made, envelope = posted(letter, "end", letter.to_address)
    with transaction(house.settings) as session:
        session.exec(delete(LetterEvent))
        session.exec(delete(Letter).where(col(Letter.id) == letter.id))
    house.clock.shift(HOUR)
    assert aside(server.Handler(house.settings).handle_DATA(None, None, envelope)).startswith("550 5.1.1")
    made["Auto-Submitted"] = "auto-replied"
    envelope.content = made.as_bytes()
    assert aside(server.Handler(house.settings).handle_DATA(None, None, envelope)).startswith("250")


def test_a_server_asks_only_for_addresses_that_are_ours(house: House) -> None:
    handler, envelope = server.Handler(house.settings), Envelope()
    good = links.mail_address(house.settings, "b", only(house, "a").id)
    for address in ("writ@writ.test", "anna@example.org", good.replace("+b.", "+r.")):
        assert aside(handler.handle_RCPT(None, None, envelope, address, [])).startswith("550")
    assert aside(handler.handle_RCPT(None, None, envelope, good, [])) == "250 OK"
    assert envelope.rcpt_tos == [good]


@on_sqlite
def test_talk_in_a_charset_that_its_label_does_not_name_comes_back(house: House) -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "", "Peace until spring?", "key-of-anna-0")
    house.tick()
    letter = house.letters("talk", "b")[-1]
    house.clock.shift(HOUR)
    data = f"To: {letter.headers['Reply-To']}\nContent-Type: text/plain; charset=utf-8\n\n".encode() + "Gewiß".encode("latin-1")
    assert inbox.receive(house.settings, data) == "refused"
    house.tick()
    assert "Unicode (UTF-8)" in " ".join(house.letters("reply_refused")[-1].text.split())
    assert inbox.receive(house.settings, data.replace(b"=utf-8", b"=iso-8859-1")) == "said"


@on_sqlite
def test_the_same_refused_reply_twice_is_answered_once(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    for _ in range(2):
        reply(house, asked(house), "nonsense", id="<same@reader>")
    assert len(house.letters("reply_refused")) == 1


def renew_links(session: Session, seat: SeatRow, account: Account) -> None:
    links.renew_seat(session, seat)


def sign_out(session: Session, seat: SeatRow, account: Account) -> None:
    accounts.sign_out_everywhere(session, account)


def change_address(session: Session, seat: SeatRow, account: Account) -> None:
    address_changes._move(session, account, "new@example.org")


@on_sqlite
@pytest.mark.parametrize("renew", [renew_links, sign_out, change_address])
def test_a_reply_to_a_letter_from_before_the_links_were_renewed_plays_nothing_and_its_owner_hears_of_it(
    house: House, rng: random.Random, renew: Callable[[Session, SeatRow, Account], None]
) -> None:
    house.answer_all(rng)
    letter, before = asked(house), len(house.entries())
    with transaction(house.settings) as session:
        seat = session.get_one(SeatRow, (house.players.match_id, letter.seat))
        renew(session, seat, session.get_one(Account, seat.account_id))
    assert reply(house, letter, "end") == "refused" and len(house.entries()) == before
    (refusal,) = house.letters("reply_refused")
    with open_session(house.settings) as session:
        assert refusal.to_address == session.get_one(Account, letter.account_id).email
    told = " ".join(refusal.text.split())
    assert "The links of your seat were renewed after that letter went out" in told and "Reply once more" in told
    assert "“end”" not in told, "somebody else may have written it"
    assert reply(house, refusal, "end", id="<2@reader>") == "answered"
    assert [(e.actor, e.move, e.via) for e in house.entries()[before:]] == [(letter.seat, "end", "reply")]


@on_sqlite
def test_who_knows_an_old_reply_address_sends_its_owner_one_letter_and_keeps_none_away(
    house: House, rng: random.Random
) -> None:
    house.answer_all(rng)
    letter = asked(house)
    with transaction(house.settings) as session:
        links.renew_seat(session, session.get_one(SeatRow, (house.players.match_id, letter.seat)))
    for n in range(2 * inbox.REFUSALS_AN_HOUR):
        assert reply(house, letter, f"Boo {n}", id=f"<{n}@stranger>") == "refused"
    (first,) = house.letters("reply_refused")
    for n in range(inbox.REFUSALS_AN_HOUR):
        assert reply(house, first, f"nonsense {n}", id=f"<{n}@reader>") == "refused"
    assert len(house.letters("reply_refused")) == 1 + inbox.REFUSALS_AN_HOUR


@on_sqlite
def test_a_reply_to_a_letter_of_the_seat_s_former_player_is_dropped(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    with transaction(house.settings) as session:
        seat = session.get_one(SeatRow, (house.players.match_id, letter.seat))
        links.renew_seat(session, seat)
        seat.account_id = person(session, "Cleo").id
        session.add(seat)
    assert reply(house, letter, "end") == "dropped" and not house.letters("reply_refused")


def test_a_reply_that_comes_in_while_the_seat_changes_hands_is_dropped(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter, came = asked(house), list[str]()
    late = threading.Thread(target=lambda: came.append(reply(house, letter, "end")))
    with transaction(house.settings) as session:
        session.execute(adjudicate.LOCKED, {"match": house.players.match_id})
        handover.detach_player(
            session, house.players.match(session), session.get_one(SeatRow, (house.players.match_id, letter.seat))
        )
        late.start()
        late.join(1)
    late.join()
    assert came == ["dropped"]


@on_sqlite
def test_refusals_to_a_seat_s_former_player_keep_none_from_the_next(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    for n in range(inbox.REFUSALS_AN_HOUR):
        assert reply(house, letter, f"nonsense {n}", id=f"<{n}@reader>") == "refused"
    with transaction(house.settings) as session:
        seat = session.get_one(SeatRow, (house.players.match_id, letter.seat))
        seat.account_id = person(session, "Cleo").id
        session.add(seat)
    assert reply_to(house, quiet_letter(house, letter.seat, "advance_dropped"), "nonsense", "next") == "refused"
    assert [x.to_address for x in house.letters("reply_refused")][inbox.REFUSALS_AN_HOUR :] == ["cleo@example.org"]


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


@on_sqlite
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
        became = inbox.receive(house.settings, bytes(data), (to,) if i % 2 else ())
        assert became in ("bounced", "deferred", "rejected", "reported", "autoresponded", "dropped")


@on_sqlite
def test_a_reply_in_html_alone_is_read(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    data = b"From: a@b\r\nMessage-ID: <z@z>\r\nContent-Type: text/html\r\n\r\n<p>end</p><blockquote>Writ wrote</blockquote>\r\n"
    assert inbox.receive(house.settings, data, (letter.headers["Reply-To"],)) == "answered"


@on_sqlite
@pytest.mark.parametrize("page", ["<s>end</s>", "<p><del>1</del></p>", "<div style='display:none'>end</div>", "<p>~~end~~</p>"])
def test_an_answer_that_is_struck_out_or_hidden_plays_nothing(house: House, rng: random.Random, page: str) -> None:
    house.answer_all(rng)
    letter, before = asked(house), len(house.entries())
    data = f"From: a@b\r\nMessage-ID: <z@z>\r\nContent-Type: text/html\r\n\r\n{page}\r\n".encode()
    assert inbox.receive(house.settings, data, (letter.headers["Reply-To"],)) == "refused"
    house.tick()
    assert len(house.entries()) == before


@on_sqlite
@pytest.mark.parametrize("text", ["end\u200d", "\ufeffend\u00a0", "\u202aend\u202c"])
def test_marks_that_a_mail_program_strews_into_an_answer_are_passed_over(house: House, rng: random.Random, text: str) -> None:
    house.answer_all(rng)
    assert reply_to(house, asked(house), text, "strewn") == "answered"


# --- a reply answers the question of its letter ---------------------------------------------------------------------------


def reply_to(house: House, letter: Letter, text: str, id: str) -> str:
    data = f"Message-ID: <{id}@reader>\n\n{text}\n".encode()
    house.clock.shift(timedelta(minutes=1))  # nobody answers a letter in the moment in which it goes out
    return inbox.receive(house.settings, data, (links.mail_address(house.settings, "r", letter.id),), letter.to_address)


def quiet_letter(house: House, seat: str, kind: str) -> Letter:
    """A letter that asks nothing, to somebody who is asked something."""
    with transaction(house.settings) as session:
        row = session.get(SeatRow, (house.players.match_id, seat))
        assert row is not None
        context = {"title": "x", "words": "y", "why": "z"} if kind == "advance_dropped" else {"why": "z", "again": False}
        return letters.to_seat(session, kind, house.players.match(session), row, context)


@pytest.mark.parametrize("kind", ["advance_dropped", "reply_refused"])
@pytest.mark.parametrize("text", ["1", "end"])
def test_a_reply_to_a_letter_that_asked_nothing_answers_nothing(house: House, rng: random.Random, kind: str, text: str) -> None:
    house.answer_all(rng)
    open_, before = asked(house), len(house.entries())
    quiet = quiet_letter(house, open_.seat, kind)
    assert reply_to(house, quiet, text, f"{kind}-{text}") == "refused"
    house.tick()
    assert any("That letter didn’t ask a question" in letter.text for letter in house.letters("reply_refused"))
    assert len(house.entries()) == before and open_.seat in house.players.asked()


@on_sqlite
def test_the_letter_of_the_start_answers_its_own_question_and_no_later_one(house: House, rng: random.Random) -> None:
    first = only(house, "a")
    assert first.serial == 0  # it goes out even when its question is answered
    cards = (
        "Castle*2,Land,MarketTown*2,Cathedral*3,Prince,Vassal*3,Monk,Mercenary,Treachery*2,Intrigue*2,Allies,Banquet*3,Banner*2"
    )
    text = f"deck cards=[{cards}]"
    assert reply_to(house, first, text, "deck") == "answered"
    house.tick()
    assert "a" not in house.players.asked()
    while "a" not in house.players.asked():
        house.answer_all(rng)
    before = len(house.entries())
    for text in ("1", "end"):
        assert reply_to(house, first, text, f"late-{text}") == "refused"
    house.tick()
    assert len(house.entries()) == before
    refusal = house.letters("reply_refused")[-1].text
    assert "You are not asked that any more" in refusal and "Reply once more" not in refusal, "for that would be in vain"


@on_sqlite
def test_the_deck_that_a_letter_gives_as_an_example_can_be_copied_over_its_lines(house: House) -> None:
    letter = next(letter for letter in house.letters("started") if letter.seat == "a")
    copied = letter.text.partition("by reply: ")[2].partition("\n\n")[0]
    assert copied.count("\n") == 2
    assert reply(house, letter, copied) == "answered"


def test_nobodys_message_id_stands_in_the_way_of_anothers_reply(house: House) -> None:
    with transaction(house.settings) as session:
        for seat in "ab":
            talk.say(session, house.players.match(session), seat, "", "Hello.", f"key-of-{seat}-all")
    house.pass_(timedelta(minutes=3))
    for seat in "ab":
        assert reply_to(house, house.letters("talk", seat)[-1], f"I am {seat}.", "the-same") == "said"


@on_sqlite
def test_a_reply_to_a_refusal_counts_as_one_to_the_letter_itself(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    assert reply_to(house, letter, "nonsense", "one") == "refused"
    (refusal,) = house.letters("reply_refused")
    assert "Reply once more" in refusal.text
    assert "You wrote: “nonsense”" in refusal.text and "You wrote: “nonsense”" in refusal.html
    assert reply_to(house, refusal, "end", "two") == "answered"


def test_what_a_refused_reply_said_is_quoted_as_it_was_and_does_nothing(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter, end = asked(house), "\u202eend\x00 </p><script>x()</script> {{ 7 * 7 }} %(text)s {seat} =?utf-8?q?x?= " + "(" * 4000
    assert reply_to(house, letter, f"no {end}\r\nBcc: x@y.test", "odd") == "refused"
    (refusal,) = house.letters("reply_refused")
    assert "“no end </p><script>x()</script> {{ 7 * 7 }} %(text)s {seat}" in refusal.text and "(…”" in refusal.text
    assert "(" * 20 not in refusal.text and "Bcc" not in refusal.text
    assert "<script" not in refusal.html and "&lt;/p&gt;&lt;script&gt;x()" in refusal.html
    assert not any(mark in letter for letter in (refusal.text, refusal.html) for mark in "\u202e\x00")


@on_sqlite
def test_talk_by_mail_keeps_spaces_that_do_not_break_as_spaces_and_emoji_whole(house: House) -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "b", "Peace until spring?", "key-of-anna")
    house.pass_(timedelta(minutes=3))
    assert reply_to(house, house.letters("talk", "b")[-1], "Avec plaisir\u00a0! 👨\u200d👩\u200d👧", "emoji") == "said"
    with transaction(house.settings) as session:
        assert session.exec(select(Message).where(Message.seat == "b")).one().text == "Avec plaisir ! 👨\u200d👩\u200d👧"


def test_a_reply_to_a_refusal_of_talk_is_talk(house: House, rng: random.Random) -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "b", "Peace until spring?", "key-of-anna")
    house.pass_(timedelta(minutes=3))
    (letter,) = house.letters("talk", "b")
    assert reply_to(house, letter, "x" * (talk.LONGEST + 1), "long") == "refused"
    (refusal,) = house.letters("reply_refused")
    assert reply_to(house, refusal, "1", "short") == "said"


# --- one letter that can't be made ----------------------------------------------------------------------------------------


def test_a_digest_that_can_not_be_made_keeps_nobody_waiting(
    house: House, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    fallen: list[str] = []

    def fails(*_: object) -> object:
        fallen.append("a")
        raise RuntimeError("no")

    wish(house, "a", "digest")
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "b", "", "Hello.", "key-of-bert")
    monkeypatch.setattr(digest, "_parts", fails)
    house.go_to(START + 22 * HOUR)
    house.tick()
    assert fallen and house.letters("reminder", "a") and house.letters("reminder", "b")


@on_postgres
def test_a_letter_is_owed_to_whom_a_digest_is_made_for(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a run that has dropped a letter which the digest is to hold, and owes another, waits for it, and it for the run."""
    owed: list[str] = []
    real = digest._parts

    def parts(session: Session, account: Account, rows: list[Letter]) -> list[dict[str, object]]:
        with transaction(house.settings) as other:
            other.execute(text("SET LOCAL lock_timeout = '5s'"))
            links.sign_in_link(other, account)
            other.flush()
        owed.append(account.id)
        return real(session, account, rows)

    wish(house, "a", "digest")
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "b", "", "Hello.", "key-of-bert")
    monkeypatch.setattr(digest, "_parts", parts)
    house.go_to(START + 22 * HOUR)
    house.tick()
    assert owed


def turn_form() -> Form:
    """A question with options whose names begin alike, and one that can't be had back."""
    options = [
        FormOption(id, id.capitalize(), id == "concede", []) for id in ("attack", "recruit", "replace", "end", "concede")
    ]
    return Form("a", "turn", "D-10", 1, "What next?", "end", {}, options)


@pytest.mark.parametrize(("line", "option"), [("att", "attack"), ("recr", "recruit"), ("end", "end"), ("a", "a"), ("en", "en")])
def test_only_a_beginning_of_some_letters_stands_for_an_option(line: str, option: str) -> None:
    # What is no option is refused where the answer is queued, as any other word.
    assert answers.parse(turn_form(), [line]).option == option


def test_a_beginning_that_fits_several_options_is_asked_about() -> None:
    with pytest.raises(Ambiguous, match="could mean any of these: recruit, replace"):
        answers.parse(turn_form(), ["re"])


def test_a_beginning_plays_nothing_that_can_not_be_had_back() -> None:
    with pytest.raises(NotUnderstood, match="we ask twice"):
        answers.parse(turn_form(), ["conc"])


def test_a_message_without_an_id_that_is_handed_on_twice_is_said_once(house: House) -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "b", "", "Peace?", "key-of-bert-peace")
    house.pass_(timedelta(minutes=3))
    to = links.mail_address(house.settings, "r", house.letters("talk", "a")[-1].id)
    text = f"From: anna@example.org\nTo: {to}\nDate: Tue, 24 Nov 2026 10:00:00 +0000\nSubject: Re: x\n\nAgreed.\n"
    ways = (
        text,
        f"Received: from a by b; 1\nDelivered-To: {to}\n{text}",
        f"Received: from c by d; 2\nReceived: from a by b; 1\n{text}",
        text.replace("\n", "\r\n"),
        text.replace("Subject: Re: x", "Subject:  Re: x") + "\n",
    )
    for way in ways:
        inbox.receive(house.settings, way.encode(), (to,), "anna@example.org")

    def said() -> list[str]:
        with open_session(house.settings) as session:
            return [m.text for m in session.exec(select(Message).where(Message.seat == "a"))]

    assert said() == ["Agreed."]
    # Another message is another, by its words, its date or its sender.
    for other in (text.replace("Agreed", "Or not"), text.replace("10:00", "10:05")):
        inbox.receive(house.settings, other.encode(), (to,), "anna@example.org")
    assert said() == ["Agreed.", "Or not.", "Agreed."]


@on_sqlite
def test_a_reply_of_marks_that_nobody_sees_comes_back(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    house.clock.shift(HOUR)
    assert reply(house, letter, "\u200d") == "refused"
    assert len(house.letters("reply_refused")) == 1


@on_sqlite
def test_answers_between_quoted_lines_of_talk_are_asked_back_and_not_said(house: House) -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "", "Well met, neighbours.", "key-of-anna")
    house.tick()
    (letter,) = house.letters("talk", "b")
    house.clock.shift(HOUR)
    quoted = "\n".join(f"> {line}" for line in letter.text.splitlines()[:5])
    text = f"Hello all.\n\nOn 11/24/26 9:00 AM, Writ wrote:\n{quoted}\n\nYes, agreed.\n\n> Answer here:\n"
    assert reply(house, letter, text) == "refused"
    with open_session(house.settings) as session:
        assert [m.text for m in session.exec(select(Message))] == ["Well met, neighbours."]
    (back,) = house.letters("reply_refused", "b")
    assert "above the quoted letter" in " ".join(back.text.split())


def below(letter: Letter, text: str) -> bytes:
    """A reply under the whole quoted letter."""
    quoted = "\n".join(("> " + line).rstrip() for line in letter.text.splitlines())
    made = EmailMessage()
    made["From"], made["To"], made["Message-ID"] = letter.to_address, letter.headers["Reply-To"], "<below@reader>"
    made.set_content(f"On Tue, Nov 24, 2026 at 9:00 AM Writ <writ@writ.test> wrote:\n{quoted}\n\n{text}\n-- \nAnna\n")
    return made.as_bytes()


@on_sqlite
@pytest.mark.parametrize("game", ["ortus", "mastery", "fief"])
def test_an_answer_below_the_quoted_letter_is_a_move(
    settings: Settings, sent: Sent, clock: time_machine.Traveller, rng: random.Random, game: str
) -> None:
    house = House(settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0}), sent, clock, 3, game=game)
    while not house.letters("turn"):
        house.answer_all(rng)
    letter = next(letter for ask in house.asks() for letter in house.letters("turn", ask.seat) if letter.serial == ask.serial)
    with open_session(house.settings) as session:
        view = seat_view.load_for_owner(session, house.players.match(session), letter.seat)
    assert view is not None and view.form is not None
    said = next(
        n
        for n, option in enumerate(view.form.options, 1)
        if not option.grave and (option.fields == [] or example(view.form, option))
    )
    option = view.form.options[said - 1]
    house.clock.shift(HOUR)
    assert inbox.receive(house.settings, below(letter, example(view.form, option) or str(said))) == "answered"
    with open_session(house.settings) as session:
        (row,) = session.exec(select(Submission).where(Submission.via == "reply")).all()
    assert (row.seat, row.move.split()[0]) == (letter.seat, option.id)


@on_sqlite
def test_talk_below_the_quoted_letter_is_said_without_a_signature_or_private_link(house: House) -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "", "Peace until spring?", "key-of-anna-0")
    house.tick()
    letter = house.letters("talk", "b")[-1]
    house.clock.shift(HOUR)
    for signature in ("", "Best,\nBert", house.seat("b").name):
        assert inbox.receive(house.settings, below(letter, signature)) == "refused"
    private = next(word for word in letter.text.split() if "/t/" in word)
    said = f"Until spring, then.\n\n{private}\n{letter.headers['Reply-To']}"
    assert inbox.receive(house.settings, below(letter, said)) == "said"
    with open_session(house.settings) as session:
        assert [m.text for m in session.exec(select(Message)) if m.seat == "b"] == ["Until spring, then."]


@on_sqlite
def test_a_reply_whose_question_can_not_be_loaded_is_put_off_and_not_lost(
    house: House, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the rules is no fault of the message: its writer's mail server tries again."""
    house.answer_all(rng)
    letter = asked(house)
    _, envelope = posted(letter, "end", letter.to_address)
    house.clock.shift(HOUR)
    with monkeypatch.context() as patch:
        for fault in (KeyError("x"), ValueError("x"), AttributeError("x")):
            patch.setattr(seat_view, "load_for_owner", Mock(side_effect=fault))
            assert aside(server.Handler(house.settings).handle_DATA(None, None, envelope)).startswith("451")
    assert aside(server.Handler(house.settings).handle_DATA(None, None, envelope)).startswith("250")
    with open_session(house.settings) as session:
        assert [row.move for row in session.exec(select(Submission).where(Submission.via == "reply"))] == ["end"]


def test_a_message_to_two_letters_is_taken_once_for_each(house: House) -> None:
    """Of several recipients of one transaction only the first one's letter was answered, and the others' was lost."""
    handler, envelope = server.Handler(house.settings), Envelope()
    first, second = (links.mail_address(house.settings, "r", only(house, seat).id) for seat in "ab")
    assert aside(handler.handle_RCPT(None, None, envelope, first, [])) == "250 OK"
    assert aside(handler.handle_RCPT(None, None, envelope, second, [])).startswith("452 4.5.3")
    assert envelope.rcpt_tos == [first]


@on_sqlite
def test_refusals_to_an_account_are_bounded_in_a_day_over_all_its_games(
    house: House, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without marks answers every question of every game with other words."""
    monkeypatch.setattr(inbox, "REFUSALS_A_DAY", 4)
    monkeypatch.setattr(inbox, "MOST_REFUSALS", 100)
    house.answer_all(rng)
    letter = asked(house)

    def refused(n: int) -> int:
        for k in range(n):
            house.clock.shift(HOUR / 2)
            made, envelope = posted(letter, "".join(rng.choices("abcdefgh ", k=30)), letter.to_address)
            made.replace_header("Message-ID", f"<{rng.random()}{k}@reader>")
            envelope.content = made.as_bytes()
            assert aside(server.Handler(house.settings).handle_DATA(None, None, envelope)).startswith("250")
        return len(house.letters("reply_refused"))

    assert refused(3) == 3
    with transaction(house.settings) as session:  # one of another game
        for headers in ({}, {letters.REVOKED: letter.id}):  # those about a revoked address are counted apart
            kept = Letter(kind="reply_refused", account_id=letter.account_id, to_address=letter.to_address, subject="x")
            kept.headers, kept.message_id = headers, f"<{len(headers)}@writ.test>"
            session.add(kept)
    assert refused(4) == 3
    house.clock.shift(24 * HOUR)
    assert refused(1) == 4
