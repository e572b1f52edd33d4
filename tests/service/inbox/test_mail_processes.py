"""Mail that comes in, as a mail server sees it: `writ mail-in` and `writ inbox` as processes, with real SMTP between."""

from __future__ import annotations

import os
import random
import shutil
import signal
import smtplib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import col, delete, select

from service.post import links
from service.settings import Settings
from service.store import queue
from service.store.database import engine_for, open_session, transaction
from service.store.models import Account, EntryRow, Letter, LetterEvent, Submission
from tests.forked import Forked
from tests.service.conftest import Players, open_table
from tests.service.post.test_ledger import report
from workers import adjudicate

WRIT = [sys.executable, "-m", "service.ops.cli"]


@pytest.fixture
def house(tmp_path: Path, empty_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Players]:
    """A game of two in which one of them is asked for their Turn, by letter."""
    monkeypatch.setattr(queue, "send", lambda *_args: None)
    found = Settings(
        data_folder=tmp_path / "data",
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        inbox="writ@writ.test",
        sqlite_synchronous="NORMAL",
    )
    found.data_folder.mkdir()
    shutil.copy(empty_sqlite, found.data_folder / "writ.db")
    players = open_table(found)
    players.adjudicate()
    for seat in players.asked():
        players.submit(seat, random.Random(7))
    players.adjudicate()
    yield players
    engine_for(found).dispose()


def environment(settings: Settings, **more: str) -> dict[str, str]:
    own = {"DATA_FOLDER": str(settings.data_folder), "SECRET_KEYS": settings.secret_keys[0], "INBOX": settings.inbox}
    return {**os.environ, **{f"WRIT_{name}": value for name, value in (own | more).items()}}


def asked(house: Players) -> Letter:
    return house.letters("turn")[-1]


def answer(letter: Letter, text: str, id: str = "<one@reader>") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Message-ID"] = letter.to_address, letter.headers["Reply-To"], id
    quoted = "\n".join("> " + line for line in letter.text.splitlines())
    made.set_content(f"{text}\n\nOn Tue, Nov 24, 2026 at 9:00 AM Writ <writ@writ.test> wrote:\n{quoted}\n")
    return made


def submitted(house: Players) -> list[tuple[str, str, str]]:
    with open_session(house.settings) as session:
        rows = session.exec(select(Submission).where(Submission.via == "reply")).all()
        return [(row.seat, row.move, row.status) for row in rows]


def in_the_log(house: Players) -> list[tuple[str, str, str]]:
    adjudicate.adjudicate(house.settings, house.match_id)
    with open_session(house.settings) as session:
        rows = session.exec(select(EntryRow).where(EntryRow.via == "reply")).all()
        return [(row.actor, row.move, row.via) for row in rows]


def bounces(house: Players, letter: Letter) -> list[str]:
    with open_session(house.settings) as session:
        lines = select(LetterEvent).where(LetterEvent.letter_id == letter.id, LetterEvent.status == "bounced")
        marked = session.get(Account, letter.account_id)
        assert marked is not None and marked.bounced_at is None  # one letter tells nothing about an address
        return [line.words for line in session.exec(lines)]


# --- by a pipe --------------------------------------------------------------------------------------------------------


def mail_in(house: Players, message: bytes, **more: str) -> tuple[int | None, bytes, bytes]:
    """Pipe a message to `writ mail-in` in a copy of this process: its exit code, and what it writes."""
    engine_for(house.settings).dispose()
    done = Forked(["mail-in"], environment(house.settings, **more), message)
    out, err = done.communicate(timeout=90)
    assert b"Traceback" not in err + out
    return done.returncode, out, err


def test_a_reply_by_the_pipe_is_a_move_and_the_same_again_is_once(house: Players) -> None:
    letter = asked(house)
    message, env = answer(letter, "end").as_bytes(), environment(house.settings)
    done = subprocess.run([*WRIT, "mail-in"], input=message, env=env, capture_output=True, timeout=90)
    assert (done.returncode, done.stdout) == (0, b"answered\n") and b"Traceback" not in done.stderr
    assert mail_in(house, message)[:2] == (0, b"answered\n")
    assert submitted(house) == [(letter.seat, "end", "queued")]
    assert in_the_log(house) == [(letter.seat, "end", "reply")]


def test_a_report_by_the_pipe_is_a_line_in_the_ledger(house: Players) -> None:
    letter = asked(house)
    done = mail_in(house, report(letter, links.mail_address(house.settings, "b", letter.id)))
    assert done[:2] == (0, b"bounced\n")
    assert bounces(house, letter) == ["smtp; 550 5.1.1 mailbox unknown"]


@pytest.mark.parametrize("garbage", [b"", b"\x00\xff\xfe\x80" * 5000, b"To: <\r\n\r\n\xff"])
def test_garbage_by_the_pipe_is_taken_and_dropped(house: Players, garbage: bytes) -> None:
    assert mail_in(house, garbage)[:2] == (0, b"dropped\n")


def test_a_reply_that_says_nothing_known_is_answered_by_a_letter(house: Players) -> None:
    assert mail_in(house, answer(asked(house), "Dragons! \x07").as_bytes())[:2] == (0, b"refused\n")
    assert len(house.letters("reply_refused")) == 1 and submitted(house) == []


def test_a_reply_that_can_not_be_taken_is_returned_to_its_writer_and_not_lost(house: Players) -> None:
    letter = asked(house)
    code, _, said = mail_in(house, answer(letter, "end\n" + "x" * 3_000_000).as_bytes())
    assert code == os.EX_DATAERR and b"too large" in said
    with transaction(house.settings) as session:  # as in a restored backup
        session.exec(delete(LetterEvent))
        session.exec(delete(Letter).where(col(Letter.id) == letter.id))
    code, _, said = mail_in(house, answer(letter, "end").as_bytes())
    assert code == os.EX_NOUSER and b"not known here" in said
    assert submitted(house) == []


@pytest.mark.parametrize(
    "fault",
    [{"DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:1/nothing"}, {"PORT": "many"}, {"DATA_FOLDER": "/dev/null/data"}],
    ids=["no database", "a bad setting", "no folder"],
)
def test_a_house_that_is_not_at_home_lets_the_mail_server_try_again(house: Players, fault: dict[str, str]) -> None:
    code, _, said = mail_in(house, answer(asked(house), "end").as_bytes(), **fault)
    assert code == os.EX_TEMPFAIL and b"try again later" in said
    assert submitted(house) == []


# --- by SMTP ----------------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(settings: Settings, port: int) -> Forked:
    """Run `writ inbox` in a copy of this process."""
    engine_for(settings).dispose()
    return Forked(["inbox"], environment(settings, INBOX_PORT=str(port)))


def run(settings: Settings, port: int) -> subprocess.Popen[bytes]:
    """Start `writ inbox` as a shell does."""
    env = environment(settings, INBOX_PORT=str(port))
    return subprocess.Popen([*WRIT, "inbox"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture(params=[start])
def port(house: Players, request: pytest.FixtureRequest) -> Iterator[int]:
    """The port of a `writ inbox` that runs; at the end it goes when it is told to, and has written no traceback."""
    found = free_port()
    running = request.param(house.settings, found)
    try:
        for _ in range(1200):
            try:
                socket.create_connection(("127.0.0.1", found), timeout=1).close()
                break
            except OSError:
                assert running.poll() is None, running.communicate(timeout=60)
                time.sleep(0.05)
        yield found
        running.send_signal(signal.SIGINT)
        assert b"Traceback" not in b"".join(running.communicate(timeout=60))
    finally:
        running.kill()


@pytest.mark.parametrize("port", [run], indirect=True)
def test_a_reply_by_smtp_is_a_move(house: Players, port: int) -> None:
    letter = asked(house)
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as server:
        assert server.send_message(answer(letter, "end")) == {}
    assert submitted(house) == [(letter.seat, "end", "queued")]
    assert in_the_log(house) == [(letter.seat, "end", "reply")]


def test_a_reply_from_an_address_in_unicode_by_smtp_is_a_move(house: Players, port: int) -> None:
    """Letters go to such addresses (RFC 6531), so their replies must arrive: mail servers return them otherwise."""
    letter, sender = asked(house), "änne@example.org"
    made = answer(letter, "end")
    made.replace_header("From", f"Änne <{sender}>")
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as server:
        assert server.send_message(made, from_addr=sender) == {}
    assert submitted(house) == [(letter.seat, "end", "queued")]


def test_a_report_by_smtp_is_a_line_in_the_ledger(house: Players, port: int) -> None:
    letter = asked(house)
    to = links.mail_address(house.settings, "b", letter.id)
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as server:
        assert server.sendmail("", [to], report(letter, to)) == {}
    assert bounces(house, letter) == ["smtp; 550 5.1.1 mailbox unknown"]


def test_strangers_are_refused_and_garbage_is_dropped_by_smtp(house: Players, port: int) -> None:
    letter = asked(house)
    to = letter.headers["Reply-To"]
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as server:
        for stranger in ("anna@example.org", "writ@writ.test", to.replace("+r.", "+b.")):
            with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
                server.sendmail("x@example.org", [stranger], b"Subject: x\r\n\r\nend\r\n")
            assert refused.value.recipients[stranger] == (550, b"5.1.1 No such address here")
        for garbage in (
            b"",
            b"\x00\xff\xfe\x80\r\n" * 5000,
            b"To: <\r\n\r\n\xff",
            b"Content-Type: multipart/report; boundary=\r\n\r\n",
        ):
            assert server.sendmail("x@example.org", [to], garbage) == {}
        with pytest.raises(smtplib.SMTPResponseException) as large:
            server.sendmail("x@example.org", [to], b"x\r\n" * 500_000)
        assert large.value.smtp_code == 552
    assert submitted(house) == []
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as server:  # it is still there
        server.send_message(answer(letter, "end"))
    assert submitted(house) == [(letter.seat, "end", "queued")]


def test_what_can_not_be_taken_now_is_put_off_by_smtp(house: Players, port: int) -> None:
    away = house.settings.data_folder / "writ.db"
    letter = asked(house)
    engine_for(house.settings).dispose()
    kept = away.rename(away.with_suffix(".away"))
    for rest in ("-wal", "-shm"):
        away.with_name(away.name + rest).unlink(missing_ok=True)
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as server:
        with pytest.raises(smtplib.SMTPDataError) as put_off:
            server.send_message(answer(letter, "end"))
        assert put_off.value.smtp_code == 451
        away.unlink(missing_ok=True)  # an empty one that SQLite has made
        kept.rename(away)
    assert submitted(house) == []


def test_an_inbox_without_address_or_port_says_so(house: Players) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = start(house.settings, other.getsockname()[1])
        said = taken.communicate(timeout=60)[1]
    assert taken.returncode == 1 and b"can't be listened on" in said and b"Traceback" not in said
    nameless = start(house.settings.model_copy(update={"inbox": ""}), free_port())
    said = nameless.communicate(timeout=60)[1]
    assert nameless.returncode == 1 and b"WRIT_INBOX names the address" in said and b"Traceback" not in said
