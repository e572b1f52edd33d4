"""Delivery: a queued letter goes out by SMTP, or into the Maildir; it is kept until it is sent or given up aloud."""

from __future__ import annotations

import mailbox
import re
import smtplib
import ssl
from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from urllib.parse import unquote, urlsplit

import structlog
from sqlmodel import Session, col, update

from service.db import open_session, transaction
from service.models import Letter, now
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
    assert letter is not None
    try:
        send(settings, letter)
    except Exception as problem:  # whatever it was, the letter is tried again and at last given up aloud
        _failed(settings, letter, problem)
    else:
        with transaction(settings) as session:
            _set(session, letter_id, status="sent", sent_at=now(), error="")


def _set(session: Session, letter_id: str, **values: object) -> None:
    session.exec(update(Letter).where(col(Letter.id) == letter_id).values(**values))


def _failed(settings: Settings, letter: Letter, problem: Exception) -> None:
    words = f"{type(problem).__name__}: {problem}"[:500]
    final = letter.attempts > len(BACK_OFF) or _permanent(problem)
    log.warning("letter not sent", letter=letter.id, attempt=letter.attempts, final=final, problem=type(problem).__name__)
    with transaction(settings) as session:
        if final:
            _set(session, letter.id, status="given_up", error=words)
        else:
            wait = BACK_OFF[letter.attempts - 1]
            _set(session, letter.id, status="queued", next_try_at=now() + timedelta(seconds=wait), error=words)


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


def send(settings: Settings, letter: Letter) -> None:
    """Send a letter now. Raises OSError or SMTPException when the server can't or won't take it."""
    made = message(settings, letter)
    if not settings.smtp_url:
        box = mailbox.Maildir(settings.maildir, create=True)
        box.add(made)
        # The console stands in for the postman: whoever runs Writ without a mail server reads all letters anyway.
        found = LINK.search(letter.text)
        log.info("letter", to=letter.to_address, subject=letter.subject, link=found[0] if found else "")
        return
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
        server.send_message(made)
