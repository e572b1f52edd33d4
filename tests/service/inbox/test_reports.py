"""What a bounce, a complaint or a machine's answer leaves on its letter: a line always, and what follows for the reader."""

from __future__ import annotations

import random
from email.message import EmailMessage

import pytest
import time_machine
from sqlmodel import select

from service.common import tokens
from service.games import lobby
from service.inbox import receiving as inbox
from service.people import accounts, address_changes
from service.post import ledger, links
from service.settings import Settings
from service.store import optouts
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, SeatRow
from tests.house import HOUR, START, House, Sent, invite
from tests.service.conftest import Sink, on_sqlite
from tests.service.post.test_ledger import asked, come_back, only, report, told, troubled, wish, without_reminders


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0}), sent, clock)


def back(house: House, letter: Letter) -> str:
    return links.mail_address(house.settings, "b", letter.id)


def bounce(house: House, letter: Letter, text: str, **fields: str) -> str:
    head = {"From": "MAILER-DAEMON@mx.test", "Subject": "failure notice", **fields}
    lines = "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in head.items())
    return inbox.receive(house.settings, f"{lines}\n{text}".encode(), (back(house, letter),), "")


def complaint(letter: Letter, returned: str = "", kind: str = "abuse") -> bytes:
    return (
        "From: fbl@mx.test\nSubject: abuse\nContent-Type: multipart/report; report-type=feedback-report; boundary=xx\n\n"
        f"--xx\n\nA complaint.\n\n--xx\nContent-Type: message/feedback-report\n\nFeedback-Type: {kind}\nVersion: 1\n\n"
        f"--xx\nContent-Type: message/rfc822\n\nMessage-ID: {letter.message_id}\n{returned}\nx\n--xx--\n"
    ).encode()


def mailed(house: House, sink: tuple[Sink, str], rng: random.Random) -> tuple[Sink, Letter]:
    """The SMTP server that gets the house's letters, and the one that asks after a round."""
    kept, url = sink
    house.settings = house.settings.model_copy(update={"smtp_url": url})
    house.answer_all(rng)
    return kept, asked(house)


def mode(house: House, seat: str) -> str:
    with open_session(house.settings) as session:
        return session.get_one(SeatRow, (house.players.match_id, seat)).letters


@on_sqlite
@pytest.mark.parametrize(
    ("text", "fields", "became"),
    [
        ("<a@b>:\nSorry, no mailbox here by that name. (#5.1.1)\n", {}, "bounced"),
        ("550 User unknown\n", {}, "bounced"),
        ("<a@b>:\nRemote host said: 554 5.7.1 Spam\n", {}, "rejected"),
        ("Delivery failed.\n", {}, "rejected"),
        ("will be retried: 451 4.7.1 Later\n", {}, "deferred"),
        ("The user's mailbox is full.\n", {}, "deferred"),
        ("???\n", {"Subject": "Ein Problem"}, "reported"),
        ("Hello.\n", {"From": "a@b.test", "Subject": "Hello"}, "reported"),
        ("I am away.\n", {"From": "a@b.test", "Subject": "Re: x", "Auto_Submitted": "auto-replied"}, "autoresponded"),
    ],
)
def test_whatever_comes_back_leaves_a_line(house: House, text: str, fields: dict[str, str], became: str) -> None:
    letter, before = only(house, "a"), len(told(house, only(house, "a")))
    assert bounce(house, letter, text, **fields) == became
    lines = told(house, letter)
    assert len(lines) == before + 1 and lines[-1][0] == became and (lines[-1][1] or not fields)
    assert troubled(house) == set()


@on_sqlite
def test_a_full_mailbox_is_tried_again_and_one_that_was_tried_for_days_is_not(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    assert bounce(house, letter, "<a@b>:\nRemote host said: 450 4.2.2 Mailbox full\nqueue too long.\n") == "deferred"
    assert asked(house).status == "sent"
    assert bounce(house, letter, "<a@b>:\nRemote host said: 552 5.2.2 Mailbox full\n") == "deferred"
    assert asked(house).status == "queued"


@on_sqlite
def test_a_letter_that_came_back_is_not_sent_again_to_an_address_that_its_player_has_left(
    house: House, sink: tuple[Sink, str], rng: random.Random
) -> None:
    kept, letter = mailed(house, sink, rng)
    with transaction(house.settings) as session:
        address_changes._move(session, session.get_one(Account, letter.account_id), "new@example.org")
    kept.got.clear()
    assert bounce(house, letter, "<a@b>:\nRemote host said: 552 5.2.2 Mailbox full\n") == "rejected"
    with transaction(house.settings) as session:
        ledger.mended(session, session.get_one(Account, letter.account_id))
    house.pass_(HOUR)
    assert {address for envelope in kept.got for address in envelope.rcpt_tos} == {"new@example.org"}, "the test letter"


@on_sqlite
def test_a_letter_that_came_back_is_not_sent_again_to_a_player_who_has_left_the_seat(
    house: House, sink: tuple[Sink, str], rng: random.Random
) -> None:
    kept, letter = mailed(house, sink, rng)
    with transaction(house.settings) as session:
        seat = session.get_one(SeatRow, (house.players.match_id, letter.seat))
        seat.account_id = accounts.by_email(session, "dora@example.org").id
        links.renew_seat(session, seat)
    kept.got.clear()
    assert bounce(house, letter, "<a@b>:\nRemote host said: 552 5.2.2 Mailbox full\n") == "rejected"
    house.pass_(HOUR)
    assert letter.to_address not in {address for envelope in kept.got for address in envelope.rcpt_tos}


@on_sqlite
@pytest.mark.parametrize("wrapped", [False, True])
def test_private_links_in_a_returned_letter_are_not_kept(house: House, wrapped: bool) -> None:
    """Operators read what servers say, and a sign-in letter is short enough to be quoted in it with its link."""
    letter = only(house, "a")
    with transaction(house.settings) as session:
        account = session.get_one(Account, letter.account_id)
        link = links.url(house.settings, links.sign_in_link(session, account))
        account.bounced_at = START
    quoted = (
        f"Dear Anna, open this link: {link[:40]}\n{link[40:]}"
        if wrapped
        else f"Dear Anna, open this link: {link} It works once."
    )
    assert bounce(house, letter, f"<a@b>:\n550 5.1.1 User unknown: {quoted}\n") == "bounced"
    with open_session(house.settings) as session:
        account, error = session.get_one(Account, letter.account_id), session.get_one(Letter, letter.id).error
    for words in (told(house, letter)[-1][1], account.bounce, error):
        assert words.startswith("550 5.1.1 User unknown: Dear Anna, open this link:")
        assert not tokens.find(words) and link[45:60] not in words
        assert wrapped or words.endswith("[…] It works once.")


def test_three_reports_in_text_over_six_hours_are_evidence_and_full_mailboxes_never(house: House) -> None:
    without_reminders(house)
    for says, dead in (("552 5.2.2 Mailbox full", set()), ("550 5.7.1 Blocked", set()), ("550 5.1.1 User unknown", {"a"})):
        for kind, after in (("kept", 7 * HOUR), ("fresh_link", 7 * HOUR), ("kept", HOUR)):
            bounce(house, come_back(house, "a", kind, after), says)
        assert troubled(house) == dead


@on_sqlite
def test_a_report_that_went_to_the_replies_address_is_one(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter = asked(house)
    to = letter.headers["Reply-To"]
    assert inbox.receive(house.settings, report(letter, to), (to,), "") == "bounced"
    assert told(house, letter)[-1][0] == "bounced"


# --- which letter ---------------------------------------------------------------------------------------------------------


def test_a_bounce_that_was_sent_elsewhere_finds_its_letter_by_a_signed_address_that_it_returns(house: House) -> None:
    letter = only(house, "a")
    for name in ("Return-Path", "CFBL-Address", "X-Original"):
        returned = report(letter, "writ@writ.test").replace(b"Subject: x", f"{name}: <{back(house, letter)}>".encode())
        assert inbox.receive(house.settings, returned) == "bounced", name
    folded = back(house, letter)
    folded = folded[:30] + "=\n" + folded[30:]
    assert (
        inbox.receive(house.settings, report(letter, "writ@writ.test").replace(b"Subject: x", f"X: {folded}".encode()))
        == "bounced"
    )


@on_sqlite
def test_a_known_message_id_or_a_made_up_address_proves_nothing(house: House) -> None:
    """Everybody at a table may come to know a Message-ID; nobody else's letters are silenced by it."""
    letter = only(house, "b")
    forged = back(house, letter)[: -len("0123456789abcdef@writ.test")] + "0123456789abcdef@writ.test"
    for returned in ("", f"Return-Path: <{forged}>\n"):
        assert inbox.receive(house.settings, complaint(letter, returned)) == "dropped"
        assert (
            inbox.receive(house.settings, report(letter, "writ@writ.test").replace(b"Subject: x\n", returned.encode()))
            == "dropped"
        )
    assert mode(house, "b") != "none" and only(house, "b").status == "sent"


@on_sqlite
def test_a_person_who_quotes_a_signed_address_sends_no_bounce(house: House) -> None:
    letter = only(house, "a")
    text = f"From: Anna <anna@example.org>\nTo: writ@writ.test\nSubject: Re: x\n\n550 User unknown\n> {back(house, letter)}\n"
    assert inbox.receive(house.settings, text.encode()) == "dropped"
    assert only(house, "a").status == "sent"


# --- complaints -------------------------------------------------------------------------------------------------------------


def test_every_letter_says_where_complaints_go(house: House) -> None:
    for seat in "ab":
        letter = only(house, seat)
        address = letter.headers["CFBL-Address"].partition(";")[0]
        assert links.letter_of(house.settings, address) == ("b", letter.id)


@on_sqlite
@pytest.mark.parametrize("way", ["address", "returned"])
def test_a_complaint_ends_the_games_letters_as_their_button_does_and_leaves_a_line(house: House, way: str) -> None:
    letter = only(house, "a")
    message = complaint(letter, f"CFBL-Address: {letter.headers['CFBL-Address']}\n" if way == "returned" else "")
    to = (back(house, letter),) if way == "address" else ()
    assert inbox.receive(house.settings, message, to) == "complained"
    assert told(house, letter)[-1] == ("complained", "Feedback-Type: abuse")
    assert (mode(house, "a"), mode(house, "b")) == ("none", "")
    assert only(house, "a").status == "sent" and troubled(house) == set()


@on_sqlite
def test_feedback_that_is_no_complaint_ends_nothing(house: House) -> None:
    letter = only(house, "a")
    assert inbox.receive(house.settings, complaint(letter, kind="not-spam"), (back(house, letter),)) == "reported"
    assert mode(house, "a") == ""


def test_a_complaint_about_a_letter_from_before_the_seat_changed_hands_ends_nothing(house: House) -> None:
    letter = only(house, "a")
    with transaction(house.settings) as session:
        links.renew_seat(session, session.get_one(SeatRow, (house.players.match_id, "a")))
    assert inbox.receive(house.settings, complaint(letter), (back(house, letter),)) == "complained"
    assert mode(house, "a") == "" and told(house, letter)[-1][0] == "complained"


def test_a_complaint_about_a_digest_ends_the_letters_of_its_games(house: House, rng: random.Random) -> None:
    for seat in "ab":
        wish(house, seat, "digest")
    house.answer_all(rng)
    house.go_to(START + 22 * HOUR)
    with open_session(house.settings) as session:
        (digest,) = session.exec(select(Letter).where(Letter.kind == "digest")).all()
    assert inbox.receive(house.settings, complaint(digest), (back(house, digest),)) == "complained"
    assert "none" in [mode(house, seat) for seat in "ab"]


@pytest.mark.parametrize("kind", ["invitation", "substitute"])
def test_a_complaint_about_an_invitation_ends_all_invitations_as_its_button_does(house: House, kind: str) -> None:
    if kind == "substitute":
        house.command("b", "seek seat=b", email="x@example.net")
    else:
        with transaction(house.settings) as session:
            host = accounts.by_id(session, house.players.match(session).host_id)
            invite(session, lobby.open_match(session, host, "Later", "ortus", 3), host, "x@example.net")
    house.tick()
    with open_session(house.settings) as session:
        letter = session.exec(select(Letter).where(Letter.kind == kind)).one()
        assert letter.status == "sent" and not optouts.has(session, "x@example.net")
    assert inbox.receive(house.settings, complaint(letter), (back(house, letter),)) == "complained"
    with open_session(house.settings) as session:
        assert optouts.has(session, "x@example.net")
    assert [mode(house, seat) for seat in "ab"] == ["", ""]


# --- machines -----------------------------------------------------------------------------------------------------------------


def test_a_machines_answer_to_a_letter_leaves_a_line_and_nothing_else(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    letter, before = asked(house), len(house.entries())
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = letter.to_address, letter.headers["Reply-To"], "Away"
    made["Auto-Submitted"] = "auto-replied"
    made.set_content("end")
    assert inbox.receive(house.settings, made.as_bytes()) == "dropped"
    assert told(house, letter)[-1] == ("autoresponded", "Away")
    assert len(house.entries()) == before and not house.letters("reply_refused")


@on_sqlite
def test_a_read_receipt_is_a_machines_answer(house: House) -> None:
    letter = only(house, "a")
    text = (
        "From: a@b.test\nSubject: Read: x\n"
        "Content-Type: multipart/report; report-type=disposition-notification; boundary=xx\n\n"
        "--xx\n\nIt was read.\n\n--xx\nContent-Type: message/disposition-notification\n\n"
        "Disposition: manual-action/MDN-sent-manually; displayed\n\n--xx--\n"
    )
    assert inbox.receive(house.settings, text.encode(), (back(house, letter),), "") == "autoresponded"


def test_a_letters_ledger_does_not_grow_without_end(house: House) -> None:
    letter = only(house, "a")
    for _ in range(ledger.MOST_LINES + 5):
        bounce(house, letter, "???", Subject="x")
    assert len(told(house, letter)) <= ledger.MOST_LINES
