"""Mail that reaches Writ: bounces (RFC 3464), and replies, which are moves or talk.

Who writes is told by the address alone that the letter named: it holds the letter's id and a mark that nobody can make up.
What is sent by machines is never answered (RFC 3834).
"""

from __future__ import annotations

import asyncio
import email
import email.errors
import email.policy
import hashlib
import html
import itertools
import re
from datetime import timedelta
from email.message import EmailMessage, Message
from typing import TYPE_CHECKING

import structlog
from mailparser_reply import EmailReplyParser
from sqlalchemy import func
from sqlmodel import Session, col, select

from engine.asks import Answer, NotUnderstood, Refused, read
from service import ledger, letters, limits, links, talk, turns
from service.db import settings_of, transaction
from service.models import Letter, Match, Seat, ViewRow, now
from service.settings import Settings

if TYPE_CHECKING:
    from aiosmtpd.smtp import SMTP, Envelope
    from aiosmtpd.smtp import Session as Dialogue

log = structlog.get_logger()

LARGEST = 1_000_000
ADDRESS = re.compile(r"[^\s<>,;:\"()@]+@[^\s<>,;:\"()@]+")
REFUSALS_AN_HOUR = 3
QUOTE = re.compile(r"<blockquote.*?</blockquote>|<style.*?</style>", re.S | re.I)
BREAK = re.compile(r"<(?:br|/p|/div|/li)[^>]*>", re.I)
TAG = re.compile(r"<[^>]+>")


def receive(settings: Settings, data: bytes, recipients: tuple[str, ...] = (), sender: str | None = None) -> str:
    """Take one message; what became of it, in a word. `recipients` and `sender` are the envelope's, where they are known.

    Never raises for what a message may hold: what can't be used is noted and dropped.
    """
    if len(data) > LARGEST:
        log.warning("mail dropped", why="too large")
        return "dropped"
    try:
        return _taken(settings, email.message_from_bytes(data), data, recipients, sender)
    except (ValueError, LookupError, AttributeError, TypeError, email.errors.MessageError) as problem:
        log.warning("mail dropped", why=f"malformed: {type(problem).__name__}")
        return "dropped"


def _taken(settings: Settings, message: Message, data: bytes, recipients: tuple[str, ...], sender: str | None) -> str:
    named = [*recipients, *_addresses(message)]
    found = next((hit for address in named if (hit := links.letter_of(settings, address)) is not None), None)
    with transaction(settings) as session:
        if found is None:
            what, letter_id = "b", _reported_letter(session, message)
            if letter_id is None:
                log.info("mail dropped", why="no letter of ours")
                return "dropped"
        else:
            what, letter_id = found
        letter = session.get(Letter, letter_id)
        if letter is None:
            return "dropped"
        if what == "b":
            return _bounce(session, letter, message)
        return _reply(session, letter, message, data) if sender != "" else "dropped"


def _addresses(message: Message) -> list[str]:
    # Headers are read as they stand: a malformed one must not stop the reading of the others.
    fields = [str(v) for name in ("Delivered-To", "X-Original-To", "To", "Cc") for v in message.get_all(name, [])]
    return [address for field in fields for address in ADDRESS.findall(field)]


# --- bounces ----------------------------------------------------------------------------------------------------------


def _report(message: Message) -> list[dict[str, str]]:
    """The recipients' parts of a delivery status notification, as fields in lower case."""
    found = []
    for part in message.walk():
        if part.get_content_type() == "message/delivery-status":
            blocks = part.get_payload()
            for block in blocks if isinstance(blocks, list) else []:
                if not isinstance(block, Message):
                    continue
                fields = {k.lower(): " ".join(str(v).split()) for k, v in block.items()}
                if "action" in fields:
                    found.append(fields)
    return found


def _reported_letter(session: Session, message: Message) -> str | None:
    """The letter that a report is about, by the Message-ID of the original; for servers that drop the return address."""
    if not _report(message):
        return None
    for part in message.walk():
        if part.get_content_type() in ("message/rfc822", "text/rfc822-headers"):
            inner = part.get_payload()
            original = inner[0] if isinstance(inner, list) and inner else email.message_from_string(str(part.get_payload()))
            id = str(getattr(original, "get", lambda _: "")("Message-ID") or "").strip()
            found = session.exec(select(Letter.id).where(Letter.message_id == id)).first() if id else None
            if found:
                return found
    return None


def _bounce(session: Session, letter: Letter, message: Message) -> str:
    for fields in _report(message):
        status, action = fields.get("status", ""), fields.get("action", "").lower()
        words = fields.get("diagnostic-code") or status
        if action == "failed" and not status.startswith("4."):
            ledger.bounced(session, letter.id, words)
            log.info("letter bounced", letter=letter.id, status=status)
            return "bounced"
        if action in ("delayed", "failed"):
            ledger.note(session, letter.id, "deferred", words)
            return "deferred"
    return "dropped"


# --- replies ----------------------------------------------------------------------------------------------------------


def _by_machine(message: Message) -> bool:
    """Whether nobody wrote this: an out-of-office note, a list, a bounce (RFC 3834)."""
    auto = str(message.get("Auto-Submitted", "no")).lower()
    bulk = str(message.get("Precedence", "")).lower() in ("bulk", "junk", "list", "auto_reply")
    return auto != "no" or bulk or str(message.get("Return-Path", "")).strip() == "<>" or "List-Id" in message


def _reply(session: Session, letter: Letter, message: Message, data: bytes) -> str:
    if _by_machine(message):
        return "dropped"
    match = session.get(Match, letter.match_id) if letter.match_id else None
    seat = session.get(Seat, (letter.match_id, letter.seat)) if match is not None else None
    if match is None or seat is None or letter.headers.get(letters.KEY) != f"{seat.seat}.{seat.key_generation}":
        # The seat has changed hands since: the address is dead, and says nothing.
        log.info("mail dropped", why="the seat is another's now")
        return "dropped"
    id = str(message.get("Message-ID") or "").encode(errors="replace")
    key = "mail-" + hashlib.sha256(id if len(id) > 4 else data).hexdigest()[:40]
    text = _words(settings_of(session), data)
    try:
        if not text:
            raise NotUnderstood("The reply has no words above the quoted letter; write your answer there.")
        thread = letter.headers.get(letters.THREAD)
        if thread:
            row = talk.open_thread(session, match, seat.seat, thread)
            talk.say(session, match, seat.seat, row.members, text, key, via="reply")
            return "said"
        view = session.get(ViewRow, (match.id, seat.seat))
        if view is None or view.form is None or (letter.serial and letter.serial != view.serial):
            raise NotUnderstood("You are not asked that any more; the position has moved on since the letter.")
        answer = _answer(view, text.splitlines()[0].strip())
        turns.submit(session, match, seat.seat, key, view.serial, view.form["kind"], answer, via="reply")
        return "answered"
    except Refused as refusal:
        _refuse(session, match, seat, key, str(refusal))
        return "refused"


def _words(settings: Settings, data: bytes) -> str:
    """What the sender wrote, without the letter that is quoted below."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    body = message.get_body(("plain", "html"))
    if body is None:
        return ""
    text = str(body.get_content())
    if body.get_content_type() == "text/html":
        text = html.unescape(TAG.sub("", BREAK.sub("\n", QUOTE.sub("", text))))
    reply = EmailReplyParser(languages=["en", "de", "fr", "it", "es", "nl", "pl"]).parse_reply(text) or ""
    # A line that names the address which is answered introduces the quoted letter, even where nothing stands above it.
    kept = itertools.takewhile(lambda line: settings.inbox not in line and settings.mail_from not in line, reply.splitlines())
    return "\n".join(kept).strip()


def _answer(view: ViewRow, line: str) -> Answer:
    """The first line as an answer: an option's number as the letter lists them, or the answer's text form."""
    assert view.form is not None
    options = view.form["options"]
    if line.rstrip(".)").isascii() and line.rstrip(".)").isdigit():
        number = int(line.rstrip(".)")[:6])
        if not 1 <= number <= len(options):
            raise NotUnderstood(f"There is no option {number}; the letter lists 1 to {len(options)}.")
        option = options[number - 1]
        if option["fields"]:
            needed = ", ".join(f["name"] for f in option["fields"])
            raise NotUnderstood(
                f"“{option['label']}” needs more: {needed}. Write it as {option['id']} field=value, or use the page."
            )
        if option["grave"]:
            raise NotUnderstood(f"“{option['label']}” can't be had back, so it is asked twice; use the page for it.")
        return Answer(option["id"])
    answer = read(line)
    if any(o["grave"] for o in options if o["id"] == answer.option):
        raise NotUnderstood("What can't be had back is asked twice; use the page for it.")
    return answer


def _refuse(session: Session, match: Match, seat: Seat, key: str, why: str) -> None:
    """Write back, once for a reply, and never in a storm."""
    limits.one_at_a_time(session, match)
    hour = now() - timedelta(hours=1)
    mine = select(Letter).where(Letter.match_id == match.id, Letter.seat == seat.seat, Letter.kind == "reply_refused")
    if any(letter.headers.get(letters.REPLY) == key for letter in session.exec(mine)):
        return
    sent = (
        select(func.count())
        .select_from(Letter)
        .where(
            Letter.match_id == match.id, Letter.seat == seat.seat, Letter.kind == "reply_refused", col(Letter.created_at) > hour
        )
    )
    if session.exec(sent).one() < REFUSALS_AN_HOUR:
        letters.to_seat(session, "reply_refused", match, seat, {"why": why}, headers={letters.REPLY: key})


# --- a mail server's way in -------------------------------------------------------------------------------------------


class Handler:
    """What `writ inbox` does with each message that it is given by SMTP."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def handle_RCPT(
        self, _server: SMTP, _session: Dialogue, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Take addresses that a letter of ours named, and no others."""
        if links.letter_of(self.settings, address) is None:
            return "550 5.1.1 No such address here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: Dialogue, envelope: Envelope) -> str:
        """Take the message, or ask the sender to keep it for now."""
        content = envelope.content or b""
        data = content if isinstance(content, bytes) else content.encode(errors="surrogateescape")
        try:
            await asyncio.to_thread(receive, self.settings, data, tuple(envelope.rcpt_tos), envelope.mail_from or "")
        except Exception as problem:  # the database is away, say: the sender keeps the message and tries again
            log.warning("mail put off", problem=type(problem).__name__)
            return "451 4.3.0 Try again later"
        return "250 2.0.0 Taken"
