"""The delivery ledger, bounces by SMTP and by report, replies, digests and the calendar feed."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import partial
from typing import Any

import pytest
import time_machine
from icalendar import Calendar
from sqlmodel import col, select, update

from service.clock import calendar, deadlines
from service.errors import NotFound
from service.inbox import receiving as inbox
from service.people import address_changes
from service.post import ledger, letters, links
from service.seat import copies, seat_view
from service.settings import Settings
from service.store import limits
from service.store.database import open_session, transaction
from service.store.models import Account, AskRow, Beat, EntryRow, Letter, Message, SeatRow, Submission
from service.table import talk
from tests.house import HOUR, START, House, Sent
from tests.service.conftest import Players, Sink, on_sqlite, person
from workers.letters import delivery, digest


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
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
    assert told(house, letter) == [("queued", ""), ("sent", "250 OK")]


def without_reminders(house: House) -> None:
    """Only the letters of the test go out."""
    with transaction(house.settings) as session:
        session.exec(update(Account).values(ladder=[]))
        session.exec(update(AskRow).values(remind_at=None))


def come_back(house: House, seat: str, kind: str, after: timedelta = timedelta(0)) -> Letter:
    """A letter of that kind to the seat, reported as undeliverable after a while."""
    house.clock.shift(after)
    with transaction(house.settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=datetime.now(UTC)))  # no outage, of which another letter would tell
        match, row = house.players.match(session), session.get(SeatRow, (house.players.match_id, seat))
        assert row is not None
        context = {"missed": 2, "waits": False} if kind == "kept" else None
        if kind == "fresh_link":
            letter = letters.fresh_link(session, match, row, session.get_one(Account, row.account_id))
        else:
            letter = letters.to_seat(session, kind, match, row, context)
    house.tick()
    return letter


def refused(house: House, sink: tuple[Sink, str], rng: random.Random) -> Letter:
    """The letter that asks for the first Turn, which the mail server has refused, as it refuses all from now on."""
    kept, url = sink
    house.settings = house.settings.model_copy(update={"smtp_url": url})
    kept.says = "550 5.1.1 No such Earl here"
    without_reminders(house)
    house.clock.shift(HOUR)
    with transaction(house.settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=datetime.now(UTC)))  # no outage, of which another letter would tell
    house.answer_all(rng)
    (letter,) = [x for s in "ab" for x in house.letters("turn", s)]
    return letter


def test_an_address_is_dead_after_several_refusals_of_letters_of_several_kinds(
    house: House,
    sink: tuple[Sink, str],
    rng: random.Random,
) -> None:
    kept = sink[0]
    letter = refused(house, sink, rng)
    assert letter.status == "bounced" and told(house, letter)[-1] == ("bounced", "550 5.1.1 No such Earl here")
    assert troubled(house) == set()  # one letter tells nothing
    come_back(house, letter.seat, "kept", 7 * HOUR)
    assert troubled(house) == set()
    come_back(house, letter.seat, "kept")
    assert troubled(house) == {letter.seat}
    with open_session(house.settings) as session:
        account = session.get(Account, letter.account_id)
        assert account is not None and account.bounce == "550 5.1.1 No such Earl here"
    # Turn letters and whatever warns are tried all the same, and one that arrives clears the mark.
    kept.says = ""
    assert come_back(house, letter.seat, "kept").next_try_at <= datetime.now(UTC)
    assert [x.status for x in house.letters("kept", letter.seat)][-1] == "sent" and troubled(house) == set()


def test_letters_that_came_back_go_out_again_once_the_player_says_that_the_address_works(
    house: House,
    sink: tuple[Sink, str],
    rng: random.Random,
) -> None:
    kept = sink[0]
    letter = refused(house, sink, rng)
    come_back(house, letter.seat, "kept", 7 * HOUR)
    come_back(house, letter.seat, "kept")
    assert troubled(house) == {letter.seat}
    kept.says = ""
    with transaction(house.settings) as session:
        account = session.get(Account, letter.account_id)
        assert account is not None
        ledger.mended(session, account)
    house.tick()
    assert troubled(house) == set()
    with open_session(house.settings) as session:
        assert {x.status for x in session.exec(select(Letter).where(Letter.kind == "test"))} == {"sent"}
        # What came back and is still asked went out again.
        assert {x.status for x in session.exec(select(Letter).where(Letter.kind == "turn"))} == {"sent"}


def test_the_question_of_a_first_letter_that_came_back_is_put_again(house: House) -> None:
    without_reminders(house)
    first = {letter.seat: letter for seat in "ab" for letter in house.letters("started", seat)}
    asked = {ask.seat for ask in house.asks()}
    with transaction(house.settings) as session:
        for letter in first.values():
            ledger.bounced(session, letter.id, "550 5.1.1 No such Earl here")
    with transaction(house.settings) as session:
        for seat, letter in first.items():
            account = session.get_one(Account, letter.account_id)
            change = address_changes.ask(session, account, f"{seat}@new.example")
            for side in (address_changes.OLD, address_changes.NEW):
                address_changes.confirm(session, change.id, side)
    house.tick()
    again = {seat: [x.to_address for x in house.letters("turn", seat)] for seat in first}
    assert again == {seat: [f"{seat}@new.example"] if seat in asked else [] for seat in first} and asked


def test_a_first_letter_that_came_back_is_sent_again_when_the_address_works(house: House) -> None:
    without_reminders(house)
    with transaction(house.settings) as session:
        first = [letter for seat in "ab" for letter in house.letters("started", seat)]
        for letter in first:
            ledger.bounced(session, letter.id, "550 5.1.1 No such Earl here")
    with transaction(house.settings) as session:
        for letter in first:
            ledger.mended(session, session.get_one(Account, letter.account_id))
    found = {letter.seat: letter.status for seat in "ab" for letter in house.letters("started", seat)}
    asked = {ask.seat for ask in house.asks()}
    assert found == {seat: "queued" if seat in asked else "bounced" for seat in "ab"} and asked


def digest_refused(house: House, rng: random.Random) -> tuple[Letter, Letter]:
    """A question's letter and the digest with it, which came back."""
    without_reminders(house)
    for seat in "ab":
        wish(house, seat, "digest")
    house.answer_all(rng)
    (letter,) = [x for s in "ab" for x in house.letters("turn", s)]
    house.go_to(START + 22 * HOUR)
    house.tick()
    with transaction(house.settings) as session:
        (digest,) = session.exec(select(Letter).where(Letter.kind == "digest")).all()
        ledger.bounced(session, digest.id, "550 5.1.1 No such Earl here")
    return letter, digest


def test_the_question_of_a_digest_that_came_back_is_put_to_the_new_address(house: House, rng: random.Random) -> None:
    letter, _ = digest_refused(house, rng)
    with transaction(house.settings) as session:
        change = address_changes.ask(session, session.get_one(Account, letter.account_id), "anna@new.example")
        for side in (address_changes.OLD, address_changes.NEW):
            address_changes.confirm(session, change.id, side)
    again = [(x.to_address, x.status) for x in house.letters("turn", letter.seat)[1:]]
    assert again == [("anna@new.example", "gathered")]  # as the reader wishes


def test_a_digest_that_came_back_is_sent_again_when_the_address_works(house: House, rng: random.Random) -> None:
    letter, digest = digest_refused(house, rng)
    with transaction(house.settings) as session:
        ledger.mended(session, session.get_one(Account, letter.account_id))
    with open_session(house.settings) as session:
        assert session.get_one(Letter, digest.id).status == "queued"


@pytest.mark.parametrize("answered", [False, True])
def test_a_question_that_came_back_goes_to_the_new_address_while_it_is_open(
    house: House, sink: tuple[Sink, str], rng: random.Random, answered: bool
) -> None:
    kept = sink[0]
    letter = refused(house, sink, rng)
    come_back(house, letter.seat, "kept", HOUR)  # asks nothing
    kept.says, kept.got = "", []
    if answered:
        house.answer_all(rng)
        kept.got = []
    with transaction(house.settings) as session:
        account = session.get_one(Account, letter.account_id)
        change = address_changes.ask(session, account, "anna@new.example")
        for side in (address_changes.OLD, address_changes.NEW):
            address_changes.confirm(session, change.id, side)
    house.tick()
    asked = [x for x in house.letters("turn", letter.seat) if x.serial == letter.serial]
    assert [(x.to_address, x.status) for x in asked] == [
        (letter.to_address, "bounced"),
        *([] if answered else [("anna@new.example", "sent")]),
    ]
    assert letter.to_address not in {to for mail in kept.got for to in mail.rcpt_tos if b"Subject: Your turn" in mail.content}


def troubled(house: House) -> set[str]:
    with open_session(house.settings) as session:
        return ledger.troubled(session, house.players.match(session))


@on_sqlite
@pytest.mark.parametrize(
    ("kinds", "hours"),
    [(["kept"] * 6, 2), (["kept", "fresh_link"], 24), (["kept", "fresh_link", "kept"], 1), (["fresh_link"] * 3, 12)],
    ids=["one kind", "too few", "at once", "one kind, long"],
)
def test_little_evidence_is_none(house: House, sink: tuple[Sink, str], kinds: list[str], hours: int) -> None:
    kept, url = sink
    house.settings = house.settings.model_copy(update={"smtp_url": url})
    kept.says = "550 5.1.1 No"
    without_reminders(house)
    with transaction(house.settings) as session:  # no deadline falls meanwhile, of which letters would tell
        session.exec(update(AskRow).values(due_at=None, falls_at=None))
    for kind in kinds:
        come_back(house, "a", kind, hours * HOUR)
    assert troubled(house) == set()


@on_sqlite
def test_a_letter_that_arrives_in_between_ends_the_evidence(house: House, sink: tuple[Sink, str]) -> None:
    kept, url = sink
    house.settings = house.settings.model_copy(update={"smtp_url": url})
    without_reminders(house)
    for kind, says in (("kept", "550 5.1.1 No"), ("fresh_link", "550 5.1.1 No"), ("kept", ""), ("kept", "550 5.1.1 No")):
        kept.says = says
        come_back(house, "a", kind, 7 * HOUR)
    assert troubled(house) == set()
    kept.says = "550 5.1.1 No"
    come_back(house, "a", "fresh_link", 7 * HOUR)
    come_back(house, "a", "kept", 7 * HOUR)
    assert troubled(house) == {"a"}


@on_sqlite
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
    assert told(house, letter)[-1] == ("sent", "250 OK")


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


def test_a_report_of_failure_marks_the_letter(house: House) -> None:
    letter = only(house, "a")
    to = links.mail_address(house.settings, "b", letter.id)
    assert inbox.receive(house.settings, report(letter, to)) == "bounced"
    assert inbox.receive(house.settings, report(letter, to)) == "bounced"
    assert told(house, letter)[-1] == ("bounced", "smtp; 550 5.1.1 mailbox unknown")
    assert [x for x, _ in told(house, letter)].count("bounced") == 1 and troubled(house) == set()


def test_reports_of_a_relay_that_takes_everything_first_are_evidence(house: House) -> None:
    without_reminders(house)
    sent = [only(house, "a"), come_back(house, "a", "kept", 7 * HOUR), come_back(house, "a", "kept")]
    for letter in sent:
        assert troubled(house) == set()
        to = links.mail_address(house.settings, "b", letter.id)
        assert inbox.receive(house.settings, report(letter, to)) == "bounced"
    assert troubled(house) == set()  # in no time at all
    letter = come_back(house, "a", "kept", 7 * HOUR)
    assert inbox.receive(house.settings, report(letter, links.mail_address(house.settings, "b", letter.id))) == "bounced"
    assert troubled(house) == {"a"}


@on_sqlite
@pytest.mark.parametrize(
    ("status", "became", "then"),
    [
        ("5.7.1", "rejected", "rejected"),
        ("5.6.0", "rejected", "rejected"),
        ("5.2.2", "deferred", "queued"),
        ("4.2.2", "deferred", "sent"),
    ],
)
def test_a_report_is_read_for_what_it_says(house: House, status: str, became: str, then: str) -> None:
    letter = only(house, "a")
    to = links.mail_address(house.settings, "b", letter.id)
    words = report(letter, to, status=status).replace(b"550 5.1.1 mailbox unknown", b"\x00\x07 no \xff")
    assert inbox.receive(house.settings, words) == became
    assert only(house, "a").status == then and told(house, letter)[-1] == (became, "smtp; \ufffd\ufffd no \ufffd")


@on_sqlite
def test_a_report_is_believed_for_the_letter_of_its_own_address_alone(house: House) -> None:
    """A reader knows the return addresses of letters to him, and may learn another's Message-ID."""
    mine, others = only(house, "a"), only(house, "b")
    assert inbox.receive(house.settings, report(others, "writ@writ.test")) == "dropped"
    assert inbox.receive(house.settings, report(others, links.mail_address(house.settings, "b", mine.id))) == "bounced"
    assert only(house, "b").status == "sent" and only(house, "a").status == "bounced"


@on_sqlite
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
    house.clock.shift(timedelta(minutes=1))  # nobody answers a letter in the moment in which it goes out
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


@on_sqlite
@pytest.mark.parametrize("said", ["", "End the turn (draw a card)", "end the turn!", "End", "END."])
def test_an_option_is_taken_by_its_number_its_words_or_its_name_as_phones_write_them(
    house: House, rng: random.Random, said: str
) -> None:
    house.answer_all(rng)
    letter = asked(house)
    lines = [line.strip() for line in letter.text.splitlines()]
    number = next(line.partition(".")[0] for line in lines if line.endswith("End the turn (draw a card)"))
    assert reply(house, letter, f"{said or f'{number}.'}\n\nBest wishes") == "answered"
    assert house.entries()[-1].move == "end"


@on_sqlite
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("77", "There is no option 77"),
        ("dance wildly", "names no option"),
        ("1: Atlantis, 99", "We can read “Place Towers”, but not the words"),
        ("Place Towers", "written like this: 1: "),
        ("tower with all I have", "written like this: 1: "),
        ("attack target=siege:b:F9", "You can't attack on your first Turn."),
        ("concede sure=yes", "we ask twice"),
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


@on_sqlite
def test_a_reply_to_an_old_letter_says_that_the_position_has_moved_on(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    house.answer_all(rng)
    assert reply(house, letter, "end") == "refused"


@on_sqlite
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
        said = session.exec(select(Message).order_by(col(Message.at))).all()
    assert [(m.seat, m.text, m.via) for m in said][-1] == ("b", "Agreed.\nUntil spring.", "reply")
    assert len({m.thread_id for m in said}) == 1


# --- as the reader wishes ---------------------------------------------------------------------------------------------


def wish(house: House, letter: str, mode: str) -> None:
    with transaction(house.settings) as session:
        seat = session.get(SeatRow, (house.players.match_id, letter))
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
    assert {ledger.said(x.error) for x in house.letters("turn", "b")} == {"not wished"}
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
    assert "Your turn. What do you do?" in made.text and "Good luck!" in made.text and "Wed 25 Nov 2026, 09:00 UTC" in made.text
    house.go_to(START + 46 * HOUR)
    assert len(digests()) <= 2  # nothing new: no empty one


def test_the_digest_hour_is_one_of_the_local_calendar() -> None:
    due = partial(digest.last_hour, "Europe/Vienna", 7)
    summer, winter = datetime(2026, 10, 24, 12, tzinfo=UTC), datetime(2026, 10, 25, 12, tzinfo=UTC)
    assert due(summer) == datetime(2026, 10, 24, 5, tzinfo=UTC)
    assert due(winter) == datetime(2026, 10, 25, 6, tzinfo=UTC)
    assert due(datetime(2026, 10, 25, 5, 59, tzinfo=UTC)) == datetime(2026, 10, 24, 5, tzinfo=UTC)


def test_letters_name_their_thread_and_end_with_one_click(house: House) -> None:
    made = message_from_bytes(delivery.message(house.settings, only(house, "a")), policy=default)
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
    event: Any  # what its fields hold depends on their names
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
        seat = session.get(SeatRow, (match.id, "a"))
        assert seat is not None
        made = [copies.resend(session, match, seat) for _ in range(limits.COPIES_TO[0][0])]
        assert len({x.message_id for x in made}) == len(made) and {x.kind for x in made} == {"turn"}
        with pytest.raises(Exception, match="too many such letters"):
            copies.resend(session, match, seat)
    with open_session(settings) as session:
        assert not session.exec(select(EntryRow)).all()


@pytest.mark.parametrize(("moved_n", "head"), [(0, "What happened"), (1, "Since your last move")])
def test_a_letter_to_somebody_who_has_not_moved_says_nothing_of_a_last_move(
    moved_n: int, head: str, house: House, rng: random.Random
) -> None:
    house.answer_all(rng)
    letter = asked(house)
    with transaction(house.settings) as session:
        match, seat = house.players.match(session), session.get_one(SeatRow, (house.players.match_id, letter.seat))
        seat.moved_n = moved_n
        session.flush()
        view = seat_view.load(session, match, letter.seat, heads=True)
        assert view is not None and view.own is not None
        context = seat_view.letter_context(
            view, "http://writ.test/x", since=["Bert marched."], brief=["Bert marched."], talk=[]
        )
        of_day = {"to_name": "Anna", "games": [{"deadline": None, "late": False, "soon": "", **context}], "rest": [], "day": ""}
        for kind, given in (("turn", context), ("digest", of_day)):
            filled = Letter(kind=kind, to_address=letter.to_address)
            letters.fill(house.settings, filled, letters.Draft(kind, letter.to_address, "", given), None)
            assert head in filled.html and head.upper() in filled.text
