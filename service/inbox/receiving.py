"""Incoming mail: bounces (RFC 3464), complaints (RFC 5965), and replies (moves or talk). Only the recipient address, with the
letter's id and a signature, identifies the sender.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import structlog
from sqlmodel import Session, col, func, select

from engine.core.asks import NotLegal, NotUnderstood, Refused
from engine.language.words import Message
from engine.ui.forms import Form
from service.common import text_input
from service.common.headers import shown
from service.common.messages import sentence
from service.errors import Stale
from service.inbox import answers, bounces, machines, mime, replies, rows
from service.post import disclosure, ledger, letters, links
from service.seat import seat_view, submissions
from service.settings import Settings
from service.store import limits
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, Match, SeatRow, Submission, SubmissionStatus, now
from service.table import talk

log = structlog.get_logger()

LARGEST = 1_000_000
UNKNOWN = "unknown"
"""Result for a reply to a letter of ours without a row: it was sent after the backup that this house was restored from."""
MOST_ADDRESSES = 100
REFUSALS_AN_HOUR = 3
REFUSALS_A_DAY = 20
"""To an account, of all its games: an autoresponder answers every question."""
MOST_REFUSALS = 10
"""About one question or conversation within REPEATED: a machine may write something new for ever."""
EMPTY = sentence("The reply has no words above the quoted letter; write your answer there.")
MACHINES_ADDRESS = sentence(
    "Your reply came from an address that looks like a machine’s, so nobody got it. Write from the address that gets our"
    " letters, or on your page."
)
GARBLED = sentence("Some letters of your reply can’t be read. Set your mail program to Unicode (UTF-8), or write on your page.")
RENEWED = sentence("The links of your seat were renewed after that letter went out, so replies to it no longer count.")
OVERTAKEN = sentence("You answered this after you had written that reply, so your later answer counts.")
IN_A_ROW, FEW_MINUTES = 3, timedelta(minutes=10)
"""Replies of a seat in one conversation that still send letters; as many may be alike within REPEATED."""
REPEATED = timedelta(days=7)
"""Window in which repeated text counts as automatic."""
NO_OPTION = "ask.no_such_option"


def receive(settings: Settings, data: bytes, recipients: tuple[str, ...] = (), sender: str | None = None) -> str:
    """Process a message; returns the result in a word. `recipients`, `sender`: the envelope's. Parses before it locks.
    Raises for no content, but for a database or rules that fail.
    """
    if len(data) > LARGEST:
        log.warning("mail dropped", why="too large")
        return "dropped"
    message = mime.read(data)
    found = next((hit for address in [*recipients, *addresses(message)] if (hit := links.letter_of(settings, address))), None)
    found = found or _returned(settings, message, data)
    if found is None:
        log.info("mail dropped", why="no letter of ours")
        return "dropped"
    what, letter_id = found
    answered = _answered(settings, letter_id)
    try:
        parsed = _parsed(settings, what, letter_id, answered, message, sender)
    except (ValueError, LookupError, AttributeError, TypeError) as problem:
        log.warning("mail dropped", why=f"malformed: {type(problem).__name__}")
        return "dropped"
    # A fault below isn't the message's: the mail server tries again.
    if isinstance(parsed, bounces.Report):
        return _report(settings, letter_id, parsed)
    if isinstance(parsed, Read):
        return _reply(settings, letter_id, parsed)
    log.info("mail dropped", why=f"automatic: {parsed}")
    return _answered_by_machine(settings, letter_id, message)


def _parsed(
    settings: Settings, what: str, letter_id: str, answered: Answered, message: mime.Part, sender: str | None
) -> bounces.Report | Read | str:
    """A report, a reply, or the feature of automatic mail."""
    if what == "b" or bounces.is_report(message, "" if sender == "" else answered.to_address):
        return bounces.read(message, answered.to_address)
    why = "no return address" if sender == "" else machines.by_machine(message, answered.to_address, answered.subjects)
    if why and why != machines.MAYBE:
        return why
    return _read(settings, letter_id, answered, message, sender, why == machines.MAYBE)


def addresses(message: mime.Part) -> list[str]:
    """Possible inbox addresses in recipient headers."""
    fields = [value for name in ("delivered-to", "x-original-to", "to", "cc") for value in message.fields.get(name, ())]
    return [word for field in fields for word in machines.AROUND.split(field) if "+" in word and "@" in word][:MOST_ADDRESSES]


# --- bounces ----------------------------------------------------------------------------------------------------------


def _returned(settings: Settings, message: mime.Part, data: bytes) -> tuple[str, str] | None:
    """The returned letter, by a signed address: a Message-ID proves nothing."""
    if not (bounces.is_report(message) or bounces.is_bounce(message)):
        return None
    local, _, domain = settings.inbox.partition("@")
    pattern = re.compile(
        re.escape(f"{local}+").encode() + rb"[br]\.[0-9a-f]{32}\.[0-9a-f]{16}" + re.escape(f"@{domain}").encode(), re.I
    )
    plain = data.replace(b"=\r\n", b"").replace(b"=\n", b"")
    signed = (links.letter_of(settings, hit[0].decode()) for hit in itertools.islice(pattern.finditer(plain), MOST_ADDRESSES))
    found = next((hit for hit in signed if hit is not None), None)
    return ("b", found[1]) if found is not None else None


def _report(settings: Settings, letter_id: str, report: bounces.Report) -> str:
    with transaction(settings) as session:
        letter = session.get(Letter, letter_id)
        if letter is None:
            return "dropped"
        became = ledger.reported(session, letter, report.outcome, report.meaning, report.words, report.spent)
    log.info("letter came back", letter=letter_id, outcome=report.outcome, became=became)
    return became or "dropped"


def _answered_by_machine(settings: Settings, letter_id: str, message: mime.Part) -> str:
    with transaction(settings) as session:
        letter = session.get(Letter, letter_id)
        if letter is not None:
            ledger.reported(session, letter, "autoreply", words=message.get("subject"))
    return "dropped"


# --- replies ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answered:
    """The letter that a message replies to; no texts past retention."""

    to_address: str = ""
    subjects: tuple[str, ...] = ()
    """Its own, and the game's name."""
    text: str = ""
    html: str = ""
    talks: bool = False
    name: str = ""
    """The seat's."""


def _answered(settings: Settings, letter_id: str) -> Answered:
    with open_session(settings) as session:
        letter = session.get(Letter, letter_id)
        if letter is None:
            return Answered()
        match = session.get(Match, letter.match_id) if letter.match_id else None
        seat = session.get(SeatRow, (letter.match_id, letter.seat)) if letter.match_id else None
        subjects = (letter.subject, match.name if match is not None else "")
        talks, name = letters.THREAD in letter.headers, seat.name if seat is not None else ""
        return Answered(letter.to_address, subjects, letter.text, letter.html, talks, name)


@dataclass(frozen=True)
class Read:
    key: str
    text: str
    fault: Message | None = None
    written_at: datetime | None = None
    """By its Date header; None: none that can be read."""
    maybe: bool = False
    """Whether a machine may have sent it: it plays a clear answer, but is never said, and is refused once."""


BY_THE_WRITER = ("from", "to", "cc", "subject", "date", "in-reply-to", "references", "mime-version", "content-type")
"""Headers that relays don't change."""


def _fingerprint(message: mime.Part, sender: str | None) -> bytes:
    """Idempotency key without a Message-ID."""
    head = [f"{name}: {' '.join(value.split())}" for name in BY_THE_WRITER for value in message.fields.get(name, ())]
    body = b"\n".join(line.rstrip() for line in message.body.strip().split(b"\n"))
    return "\n".join([sender or "", *head, ""]).encode(errors="replace") + body


def _read(settings: Settings, letter_id: str, answered: Answered, message: mime.Part, sender: str | None, maybe: bool) -> Read:
    id = message.get("message-id").encode(errors="replace")
    # Per letter, so that a foreign Message-ID can't block a reply.
    key = "mail-" + hashlib.sha256(letter_id.encode() + (id if len(id) > 4 else _fingerprint(message, sender))).hexdigest()[:40]
    own = f"{answered.text}\n{replies.plain(answered.html[: replies.LONGEST_HTML])}"
    try:
        # Lines with our address introduce a quote.
        ours, names = (settings.inbox, settings.mail_address), (answered.name, _name(message))
        text = replies.words(message, ours, own, copied=not answered.talks, names=names)
    except NotUnderstood as refusal:
        return Read(key, "", refusal.said, maybe=maybe)
    return Read(key, text, None if text else EMPTY, _written_at(message), maybe)


def _name(message: mime.Part) -> str:
    return mime.words_of(message.get("from")).partition("<")[0].strip(" \"'")


def _written_at(message: mime.Part) -> datetime | None:
    try:
        found = parsedate_to_datetime(message.get("date"))
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _reply(settings: Settings, letter_id: str, reply: Read) -> str:
    """Under the match's lock."""
    with transaction(settings) as session:
        letter = session.get(Letter, letter_id)
        match = session.get(Match, letter.match_id) if letter is not None and letter.match_id else None
        if match is not None:
            limits.one_at_a_time(session, match)  # the seat may be changing hands
        seat = session.get(SeatRow, (match.id, letter.seat)) if letter is not None and match is not None else None
        if letter is None:
            return UNKNOWN
        if match is None or seat is None:
            return "dropped"
        if letter.headers.get(letters.KEY) != f"{seat.seat}.{seat.key_generation}":
            return _of_revoked(session, letter, match, seat, reply)
        try:
            return _taken(session, letter, match, seat, reply)
        except Refused as refusal:
            _refuse(session, letter, match, seat, reply, refusal)
            return "refused"


def _of_revoked(session: Session, letter: Letter, match: Match, seat: SeatRow, reply: Read) -> str:
    """Play nothing: others may know the address. Its owner, if still at the seat, may have overlooked that it is revoked."""
    owner = session.get(Account, seat.account_id) if seat.account_id == letter.account_id else None
    if owner is None or owner.banned_at is not None:
        log.info("mail dropped", why="the seat is another's now, or its owner is banned")
        return "dropped"
    log.info("mail refused", why="its address is revoked")
    _refuse(session, letter, match, seat, reply, NotLegal(RENEWED), revoked=True)
    return "refused"


def _taken(session: Session, letter: Letter, match: Match, seat: SeatRow, reply: Read) -> str:
    """Post a reply as talk, or submit it as the answer. Raises Refused."""
    if reply.fault is not None:
        raise NotUnderstood(reply.fault)
    thread = letter.headers.get(letters.THREAD)
    if thread and reply.maybe:
        raise NotUnderstood(MACHINES_ADDRESS)
    if thread:
        return _said(session, letter, match, seat, thread, reply)
    asked = letter.headers.get(letters.ASK) or str(letter.serial or "")
    if not asked:
        raise NotUnderstood(sentence("That letter didn’t ask a question; please reply to one that does."))
    view = seat_view.load_for_owner(session, match, seat.seat)
    forms = [*view.proposals, *([view.form] if view.form is not None else [])] if view is not None else []
    form = next((form for form in forms if asked == str(form.serial)), None)
    if form is None:
        raise Stale(sentence("You are not asked that any more; the game has moved on since the letter."))
    lines = text_input.bare(reply.text).splitlines()
    if not any(line.strip() for line in lines):  # invisible characters only
        raise NotUnderstood(EMPTY)
    answer = answers.parse(form, lines, (seat.name,))
    # A reply is newer than its letter. The Date of a clock that runs ahead would overtake all that follow.
    sent_at = letter.sent_at or letter.created_at
    written = min(max(reply.written_at or sent_at, sent_at), now())
    if _is_overtaken(session, letter, form, reply, written):
        raise NotLegal(OVERTAKEN)
    try:
        submissions.submit(session, match, seat.seat, reply.key, form.serial, form.kind, answer, "reply", written_at=written)
    except NotLegal as refusal:
        if refusal.said.code == NO_OPTION:
            raise answers.unknown(form, answer.option) from refusal
        raise
    return "answered"


def _is_overtaken(session: Session, letter: Letter, form: Form, reply: Read, written: datetime) -> bool:
    """Whether its player answered the question after writing the reply: mail may be late, and an answer that is kept until the
    deadline, or was taken back, can be given again. A reply to a letter sent after that answer is newer.
    """
    if session.get(Submission, reply.key) is not None:
        return False  # delivered twice
    its = (Submission.match_id == letter.match_id, Submission.seat == letter.seat, Submission.serial == form.serial)
    counts = col(Submission.status).not_in((SubmissionStatus.REFUSED, SubmissionStatus.STALE))
    by_page = func.max(Submission.created_at).filter(col(Submission.via) != "reply")
    page, mail = session.exec(select(by_page, func.max(Submission.written_at)).where(*its, counts)).one()
    return (page is not None and written <= page) or (mail is not None and written < mail)


def _said(session: Session, letter: Letter, match: Match, seat: SeatRow, thread: str, reply: Read) -> str:
    """Post to the conversation. Immediate or repeated replies send no letters: autoresponders would loop."""
    text, at_once = disclosure.cut(session, reply.text), machines.came_at_once(letter.sent_at, now())
    row = talk.open_thread(session, match, seat.seat, thread)
    if not text:
        raise NotUnderstood(EMPTY)
    if "\ufffd" in text:
        raise NotUnderstood(GARBLED)
    before = [one for one in talk.by_mail(session, row, seat.seat, REPEATED) if one.id != reply.key]
    if machines.is_reaction(text) or (at_once and machines.is_note(text)) or any(machines.same(text, m.text) for m in before):
        log.info("mail dropped", why="automatic: its words")
        return "dropped"
    in_a_row = sum(one.at > now() - FEW_MINUTES for one in before)
    quietly = at_once or max(in_a_row, sum(machines.alike(text, one.text) for one in before)) >= IN_A_ROW
    talk.say(session, match, seat.seat, row.members, text, reply.key, via="reply", quietly=quietly)
    return "said"


def _refuse(
    session: Session, letter: Letter, match: Match, seat: SeatRow, reply: Read, refusal: Refused, revoked: bool = False
) -> None:
    """Send a refusal, once per reply and rate-limited, never to repeated ones. `revoked`: once per letter, without the text,
    which others may have written.
    """
    own = (Letter.match_id == match.id, Letter.seat == seat.seat, Letter.account_id == seat.account_id)
    mine = select(Letter).where(*own, Letter.kind == "reply_refused")
    before = [one for one in session.exec(mine) if (letters.REVOKED in one.headers) == revoked]
    told = any(one.headers[letters.REVOKED] == letter.id for one in before) if revoked else _refused(before, letter, reply)
    hour = now() - timedelta(hours=1)
    often = sum(one.created_at > hour for one in before) >= REFUSALS_AN_HOUR
    often = often or _refused_today(session, seat, revoked) >= REFUSALS_A_DAY
    if told or often or machines.came_at_once(letter.sent_at, now()):
        return
    about, wrote = _about(letter), "" if revoked else _quoted(reply.text)
    kept = {letters.REVOKED: letter.id} if revoked else {letters.WROTE: wrote, letters.WHOLE: _hash(reply)}
    # A question that is closed can't be answered again.
    again = bool(about) and not isinstance(refusal, Stale)
    context = {"why": refusal.said, "again": again, "wrote": wrote}
    letters.to_seat(session, "reply_refused", match, seat, context, headers={letters.REPLY: reply.key, **kept, **about})


def _refused_today(session: Session, seat: SeatRow, revoked: bool) -> int:
    today = col(Letter.created_at) > now() - timedelta(days=1)
    mine = select(Letter.headers).where(Letter.account_id == seat.account_id, Letter.kind == "reply_refused", today)
    return sum((letters.REVOKED in headers) == revoked for headers in session.exec(mine))


def _about(letter: Letter) -> dict[str, str]:
    return {name: letter.headers[name] for name in (letters.THREAD, letters.ASK) if name in letter.headers}


def _hash(reply: Read) -> str:
    """Hash of the whole text, since a corrected answer may keep its first line; of the fault, without text."""
    return hashlib.sha256((machines.evened(reply.text) or str(reply.fault)).encode()).hexdigest()[:32]


def _refused(refusals: Sequence[Letter], letter: Letter, reply: Read) -> bool:
    """Whether a reply repeats what was refused, or there were many about its question."""
    wrote, whole, lately = _quoted(reply.text), _hash(reply), 0
    if letter.kind == "reply_refused" and letter.headers.get(letters.WHOLE) == whole:
        return True
    by_chance = len(machines.evened(reply.text)) < machines.SHORTEST_SAME
    for before in refusals:
        if before.headers.get(letters.REPLY) == reply.key:
            return True
        if _about(before) != _about(letter):
            continue
        lately += before.created_at > now() - REPEATED
        repeated = before.headers.get(letters.WHOLE) == whole and not by_chance
        if reply.maybe or repeated or machines.same_note(before.headers.get(letters.WROTE, ""), wrote):
            return True
    return lately >= MOST_REFUSALS


def _quoted(text: str) -> str:
    lines = text_input.bare(text).splitlines()
    first = rows.first_line(lines)[0] if lines else ""
    return shown(first[: answers.QUOTED] + ("…" if len(first) > answers.QUOTED else ""))
