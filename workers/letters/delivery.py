"""Delivery: claims due letters, writes and sends them (SMTP or Maildir), records the result.

`service.post.letters` queues, `service.games.writing` writes, `workers.letters.smtp` talks to the relay.
"""

from __future__ import annotations

import binascii
import contextlib
import fcntl
import mailbox
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import cache
from typing import Any

import structlog
from sqlalchemy import bindparam, text, tuple_, union_all
from sqlmodel import Session, col, select, update

from engine.language.words import Message
from service.common import headers
from service.common.folder import make_private
from service.common.messages import sentence
from service.errors import CannotDecrypt
from service.games import writing
from service.post import ledger, letters, links, outgoing, pacing, refusals, relay
from service.settings import Settings
from service.store import optouts, queue
from service.store.database import open_session, transaction
from service.store.encryption import Undecryptable
from service.store.models import UNSENT, Account, Letter, LetterStatus, now
from workers import faults
from workers.letters import smtp

log = structlog.get_logger()

PATIENCE = 30
"""Seconds until the rest of a batch is released: a slow server must not hold letters until claims expire."""
CLAIM_SECONDS = PATIENCE + smtp.LONGEST + 15
"""An older claim belongs to a dead worker."""
BATCH = 10
RELAY_PAUSE = timedelta(seconds=20)
"""Delay after failed connection, login or sender; not counted as an attempt."""
LINK = re.compile(r"https?://\S+/(?:t|in|i|address)/\S+")

SLOT_SECONDS = 0.5
"""Seconds until a task that found no slot is sent again."""


@contextlib.contextmanager
def letter_slot(settings: Settings) -> Iterator[int | None]:
    """Hold one of the settings' `letter_slots` during the block; None if all are taken.

    One file lock (flock) per slot: a semaphore for threads and processes alike. The system frees those of a killed process,
    which a semaphore of `multiprocessing` would lose.
    """
    make_private(settings.data_folder)
    for slot in range(settings.letter_slots):
        with open(settings.data_folder / f"letters-{slot}.lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield slot
            return
    yield None


def is_last(settings: Settings, slot: int) -> bool:
    """Whether a slot is the last, reserved for sign-in letters so that they are sent while the relay hangs."""
    return slot == settings.letter_slots - 1


def deliver(settings: Settings, letter_id: str = "") -> None:
    """Write and send the due letters, sign-in letters first, or one of them. Two workers never send the same. If all slots are
    taken, requests delivery again soon.
    """
    with letter_slot(settings) as slot, contextlib.closing(MailConnection(settings)) as mail:
        if slot is not None and letter_id:
            _deliver_batch(settings, mail, _claim(settings, letter_id=letter_id))
            return
        last = slot is not None and is_last(settings, slot)
        any_due = slot is not None and _deliver_due(settings, mail, awaited_only=last)
        if slot is None or last:
            queue.call_for_letters(settings, SLOT_SECONDS)  # debounced: calls don't pile up while the relay hangs
        elif not mail.accepts:
            _probe(settings, mail, any_due)


def _deliver_due(settings: Settings, mail: MailConnection, awaited_only: bool) -> bool:
    """Send what is due in batches; returns whether anything was."""
    batch = _claim(settings, awaited_only)
    found = bool(batch.taken)
    while _deliver_batch(settings, mail, batch) and batch.taken >= BATCH:
        batch = _claim(settings, awaited_only)
    return found


def _deliver_batch(settings: Settings, mail: MailConnection, batch: Batch) -> bool:
    """Send a batch; on a relay failure releases the rest and returns False."""
    # By the clock of the claims: where it jumps (NTP, a suspended host), another worker may hold the rest.
    until, mail.accepts = now() + timedelta(seconds=PATIENCE), False
    for i, claimed in enumerate(batch.letters):
        if now() > until:
            _give_back(settings, batch.letters[i:], timedelta())
            break
        if not _deliver_one(settings, mail, claimed, batch.holds):
            _give_back(settings, batch.letters[i + 1 :], RELAY_PAUSE)
            return False
    return True


def _probe(settings: Settings, mail: MailConnection, any_due: bool) -> None:
    """Probe a failed relay, since clocks wait for it: by a connection, or after refused recipients by another one."""
    with open_session(settings) as session:
        if relay.down_since(session) is None or outgoing.held_since(session) is not None:
            return
        unreached = relay.unreached(session)
        recipient = "" if unreached else relay.someone_seated(session)
    if any_due if unreached else not recipient:
        return  # tried just now
    try:
        mail.probe(recipient)
    except smtp.NotSent as problem:
        log.warning("mail relay still fails", code=problem.code)
        if recipient:
            with transaction(settings) as session:
                relay.refused_again(session)
        return
    with transaction(settings) as session:
        if recipient:
            relay.accepted(session)
        else:
            relay.reached(session)


@dataclass
class Claimed:
    letter: Letter
    account: Account | None
    owed: writing.Owed | None
    """Data to write it from; None: written."""


@dataclass
class Batch:
    taken: int
    """Letters due, with dropped and delayed ones."""
    letters: list[Claimed]
    holds: Mapping[str, datetime]
    """Domains held after a 421."""


def _claim(settings: Settings, awaited_only: bool = False, letter_id: str = "") -> Batch:
    """Claim due letters, sign-in letters first, or one letter; drops obsolete ones, delays those over a provider's pace."""
    at = now()
    values = {"at": at, "until": at + timedelta(seconds=CLAIM_SECONDS)} | ({"letter": letter_id} if letter_id else {})
    with transaction(settings) as session:
        which = "one" if letter_id else "awaited" if awaited_only else "all"
        taken = session.execute(_claiming(which), values).scalars().all()
        holds = pacing.holds(session) if taken else {}
        waits = pacing.waits(session, taken, holds)
        for id, free in waits.items():
            _put_back(session, [x for x in taken if x.id == id], free)
        found = [x for x in taken if x.id not in waits]
        found.sort(key=lambda letter: (letter.kind not in letters.AWAITED, letter.created_at, letter.id))
        # One that no key decrypts is put off by `_deliver_one`, and doesn't stop the others.
        unwritten = [x for x in found if x.written_at is None and not isinstance(x.headers, Undecryptable)]
        owed = {one.letter.id: one for one in writing.gather(session, unwritten)}
        gone = [x.id for x in unwritten if x.id not in owed]
        readers = {x.account_id for x in found if x.written_at is not None and x.account_id}
        accounts: dict[str | None, Account] = {x.account_id: owed[x.id].account for x in found if x.id in owed}
        if readers:
            accounts |= {a.id: a for a in session.exec(select(Account).where(col(Account.id).in_(readers)))}
        # Banned since an earlier claim, or resent by an operator.
        gone += [x.id for x in found if x.account_id in accounts and not letters.may_get(accounts[x.account_id], x.kind)]
        gone += [x.id for x in found if x.kind in optouts.INVITATIONS and optouts.refuses(session, x.to_address)]
        if gone:
            session.exec(update(Letter).where(col(Letter.id).in_(gone)).values(status=LetterStatus.DROPPED, facts={}))
        claimed = [
            Claimed(x, owed[x.id].account if x.id in owed else accounts.get(x.account_id), owed.get(x.id))
            for x in found
            if x.id not in gone
        ]
        return Batch(len(taken), claimed, holds)


@cache
def _claiming(which: str) -> Any:
    """Each part reads the first of its letters by an index: sorting a backlog of 50,000 took a second a claim on SQLite."""

    def due(condition: Any, *order: Any) -> Any:
        found = select(Letter.id).where(condition, col(Letter.next_try_at) <= bindparam("at"), ~outgoing.is_held())
        # A CTE: PostgreSQL may run a subquery repeatedly, claiming more each time.
        return found.order_by(*order, col(Letter.next_try_at)).limit(BATCH).with_for_update(skip_locked=True).cte()

    unsent, status = text(UNSENT), col(Letter.status)
    if which == "one":
        parts = [due(unsent & (col(Letter.id) == bindparam("letter")))]
    else:
        parts = [due(unsent & col(Letter.kind).in_(sorted(letters.AWAITED)), col(Letter.kind))]
    if which == "all":  # those due while being sent are a dead worker's
        parts += [due(status == LetterStatus.QUEUED), due(status == LetterStatus.SENDING)]
    taken = union_all(*(select(part.c.id) for part in parts))
    claimed = {"status": LetterStatus.SENDING, "attempts": Letter.attempts + 1, "next_try_at": bindparam("until")}
    claiming = update(Letter).where(col(Letter.id).in_(taken)).values(claimed)
    return claiming.returning(Letter).execution_options(synchronize_session=False)


def _give_back(settings: Settings, rest: Sequence[Claimed], pause: timedelta) -> None:
    if rest:
        with transaction(settings) as session:
            _put_back(session, [claimed.letter for claimed in rest], now() + pause)


def _put_back(session: Session, taken: Sequence[Letter], until: datetime) -> None:
    """Undo a claim, without counting an attempt, unless the letter was dropped or claimed again."""
    values = {"status": LetterStatus.QUEUED, "attempts": Letter.attempts - 1, "next_try_at": until}
    one = tuple_(col(Letter.id), col(Letter.attempts)).in_([(letter.id, letter.attempts) for letter in taken])
    claimed = one, col(Letter.status) == LetterStatus.SENDING
    session.exec(update(Letter).where(*claimed).values(values).execution_options(synchronize_session=False))


def _deliver_one(settings: Settings, mail: MailConnection, claimed: Claimed, holds: Mapping[str, datetime]) -> bool:
    """Write and send a letter; False on a relay failure."""
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
    except CannotDecrypt as problem:  # a missing key may return
        _put_off(settings, letter, problem)
        return True
    except Exception as problem:  # permanent
        log.error("letter can't be made", letter=letter.id, problem=type(problem).__name__)
        with transaction(settings) as session:
            why = sentence("The letter can't be made: %(problem)s", problem=type(problem).__name__)
            ledger.failed(session, letter, why)
        return True
    try:
        words = mail.send(letter, made)
    except smtp.NotSent as problem:
        _not_sent(settings, letter, problem)
        return problem.stage != "sender" or problem.code in TOO_BIG
    except Exception as problem:  # retried, and finally failed
        mail.close()
        _put_off(settings, letter, problem)
        return True
    domain = pacing.domain_of(letter.to_address)
    with transaction(settings) as session:
        ledger.sent(session, letter, words)
        if claimed.account is not None and claimed.account.bounced_at is not None:
            ledger.arrived(session, letter)
        if domain in holds:
            pacing.release(session, domain)
        if mail.first_since_failure():
            relay.accepted(session)
            relay.note_utf8(session, mail.offers_utf8())
    return True


def _write(settings: Settings, owed: writing.Owed) -> bool:
    """Write a letter; False on failing rules or templates, which halt the game."""
    try:
        writing.write(settings, owed)
    except Exception as problem:
        if not faults.is_operational(problem):
            step = owed.state.stack[-1].step if owed.state is not None and owed.state.stack else ""
            fault = faults.Fault(owed.match.snapshot_n, step)
            fault.__cause__ = problem
            faults.halt(settings, owed.match.id, fault)
        _put_off(settings, owed.letter, problem)
        return False
    return True


def _waits_a_day(settings: Settings, letter: Letter, account: Account) -> bool:
    if account.bounced_at is None or letter.kind not in letters.PATIENT:
        return False
    free = account.bounced_at + timedelta(days=1)
    if now() >= free:
        return False
    with transaction(settings) as session:
        _put_back(session, [letter], free)
    return True


def _put_off(settings: Settings, letter: Letter, problem: Exception) -> None:
    log.warning("letter not sent", letter=letter.id, attempt=letter.attempts, problem=type(problem).__name__)
    with transaction(settings) as session:
        ledger.put_off(session, letter, f"{type(problem).__name__}: {problem}")


def _not_sent(settings: Settings, letter: Letter, problem: smtp.NotSent) -> None:
    """Record a failure (retry, failed, rejected, bounced or unknown), and what it shows about relay and domain."""
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
        if problem.stage == "recipient" and (not problem.code or relay.blames_relay(*_reply(problem), meaning)):
            relay.failed(session, domain)


TOO_BIG = frozenset((552, 523))
"""Size limits; about that letter only, see `refusals.meaning`."""


def _reply(problem: smtp.NotSent) -> tuple[int, str]:
    return problem.code, str(problem.words).partition(" ")[2]


def _meaning(problem: smtp.NotSent) -> refusals.Meaning:
    """Classify a failure; relay failures never count against the letter."""
    code, words = _reply(problem)
    if problem.stage == "sender" and code not in TOO_BIG:
        return "later"
    return refusals.meaning(code, words, to_address=problem.stage == "recipient")


BOUNDARY = "=_writ"
"""MIME boundary; quoted-printable never contains its first two characters (RFC 2045, 6.7)."""


def message(settings: Settings, letter: Letter, utf8: bool = False) -> bytes:
    """Serialise a letter (text and HTML, stable Message-ID); `utf8`: for SMTPUTF8 servers. The `email` package takes half of a
    letter's cost.
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
    """A MIME part; lone surrogates become question marks."""
    lines = text.encode(errors="replace").splitlines()
    encoded = binascii.b2a_qp(b"\r\n".join([*lines, b""]))
    head = (
        f'--{BOUNDARY}\r\nContent-Type: text/{subtype}; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
    )
    return head.encode() + encoded + b"\r\n"


class MailConnection:
    """Transport of letters: the relay, or the Maildir."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._relay = smtp.Relay(settings) if settings.smtp_url else None
        self.accepts = False
        """Whether it accepted a letter since the last failure."""

    def close(self) -> None:
        self.accepts = False
        if self._relay is not None:
            self._relay.close()

    def first_since_failure(self) -> bool:
        first, self.accepts = not self.accepts, True
        return first and self._relay is not None

    def send(self, letter: Letter, made: bytes) -> Message | str:
        """Send, with a return path for each letter to match bounces; returns the reply or our sentence. Raises smtp.NotSent."""
        if self._relay is None:
            return _into_maildir(self.settings, letter, made)
        sender = links.mail_address(self.settings, "b", letter.id) if self.settings.inbox else self.settings.mail_address
        try:
            return self._relay.send(sender, letter.to_address, made)
        except smtp.NotSent:
            self.accepts = False
            raise

    def offers_utf8(self) -> bool:
        return self._relay is not None and self._relay.utf8

    def probe(self, recipient: str = "") -> None:
        if self._relay is not None:
            self._relay.probe(self.settings.mail_address, recipient)


def _into_maildir(settings: Settings, letter: Letter, made: bytes) -> Message:
    # Created here, since concurrent `create` calls fail.
    for inner in ("cur", "new", "tmp"):
        (settings.maildir / inner).mkdir(parents=True, exist_ok=True, mode=0o700)
    box = mailbox.Maildir(settings.maildir)
    box.add(made.replace(b"\r\n", b"\n"))
    # Without a mail server, links are shown on the console.
    found = LINK.search(letter.text)
    log.info("letter", to=letter.to_address, subject=letter.subject, link=found[0] if found else "")
    return sentence("in the mailbox")
