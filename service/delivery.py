"""Delivery: a queued letter goes out by SMTP, or into the Maildir; it is kept until it is sent or given up aloud."""

from __future__ import annotations

import mailbox
import re
import smtplib
import ssl
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime, parseaddr
from urllib.parse import unquote, urlsplit

import structlog
from sqlmodel import Session, col, update

from service import ledger, links
from service.db import open_session, transaction
from service.models import Account, Letter, now
from service.settings import Settings

log = structlog.get_logger()

BACK_OFF = (30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600)
"""Seconds until the next try; after the last of them the letter is given up: two days in all."""
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
                (col(Letter.status) == "queued") | ((col(Letter.status) == "sending") & (col(Letter.next_try_at) < now())),
                col(Letter.next_try_at) <= now(),
            )
            .values(status="sending", attempts=Letter.attempts + 1, next_try_at=now() + timedelta(seconds=CLAIM_SECONDS))
        )
        if claimed.rowcount != 1:
            return
    with open_session(settings) as session:
        letter = session.get(Letter, letter_id)
        account = session.get(Account, letter.account_id) if letter is not None and letter.account_id else None
    assert letter is not None
    if account is not None and _waits_a_day(settings, letter, account):
        return
    try:
        words = send(settings, letter)
    except Exception as problem:  # whatever it was, the letter is tried again and at last given up aloud
        _failed(settings, letter, problem)
    else:
        with transaction(settings) as session:
            _set(session, letter_id, status="sent", sent_at=now(), error="")
            ledger.note(session, letter_id, "sent")
            ledger.note(session, letter_id, "accepted", words)
            ledger.arrived(session, letter)


def _waits_a_day(settings: Settings, letter: Letter, account: Account) -> bool:
    """Put a letter off if one to the same dead address came back within a day: they are tried one at a time."""
    if account.bounced_at is None or letter.kind in ("sign_in", "test"):
        return False
    free = account.bounced_at + timedelta(days=1)
    if now() >= free:
        return False
    with transaction(settings) as session:
        _set(session, letter.id, status="queued", attempts=letter.attempts - 1, next_try_at=free)
    return True


def _set(session: Session, letter_id: str, **values: object) -> None:
    session.exec(update(Letter).where(col(Letter.id) == letter_id).values(**values))


def _failed(settings: Settings, letter: Letter, problem: Exception) -> None:
    words = _words(problem)
    final = letter.attempts > len(BACK_OFF)
    refused = _permanent(problem)
    log.warning(
        "letter not sent", letter=letter.id, attempt=letter.attempts, final=final or refused, problem=type(problem).__name__
    )
    with transaction(settings) as session:
        if refused:
            ledger.bounced(session, letter.id, words)
        elif final:
            _set(session, letter.id, status="given_up", error=words)
            ledger.note(session, letter.id, "given_up", words)
        else:
            wait = BACK_OFF[letter.attempts - 1]
            _set(session, letter.id, status="queued", next_try_at=now() + timedelta(seconds=wait), error=words)
            ledger.note(session, letter.id, "deferred", words)


def _words(problem: Exception) -> str:
    """The server's own words, or what stood in the way of asking it."""
    if isinstance(problem, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(problem.recipients.values()))
        return f"{code} {said.decode(errors='replace')}"[:500]
    if isinstance(problem, smtplib.SMTPResponseException):
        said_ = problem.smtp_error
        return f"{problem.smtp_code} {said_.decode(errors='replace') if isinstance(said_, bytes) else said_}"[:500]
    return f"{type(problem).__name__}: {problem}"[:500]


def _permanent(problem: Exception) -> bool:
    """Whether the server refused for good (5xx), rather than for now."""
    if isinstance(problem, smtplib.SMTPRecipientsRefused):
        return all(500 <= code < 600 for code, _ in problem.recipients.values())
    if isinstance(problem, smtplib.SMTPAuthenticationError | smtplib.SMTPSenderRefused):
        return False
    return isinstance(problem, smtplib.SMTPResponseException) and 500 <= problem.smtp_code < 600


def message(settings: Settings, letter: Letter) -> EmailMessage:
    """The letter as a message: text and HTML alike, with an id that stays the same at every try."""
    made = EmailMessage()
    made["From"] = settings.mail_from
    made["To"] = letter.to_address
    made["Subject"] = letter.subject
    made["Date"] = format_datetime(letter.created_at)
    made["Message-ID"] = letter.message_id
    for name, value in letter.headers.items():
        made[name] = value
    made.set_content(letter.text)
    made.add_alternative(letter.html, subtype="html")
    return made


def send(settings: Settings, letter: Letter) -> str:
    """Send a letter now; the server's words. Raises OSError or SMTPException when it can't or won't take it."""
    made = message(settings, letter)
    if not settings.smtp_url:
        box = mailbox.Maildir(settings.maildir, create=True)
        box.add(made)
        # The console stands in for the postman: whoever runs Writ without a mail server reads all letters anyway.
        found = LINK.search(letter.text)
        log.info("letter", to=letter.to_address, subject=letter.subject, link=found[0] if found else "")
        return "in the mailbox"
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


def _hand_over(server: smtplib.SMTP, settings: Settings, letter: Letter, made: EmailMessage) -> str:
    """The envelope and the message, step by step, so that the server's words are known. Each letter has its return address."""
    sender = links.mail_address(settings, "b", letter.id) if settings.inbox else parseaddr(settings.mail_from)[1]
    server.ehlo_or_helo_if_needed()
    code, words = server.mail(sender)
    if code != 250:
        raise smtplib.SMTPSenderRefused(code, words, sender)
    code, words = server.rcpt(letter.to_address)
    if code not in (250, 251):
        raise smtplib.SMTPRecipientsRefused({letter.to_address: (code, words)})
    code, words = server.data(made.as_bytes(policy=SMTP_POLICY))
    if code != 250:
        raise smtplib.SMTPDataError(code, words)
    return f"{code} {words.decode(errors='replace')}"
