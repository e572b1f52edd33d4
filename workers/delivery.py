"""Delivery: claims letters that are due, writes and sends them by SMTP or into the Maildir, and records what became of them.

The way of a letter: `service.post.letters` queues it, `service.games.writing` writes it, this module claims and records it, and
`workers.smtp` speaks to the mail relay.
"""

from __future__ import annotations

import binascii
import mailbox
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import cache
from typing import Any, Literal

import structlog
from sqlalchemy import bindparam
from sqlmodel import Session, col, select, update

from engine.words import Sentence
from service.common import headers
from service.common.messages import sentence
from service.errors import CannotUnseal
from service.games import writing
from service.post import ledger, letters, links, pacing, refusals, relay
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, LetterStatus, now
from workers import faults, smtp

log = structlog.get_logger()

PATIENCE = 30
"""Seconds after which the rest of a batch is given back: a slow server must not hold letters until the claim runs out."""
CLAIM_SECONDS = PATIENCE + smtp.LONGEST + 15
"""A letter that was being sent this long ago, and is not sent, belonged to a worker that died."""
BATCH = 10
"""Letters that one worker claims at a time."""
RELAY_PAUSE = timedelta(seconds=20)
"""Where connection, login or sender failed, the rest of the batch waits so long, and the failure counts for none of it."""
LINK = re.compile(r"https?://\S+/(?:t|in|i|address)/\S+")

Lane = Literal["door", "game"]
"""Sign-in letters and fresh links, or all others."""
_game_lane = threading.BoundedSemaphore(queue.LETTER_THREADS - 1)
"""Threads of this process that may send game letters at a time: one stays free for sign-in letters while the relay hangs."""


def deliver(settings: Settings, letter_id: str = "") -> None:
    """Write and send the letters that are due, sign-in letters first; or one of them. Two workers never send the same."""
    with Desk(settings) as desk:
        if letter_id:
            _deliver_batch(settings, desk, _claim(settings, None, letter_id))
            return
        any_due = _deliver_lane(settings, desk, "door")
        if not _game_lane.acquire(blocking=False):
            return  # those who hold the lane send what is due, and what they leave the sweep calls for
        try:
            if not (_deliver_lane(settings, desk, "game") or any_due):
                _probe(settings, desk)
        finally:
            _game_lane.release()


def _deliver_lane(settings: Settings, desk: Desk, lane: Lane) -> bool:
    """Send what is due in a lane, a batch at a time; whether anything was."""
    batch = _claim(settings, lane)
    found = bool(batch.taken)
    while _deliver_batch(settings, desk, batch) and batch.taken >= BATCH:
        batch = _claim(settings, lane)
    return found


def _deliver_batch(settings: Settings, desk: Desk, batch: Batch) -> bool:
    """Send the letters of a batch; False where the relay fails, and the rest was given back."""
    until, desk.accepts = time.monotonic() + PATIENCE, False
    for i, claimed in enumerate(batch.letters):
        if time.monotonic() > until:
            _give_back(settings, batch.letters[i:], timedelta())
            break
        if not _deliver_one(settings, desk, claimed, batch.holds):
            _give_back(settings, batch.letters[i + 1 :], RELAY_PAUSE)
            return False
    return True


def _probe(settings: Settings, desk: Desk) -> None:
    """Where the relay failed and no letter is due, see whether it is back: nobody's clock waits for the next letter."""
    with open_session(settings) as session:
        if not relay.unreached(session):
            return
    try:
        desk.probe()
    except smtp.NotSent as problem:
        log.warning("mail relay still fails", code=problem.code)
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


@dataclass
class Batch:
    """Letters that were claimed together."""

    taken: int
    """How many were due, with those that were dropped or have to wait."""
    letters: list[Claimed]
    holds: Mapping[str, datetime]
    """Domains that said 421, and until when letters to them wait."""


def _claim(settings: Settings, lane: Lane | None, letter_id: str = "") -> Batch:
    """Take letters that are due, and what they are written from. Those that aren't due any more are dropped; those for which
    their provider's pace has no room are put off."""
    at = now()
    values = {"at": at, "until": at + timedelta(seconds=CLAIM_SECONDS)} | ({} if lane else {"letter": letter_id})
    with transaction(settings) as session:
        taken = session.execute(_claiming(lane), values).scalars().all()
        holds = pacing.holds(session) if taken else {}
        waits = pacing.waits(session, taken, holds)
        for id, free in waits.items():
            _put_back(session, [id], free)
        found = sorted((x for x in taken if x.id not in waits), key=lambda letter: (letter.created_at, letter.id))
        owed = {one.letter.id: one for one in writing.gather(session, [x for x in found if x.written_at is None])}
        gone = [x.id for x in found if x.written_at is None and x.id not in owed]
        readers = {x.account_id for x in found if x.written_at is not None and x.account_id}
        accounts: dict[str | None, Account] = {x.account_id: owed[x.id].account for x in found if x.id in owed}
        if readers:
            accounts |= {a.id: a for a in session.exec(select(Account).where(col(Account.id).in_(readers)))}
        # Banned since the letter was claimed by a worker that gave it back, or resent by an operator.
        gone += [x.id for x in found if x.account_id in accounts and not letters.may_get(accounts[x.account_id], x.kind)]
        if gone:
            session.exec(update(Letter).where(col(Letter.id).in_(gone)).values(status=LetterStatus.DROPPED, facts={}))
        claimed = [
            Claimed(x, owed[x.id].account if x.id in owed else accounts.get(x.account_id), owed.get(x.id))
            for x in found
            if x.id not in gone
        ]
        return Batch(len(taken), claimed, holds)


@cache
def _claiming(lane: Lane | None) -> Any:
    """The statement that claims a batch of letters of a lane, or one. Made once: that takes longer than to send it."""
    here = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.SENDING)), col(Letter.next_try_at) <= bindparam("at")
    at_the_door = col(Letter.kind).in_(sorted(letters.AT_THE_DOOR))
    which = {"door": at_the_door, "game": ~at_the_door, None: col(Letter.id) == bindparam("letter")}[lane]
    due = select(Letter.id).where(*here, which)
    # A CTE: PostgreSQL may run a subquery several times, and each run claims as many again.
    taken = due.order_by(col(Letter.next_try_at)).limit(BATCH).with_for_update(skip_locked=True).cte("due")
    claimed = {"status": LetterStatus.SENDING, "attempts": Letter.attempts + 1, "next_try_at": bindparam("until")}
    claiming = update(Letter).where(col(Letter.id).in_(select(taken.c.id)), *here).values(claimed)
    return claiming.returning(Letter).execution_options(synchronize_session=False)


def _give_back(settings: Settings, rest: Sequence[Claimed], pause: timedelta) -> None:
    """Leave letters to others before the claim to them runs out: the mail server takes its time, or fails."""
    if rest:
        with transaction(settings) as session:
            _put_back(session, [claimed.letter.id for claimed in rest], now() + pause)


def _put_back(session: Session, ids: Sequence[str], until: datetime) -> None:
    """Undo a claim: the letters are due again at that moment, and it was no attempt."""
    values = {"status": LetterStatus.QUEUED, "attempts": Letter.attempts - 1, "next_try_at": until}
    session.exec(update(Letter).where(col(Letter.id).in_(ids)).values(values).execution_options(synchronize_session=False))


def _deliver_one(settings: Settings, desk: Desk, claimed: Claimed, holds: Mapping[str, datetime]) -> bool:
    """Write a letter and send it; False where the relay fails at what concerns all letters."""
    letter = claimed.letter
    if letter.attempts > len(ledger.BACK_OFF) + 1:
        with transaction(settings) as session:
            ledger.failed(session, letter, sentence("Every worker that tried to send it died"))
        return True
    if claimed.account is not None and _waits_a_day(settings, letter, claimed.account):
        return True
    if claimed.owed is not None and not _write(settings, claimed.owed):
        return True
    try:
        made = message(settings, letter, utf8=True)
    except CannotUnseal as problem:  # a key is missing, which comes back
        _put_off(settings, letter, problem)
        return True
    except Exception as problem:  # it will be no better at the next try
        log.error("letter can't be made", letter=letter.id, problem=type(problem).__name__)
        with transaction(settings) as session:
            why = sentence("The letter can't be made: %(problem)s", problem=type(problem).__name__)
            ledger.failed(session, letter, why)
        return True
    try:
        words = desk.send(letter, made)
    except smtp.NotSent as problem:
        _not_sent(settings, letter, problem)
        return problem.stage != "sender" or problem.code in TOO_BIG
    except Exception as problem:  # whatever it was, the letter is tried again and at last given up aloud
        desk.close()
        _put_off(settings, letter, problem)
        return True
    domain = pacing.domain_of(letter.to_address)
    with transaction(settings) as session:
        ledger.sent(session, letter, words)
        if claimed.account is not None and claimed.account.bounced_at is not None:
            ledger.arrived(session, letter)
        if domain in holds:
            pacing.release(session, domain)
        if desk.first_since_failure():
            relay.accepted(session)
            relay.note_utf8(session, desk.offers_utf8())
    return True


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
        _put_off(settings, owed.letter, problem)
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
        _put_back(session, [letter.id], free)
    return True


def _put_off(settings: Settings, letter: Letter, problem: Exception) -> None:
    """Try a letter again later that failed on this machine: a key is missing, a template or a disk fails."""
    log.warning("letter not sent", letter=letter.id, attempt=letter.attempts, problem=type(problem).__name__)
    with transaction(settings) as session:
        ledger.put_off(session, letter, f"{type(problem).__name__}: {problem}")


def _not_sent(settings: Settings, letter: Letter, problem: smtp.NotSent) -> None:
    """Note what the relay made of a letter: it is tried again, failed, rejected or bounced, or nobody knows. What the failure
    says about the relay and the recipient's domain is noted with it."""
    meaning = "unknown" if problem.unknown else _meaning(problem)
    log.warning(
        "letter not sent", letter=letter.id, attempt=letter.attempts, stage=problem.stage, code=problem.code, meaning=meaning
    )
    domain, others_words = pacing.domain_of(letter.to_address), letter.kind in ledger.OTHERS_WORDS
    with transaction(settings) as session:
        if meaning == "unknown":
            ledger.unknown(session, letter)
        elif meaning == "address":
            ledger.bounced(session, letter.id, str(problem.words))
        elif meaning == "letter":
            ledger.rejected(session, letter.id, str(problem.words))
        else:
            ledger.put_off(session, letter, problem.words)
        if problem.code == 421 and (problem.stage == "recipient" or (problem.stage == "content" and not others_words)):
            pacing.hold(session, domain)
        if problem.stage == "sender" and problem.code not in TOO_BIG:
            relay.failed(session, None)
            return
        relay.reached(session)
        if problem.stage == "recipient" and (not problem.code or relay.blames_relay(*_reply(problem))):
            relay.failed(session, domain)


TOO_BIG = frozenset((552, 523))
"""Codes by which a server says that a letter is too big, by its SIZE already; of that letter alone. See `refusals.meaning`."""


def _reply(problem: smtp.NotSent) -> tuple[int, str]:
    """The code of a reply, and its words without it."""
    return problem.code, str(problem.words).partition(" ")[2]


def _meaning(problem: smtp.NotSent) -> refusals.Meaning:
    """What a failure says. What stands between us and the server is never the letter's fault."""
    code, words = _reply(problem)
    if problem.stage == "sender" and code not in TOO_BIG:
        return "later"
    return refusals.meaning(code, words, to_address=problem.stage == "recipient")


BOUNDARY = "=_writ"
"""What parts a letter's text from its HTML. Quoted-printable never holds the two signs it begins with (RFC 2045, 6.7)."""


def message(settings: Settings, letter: Letter, utf8: bool = False) -> bytes:
    """The letter as a message: text and HTML alike, with an id that stays the same at every try.

    With `utf8` its recipient may have a local part in UTF-8, for a server that offers SMTPUTF8.

    Every header is a line of `service.common.headers`. The standard library's message classes would take half of the time
    that a letter costs in all, for they encode line by line; so the two parts are encoded whole.
    """
    head = [
        headers.sender(settings.mail_from),
        headers.recipient(letter.to_address, utf8),
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


class Desk:
    """Where a batch of letters is handed over: the mail relay, or the Maildir where none is set."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._relay = smtp.Relay(settings) if settings.smtp_url else None
        self.accepts = False
        """Whether the relay has accepted a letter of the batch since it failed last."""

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; the next letter opens another."""
        self.accepts = False
        if self._relay is not None:
            self._relay.close()

    def first_since_failure(self) -> bool:
        """Whether the relay has just accepted the first letter of the batch, or since it failed."""
        first, self.accepts = not self.accepts, True
        return first and self._relay is not None

    def send(self, letter: Letter, made: bytes) -> Sentence | str:
        """Send a letter now, as `message` made it; the server's words, or ours where there is none. Raises smtp.NotSent.

        Each letter has its own return address, so that a bounce is known as its.
        """
        if self._relay is None:
            return _into_maildir(self.settings, letter, made)
        sender = links.mail_address(self.settings, "b", letter.id) if self.settings.inbox else self.settings.mail_address
        try:
            return self._relay.send(sender, letter.to_address, made)
        except smtp.NotSent:
            self.accepts = False
            raise

    def offers_utf8(self) -> bool:
        """Whether the relay offers SMTPUTF8, as it said when it was connected."""
        return self._relay is not None and self._relay.utf8

    def probe(self) -> None:
        """Connect, log in and name the sender, without a letter. Raises smtp.NotSent."""
        if self._relay is not None:
            self._relay.probe(self.settings.mail_address)


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
