"""Names and subjects that try to become headers: through the door, and past it as rows, to a real SMTP server."""

from __future__ import annotations

import contextlib
import mailbox
import re
from collections import Counter
from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import compat32, default
from pathlib import Path
from typing import Literal

import pytest
from fast_mail_parser import parse_email
from hypothesis import HealthCheck, example, given
from hypothesis import settings as run
from hypothesis import strategies as st
from sqlmodel import select

from engine.core.asks import NotUnderstood
from service.common import headers, text_input
from service.people import accounts
from service.post import letters
from service.settings import Settings
from service.store import database as db
from service.store.models import Account, Letter, Link, SeatRow, now
from tests.service.conftest import Sink, open_table, sink
from workers.letters import delivery

FORGED = "=?utf-8?q?War=0d=0aReply-To:_evil@x.org=0d=0aBcc:_all@x.org?="
HALF = "=?utf-8?Q?=ED=A0=80?="
OURS = Counter(
    (
        "from",
        "to",
        "subject",
        "date",
        "message-id",
        "list-id",
        "list-unsubscribe",
        "reply-to",
        "auto-submitted",
        "mime-version",
        "content-type",
    )
)
smtp = sink
seen: Counter[str] = Counter()

WORDS = ["=?utf-8?q?", "=?UTF-8?B?", "=?iso-8859-1?q?", "?=", "=0d=0a", "=0D=0ABcc:_a@b", "DQpCY2M6IGFAYg==", "=ED=A0=80"]
MARKS = [
    *'\r\n \t\x00\x0b\x85\u2028\ud800\udc0a\u202e\u2066\u200f\u061c<>@,;:()"\\',
    "\r\n",
    "  ",
    "é" * 30,
    "x" * 70,
    "Bcc: a@x.org",
    "😀",
]
hostile = st.lists(st.sampled_from([*WORDS, *MARKS]) | st.text(max_size=6), max_size=12).map("".join)
UNSHOWN: tuple[Literal["Cc", "Cs", "Zl", "Zp", "Cf"], ...] = ("Cc", "Cs", "Zl", "Zp", "Cf")
clean = st.text(st.characters(codec="utf-8", exclude_categories=UNSHOWN), min_size=1, max_size=60).map(
    lambda text: " ".join(text.split())
)


def letter(subject: str, to: str = "anna@example.org") -> Letter:
    own = {
        "List-Id": "<game.writ.test>",
        "List-Unsubscribe": f"<http://writ.test/leave/{'x' * 200}>",
        "Reply-To": "writ+r.1.2@writ.test",
        "Auto-Submitted": "auto-generated",
    }
    page = f"<p>{subject}</p>"
    return Letter(to_address=to, kind="turn", subject=subject, text=subject, html=page, message_id="<1@writ.test>", headers=own)


def carried(smtp: tuple[Sink, str], made: Letter) -> bytes:
    """What a real server got of a letter."""
    kept, url = smtp
    kept.got.clear()
    settings = Settings(
        data_folder=Path("unused"),
        smtp_url=url,
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        mail_from="Writ of Sätze <writ@writ.test>",
    )
    with contextlib.closing(delivery.MailConnection(settings)) as mail:
        mail.send(made, delivery.message(settings, made))
    (envelope,) = kept.got
    assert envelope.rcpt_tos == [made.to_address]
    content: bytes = envelope.content
    return content


def is_ours(content: bytes, subject: str | None = None) -> None:
    """Exactly our headers, each once, for three parsers; the subject is the one given."""
    old, new, other = (
        message_from_bytes(content, policy=compat32),
        message_from_bytes(content, policy=default),
        parse_email(content),
    )
    for found in (old, new):
        assert Counter(name.lower() for name in found) == OURS
        assert found["Reply-To"] == "writ+r.1.2@writ.test" and found["List-Id"] == "<game.writ.test>"
    assert {name.lower() for name in other.headers} == set(OURS)
    assert [part.get_content_type() for part in new.walk()] == ["multipart/alternative", "text/plain", "text/html"]
    head = content.partition(b"\r\n\r\n")[0]
    assert head.isascii() and all(len(line) <= 998 and b"\n" not in line and b"\r" not in line for line in head.split(b"\r\n"))
    assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", head)
    shown = [str(make_header(decode_header(old["Subject"]))), str(new["Subject"]), other.subject]
    assert not any(headers.HIDDEN.search(x) or "\n" in x or "\r" in x for x in shown)
    if subject is not None:
        assert shown == [subject] * 3
    seen["messages"] += 1


@pytest.mark.parametrize("name", [FORGED, HALF, "War\r\nBcc: all@x.org", "\ud800", "\u202ereversed", "=?utf-8?b??=", "ok"])
def test_a_stored_name_makes_no_header_and_the_letter_goes_out(smtp: tuple[Sink, str], name: str) -> None:
    is_ours(carried(smtp, letter(f"{name} · Ortus Regni")))


@run(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hostile)
@example(FORGED)
def test_no_subject_whatever_it_holds_makes_a_header(smtp: tuple[Sink, str], subject: str) -> None:
    is_ours(carried(smtp, letter(subject)))


@run(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(clean.filter(bool))
@example("=?utf-8?q?=41?=")
@example("a" * 60)
@example("Größe  zählt: ☃")
def test_a_subject_arrives_as_it_was_given(smtp: tuple[Sink, str], subject: str) -> None:
    is_ours(carried(smtp, letter(subject)), subject)


@run(max_examples=300, deadline=None)
@given(hostile)
@example(FORGED)
@example(HALF)
def test_what_passes_the_door_is_harmless(name: str) -> None:
    try:
        kept = accounts.clean_name(name)
    except NotUnderstood as refusal:
        seen["refused at the door"] += 1
        assert str(refusal).endswith(".") and str(refusal).isprintable()
        return
    assert not text_input.unfit(kept) and "=?" not in kept and headers.shown(kept) == kept


TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (FORGED, "read as a code"),
        (HALF, "read as a code"),
        ("War\x00", "can't be shown"),
        ("\ud800", "can't be shown"),
        *((f"a{mark}b", "direction of writing") for mark in TURNS),
    ],
)
def test_the_door_says_what_is_wrong(name: str, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why):
        accounts.clean_name(name, "name of the game", 200)


@pytest.mark.parametrize(
    "address", ["=?utf-8?q?a=0d=0aBcc:b?=@example.org", "a\u202eb@example.org", "a=?b@example.org", ".a@b.org"]
)
def test_an_address_is_no_encoded_word(address: str) -> None:
    with pytest.raises(NotUnderstood, match="isn’t an e-mail address"):
        accounts.clean_email(address)


@pytest.mark.parametrize("address", ["=?utf-8?q?a=0d=0aBcc=3Ab?=@example.org", "ä@example.org", "a@b\r\nBcc: c@d", "a b@c"])
def test_no_letter_is_made_to_a_stored_address_that_servers_misread(address: str) -> None:
    with pytest.raises(ValueError, match="to no address"):
        delivery.message(Settings(secret_keys=("a-key-for-tests-of-32-letters-and-more",)), letter("War", address))


@pytest.mark.parametrize(
    "value", ["", "Writ", "Writ <writ@localhost", "a@b\nBcc: c@d", "a@b, c@d", "=?utf-8?q?x?= <a@b>", "<a@b> x", "a@-b"]
)
def test_a_sender_that_is_no_address_is_said_at_the_start(value: str) -> None:
    with pytest.raises(ValueError, match="the sender is one address"):
        Settings(mail_from=value)


@pytest.mark.parametrize(
    "value", ["writ@localhost", "Writ <writ@localhost>", '"Writ, games" <w@example.org>', "Wrît <w@example.org>"]
)
def test_a_sender_with_or_without_a_name_is_kept(value: str, tmp_path: Path) -> None:
    settings = Settings(mail_from=value, data_folder=tmp_path)
    with contextlib.closing(delivery.MailConnection(settings)) as mail:
        mail.send(letter("War"), delivery.message(settings, letter("War")))
    (found,) = mailbox.Maildir(settings.maildir, create=False)
    parsed = message_from_bytes(found.as_bytes(), policy=default)["From"].addresses[0]
    assert parsed.addr_spec == settings.mail_address and parsed.display_name in value


addresses = st.emails() | st.tuples(hostile, st.sampled_from(["@example.org", "@", "@a-b.c", ""])).map("".join)


@run(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(addresses)
def test_an_address_that_passes_the_door_is_the_one_that_the_server_gets(smtp: tuple[Sink, str], address: str) -> None:
    try:
        kept = accounts.clean_email(address)
    except NotUnderstood as refusal:
        seen["addresses refused"] += 1
        assert not any(headers.HIDDEN.search(c) or c in "\r\n\x00" for c in str(refusal))
        return
    if not kept.isascii():  # only a server that offers SMTPUTF8 gets such letters
        assert headers.recipient(kept, utf8=True) == f"To: {kept}\r\n".encode()
        return
    content = carried(smtp, letter("War", kept))
    is_ours(content, "War")
    assert message_from_bytes(content, policy=default)["To"].addresses[0].addr_spec == kept
    seen["addresses kept"] += 1


@pytest.mark.parametrize("name", [FORGED, HALF])
def test_every_letter_of_a_game_with_such_a_name_goes_out_and_is_ours(
    tmp_path: Path, smtp: tuple[Sink, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, url = smtp
    monkeypatch.setattr("service.store.queue.send", lambda *_, **_later: None)
    mail = {"smtp_url": url, "inbox": "writ@writ.test"}
    settings = Settings(
        data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",), sqlite_synchronous="NORMAL"
    ).model_copy(update=mail)
    db.migrate(settings)
    players = open_table(settings)
    with db.transaction(settings) as session:
        match = players.match(session)
        match.name = name
        session.add(match)
        seat = session.get(SeatRow, (match.id, "b"))
        assert seat is not None
        seat.invited_email = "x@example.org"
        letters.invitation(session, match, seat, Account(email="y"), Link(purpose="invite", expires_at=now()))
    players.adjudicate()
    with db.open_session(settings) as session:
        made = list(session.exec(select(Letter)))
    for one in made:
        delivery.deliver(settings, one.id)
    assert len(kept.got) == len(made) >= 3
    for envelope in kept.got:
        found = message_from_bytes(envelope.content, policy=default)
        assert "Bcc" not in found and len(found.get_all("Reply-To", [])) <= 1 and len(envelope.rcpt_tos) == 1
        assert all("evil@x.org" not in value for key, value in found.items() if key != "Subject")
        # What the letter is stands around the name, which is there as it was given and once.
        assert found["Subject"].count(name) == 1
    db.engine_for(settings).dispose()


def test_counts_are_told() -> None:
    print(f"headers: {dict(seen)}")
