"""Delivery: a queued letter goes out by SMTP, or into the Maildir; it is kept until it is sent or given up aloud."""

from __future__ import annotations

import mailbox
import re
import smtplib
import ssl
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime
from urllib.parse import unquote, urlsplit

import structlog
from sqlmodel import Session, col, update

from engine.words import Sentence
from service.errors import CannotUnseal
from service.ground import headers
from service.ground.phrases import sentence
from service.post import ledger, letters, links, refusals
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, LedgerStatus, Letter, LetterStatus, now

log = structlog.get_logger()

CLAIM_SECONDS = 120
"""A letter that was being sent this long ago, and is not sent, belonged to a worker that died."""
TIMEOUT = 30
LINK = re.compile(r"https?://\S+/(?:t|in|i)/\S+")


def deliver(settings: Settings, letter_id: str) -> None:
    """Send one letter if it is due. Two workers never send it at the same time."""
    with transaction(settings) as session:
        claimed = session.exec(
            update(Letter)
            .where(
                col(Letter.id) == letter_id,
                (col(Letter.status) == LetterStatus.QUEUED)
                | ((col(Letter.status) == LetterStatus.SENDING) & (col(Letter.next_try_at) < now())),
                col(Letter.next_try_at) <= now(),
            )
            .values(
                status=LetterStatus.SENDING, attempts=Letter.attempts + 1, next_try_at=now() + timedelta(seconds=CLAIM_SECONDS)
            )
        )
        if claimed.rowcount != 1:
            return
    with open_session(settings) as session:
        letter = session.get(Letter, letter_id)
        account = session.get(Account, letter.account_id) if letter is not None and letter.account_id else None
    assert letter is not None
    if letter.attempts > len(ledger.BACK_OFF) + 1:
        with transaction(settings) as session:
            ledger.given_up(session, letter, sentence("Whoever tried to send it died of it, again and again"))
        return
    if account is not None and _waits_a_day(settings, letter, account):
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
            ledger.given_up(session, letter, why)
        return
    try:
        words = send(settings, letter, made)
    except Exception as problem:  # whatever it was, the letter is tried again and at last given up aloud
        _failed(settings, letter, problem)
    else:
        with transaction(settings) as session:
            _set(session, letter_id, status=LetterStatus.SENT, sent_at=now(), error="")
            ledger.note(session, letter_id, LedgerStatus.SENT)
            ledger.note(session, letter_id, LedgerStatus.ACCEPTED, words)
            ledger.arrived(session, letter)


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


def _failed(settings: Settings, letter: Letter, problem: Exception) -> None:
    """Note what came of a try: the letter is tried again, given up, or refused for good."""
    words, meaning = _words(problem), _meaning(problem)
    log.warning("letter not sent", letter=letter.id, attempt=letter.attempts, meaning=meaning, problem=type(problem).__name__)
    with transaction(settings) as session:
        if meaning == "address":
            ledger.bounced(session, letter.id, words)
        elif meaning == "letter":
            ledger.refused(session, letter.id, words)
        else:
            ledger.put_off(session, letter, words)


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


def message(settings: Settings, letter: Letter) -> bytes:
    """The letter as a message: text and HTML alike, with an id that stays the same at every try.

    Every header is a line of `service.ground.headers`; the standard library makes the two parts alone.
    """
    made = EmailMessage(policy=SMTP_POLICY)
    made.set_content(_whole(letter.text))
    made.add_alternative(_whole(letter.html), subtype="html")
    head = [
        headers.sender(settings.mail_from),
        headers.recipient(letter.to_address),
        headers.line("Subject", letter.subject),
        headers.line("Date", format_datetime(letter.created_at)),
        headers.line("Message-ID", letter.message_id),
        *(headers.line(name, value) for name, value in letter.headers.items()),
    ]
    return b"".join(head) + made.as_bytes()


def _whole(text: str) -> str:
    """The text without half characters, which no encoding can carry."""
    return text.encode(errors="replace").decode()


def send(settings: Settings, letter: Letter, made: bytes) -> Sentence | str:
    """Send a letter now, as `message` made it; the server's words, or ours where there is none.

    Raises OSError or SMTPException when it isn't taken.
    """
    if not settings.smtp_url:
        # Two letters may be the first at once, and `create` fails for the second of them.
        for inner in ("cur", "new", "tmp"):
            (settings.maildir / inner).mkdir(parents=True, exist_ok=True, mode=0o700)
        box = mailbox.Maildir(settings.maildir)
        box.add(made.replace(b"\r\n", b"\n"))
        # The console stands in for the postman: whoever runs Writ without a mail server reads all letters anyway.
        found = LINK.search(letter.text)
        log.info("letter", to=letter.to_address, subject=letter.subject, link=found[0] if found else "")
        return sentence("in the mailbox")
    parts = urlsplit(settings.smtp_url)
    host, secure = parts.hostname or "localhost", parts.scheme == "smtps"
    if secure:
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, parts.port or 465, timeout=TIMEOUT, context=ssl.create_default_context())
    else:
        server = smtplib.SMTP(host, parts.port or 25, timeout=TIMEOUT)
    with server:
        if not secure and server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
        if parts.username:
            server.login(unquote(parts.username), unquote(parts.password or ""))
        return _hand_over(server, settings, letter, made)


def _hand_over(server: smtplib.SMTP, settings: Settings, letter: Letter, made: bytes) -> str:
    """The envelope and the message, step by step, so that the server's words are known. Each letter has its return address."""
    sender = links.mail_address(settings, "b", letter.id) if settings.inbox else settings.mail_address
    server.ehlo_or_helo_if_needed()
    code, words = server.mail(sender)
    if code != 250:
        raise smtplib.SMTPSenderRefused(code, words, sender)
    code, words = server.rcpt(letter.to_address)
    if code not in (250, 251):
        raise smtplib.SMTPRecipientsRefused({letter.to_address: (code, words)})
    code, words = server.data(made)
    if code != 250:
        raise smtplib.SMTPDataError(code, words)
    return f"{code} {words.decode(errors='replace')}"
