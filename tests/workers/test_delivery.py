"""Delivery: by SMTP or into the Maildir, tried again, never twice at once, given up aloud."""

from __future__ import annotations

import contextlib
import mailbox
import random
import smtplib
import subprocess
import sys
import threading
from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import default
from typing import Any

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event
from sqlmodel import select, update

from engine.core.asks import NotLegal
from engine.language.words import Message
from service.games import lobby, writing
from service.people import accounts
from service.post import ledger, letters, pacing, relay
from service.settings import Settings
from service.store import database as db
from service.store import optouts, queue
from service.store.models import Account, AskRow, Letter, LetterStatus, MailHold, now
from service.table import host
from tests.house import invite
from tests.service.conftest import Players, Sink, on_sqlite, open_table, person, statements
from workers import sweep
from workers.letters import delivery, smtp


@pytest.fixture
def letter(settings: Settings, sent: list[tuple[str, ...]]) -> Letter:
    with db.transaction(settings) as session:
        accounts.ask_sign_in(session, "anna@example.org")
        return session.exec(select(Letter)).one()


def again(settings: Settings) -> Letter:
    with db.open_session(settings) as session:
        return session.exec(select(Letter)).one()


@on_sqlite
def test_without_a_server_letters_go_to_the_maildir(settings: Settings, letter: Letter) -> None:
    delivery.deliver(settings, letter.id)
    delivery.deliver(settings, letter.id)  # the task runs twice
    (found,) = mailbox.Maildir(settings.maildir, create=False)
    assert (found["To"], found["Message-ID"]) == ("anna@example.org", letter.message_id)
    assert [part.get_content_type() for part in found.walk()] == ["multipart/alternative", "text/plain", "text/html"]
    assert again(settings).status == "sent"


@on_sqlite
def test_a_letter_goes_out_by_smtp_once(settings: Settings, letter: Letter, sink: tuple[Sink, str]) -> None:
    kept, url = sink
    by_smtp = settings.model_copy(update={"smtp_url": url})
    delivery.deliver(by_smtp, letter.id)
    delivery.deliver(by_smtp, letter.id)
    (envelope,) = kept.got
    assert envelope.rcpt_tos == ["anna@example.org"] and letter.message_id.encode() in envelope.content
    assert again(settings).status == "sent" and again(settings).sent_at


@on_sqlite
def test_a_refusal_for_now_is_tried_again_later_with_the_same_message_id(
    settings: Settings, letter: Letter, sink: tuple[Sink, str]
) -> None:
    kept, url = sink
    by_smtp = settings.model_copy(update={"smtp_url": url})
    kept.says = "451 come back later"
    delivery.deliver(by_smtp, letter.id)
    waiting = again(settings)
    assert waiting.status == "queued" and "come back later" in waiting.error and waiting.next_try_at > now()
    kept.says = ""
    delivery.deliver(by_smtp, letter.id)  # too early
    assert kept.got == []
    with time_machine.travel(waiting.next_try_at + timedelta(seconds=1)):
        delivery.deliver(by_smtp, letter.id)
    assert letter.message_id.encode() in kept.got[0].content and again(settings).status == "sent"


@on_sqlite
def test_a_refusal_for_good_bounces_at_once(settings: Settings, letter: Letter, sink: tuple[Sink, str]) -> None:
    kept, url = sink
    kept.says = "550 no such person"
    delivery.deliver(settings.model_copy(update={"smtp_url": url}), letter.id)
    assert again(settings).status == "bounced" and "no such person" in again(settings).error


@on_sqlite
@pytest.mark.parametrize(
    "problem", [ConnectionRefusedError(), smtplib.SMTPServerDisconnected("gone"), ValueError("odd header")]
)
def test_whatever_goes_wrong_is_tried_for_two_days_and_then_given_up(
    settings: Settings, letter: Letter, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    def fails(_mail: delivery.MailConnection, _letter: Letter, _made: bytes) -> None:
        raise problem

    monkeypatch.setattr(delivery.MailConnection, "send", fails)
    tries, at = 0, now()
    while again(settings).status == "queued":
        with time_machine.travel(max(at, again(settings).next_try_at) + timedelta(seconds=1), tick=False):
            delivery.deliver(settings, letter.id)
        tries += 1
    assert tries == len(ledger.BACK_OFF) + 1
    assert again(settings).status == "failed" and type(problem).__name__ in again(settings).error


def test_a_letter_that_a_dead_worker_held_is_taken_up_after_a_while(
    settings: Settings, letter: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def dies(_mail: delivery.MailConnection, _letter: Letter, _made: bytes) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(delivery.MailConnection, "send", dies)
        with pytest.raises(Killed):
            delivery.deliver(settings, letter.id)
    assert again(settings).status == "sending"
    delivery.deliver(settings, letter.id)  # another worker may still be at it
    assert again(settings).status == "sending"
    with time_machine.travel(now() + timedelta(seconds=delivery.CLAIM_SECONDS + 1)):
        delivery.deliver(settings, letter.id)
    assert again(settings).status == "sent"


@on_sqlite
def test_after_a_jump_of_the_clock_the_rest_of_a_batch_is_left_to_the_worker_that_claimed_it(
    settings: Settings, clock: time_machine.Traveller, letter: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NTP or a suspended host: claims have expired, though no time has passed for the worker that holds them."""
    with db.transaction(settings) as session:
        accounts.ask_sign_in(session, "bert@example.org")
    sent, send = list[str](), delivery.MailConnection.send

    def jumps(mail: delivery.MailConnection, one: Letter, made: bytes) -> Message | str:
        sent.append(one.to_address)
        if len(sent) == 1:
            clock.shift(timedelta(seconds=delivery.CLAIM_SECONDS + 1))
            delivery.deliver(settings)
        return send(mail, one, made)

    monkeypatch.setattr(delivery.MailConnection, "send", jumps)
    delivery.deliver(settings)
    delivery.deliver(settings)
    (twice,) = {address for address in sent if sent.count(address) > 1}
    assert twice == sent[0] and len(sent) == 3, "the letter on its way when the clock jumped, and no other"
    with db.open_session(settings) as session:
        assert session.exec(select(Letter.status, Letter.attempts)).all() == [("sent", 2), ("sent", 2)]


@on_sqlite
def test_a_letter_that_kills_its_workers_is_given_up(
    settings: Settings, letter: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def dies(*_: object) -> None:
        raise Killed

    monkeypatch.setattr(delivery.MailConnection, "send", dies)
    tries = 0
    with time_machine.travel(now(), tick=False) as clock:
        while again(settings).status != "failed":
            try:
                delivery.deliver(settings, letter.id)
            except Killed:
                tries += 1
            clock.shift(timedelta(seconds=delivery.CLAIM_SECONDS + 1))
    assert tries == len(ledger.BACK_OFF) + 1


def test_a_letter_that_can_not_be_made_is_given_up_at_once_and_keeps_no_other_waiting(
    settings: Settings, letter: Letter, sink: tuple[Sink, str]
) -> None:
    kept, url = sink
    by_smtp = settings.model_copy(update={"smtp_url": url})
    with db.transaction(settings) as session:
        found = session.get(Letter, letter.id)
        assert found is not None
        found.to_address = "=?utf-8?q?a=0d=0aBcc=3Ab?=@example.org"
        session.add(found)
        accounts.ask_sign_in(session, "bert@example.org")
        other = session.exec(select(Letter.id).where(Letter.to_address == "bert@example.org")).one()
    for id in (letter.id, other):
        delivery.deliver(by_smtp, id)
    assert [envelope.rcpt_tos for envelope in kept.got] == [["bert@example.org"]]
    with db.open_session(settings) as session:
        gone = session.get(Letter, letter.id)
        assert gone is not None and gone.status == "failed"
        assert [(line.status, line.words) for line in ledger.lines(session, gone)][-1] == (
            "failed",
            "The letter can't be made: ValueError",
        )


@on_sqlite
@pytest.mark.parametrize(
    ("at_address", "at_letter", "status"),
    [
        ("550 5.1.1 no such mailbox", "", "bounced"),
        ("550 no such mailbox", "", "bounced"),
        ("550 5.7.1 not from here", "", "rejected"),
        ("550 blocked by our list", "", "rejected"),
        ("554 not from you", "", "rejected"),
        ("552 5.2.2 full", "", "queued"),
        ("552 full", "", "queued"),
        ("452 4.2.2 full", "", "queued"),
        ("", "554 5.7.1 spam", "rejected"),
        ("", "554 we want no words like these", "rejected"),
        ("", "550 this reads like unwanted mail", "rejected"),
        ("", "552 5.3.4 too large", "rejected"),
        ("", "451 4.7.1 later", "queued"),
    ],
)
def test_a_refusal_is_read_for_what_it_says(
    settings: Settings, letter: Letter, sink: tuple[Sink, str], at_address: str, at_letter: str, status: str
) -> None:
    kept, url = sink
    kept.says, kept.says_of_letters = at_address, at_letter
    delivery.deliver(settings.model_copy(update={"smtp_url": url}), letter.id)
    found = again(settings)
    assert found.status == status and found.error == at_address + at_letter
    with db.open_session(settings) as session:
        account = session.get(Account, letter.account_id)
        assert account is not None and account.bounced_at is None


@on_sqlite
def test_a_dropped_letter_is_not_sent(settings: Settings, letter: Letter) -> None:
    with db.transaction(settings) as session:
        found = session.get(Letter, letter.id)
        assert found is not None
        found.status = LetterStatus.DROPPED
        session.add(found)
    delivery.deliver(settings, letter.id)
    assert not settings.maildir.exists()


def test_a_message_has_what_mail_programs_need(settings: Settings, letter: Letter) -> None:
    made = message_from_bytes(delivery.message(settings, letter), policy=default)
    assert made["Auto-Submitted"] == "auto-generated" and made["Date"].datetime.tzinfo is not None
    assert made["From"].addresses[0].addr_spec == "writ@localhost"


@given(st.text(st.characters(exclude_categories=())), st.text())
def test_what_was_written_is_what_a_mail_program_reads(text: str, html: str) -> None:
    letter = Letter(to_address="ada@example.org", kind="test", subject="War", text=text, html=html, message_id="<a@b>")
    sent = delivery.message(Settings(secret_keys=("a-key-for-tests-of-32-letters-and-more",)), letter)
    assert all(len(line) <= 998 and b"\r" not in line and b"\n" not in line for line in sent.split(b"\r\n"))  # RFC 5322, 2.1.1
    read = message_from_bytes(sent, policy=default)
    parts = [part.get_payload(decode=True) for part in read.iter_parts()]
    written = [b"\r\n".join([*whole.encode(errors="replace").splitlines(), b""]) for whole in (text, html)]
    assert parts == written


# --- slots ------------------------------------------------------------------------------------------------------------


def test_letters_take_no_more_than_their_slots(settings: Settings, letter: Letter, sent: list[tuple[str, ...]]) -> None:
    with delivery.letter_slot(settings) as first, delivery.letter_slot(settings) as second:
        with delivery.letter_slot(settings) as third:
            assert (first, second, third) == (0, 1, None) and delivery.is_last(settings, 1)
        sent.clear()
        delivery.deliver(settings)
        assert again(settings).status == "queued" and sent == [(queue.DELIVER,)], "it is called for again"
    delivery.deliver(settings)
    assert again(settings).status == "sent"


def test_the_last_slot_sends_sign_in_letters_alone(settings: Settings, letter: Letter, sent: list[tuple[str, ...]]) -> None:
    open_table(settings).adjudicate()

    def states() -> set[tuple[str, str]]:
        with db.open_session(settings) as session:
            return {(row.kind, row.status) for row in session.exec(select(Letter))}

    with delivery.letter_slot(settings):
        delivery.deliver(settings)
        assert states() == {("sign_in", "sent"), ("started", "queued")}
    delivery.deliver(settings)
    assert states() == {("sign_in", "sent"), ("started", "sent")}


def test_the_slot_of_a_killed_process_is_free(settings: Settings) -> None:
    code = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); "
    lock = settings.data_folder / "letters-0.lock"
    with subprocess.Popen([sys.executable, "-c", code + "time.sleep(600)", str(lock)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        with delivery.letter_slot(settings) as slot:
            assert slot == 1 and delivery.is_last(settings, slot)
        other.kill()
    with delivery.letter_slot(settings) as slot:
        assert slot == 0


# --- letters about a game ---------------------------------------------------------------------------------------------


@on_sqlite
@pytest.mark.parametrize("which", ["all", "awaited"])
def test_a_claim_reads_a_backlog_by_an_index_and_sorts_nothing(settings: Settings, which: str) -> None:
    said: list[tuple[str, Any]] = []
    listens = db.engine_for(settings), "before_cursor_execute", lambda _c, _k, what, with_, *_: said.append((what, with_))
    event.listen(*listens)
    with db.transaction(settings) as session:
        session.execute(delivery._claiming(which), {"at": now(), "until": now()})
    event.remove(*listens)
    ((what, values),) = [one for one in said if "letters" in one[0]]
    with db.open_session(settings) as session:
        steps = [row[3] for row in session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {what}", values)]
    assert any("INDEX ix_letters_" in step for step in steps) and not any("TEMP B-TREE" in step for step in steps), steps


def test_letters_of_a_batch_are_written_as_they_are_sent_over_one_connection(
    settings: Settings, sent: list[tuple[str, ...]], sink: tuple[Sink, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, url = sink
    players = open_table(settings, people=4)
    players.adjudicate()
    assert sent[1:] == [(queue.DELIVER,)], "one task for all of them"
    with db.open_session(settings) as session:
        rows = session.exec(select(Letter).where(Letter.kind == "started")).all()
    assert len(rows) == 4 and all(row.text == "" and row.written_at is None for row in rows)
    opened: list[object] = []
    real = smtplib.SMTP.connect

    def connect(self: smtplib.SMTP, *where: Any) -> tuple[int, bytes]:
        opened.append(self)
        return real(self, *where)

    monkeypatch.setattr(smtplib.SMTP, "connect", connect)
    with statements(settings) as said:
        delivery.deliver(settings.model_copy(update={"smtp_url": url}))
    assert len(kept.got) == 4 and len(opened) == 1
    per_batch, per_letter = 8, 2
    assert len([s for s in said if not s.startswith(("BEGIN", "PRAGMA"))]) == per_batch + 4 * per_letter
    with db.open_session(settings) as session:
        for row in session.exec(select(Letter).where(Letter.kind == "started")).all():
            assert row.status == "sent" and row.text and row.html and row.written_at is not None


def test_a_letter_whose_question_is_answered_when_it_would_go_out_is_dropped(table: Players, rng: random.Random) -> None:
    for seat in table.asked():
        table.submit(seat, rng)
    table.adjudicate()
    (held,) = table.letters("turn")
    with db.transaction(table.settings) as session:
        ask = session.get_one(AskRow, (table.match_id, held.seat, held.serial))
        ask.answered_at = now()
        session.add(ask)
    with time_machine.travel(now() + timedelta(seconds=table.settings.hold_seconds + 1)):
        delivery.deliver(table.settings)
    (dropped,) = table.letters("turn")
    assert dropped.status == "dropped" and dropped.text == ""


# --- health of the relay ----------------------------------------------------------------------------------------------


def down_since(settings: Settings) -> datetime | None:
    with db.open_session(settings) as session:
        return relay.down_since(session)


def test_a_relay_that_nobody_answers_at_is_down_until_it_accepts_a_letter(
    settings: Settings, letter: Letter, sink: tuple[Sink, str]
) -> None:
    kept, url = sink
    nobody = settings.model_copy(update={"smtp_url": "smtp://127.0.0.1:1"})
    with time_machine.travel(now() + timedelta(seconds=1), tick=False) as clock:
        first = now()
        delivery.deliver(nobody)
        assert down_since(nobody) == first
        clock.shift(timedelta(seconds=ledger.BACK_OFF[0] + 1))
        delivery.deliver(nobody)
        assert again(settings).attempts == 2 and down_since(nobody) == first
        clock.shift(timedelta(seconds=ledger.BACK_OFF[1] + 1))
        delivery.deliver(settings.model_copy(update={"smtp_url": url}))
        assert len(kept.got) == 1 and down_since(nobody) is None


def test_a_relay_that_is_back_is_noticed_without_a_letter(
    settings: Settings, letter: Letter, sink: tuple[Sink, str], sent: list[tuple[str, ...]]
) -> None:
    kept, url = sink
    nobody, by_smtp = (settings.model_copy(update={"smtp_url": x}) for x in ("smtp://127.0.0.1:1", url))
    delivery.deliver(nobody)
    with db.transaction(settings) as session:  # the question was answered meanwhile
        session.exec(update(Letter).values(status=LetterStatus.DROPPED))
    delivery.deliver(nobody)
    assert down_since(nobody) is not None
    sent.clear()
    sweep.sweep(by_smtp)
    assert sent == [(queue.DELIVER,)]
    delivery.deliver(by_smtp)
    assert down_since(by_smtp) is None and kept.got == []
    sent.clear()
    sweep.sweep(by_smtp)
    assert sent == []


@on_sqlite
@pytest.mark.parametrize(
    ("at_address", "at_letter", "counts"),
    [
        ("550 5.1.1 no such mailbox", "", False),
        ("450 4.1.2 no such domain", "", False),
        ("550 5.7.1 relaying denied", "", True),
        ("451 try later", "", True),
        # What a letter holds may be a player's words.
        ("", "554 5.7.1 this is spam", False),
        ("", "451 4.7.1 later", False),
    ],
)
def test_refused_recipients_count_from_the_second_domain_on(
    settings: Settings, letter: Letter, sink: tuple[Sink, str], at_address: str, at_letter: str, counts: bool
) -> None:
    kept, url = sink
    by_smtp = settings.model_copy(update={"smtp_url": url})
    kept.says, kept.says_of_letters = at_address, at_letter
    with db.transaction(settings) as session:
        accounts.ask_sign_in(session, "bert@mail.example.org")
    delivery.deliver(by_smtp)
    assert down_since(by_smtp) is None
    with db.transaction(settings) as session:
        accounts.ask_sign_in(session, "cleo@example.com")
    delivery.deliver(by_smtp)
    assert (down_since(by_smtp) is not None) is counts


@on_sqlite
def test_a_refused_sender_counts_at_once_and_a_refused_recipient_ends_that(
    settings: Settings, letter: Letter, sink: tuple[Sink, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, url = sink
    by_smtp = settings.model_copy(update={"smtp_url": url})
    with monkeypatch.context() as patch:
        patch.setattr(smtplib.SMTP, "mail", lambda *_: (550, b"5.7.1 not from you"))
        delivery.deliver(by_smtp)
    assert down_since(by_smtp) is not None and again(settings).status == "queued"
    kept.says = "550 5.1.1 no such mailbox"
    with time_machine.travel(again(settings).next_try_at + timedelta(seconds=1)):
        delivery.deliver(by_smtp)
    assert down_since(by_smtp) is None and again(settings).status == "bounced"


@on_sqlite
def test_a_fault_of_our_own_is_no_outage(settings: Settings, letter: Letter, sink: tuple[Sink, str]) -> None:
    by_smtp = settings.model_copy(update={"smtp_url": sink[1]})
    with db.transaction(settings) as session:
        session.exec(update(Letter).values(to_address="=?utf-8?q?a=0d=0aBcc=3Ab?=@example.org"))
    delivery.deliver(by_smtp)
    assert again(settings).status == "failed" and down_since(by_smtp) is None


# --- branches that are seldom taken -----------------------------------------------------------------------------------


@on_sqlite
def test_what_a_slow_server_leaves_of_a_batch_is_given_back_and_is_no_attempt(
    settings: Settings, letter: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "PATIENCE", -1)
    delivery.deliver(settings)
    assert (again(settings).status, again(settings).attempts) == ("queued", 0)
    monkeypatch.undo()
    delivery.deliver(settings)
    assert (again(settings).status, again(settings).attempts) == ("sent", 1)


@on_sqlite
def test_a_letter_whose_key_is_missing_is_tried_again(settings: Settings, letter: Letter) -> None:
    other = settings.model_copy(update={"secret_keys": ("another-key-for-tests-of-32-letters-and-more",)})
    delivery.deliver(other)
    assert again(settings).status == "queued" and "CannotDecrypt" in again(settings).error
    with time_machine.travel(again(settings).next_try_at + timedelta(seconds=1)):
        delivery.deliver(settings)
    assert again(settings).status == "sent"


@on_sqlite
def test_an_unwritten_letter_that_no_key_decrypts_keeps_no_other(table: Players, settings: Settings) -> None:
    other = settings.model_copy(update={"secret_keys": ("another-key-for-tests-of-32-letters-and-more",)})
    with db.transaction(other) as session:
        mine = letters.test_letter(session, accounts.known(session, "anna@example.org"))
    delivery.deliver(other)
    with db.open_session(other) as session:
        assert session.get_one(Letter, mine.id).status == "sent"
        owed = session.exec(select(Letter).where(Letter.kind == "started")).all()
        assert [(one.status, "letters.headers" in one.error) for one in owed] == [("queued", True)] * 2


def test_talk_to_an_address_that_came_back_waits_a_day_and_a_question_does_not(settings: Settings, letter: Letter) -> None:
    with db.transaction(settings) as session:
        account = session.get_one(Account, letter.account_id)
        account.bounced_at = came_back = now()
        session.add(account)
        session.exec(update(Letter).values(kind="talk"))
    delivery.deliver(settings)
    found = again(settings)
    assert (found.status, found.attempts, found.next_try_at) == ("queued", 0, came_back + timedelta(days=1))
    with db.transaction(settings) as session:
        session.exec(update(Letter).values(kind="test", next_try_at=now()))
    delivery.deliver(settings)
    assert again(settings).status == "sent"
    with db.open_session(settings) as session:
        assert session.get_one(Account, letter.account_id).bounced_at is None, "it arrived"


@pytest.mark.parametrize(("fault", "halts"), [(OSError("no room"), False), (ZeroDivisionError("of the rules"), True)])
def test_a_letter_that_cannot_be_written_is_deferred_and_a_fault_of_the_rules_halts_the_game(
    table: Players, monkeypatch: pytest.MonkeyPatch, fault: Exception, halts: bool
) -> None:
    def fails(_settings: Settings, _owed: object) -> None:
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(writing, "write", fails)
        delivery.deliver(table.settings)
    with db.open_session(table.settings) as session:
        started = session.exec(select(Letter).where(Letter.kind == "started")).all()
        assert started and {letter.status for letter in started} == {"queued"}
        assert all(type(fault).__name__ in letter.error for letter in started)
        assert (table.match(session).halted_at is not None) is halts


@on_sqlite
def test_the_maildir_is_never_probed(settings: Settings) -> None:
    with contextlib.closing(delivery.MailConnection(settings)) as mail:
        mail.probe()
    assert not settings.maildir.exists()


def test_each_batch_notes_that_the_relay_accepts(
    settings: Settings, letter: Letter, sink: tuple[Sink, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    by_smtp = settings.model_copy(update={"smtp_url": sink[1]})
    monkeypatch.setattr(delivery, "BATCH", 1)
    delivery._claiming.cache_clear()
    with db.transaction(settings) as session:
        accounts.ask_sign_in(session, "bert@example.com")
    real, calls = smtp.Relay.send, [0]

    def send(self: smtp.Relay, *given: Any) -> str:
        calls[0] += 1
        if calls[0] == 2:  # another worker's connection was refused after the first batch
            with db.transaction(by_smtp) as session:
                relay.failed(session, None)
        return real(self, *given)

    monkeypatch.setattr(smtp.Relay, "send", send)
    delivery.deliver(by_smtp)
    delivery._claiming.cache_clear()
    assert len(sink[0].got) == calls[0] == 2 and down_since(by_smtp) is None


def test_of_two_workers_that_get_a_421_at_once_neither_fails(settings: Settings) -> None:
    failed: list[Exception] = []

    def hold() -> None:
        try:
            with db.transaction(settings) as session:
                pacing.hold(session, "example.org")
        except Exception as problem:
            failed.append(problem)

    with db.transaction(settings) as session:
        pacing.hold(session, "example.org")
        other = threading.Thread(target=hold)
        other.start()
        other.join(1)
    other.join()
    with db.open_session(settings) as session:
        assert not failed and session.get_one(MailHold, "example.org").times == 1


def test_no_invitation_goes_to_an_address_that_opts_out_while_it_waits(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "Harvest war", "ortus", 3)
        for email in ("gwen+games@example.org", "hugh@example.org"):
            invite(session, match, host, email)
        optouts.add(session, "gwen@example.org")
    delivery.deliver(settings)
    with db.open_session(settings) as session:
        found = dict(session.exec(select(Letter.to_address, Letter.status).where(Letter.kind == "invitation")).all())
    assert found == {"gwen+games@example.org": "dropped", "hugh@example.org": "sent"}


@pytest.mark.parametrize("before", [LetterStatus.QUEUED, LetterStatus.BOUNCED])
def test_a_letter_sent_again_at_the_same_moment_as_it_is_claimed_stays_claimed(
    settings: Settings, letter: Letter, monkeypatch: pytest.MonkeyPatch, before: LetterStatus
) -> None:
    with db.transaction(settings) as session:
        session.exec(update(Letter).values(status=before, attempts=1))
    with db.open_session(settings) as session:
        looked = session.exec(select(Letter)).one()
    with db.transaction(settings) as session:  # a worker; behind another press, if it had bounced
        session.exec(update(Letter).values(status=LetterStatus.SENDING, attempts=2, next_try_at=now() + timedelta(minutes=1)))
    with db.transaction(settings) as session:
        monkeypatch.setattr(session, "get", lambda *_: session.merge(looked, load=False))
        with pytest.raises(NotLegal, match="being sent just now"):
            host.send_again(session, letter.id)
    assert (again(settings).status, again(settings).attempts) == ("sending", 2)
