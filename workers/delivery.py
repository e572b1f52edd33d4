"""Delivery: a letter that is due is written and goes out by SMTP, or into the Maildir; it is kept until it is sent or given
up aloud.
"""

from __future__ import annotations

import binascii
import contextlib
import mailbox
import re
import smtplib
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from email.utils import format_datetime
from functools import cache
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import structlog
from sqlalchemy import bindparam
from sqlmodel import Session, col, select, update

from engine.words import Sentence
from service.errors import CannotUnseal
from service.games import writing
from service.ground import headers
from service.ground.phrases import sentence
from service.post import ledger, letters, links, refusals, relay
from service.settings import Settings
from service.store import parcel
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, LetterStatus, now
from workers import faults

log = structlog.get_logger()

CLAIM_SECONDS = 120
"""A letter that was being sent this long ago, and is not sent, belonged to a worker that died."""
BATCH = 10
"""Letters that one worker claims at a time."""
PATIENCE = 40
"""Seconds after which what is left of a batch is given back: a slow server must not hold letters until the claim runs out."""
TIMEOUT = 30
LINK = re.compile(r"https?://\S+/(?:t|in|i)/\S+")


def deliver(settings: Settings, letter_id: str = "") -> None:
    """Write and send the letters that are due, a batch at a time; or one of them. Two workers never send the same."""
    with Desk(settings) as desk:
        batch = _claim(settings, letter_id)
        if not batch and not letter_id:
            _probe(settings, desk)
        while batch:
            until = time.monotonic() + PATIENCE
            for i, claimed in enumerate(batch):
                if time.monotonic() > until:
                    _give_back(settings, [c.letter for c in batch[i:]])
                    break
                _deliver_one(settings, desk, claimed)
            if letter_id or len(batch) < BATCH:
                return
            batch = _claim(settings, letter_id)


def _probe(settings: Settings, desk: Desk) -> None:
    """Where the relay failed and no letter is due, see whether it is back: nobody's clock waits for the next letter."""
    with open_session(settings) as session:
        if not relay.unreached(session):
            return
    try:
        desk.probe()
    except (OSError, smtplib.SMTPException) as problem:
        log.warning("mail relay still fails", problem=type(problem).__name__)
        return
    with transaction(settings) as session:
        relay.reached(session)


@dataclass
class Claimed:
    """A letter that is this worker's to send for a while."""

    letter: Letter
    account: Account | None
    owed: writing.Owed | None
    """What it is written from; None for one that is written."""


def _claim(settings: Settings, letter_id: str) -> list[Claimed]:
    """Take letters that are due, and what they are written from. Those that are not due any more are dropped."""
    at = now()
    values = {"at": at, "until": at + timedelta(seconds=CLAIM_SECONDS)} | ({"letter": letter_id} if letter_id else {})
    with transaction(settings) as session:
        parcel.begin(session)
        taken = session.execute(_claiming(bool(letter_id)), values).scalars().all()
        found = sorted(taken, key=lambda letter: (letter.created_at, letter.id))
        owed = {one.letter.id: one for one in writing.gather(session, [x for x in found if x.written_at is None])}
        gone = [x.id for x in found if x.written_at is None and x.id not in owed]
        if gone:
            session.exec(update(Letter).where(col(Letter.id).in_(gone)).values(status=LetterStatus.DROPPED, facts={}))
        readers = {x.account_id for x in found if x.written_at is not None and x.account_id}
        accounts: dict[str | None, Account] = {}
        if readers:
            accounts = {a.id: a for a in session.exec(select(Account).where(col(Account.id).in_(readers)))}
        parcel.send(session)
        return [
            Claimed(x, owed[x.id].account if x.id in owed else accounts.get(x.account_id), owed.get(x.id))
            for x in found
            if x.id not in gone
        ]


@cache
def _claiming(one: bool) -> Any:
    """The statement that claims a batch of letters, or one. Made once: that takes longer than to send it."""
    here = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.SENDING)), col(Letter.next_try_at) <= bindparam("at")
    due = select(Letter.id).where(*here, *((col(Letter.id) == bindparam("letter"),) if one else ()))
    due = due.order_by(col(Letter.next_try_at)).limit(BATCH).with_for_update(skip_locked=True)
    claimed = {"status": LetterStatus.SENDING, "attempts": Letter.attempts + 1, "next_try_at": bindparam("until")}
    claiming = update(Letter).where(col(Letter.id).in_(due), *here).values(claimed)
    return claiming.returning(Letter).execution_options(synchronize_session=False)


def _give_back(settings: Settings, rest: Sequence[Letter]) -> None:
    """Leave letters to others before the claim to them runs out: the mail server takes its time."""
    with transaction(settings) as session:
        its = col(Letter.id).in_([letter.id for letter in rest])
        session.exec(
            update(Letter).where(its).values(status=LetterStatus.QUEUED, attempts=Letter.attempts - 1, next_try_at=now())
        )


def _deliver_one(settings: Settings, desk: Desk, claimed: Claimed) -> None:
    letter = claimed.letter
    if letter.attempts > len(ledger.BACK_OFF) + 1:
        with transaction(settings) as session:
            ledger.failed(session, letter, sentence("Whoever tried to send it died of it, again and again"))
        return
    if claimed.account is not None and _waits_a_day(settings, letter, claimed.account):
        return
    if claimed.owed is not None and not _write(settings, claimed.owed):
        return
    try:
        made = message(settings, letter)
    except CannotUnseal as problem:  # a key is missing, which comes back
        _failed(settings, letter, problem)
        return
    except Exception as problem:  # it will be no better at the next try
        log.error("letter can't be made", letter=letter.id, problem=type(problem).__name__)
        with transaction(settings) as session:
            why = sentence("The letter can't be made: %(problem)s", problem=type(problem).__name__)
            ledger.failed(session, letter, why)
        return
    try:
        words = desk.send(letter, made)
    except Exception as problem:  # whatever it was, the letter is tried again and at last given up aloud
        desk.close()
        _failed(settings, letter, problem, desk.stage)
    else:
        with transaction(settings) as session:
            parcel.begin(session)
            ledger.sent(session, letter, words)
            if desk.accept():
                relay.accepted(session)
            if claimed.account is not None and claimed.account.bounced_at is not None:
                ledger.arrived(session, letter)
            parcel.send(session)


def _write(settings: Settings, owed: writing.Owed) -> bool:
    """Put a letter into words; False where the game's rules or its templates fail at that, which halts the game."""
    try:
        writing.write(settings, owed)
    except Exception as problem:
        if not faults.of_the_house(problem):
            step = owed.state.stack[-1].step if owed.state is not None and owed.state.stack else ""
            fault = faults.Fault(owed.match.snapshot_n, step)
            fault.__cause__ = problem
            faults.halt(settings, owed.match.id, fault)
        _failed(settings, owed.letter, problem)
        return False
    return True


def _waits_a_day(settings: Settings, letter: Letter, account: Account) -> bool:
    """Put talk off if a letter to the same dead address came back within a day: it is tried one letter at a time."""
    if account.bounced_at is None or letter.kind not in letters.PATIENT:
        return False
    free = account.bounced_at + timedelta(days=1)
    if now() >= free:
        return False
    with transaction(settings) as session:
        _set(session, letter.id, status=LetterStatus.QUEUED, attempts=letter.attempts - 1, next_try_at=free)
    return True


def _set(session: Session, letter_id: str, **values: object) -> None:
    session.exec(update(Letter).where(col(Letter.id) == letter_id).values(**values))


def _failed(settings: Settings, letter: Letter, problem: Exception, stage: Stage | None = None) -> None:
    """Note what came of a try: the letter is tried again, given up, or refused for good. `stage`: how far the relay let it."""
    words, meaning = _words(problem), _meaning(problem)
    log.warning("letter not sent", letter=letter.id, attempt=letter.attempts, meaning=meaning, problem=type(problem).__name__)
    with transaction(settings) as session:
        if meaning == "address":
            ledger.bounced(session, letter.id, words)
        elif meaning == "letter":
            ledger.rejected(session, letter.id, words)
        else:
            ledger.put_off(session, letter, words)
        if stage is not None:
            _note_health(session, letter, problem, stage)


def _note_health(session: Session, letter: Letter, problem: Exception, stage: Stage) -> None:
    """Note what a failure says about the relay; see `service.post.relay`."""
    if not isinstance(problem, OSError | smtplib.SMTPException):
        return
    domain = letter.to_address.rpartition("@")[2]
    if stage == "sender":
        relay.failed(session, None)
        return
    relay.reached(session)
    if stage == "recipient":
        code, said = 0, b""
        if isinstance(problem, smtplib.SMTPRecipientsRefused):
            code, said = next(iter(problem.recipients.values()))
        if not code or relay.blames_relay(code, said.decode(errors="replace")):
            relay.failed(session, domain)


def _words(problem: Exception) -> str:
    """The server's own words, or what stood in the way of asking it."""
    if isinstance(problem, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(problem.recipients.values()))
        return f"{code} {said.decode(errors='replace')}"
    if isinstance(problem, smtplib.SMTPResponseException):
        return f"{problem.smtp_code} {_said(problem)}"
    return f"{type(problem).__name__}: {problem}"


def _said(problem: smtplib.SMTPResponseException) -> str:
    said = problem.smtp_error
    return said.decode(errors="replace") if isinstance(said, bytes) else str(said)


def _meaning(problem: Exception) -> refusals.Meaning:
    """What a failure tells. Of what stands between us and the server, nothing is the letter's fault."""
    if isinstance(problem, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(problem.recipients.values()))
        return refusals.meaning(code, said.decode(errors="replace"), to_address=True)
    if isinstance(problem, smtplib.SMTPDataError):
        return refusals.meaning(problem.smtp_code, _said(problem))
    return "later"


BOUNDARY = "=_writ"
"""What parts a letter's text from its HTML. Quoted-printable never holds the two signs it begins with (RFC 2045, 6.7)."""


def message(settings: Settings, letter: Letter) -> bytes:
    """The letter as a message: text and HTML alike, with an id that stays the same at every try.

    Every header is a line of `service.ground.headers`. The standard library's message classes would take half of the time
    that a letter costs in all, for they encode line by line; so the two parts are encoded whole.
    """
    head = [
        headers.sender(settings.mail_from),
        headers.recipient(letter.to_address),
        headers.line("Subject", letter.subject),
        headers.line("Date", format_datetime(letter.created_at)),
        headers.line("Message-ID", letter.message_id),
        *(headers.line(name, value) for name, value in letter.headers.items()),
        f'MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="{BOUNDARY}"\r\n\r\n'.encode(),
    ]
    return b"".join(head) + _part("plain", letter.text) + _part("html", letter.html) + f"--{BOUNDARY}--\r\n".encode()


def _part(subtype: str, text: str) -> bytes:
    """A part of a message in quoted-printable. Half characters, which no encoding carries, become question marks."""
    lines = text.encode(errors="replace").splitlines()
    encoded = binascii.b2a_qp(b"\r\n".join([*lines, b""]))
    head = (
        f'--{BOUNDARY}\r\nContent-Type: text/{subtype}; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
    )
    return head.encode() + encoded + b"\r\n"


Stage = Literal["sender", "recipient", "content"]
"""How far a letter came in SMTP: up to MAIL FROM, which concerns all letters; up to RCPT TO; up to the end of DATA."""


class Desk:
    """Where a batch of letters is handed over: one connection to the mail server for all of them, or the Maildir."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._server: smtplib.SMTP | None = None
        self.stage: Stage | None = None
        """Where the last letter is, or was left; None without a mail server."""
        self._accepts = False

    def accept(self) -> bool:
        """Whether the relay has just accepted its first letter since it failed, as far as this desk knows."""
        first, self._accepts = not self._accepts, True
        return first and self.stage is not None

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection, whatever state it is in; the next letter opens another."""
        server, self._server, self._accepts = self._server, None, False
        if server is not None:
            with contextlib.suppress(OSError, smtplib.SMTPException):
                server.quit()

    def send(self, letter: Letter, made: bytes) -> Sentence | str:
        """Send a letter now, as `message` made it; the server's words, or ours where there is none.

        Raises OSError or SMTPException when it isn't taken.
        """
        if not self.settings.smtp_url:
            return _into_maildir(self.settings, letter, made)
        self.stage = "sender"
        if self._server is None:
            self._server = _connect(self.settings)
        return self._hand_over(self._server, letter, made)

    def probe(self) -> None:
        """Connect, log in and name the sender, without a letter. Raises OSError or SMTPException."""
        server = _connect(self.settings)
        try:
            _name_sender(server, self.settings.mail_address)
        finally:
            server.close()

    def _hand_over(self, server: smtplib.SMTP, letter: Letter, made: bytes) -> str:
        """Envelope and message, step by step, so that the server's words are known. Each letter has its own return address."""
        settings = self.settings
        _name_sender(server, links.mail_address(settings, "b", letter.id) if settings.inbox else settings.mail_address)
        self.stage = "recipient"
        code, words = server.rcpt(letter.to_address)
        if code not in (250, 251):
            raise smtplib.SMTPRecipientsRefused({letter.to_address: (code, words)})
        self.stage = "content"
        code, words = server.data(made)
        if code != 250:
            raise smtplib.SMTPDataError(code, words)
        return f"{code} {words.decode(errors='replace')}"


def _name_sender(server: smtplib.SMTP, sender: str) -> None:
    code, words = server.mail(sender)
    if code != 250:
        raise smtplib.SMTPSenderRefused(code, words, sender)


def _into_maildir(settings: Settings, letter: Letter, made: bytes) -> Sentence:
    # Two letters may be the first at once, and `create` fails for the second of them.
    for inner in ("cur", "new", "tmp"):
        (settings.maildir / inner).mkdir(parents=True, exist_ok=True, mode=0o700)
    box = mailbox.Maildir(settings.maildir)
    box.add(made.replace(b"\r\n", b"\n"))
    # The console stands in for the postman: whoever runs Writ without a mail server reads all letters anyway.
    found = LINK.search(letter.text)
    log.info("letter", to=letter.to_address, subject=letter.subject, link=found[0] if found else "")
    return sentence("in the mailbox")


def _connect(settings: Settings) -> smtplib.SMTP:
    """A connection to the mail server, signed in. Raises OSError or SMTPException."""
    parts = urlsplit(settings.smtp_url)
    host, secure = parts.hostname or "localhost", parts.scheme == "smtps"
    if secure:
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, parts.port or 465, timeout=TIMEOUT, context=ssl.create_default_context())
    else:
        server = smtplib.SMTP(host, parts.port or 25, timeout=TIMEOUT)
    try:
        if not secure and server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
        if parts.username:
            server.login(unquote(parts.username), unquote(parts.password or ""))
        server.ehlo_or_helo_if_needed()
    except BaseException:
        server.close()
        raise
    return server
