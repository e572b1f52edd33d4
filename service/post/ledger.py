"""Delivery ledger: history and retries of every letter."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal

import structlog
from sqlalchemy import bindparam, exists, func, or_, text
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select, update

from engine.language.words import Message, plain
from service.common import headers, tokens
from service.common.messages import as_text, read, sentence
from service.errors import BadLink
from service.post import letter_preferences, letters, links, refusals
from service.store import bulk, counters, optouts
from service.store.database import after_commit, settings_of
from service.store.models import (
    UNSENT,
    Account,
    AskRow,
    LedgerStatus,
    Letter,
    LetterEvent,
    LetterStatus,
    Match,
    SeatRow,
    new_id,
    now,
)

log = structlog.get_logger()

BACK_OFF = (30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600)
"""Retry delays in seconds, two days in all."""
REFUSALS, KINDS, SPAN = 3, 2, timedelta(hours=6)
"""An address is dead after this many bounces, of this many kinds of letters, over this time."""
ONCE_MORE, ONCE_MORE_AWAITED = timedelta(minutes=10), timedelta(minutes=1)
"""Delay of the only retry after an unknown outcome."""
BROKE_OFF = sentence("The connection broke after the letter was handed over and before the mail server said that it has it.")
AS_WRITTEN = ("subject", "text", "html", "headers", "facts", "written_at")
HIDDEN = "[…]"
MOST_LINES = 60
"""Later reports are ignored."""
OTHERS_WORDS = ("talk", "digest")
"""Letters that quote other players, who could provoke a bounce: no evidence against the address."""


@dataclass(frozen=True)
class LedgerLine:
    at: datetime
    status: LedgerStatus
    words: str


def note(session: Session, letter_id: str, status: LedgerStatus, words: Message | str = "") -> None:
    """Append a line: a server's reply, or a sentence of ours."""
    session.add(LetterEvent(letter_id=letter_id, status=status, words=_fit(words)))
    session.flush()
    _count(session, status)


def _count(session: Session, status: LedgerStatus) -> None:
    after_commit(session, counters.LETTER_OUTCOMES.labels(status).inc)


def sent(session: Session, letter: Letter, words: Message | str) -> None:
    values: dict[str, object] = {"status": LetterStatus.SENT, "sent_at": now(), "error": ""}
    values |= {name: getattr(letter, name) for name in AS_WRITTEN}
    there = session.connection().execute(_changing(tuple(values)), values | {"its_id": letter.id}).rowcount
    shown = _fit(words) if there else ""
    line = {"id": new_id(), "at": now(), "letter_id": letter.id, "status": LedgerStatus.SENT, "words": shown}
    bulk.add_values(session, LetterEvent, [line])
    _count(session, LedgerStatus.SENT)


@cache
def _changing(names: tuple[str, ...]) -> Any:
    """Cached: building takes as long as running."""
    table = bulk.table_of(Letter)
    one = update(table).where(table.c.id == bindparam("its_id"), table.c.to_address != "")
    return one.values({name: bindparam(name) for name in names}).execution_options(preserve_rowcount=True)


def _record(session: Session, letter_id: str, line: LedgerStatus, words: Message | str, **values: object) -> None:
    """Change a letter and append a line, without words if the reader was erased meanwhile."""
    its = col(Letter.id) == letter_id, col(Letter.to_address) != ""
    there = session.exec(update(Letter).where(*its).values(error=_fit(words), **values)).rowcount
    note(session, letter_id, line, words if there else "")


def _fit(words: Message | str) -> str:
    if not isinstance(words, str):
        return as_text(words)
    shown = _shown(words)
    # Escape words that look like our JSON.
    return json.dumps(plain(shown).stored()) if shown.startswith("{") else shown


def _shown(words: str) -> str:
    """A server's words without private links: it may quote the letter."""
    shown = headers.shown(words)[:500]
    if tokens.find(shown):
        shown = " ".join(HIDDEN if tokens.find(word) else word for word in shown.split())
        shown = tokens.cut(shown.replace(" ", "\n"))[0].replace("\n", " ")  # a link that is wrapped
    return shown


def said(words: str) -> str:
    """Words of a line, or of a letter's error, translated if ours."""
    return str(read(words))


def lines(session: Session, letter: Letter) -> list[LedgerLine]:
    """A letter's lines, oldest first; the first, queued or gathered, has no row."""
    return lines_of_all(session, [letter])[letter.id]


def lines_of_all(session: Session, several: Iterable[Letter]) -> dict[str, list[LedgerLine]]:
    """`lines` by letter id, in one query."""
    several = list(several)
    found: dict[str, list[LedgerLine]] = {letter.id: [] for letter in several}
    rows = select(LetterEvent).where(col(LetterEvent.letter_id).in_(found)).order_by(col(LetterEvent.at), LetterEvent.id)
    for row in session.exec(rows):
        found[row.letter_id].append(LedgerLine(row.at, row.status, said(row.words)))
    for letter in several:
        if letter.error == as_text(letters.NOT_WISHED):
            continue  # it was never to be sent
        gathered = letter.digest_id or letter.status == LetterStatus.GATHERED
        begun = LedgerLine(letter.created_at, LedgerStatus.GATHERED if gathered else LedgerStatus.QUEUED, "")
        found[letter.id].insert(0, begun)
    return found


def put_off(session: Session, letter: Letter, words: Message | str) -> None:
    """Schedule a retry (back-off), or fail after the last one."""
    if letter.attempts > len(BACK_OFF):
        failed(session, letter, words)
        return
    wait = BACK_OFF[max(letter.attempts, 1) - 1]
    later = now() + timedelta(seconds=wait)
    _record(session, letter.id, LedgerStatus.DEFERRED, words, status=LetterStatus.QUEUED, next_try_at=later)


def unknown(session: Session, letter: Letter) -> None:
    """Record a connection broken between DATA and the reply. Retries once, with the same Message-ID."""
    before = select(func.count()).select_from(LetterEvent).where(LetterEvent.letter_id == letter.id)
    again = not session.exec(before.where(LetterEvent.status == LedgerStatus.UNKNOWN)).one()
    wait = ONCE_MORE_AWAITED if letter.kind in letters.AWAITED else ONCE_MORE
    status = LetterStatus.QUEUED if again else LetterStatus.UNKNOWN
    # Both copies must be identical, and replies to them understood.
    written = {name: getattr(letter, name) for name in AS_WRITTEN}
    _record(session, letter.id, LedgerStatus.UNKNOWN, BROKE_OFF, status=status, next_try_at=now() + wait, **written)


def failed(session: Session, letter: Letter, words: Message | str) -> None:
    _record(session, letter.id, LedgerStatus.FAILED, words, status=LetterStatus.FAILED)


def rejected(session: Session, letter_id: str, words: str) -> None:
    """Record a refusal: no evidence against the address."""
    _record(session, letter_id, LedgerStatus.REJECTED, words, status=LetterStatus.REJECTED)


def bounced(session: Session, letter_id: str, words: str) -> None:
    """Record a bounce; with enough evidence marks the address as dead."""
    letter = session.get(Letter, letter_id)
    if letter is None or not letter.to_address or letter.status == LetterStatus.BOUNCED:
        return
    letter.status, letter.error = LetterStatus.BOUNCED, _fit(words)
    note(session, letter_id, LedgerStatus.BOUNCED, words)
    account = session.get(Account, letter.account_id) if letter.account_id else None
    if account is None or account.email != letter.to_address:
        return
    if account.bounced_at is not None or _dead(session, account):
        account.bounced_at, account.bounce = now(), _shown(words)
        session.flush()


def _dead(session: Session, account: Account) -> bool:
    mine = (col(Letter.account_id) == account.id, col(Letter.to_address) == account.email)
    joined = select(LetterEvent.at, Letter.kind).join(Letter, col(Letter.id) == LetterEvent.letter_id).where(*mine)
    # Relays accept everything at first: a letter arrived only if no bounce followed.
    stayed = joined.where(LetterEvent.status == LedgerStatus.SENT, Letter.status == LetterStatus.SENT)
    last = session.exec(stayed.order_by(col(LetterEvent.at).desc()).limit(1)).first()
    against = joined.where(LetterEvent.status == LedgerStatus.BOUNCED, col(Letter.kind).not_in(OTHERS_WORDS))
    if last is not None:
        against = against.where(col(LetterEvent.at) > last[0])
    lines = session.exec(against).all()
    moments, kinds = [at for at, _ in lines], {kind for _, kind in lines}
    return len(lines) >= REFUSALS and len(kinds) >= KINDS and max(moments) - min(moments) >= SPAN


Outcome = Literal["failed", "delayed", "delivered", "complaint", "autoreply", "unread"]
LINE_OF = {
    "delayed": LedgerStatus.DEFERRED,
    "complaint": LedgerStatus.COMPLAINED,
    "autoreply": LedgerStatus.AUTORESPONDED,
    "delivered": LedgerStatus.REPORTED,
    "unread": LedgerStatus.REPORTED,
}


def reported(
    session: Session,
    letter: Letter,
    outcome: Outcome,
    meaning: refusals.Meaning = "letter",
    words: str = "",
    spent: bool = False,
) -> str:
    """Record a bounce (RFC 3464), complaint (RFC 5965) or autoreply; returns its ledger status or "". `meaning`: what a failure
    proves; `spent`: retries failed for days.
    """
    if not letter.to_address:  # its reader was erased; the report may name them
        return ""
    kept = select(func.count()).select_from(LetterEvent).where(LetterEvent.letter_id == letter.id)
    if session.exec(kept).one() >= MOST_LINES - 1:  # the first line has no row
        return ""
    if outcome == "complaint":
        _mute(session, letter)
    if outcome != "failed":
        note(session, letter.id, LINE_OF[outcome], words)
        return LINE_OF[outcome]
    if meaning == "address":
        bounced(session, letter.id, words)
        return LedgerStatus.BOUNCED
    if letter.status in (LetterStatus.BOUNCED, LetterStatus.REJECTED):
        return letter.status  # reported before
    if meaning == "later" and (spent or letter.status != LetterStatus.SENT):
        note(session, letter.id, LedgerStatus.DEFERRED, words)
        return LedgerStatus.DEFERRED
    if meaning == "later" and _still_asked(session, letter) and not _is_anothers(session, letter):
        put_off(session, letter, words)
        return LedgerStatus.DEFERRED
    rejected(session, letter.id, words)
    return LedgerStatus.REJECTED


def _mute(session: Session, letter: Letter) -> None:
    """Unsubscribe, as by the letter's button."""
    settings, token = settings_of(session), letter.headers.get("List-Unsubscribe", "").rpartition("/")[2].rstrip(">")
    if not token:
        return
    try:
        email = links.opting_out(settings, session, token)
        if email is None:
            letter_preferences.end(session, links.leaving(settings, session, token))
        elif email:
            optouts.add(session, email)
    except BadLink:
        log.info("complaint mutes nothing", letter=letter.id)


def _still_asked(session: Session, letter: Letter) -> bool:
    ask = session.get(AskRow, (letter.match_id, letter.seat, letter.serial)) if letter.serial else None
    return not letter.serial or (ask is not None and ask.answered_at is None)


def _is_anothers(session: Session, letter: Letter) -> bool:
    """Whether its links are revoked: the seat has another player, or its player another address, and a retry would go to the
    old one.
    """
    if letters.KEY in letter.headers:
        seat = session.get(SeatRow, (letter.match_id, letter.seat))
        return seat is not None and letter.headers[letters.KEY] != f"{seat.seat}.{seat.key_generation}"
    account = session.get(Account, letter.account_id) if letter.kind == "digest" else None
    return account is not None and account.email != letter.to_address


def arrived(session: Session, letter: Letter) -> None:
    if letter.account_id:
        its = (col(Account.id) == letter.account_id, col(Account.email) == letter.to_address)
        session.exec(update(Account).where(*its).values(bounced_at=None, bounce=""))


def mended(session: Session, account: Account) -> Letter:
    """Clear the bounce mark on request, and requeue letters after a test letter."""
    account.bounced_at, account.bounce = None, ""
    waiting = (col(Letter.account_id) == account.id, col(Letter.status) == LetterStatus.QUEUED)
    session.exec(update(Letter).where(*waiting).values(next_try_at=now()))
    again = exists().where(*_lost(aliased(Letter), Letter, account.id, account.email))
    session.exec(update(Letter).where(again).values(status=LetterStatus.QUEUED, next_try_at=now(), attempts=0))
    return letters.test_letter(session, account)


def ask_again(session: Session, account: Account, before: str) -> None:
    """Send open questions whose letters came back from the address `before` to the new one; the letters held revoked links."""
    mine = (col(SeatRow.match_id) == AskRow.match_id, col(SeatRow.seat) == AskRow.seat, col(SeatRow.account_id) == account.id)
    lost = _lost(aliased(Letter), aliased(Letter), account.id, before)
    found = select(AskRow.match_id, AskRow.seat, AskRow.serial).where(*lost, exists().where(*mine)).distinct()
    for match_id, seat, serial in session.exec(found).all():
        match, row = session.get_one(Match, match_id), session.get_one(SeatRow, (match_id, seat))
        letters.owe(session, "turn" if serial > 0 else "offer", match, row, account, serial=serial)


def _lost(asking: Any, sent: Any, account_id: str, email: str) -> tuple[Any, ...]:
    """Conditions: the letter `sent` came back from an address; it is the letter `asking` or the digest with it; the question is
    open and has no answer kept for later. A game's first letter has no number; it puts what was open then.
    """
    refused = sent.status.in_((LetterStatus.BOUNCED, LetterStatus.REJECTED))
    back = (sent.account_id == account_id, sent.to_address == email, refused, sent.id.in_((asking.id, asking.digest_id)))
    numbered = asking.kind.in_(("turn", "offer", "reminder")) & (col(AskRow.serial) == asking.serial)
    first = (asking.kind == "started") & (col(AskRow.opened_at) <= asking.created_at)
    its = (asking.account_id == account_id, asking.match_id == AskRow.match_id, asking.seat == AskRow.seat, numbered | first)
    return (*back, *its, col(AskRow.answered_at).is_(None), col(AskRow.kept_via) == "")


def troubled(session: Session, match: Match) -> set[str]:
    return troubled_of_all(session, [match])[match.id]


def troubled_of_all(session: Session, matches: Iterable[Match]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {match.id: set() for match in matches}
    rows = select(SeatRow.match_id, SeatRow.seat).join(Account, col(Account.id) == SeatRow.account_id)
    for match_id, seat in session.exec(rows.where(col(SeatRow.match_id).in_(found), col(Account.bounced_at).is_not(None))):
        found[match_id].add(seat)
    return found


def of_account(session: Session, account: Account, most: int = 30) -> list[Letter]:
    found = select(Letter).where(Letter.account_id == account.id)
    return list(session.exec(found.order_by(col(Letter.created_at).desc(), col(Letter.id).desc()).limit(most)))


def declined(session: Session, match: Match) -> int:
    found = select(func.count()).select_from(Letter).where(Letter.match_id == match.id, Letter.kind == "declined")
    return session.exec(found).one()


NOT_SENT = (LedgerStatus.DEFERRED, LedgerStatus.BOUNCED, LedgerStatus.REJECTED, LedgerStatus.FAILED, LedgerStatus.UNKNOWN)


def troubles(session: Session, since: datetime) -> dict[str, int]:
    """Undelivered letters by status; deferred ones if still waiting."""
    # By the letters' statuses, which have an index: lines have none by time.
    not_sent = [LetterStatus.QUEUED, LetterStatus.SENDING, *(LetterStatus(one) for one in NOT_SENT[1:])]
    found = select(LetterEvent.status, func.count(func.distinct(LetterEvent.letter_id)))
    found = found.join(Letter, col(Letter.id) == LetterEvent.letter_id).where(col(Letter.status).in_(not_sent))
    found = found.where(col(LetterEvent.at) > since, col(LetterEvent.status).in_(NOT_SENT)).group_by(LetterEvent.status)
    return {str(status): n for status, n in session.exec(found)}


def stuck(session: Session, most: int = 10) -> list[Letter]:
    """Unsent letters that are due or wait for a retry, oldest first."""
    found = select(Letter).where(text(UNSENT), or_(col(Letter.next_try_at) <= now(), col(Letter.attempts) > 0))
    return list(session.exec(found.order_by(col(Letter.created_at), Letter.id).limit(most)))


def oldest_unsent(session: Session) -> datetime | None:
    due = select(func.min(Letter.created_at)).where(text(UNSENT), col(Letter.next_try_at) <= now())
    return session.exec(due).one()
