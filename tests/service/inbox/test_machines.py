"""Automatic mail is neither talk nor a move, and two answering machines at one table fall silent after one round."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from sqlmodel import col, select

from service.inbox import machines, mime
from service.inbox import receiving as inbox
from service.post import links
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, Message
from service.table import talk
from tests.house import HOUR, House, Sent
from tests.service.conftest import on_sqlite
from tests.service.post.test_ledger import asked

MARKS = """\
Auto-Submitted: auto-replied
Auto-Submitted: auto-generated; owner-email="a@b.c"
Precedence: bulk
Precedence: auto_reply
Precedence: JUNK
X-Autoreply: yes
X-Autorespond: Re: x
X-Autoresponder: 1
X-MS-Exchange-Inbox-Rules-Loop: a@b.c
X-Apple-Action: VACATION
X-Loop: a@b.c
X-Mail-Autoreply: 1
X-FC-MachineGenerated: true
X-POST-MessageClass: 9; Autoresponder
Delivered-To: Autoresponder
Preference: auto_reply
X-Mailer: vacation 1.2
List-Id: <x.y>
Return-Path: <>
From: MAILER-DAEMON@mail.test (Mail Delivery System)
From: "Mail Delivery" <postmaster@mail.test>
From: no-reply@challenge.test
Sender: <bounces+17@list.test>
X-Delivery-Agent: TMDA/1.1
Content-Class: urn:content-classes:mdn
Content-Type: multipart/report; report-type=disposition-notification; boundary=b
Content-Type: multipart/report; report-type=feedback-report; boundary=b
Content-Type: text/calendar; method=REPLY
Content-Type: message/disposition-notification
Subject: Out of Office: Re: Harvest war
Subject: Out of Office Re: Harvest war
Subject: Automatic reply: Harvest war
Subject: Auto reply: x
Subject: AUTO: away (returning 30.11.)
Subject: [Auto-Reply] x
Subject: Abwesenheitsnotiz: Harvest war
Subject: Automatische Antwort: Harvest war
Subject: Réponse automatique : Harvest war
Subject: Respuesta automática: Harvest war
Subject: Risposta automatica: Harvest war
Subject: Resposta automática: Harvest war
Subject: Automatisch antwoord: Harvest war
Subject: Autosvar: Harvest war
Subject: Automaattinen vastaus: Harvest war
Subject: Odpowiedź automatyczna: Harvest war
Subject: Automatická odpověď: Harvest war
Subject: Автоответ: Harvest war
Subject: Автоматический ответ: Harvest war
Subject: 自动回复: Harvest war
Subject: 自動返信: Harvest war
Subject: 자동 회신: Harvest war
Subject: Otomatik yanıt: Harvest war
Subject: Αυτόματη απάντηση: Harvest war
Subject: תשובה אוטומטית: Harvest war
Subject: الرد التلقائي: Harvest war
Subject: Read: Harvest war
Subject: Gelesen: Harvest war
Subject: Lu : Harvest war
Subject: Accepted: Harvest war
Subject: Anna reacted to your message
Subject: Please confirm your message to anna@example.org
Subject: =?utf-8?B?QXV0b21hdGlja8OhIG9kcG92xJvEjzogeA==?=
X-Auto-Reply-From: a@b.c
X-OTRS-Loop: yes
X-RT-Loop-Prevention: x
X-Zendesk-From-Account-Id: 1
X-BeenThere: list@x.y
X-Precedence: bulk
X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent
From: MAILER-DAEMON
From: <>
From: notifications@desk.test
From: war-request@lists.test
Subject: [Ticket#2026112410001] received
Subject: Re: [Ticket #123] Harvest war
Subject: [#ABC-123-45678]: Harvest war
Subject: Case 00012345 has been created
Subject: Your request has been received
Subject: Wir haben Ihre Nachricht erhalten
Subject: Nous avons bien reçu votre message
Subject: Thank you for contacting us
Subject: Bert is out of the office until 30.11.2026.
Subject: Bert ist außer Haus
Subject: Außer Haus: x
Subject: Ik ben niet op kantoor
Subject: Läskvitto: x
Subject: Zugestellt: x
Subject: Re: Harvest war (Action Required)
Subject: Re: Harvest war [SpamArrest]
Subject: Your message is being held
Subject: Your mail to 'writ' with the subject Re: x
Subject: Bert liked your message
Subject: My email address has changed
Subject: İzindeyim: Harvest war
Subject: Ofis Dışı: Harvest war
Subject: =?iso-8859-1?Q?R=E9ponse_automatique_:?= x""".splitlines()

PEOPLES = """\
Auto-Submitted: no
Precedence: first-class
From: Anna <anna@example.org>
From: "Ana Bounces" <anabounces@example.org>
Subject: Re: Harvest war: talk at the table
Subject: AW: Out of office war: your turn
Subject: Harvest war: your turn
Subject: Sv: Harvest war
Subject: 回复: Harvest war
Subject: Re: The King is away: your turn
Subject: Re: (1066) Hastings: your turn
Subject: [1066] Hastings: talk at the table
Subject: Re: War [12]: your turn
Subject: Re: The ticket was received: your turn
From: Ann Owner <owner@castle.test>
X-MS-Reactions: disallow
X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply
X-Auto-Response-Suppress: All
Feedback-ID: i197146af:Fastmail
Feedback-ID: rr08:zu08:rf08:ZohoMail
Disposition-Notification-To: anna@example.org
X-Forwarded-For: anna@example.org anna@home.test
Content-Type: text/plain
X-Mailer: Apple Mail (2.3654)
Return-Path: <anna@example.org>
Importance: high""".splitlines()


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_of_automatic_mail_is_known(mark: str) -> None:
    assert machines.by_machine(mime.read(f"{mark}\r\n\r\nI am away.\r\n".encode()))


@pytest.mark.parametrize("mark", PEOPLES)
def test_what_people_write_has_none(mark: str) -> None:
    assert not machines.by_machine(mime.read(f"{mark}\r\nSubject: Re: x\r\n\r\nI come.\r\n".encode()))


TABLES = (
    "[#101] Harvest war",
    "(Case 1429) Fief",
    "Out of office",
    "The King is away until spring",
    "Accepted: a war",
    "AUTO: race",
)


@pytest.mark.parametrize("name", TABLES)
def test_the_name_of_a_table_is_no_mark_and_what_a_machine_puts_around_it_is(name: str) -> None:
    own = f"{name}: your turn (by Thu 10:00)"
    ours = (own, name)
    for subject in (own, f"Re: {own}", f"AW: RE: {own}", f"Re[2]: {own.upper()}", name, f"Re: {name}", f"Re: {name}: so be it"):
        assert not machines.is_automatic(subject, ours), subject
        assert machines.is_automatic(subject) or subject.startswith(("Re", "AW")), "else nothing is shown by it"
    for subject in (
        f"Automatic reply: {own}",
        f"Automatic reply: {name}",
        f"Out of office: {own}",
        f"Auto: {own}",
        f"Lu : {own}",
        f"Re: {own} (Action Required)",
    ):
        assert machines.is_automatic(subject, ours), subject
    for subject in (f"[Ticket#2026112410001] {own}", "Your request has been received", "Out of the office until Monday"):
        assert machines.is_automatic(subject, ours), subject


@pytest.mark.parametrize("name", ["postmaster", "land-owner", "owner-land", "notifications", "no-reply"])
@pytest.mark.parametrize("sender", ["{}", "Paul <{}>", '"Paul, Earl" <{}>'])
def test_the_address_that_gets_the_letters_is_no_mark_whatever_its_name(name: str, sender: str) -> None:
    own = f"{name}@smith.example"
    message = mime.read(f"From: {sender.format(own.upper())}\r\nSubject: Re: x\r\n\r\nI come.\r\n".encode())
    assert not machines.by_machine(message, own) and machines.by_machine(message, f"a-{own}")


def test_a_reaction_among_the_parts_is_known() -> None:
    parts = "--b\r\n\r\n👍\r\n--b\r\nContent-Type: text/vnd.google.email-reaction+json\r\n\r\n{}\r\n--b--\r\n"
    message = f"Content-Type: multipart/alternative; boundary=b\r\n\r\n{parts}"
    assert machines.by_machine(mime.read(message.encode())) == "content-type"


def test_a_calendar_is_a_mark_unless_a_person_attached_it() -> None:
    for head in ("", "Content-Disposition: inline; filename=x.ics\r\n", "Content-Disposition: attachment; filename=x.ics\r\n"):
        parts = f"--b\r\n\r\n2\r\n--b\r\n{head}Content-Type: text/calendar; method=REPLY\r\n\r\nx\r\n--b--\r\n"
        message = mime.read(f"Content-Type: multipart/mixed; boundary=b\r\n\r\n{parts}".encode())
        assert machines.by_machine(message) == ("" if "attachment" in head else "content-type")


@pytest.mark.parametrize(
    "text",
    [
        "👍 Anna Müller reacted via Gmail",
        "🎉\n\nAnna Müller reacted via Gmail\n<https://www.google.com/gmail/about/?utm_source=gmail>",
        "❤️ Anna reacted to your message:",
        "Anna reacted to your message: 👍",
        "Anna reacted to “Peace until spring?”",
        "Müller, Anna liked your message",
        "Anna loved a message: “I liked your message.”",
        "Anna hat auf Ihre Nachricht mit 👍 reagiert",
        "Anna hat mit 👍 auf deine Nachricht reagiert.",
        "Anna a réagi à votre message :",
        "Anna reaccionó a tu mensaje",
    ],
)
def test_the_text_of_a_reaction_is_known(text: str) -> None:
    assert machines.is_reaction(text)


@pytest.mark.parametrize(
    "text",
    [
        "I would have reacted, too.\nBut late.",
        "I liked your message, and I agree.",
        "I liked your message.",
        "Well, I loved your message!",
        "Bert liked your message, and so did I.",
        "Bert liked your message.\nSo do I.",
        "She liked your message.",
        "Bert reacted to your offer with laughter.",
        "Bert reacted to your message with scorn, so we must act.",
        "Bert hat gestern gar nicht reagiert.",
        "Er hat auf deine Nachricht reagiert.",
        "Bert a réagi, lui.",
        "Bert reacted via Anna: " + "she is angry. " * 80,
    ],
)
def test_a_person_s_words_about_a_message_are_no_reaction(text: str) -> None:
    assert not machines.is_reaction(text)


def test_no_text_keeps_the_search_for_a_reaction_busy() -> None:
    began = time.process_time()
    for piece in ("“", '" ', "reacted to “", "Anna liked a message ", "hat auf ", "👍", "hat auf deine Nachricht 👍"):
        machines.is_reaction((piece * machines.LONGEST_REACTION)[: machines.LONGEST_REACTION - 1] + "x")
    assert time.process_time() - began < 1


# --- at a table -------------------------------------------------------------------------------------------------------


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0}), sent, clock)


def said(house: House) -> list[tuple[str, str]]:
    with open_session(house.settings) as session:
        return [(m.seat, m.text) for m in session.exec(select(Message).order_by(col(Message.at), col(Message.id)))]


def mail(house: House, letter: Letter, text: str, id: str, head: str = "") -> str:
    to = links.mail_address(house.settings, "r", letter.id)
    return inbox.receive(house.settings, f"Message-ID: <{id}@x>\n{head}\n{text}\n".encode(), (to,), letter.to_address)


def begin(house: House, text: str = "Peace until spring?") -> None:
    with transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "", text, f"key-{abs(hash(text))}")
    house.tick()


Note = Callable[[str, int], str]
NOTES: dict[str, Note] = {
    "the same": lambda seat, _n: f"I am away until Monday. {seat.upper()}",
    "with a number": lambda seat, n: f"Thank you for your message, which has number {n}. I shall read it on Monday. {seat}",
    "no known words": lambda seat, _n: f"Der Posten {seat} ist bis Montag unbesetzt, danach wieder da.",
}


@on_sqlite
@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES.keys())
@pytest.mark.parametrize("after", [timedelta(seconds=2), timedelta(minutes=4)])
def test_two_answering_machines_without_marks_fall_silent(house: House, note: Note, after: timedelta) -> None:
    begin(house)
    answered: set[str] = set()
    for _ in range(12):
        fresh = [letter for letter in house.letters("talk") if letter.id not in answered and letter.sent_at]
        house.clock.shift(after)
        for letter in fresh:
            answered.add(letter.id)
            mail(house, letter, note(letter.seat, len(answered)), letter.id)
        house.tick()
    assert len(said(house)) <= 3, "what began it, and a note of each"
    assert len(house.letters("talk")) <= 3
    if after < machines.AT_ONCE:
        assert len(house.letters("talk")) == 1, "no letter is written because of what came at once"


@on_sqlite
@pytest.mark.parametrize("after", [timedelta(seconds=2), timedelta(minutes=4)])
def test_a_machine_that_answers_questions_gets_one_refusal_at_most(house: House, rng: random.Random, after: timedelta) -> None:
    house.answer_all(rng)
    answered: set[str] = set()
    for n in range(8):
        fresh = [x for kind in ("turn", "reply_refused") for x in house.letters(kind) if x.id not in answered and x.sent_at]
        house.clock.shift(after)
        for letter in fresh:
            answered.add(letter.id)
            assert mail(house, letter, f"I am out of the office, note {n}.", letter.id) == "refused"
        house.tick()
    assert len(house.letters("reply_refused")) == (0 if after < machines.AT_ONCE else 1)


CORRECTED = [
    ["I would like to attack {} at the {} castle".format(*at) for at in (("Bert", "2nd"), ("Cleo", "2nd"), ("Bert", "3rd"))],
    [f"place a Property and more\n- card=Land fief=F{n}" for n in (7, 8, 9)],
    [f"march\n\nNo, wait: {n}!" for n in (7, 8, 9)],
]


@on_sqlite
@pytest.mark.parametrize("texts", CORRECTED)
@pytest.mark.parametrize("to_the_refusal", [False, True])
def test_a_corrected_reply_that_differs_by_a_name_or_a_number_is_refused_with_a_letter_again(
    house: House, rng: random.Random, texts: list[str], to_the_refusal: bool
) -> None:
    house.answer_all(rng)
    letter = asked(house)
    for n, text in enumerate(texts, 1):
        house.clock.shift(HOUR + timedelta(minutes=5))
        house.tick()
        assert mail(house, letter, text, f"try-{n}") == "refused"
        house.tick()
        assert len(house.letters("reply_refused")) == n
        letter = house.letters("reply_refused")[-1] if to_the_refusal else letter
        assert mail(house, letter, text, f"again-{n}") == "refused" and len(house.letters("reply_refused")) == n + (
            not to_the_refusal and len(text) < machines.SHORTEST_SAME
        )


@on_sqlite
def test_a_machine_that_writes_something_new_every_time_gets_a_few_refusals_a_question(
    house: House, rng: random.Random
) -> None:
    house.answer_all(rng)
    letter = asked(house)
    for n in range(3 * inbox.MOST_REFUSALS):
        house.clock.shift(timedelta(minutes=40))
        assert mail(house, letter, f"Der Vorgang {n} wurde am 24.11.2026 um 10:{n:02} angelegt.", f"desk-{n}") == "refused"
        letter = house.letters("reply_refused")[-1]
    assert len(house.letters("reply_refused")) == inbox.MOST_REFUSALS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Posten unbesetzt, 24.11.2026 10:00", "Posten unbesetzt,  25.11.2026 9:59:07"),
        ("Posten unbesetzt seit 2026-11-24T10:00", "posten unbesetzt seit 2026-11-25T11:00"),
        ("It came in on Tue, 24 Nov 2026 10:00:01 +0000", "It came in on Tue, 1 December 2026 10:00:01 +0000"),
        ("I am out of the office, note 3.", "I am out of the office, note 14."),
    ],
)
def test_texts_that_differ_by_a_date_are_the_same_and_notes_by_a_number_too(one: str, other: str) -> None:
    assert machines.same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I attack Bert with 3 knights", "I attack Bert with 4 knights"),
        ("I attack Bert with 2 marches", "I attack Bert with 3 marches"),
        ("I attack Bert in 1/2/3", "I attack Bert in 1/2/4"),
        ("Yes.", "Yes."),
    ],
)
def test_other_texts_are_not(one: str, other: str) -> None:
    assert not machines.same(one, other)


@on_sqlite
def test_an_offer_of_another_number_is_said_and_mailed_too(house: House) -> None:
    begin(house)
    (letter,) = house.letters("talk", "b")
    offers = [f"I offer you {n} crowns for the castle." for n in range(3, 8)]
    for n, offer in enumerate(offers):
        house.clock.shift(HOUR)
        assert mail(house, letter, offer, f"offer-{n}") == "said"
        house.tick()
    assert [text for seat, text in said(house) if seat == "b"] == offers
    assert len(house.letters("talk", "a")) == inbox.IN_A_ROW, "the next ones, as a machine may count, are read on the page"


@on_sqlite
def test_two_machines_that_count_send_each_other_a_few_letters(house: House) -> None:
    begin(house)
    answered: set[str] = set()
    for _ in range(20):
        fresh = [letter for letter in house.letters("talk") if letter.id not in answered and letter.sent_at]
        house.clock.shift(timedelta(minutes=30))
        for letter in fresh:
            answered.add(letter.id)
            assert mail(house, letter, f"Der Vorgang {len(answered)} wurde angelegt. {letter.seat}", letter.id) == "said"
        house.tick()
    assert len(house.letters("talk")) == len(answered) <= 1 + 2 * inbox.IN_A_ROW


def test_what_came_at_once_is_read_in_the_next_letter(house: House) -> None:
    begin(house)
    (letter,) = house.letters("talk", "b")
    assert mail(house, letter, "Yes, with pleasure.", "quick") == "said" and not house.letters("talk", "a")
    house.clock.shift(timedelta(minutes=2))
    assert mail(house, letter, "And for the summer, too.", "slow") == "said"
    house.tick()
    (whole,) = house.letters("talk", "a")
    assert "Yes, with pleasure." in whole.text and "And for the summer, too." in whole.text
    assert [text for seat, text in said(house) if seat == "b"] == ["Yes, with pleasure.", "And for the summer, too."]


@on_sqlite
def test_a_note_that_comes_at_once_and_a_reaction_are_not_said(house: House) -> None:
    begin(house)
    (letter,) = house.letters("talk", "b")
    assert mail(house, letter, "I am out of the office.", "note") == "dropped"
    house.clock.shift(timedelta(minutes=2))
    assert mail(house, letter, "👍 Bert reacted to your message:", "reaction") == "dropped"
    assert mail(house, letter, "I am away until Monday.", "marked", "X-Apple-Action: VACATION\n") == "dropped"
    assert mail(house, letter, "I am away until Monday, sorry!", "people") == "said", "people say so, too"
    assert mail(house, letter, "I liked your message, and agree.", "liked") == "said"
    assert mail(house, letter, "Yes.", "yes-1") == "said" and mail(house, letter, "Yes.", "yes-2") == "said"


@on_sqlite
@pytest.mark.parametrize("sender", ["Paul <land-owner@example.org>", "postmaster@smith.example", "<notifications@desk.test>"])
def test_an_answer_from_an_address_that_a_machine_may_have_is_played(house: House, rng: random.Random, sender: str) -> None:
    house.answer_all(rng)
    letter, before = asked(house), len(house.entries())
    house.clock.shift(timedelta(minutes=2))
    assert mail(house, letter, "end", "answer", f"From: {sender}\n") == "answered"
    house.tick()
    assert [(e.actor, e.via) for e in house.entries()[before:]] == [(letter.seat, "reply")]


@on_sqlite
@pytest.mark.parametrize("name", ["postmaster", "mailer-daemon"])
def test_a_player_s_own_postmaster_answers_at_a_table_that_is_named_like_a_bounce(
    house: House, rng: random.Random, name: str
) -> None:
    with transaction(house.settings) as session:
        for account in session.exec(select(Account)):
            account.email = f"{name}@{account.name.lower()}.example"
            session.add(account)
    house.answer_all(rng)
    letter, subject, unknown = asked(house), "Subject: Re: The returned mail: your turn\n", "550 User unknown"
    own = f"From: {letter.to_address}\n{subject}"
    house.clock.shift(timedelta(minutes=2))
    assert mail(house, letter, "end", "answer", own) == "answered"
    to = (links.mail_address(house.settings, "r", letter.id),)
    assert inbox.receive(house.settings, f"{own}\n{unknown}\n".encode(), to, "") == "bounced"
    assert mail(house, letter, unknown, "path", f"Return-Path: <>\n{own}") == "bounced"
    assert mail(house, letter, unknown, "foreign", f"From: {name}@mx.test\n{subject}") == "bounced"


@on_sqlite
def test_what_an_address_that_a_machine_may_have_writes_else_is_refused_once_a_question(
    house: House, rng: random.Random
) -> None:
    house.answer_all(rng)
    letter, desk = asked(house), "From: postmaster@smith.example\n"
    for n, text in enumerate(
        ("Your letter waits for its release.", "It still waits.", "It was released, and lies in the box.")
    ):
        house.clock.shift(timedelta(hours=2))
        assert mail(house, letter, text, f"desk-{n}", desk) == "refused"
    assert len(house.letters("reply_refused")) == 1
    begin(house)
    (talked,) = house.letters("talk", "b")
    for n, text in enumerate(("Agreed.", "Are you there?")):
        house.clock.shift(timedelta(hours=2))
        assert mail(house, talked, text, f"talk-{n}", desk) == "refused"
    house.tick()
    assert not [text for seat, text in said(house) if seat == "b"]
    told = " ".join(house.letters("reply_refused", "b")[-1].text.split())
    assert "came from an address that looks like a machine’s, so nobody got it" in told
    assert len(house.letters("reply_refused")) == 2


@on_sqlite
@pytest.mark.parametrize("name", ["[#101] Harvest war", "(Case 1429) Fief", "Harvest war"])
def test_replies_at_a_table_that_is_named_like_a_ticket_are_read_and_a_ticket_is_not(
    house: House, rng: random.Random, name: str
) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        match.name = name
        session.add(match)
    house.answer_all(rng)
    letter = asked(house)
    assert name in letter.subject
    house.clock.shift(timedelta(minutes=2))
    assert mail(house, letter, "nonsense", "odd", f"Subject: Re: {letter.subject}\n") == "refused"
    assert len(house.letters("reply_refused")) == 1
    assert mail(house, letter, "nonsense", "desk", f"Subject: [Ticket #4711] {letter.subject}\n") == "dropped"
    assert mail(house, letter, "nonsense", "away", f"Subject: Automatic reply: {letter.subject}\n") == "dropped"
    assert mail(house, letter, "end", "even", f"Subject: Re: {letter.subject}\n") == "answered"


@on_sqlite
def test_the_first_four_replies_of_a_minute_are_said_and_three_of_them_mailed(house: House) -> None:
    begin(house)
    (letter,) = house.letters("talk", "b")
    for n, word in enumerate(("First I come.", "Then I see it.", "At last I win.", "Or perhaps not.")):
        house.clock.shift(timedelta(minutes=1))
        assert mail(house, letter, word, f"in-a-row-{n}") == "said"
        house.tick()
    assert len([1 for seat, _ in said(house) if seat == "b"]) == 4 and len(house.letters("talk", "a")) == 3


@on_sqlite
def test_second_thoughts_and_inline_files_play_nothing(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter, before = asked(house), len(house.entries())
    house.clock.shift(timedelta(minutes=2))
    assert mail(house, letter, "end\nNo, wait: not yet!", "thoughts") == "refused"
    parts = (
        '--b\nContent-Type: text/plain; name="n.txt"\nContent-Disposition: inline; filename="n.txt"\n\nend\n'
        "--b\n\nI am not sure yet, wait.\n--b--"
    )
    assert mail(house, letter, parts, "inline", "Content-Type: multipart/mixed; boundary=b\n") == "refused"
    house.tick()
    assert len(house.entries()) == before
    refusal = " ".join(house.letters("reply_refused")[0].text.split())
    assert "After “end” your reply goes on with “No, wait: not yet!”, so nothing was played." in refusal
