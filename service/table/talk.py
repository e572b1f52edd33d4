"""Table talk, public and private; stored with the game, never in its log."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import bindparam, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select, update
from sqlmodel.sql.expression import SelectOfScalar

from engine.core.asks import NotLegal, NotUnderstood
from service.common import text_input
from service.common.i18n import gettext
from service.common.messages import nsentence, sentence
from service.errors import NotFound
from service.log import bot_talk, muting
from service.post import disclosure, letters
from service.store import limits
from service.store.database import settings_of
from service.store.models import (
    Account,
    Letter,
    LetterStatus,
    Match,
    MatchStatus,
    Message,
    Mute,
    ReadMark,
    Report,
    SeatRow,
    Thread,
    Vote,
    now,
)
from service.store.seats import seats_of
from service.table import parleys

LONGEST = 2000
LONGEST_WHY = 500
AN_HOUR = 20
"""Most messages of one seat per hour."""
THREADS_AN_HOUR = 5
PAGE = 50
QUIET = "quiet"
"""`via` of a message without a letter."""
KEY = re.compile(r"[A-Za-z0-9-]{8,64}")


@dataclass(frozen=True)
class ThreadSummary:
    thread: Thread
    others: list[str]
    last: Message | None
    unread: int


# --- reading ----------------------------------------------------------------------------------------------------------


def thread_of(session: Session, match: Match, members: str) -> Thread:
    """The thread of these seats (none: the public one), created on first use."""
    found = session.exec(select(Thread).where(Thread.match_id == match.id, Thread.members == members)).first()
    if found is None:
        # Locks the match, so that concurrent writers create one thread.
        session.exec(select(Match.id).where(Match.id == match.id).with_for_update(key_share=True)).one()
        found = session.exec(select(Thread).where(Thread.match_id == match.id, Thread.members == members)).first()
    if found is None:
        found = Thread(match_id=match.id, members=members)
        session.add(found)
        session.flush()
    return found


def threads(session: Session, match: Match, seat: str) -> list[ThreadSummary]:
    """A seat's threads: the public one, then by newest message."""
    rows = session.exec(select(Thread).where(Thread.match_id == match.id)).all()
    seats = {s.seat: s for s in seats_of(session, match)}
    newest, new = _newest(session, match, seat), _unread(session, match, seat)
    found = []
    for row in rows:
        if row.members and seat not in row.members:
            continue
        others = [_name(session, row, m, seats) for m in row.members if m != seat]
        found.append(ThreadSummary(row, others, newest.get(row.id), new.get(row.id, 0)))
    found.sort(key=lambda x: (bool(x.thread.members), -(x.last.at.timestamp() if x.last else 0)))
    return found


def _name(session: Session, thread: Thread, member: str, seats: dict[str, SeatRow]) -> str:
    if member.islower():
        return seats[member].name
    said = select(Message.name).where(Message.thread_id == thread.id, Message.seat == member.lower())
    return session.exec(said.limit(1)).first() or gettext("Player %(seat)s", seat=member)


def readers(session: Session, message: Message) -> list[str]:
    """Names of a message's readers; none: the whole table."""
    thread = session.get(Thread, message.thread_id)
    if thread is None:
        return []
    seats = {s.seat: s for s in seats_of(session, session.get_one(Match, message.match_id))}
    return [_name(session, thread, m, seats) for m in thread.members if m != message.seat]


def _heard(thread: Thread, muted: set[str]) -> SelectOfScalar[Message]:
    query = select(Message).where(Message.thread_id == thread.id)
    return query.where(col(Message.seat).not_in(muted)) if muted else query


def _newest(session: Session, match: Match, seat: str) -> dict[str, Message]:
    order = func.row_number().over(
        partition_by=col(Message.thread_id), order_by=(col(Message.at).desc(), col(Message.id).desc())
    )
    ranked: Any = select(col(Message.id).label("id"), order.label("place")).join(Thread, col(Thread.id) == Message.thread_id)
    ids = ranked.where(muting.may_hear(match.id, seat)).subquery()
    found = select(Message).join(ids, col(Message.id) == ids.c.id).where(ids.c.place == 1)
    return {message.thread_id: message for message in session.exec(found)}


def _unread(session: Session, match: Match, seat: str) -> dict[str, int]:
    found = select(col(Message.thread_id), func.count()).group_by(col(Message.thread_id))
    return dict(session.exec(muting.not_read(found, match.id, seat)).all())


def unread(session: Session, match: Match, seat: str) -> int:
    return int(session.exec(select(muting.unread_number(match.id, seat))).one())


def unread_of_all(session: Session, account: Account, matches: Collection[str]) -> dict[str, int]:
    """Unread messages by match id, without zeros."""
    asked = {"account": account.id, "matches": list(matches)}
    return dict(session.exec(_unread_by_match(), params=asked).all()) if matches else {}


@cache
def _unread_by_match() -> Any:
    """Cached query: building it takes longer than running it."""
    own = (col(SeatRow.match_id) == Message.match_id) & (col(SeatRow.account_id) == bindparam("account"))
    found = select(col(Message.match_id), func.count(col(Message.id))).join(SeatRow, own).group_by(col(Message.match_id))
    found = found.where(col(Message.match_id).in_(bindparam("matches", expanding=True)))
    return muting.not_read(found, col(SeatRow.match_id), col(SeatRow.seat))


def open_thread(session: Session, match: Match, seat: str, id: str) -> Thread:
    """A thread the seat may read. Raises NotFound."""
    row = session.get(Thread, id)
    if row is None or row.match_id != match.id or (row.members and seat not in row.members):
        raise NotFound(sentence("There is no such conversation among yours."))
    return row


def messages(
    session: Session, thread: Thread, seat: str, page: int | None = None
) -> tuple[list[Message | bot_talk.BotLine], int, int]:
    """A page of messages, oldest first, without muted seats; page number and count. Bots' lines stand between those of the
    whole table, never unread.
    """
    match = session.get_one(Match, thread.match_id)
    muted = muting.muted_by(session, match.id, seat)
    heard = _heard(thread, muted)
    count = session.exec(select(func.count()).select_from(heard.subquery())).one()
    pages = max(1, -(-count // PAGE))
    number = min(max(1, page or pages), pages)
    rows = session.exec(heard.order_by(col(Message.at), Message.id).offset((number - 1) * PAGE).limit(PAGE + 1)).all()
    begins = rows[0].at if number > 1 else None
    ends = rows[PAGE].at if number < pages else None
    bots = [] if thread.members else bot_talk.lines(session, match, muted)
    between = [x for x in bots if (begins is None or begins <= x.at) and (ends is None or x.at < ends)]
    return sorted([*between, *rows[:PAGE]], key=lambda x: x.at), number, pages


def read_until(session: Session, thread: Thread, seat: str) -> datetime | None:
    """Time until which a seat has read a thread; None: it never has."""
    found = session.get(ReadMark, (thread.id, seat))
    return found.at if found is not None else None


def mark_read(session: Session, thread: Thread, seat: str, at: datetime | None = None) -> None:
    limits.one_at_a_time(session, session.get_one(Match, thread.match_id))
    session.merge(ReadMark(thread_id=thread.id, seat=seat, at=at or now()))
    session.flush()


# --- saying -----------------------------------------------------------------------------------------------------------


def say(
    session: Session, match: Match, seat: str, members: str, text: str, key: str, via: str = "page", quietly: bool = False
) -> Message:
    """Post a message; `members` "": to the table. `key`: idempotency key; `quietly`: no letter, the next one includes it.

    Raises NotUnderstood for bad text; NotLegal for strangers, private words to bots, and rate limits.
    """
    if not KEY.fullmatch(key):
        raise NotUnderstood(sentence("The form's key is missing or broken; open the page again and write there."))
    limits.one_at_a_time(session, match)
    known = session.get(Message, key)
    if known is not None and (known.match_id, known.seat) == (match.id, seat):
        return known
    if known is not None:
        raise NotUnderstood(sentence("The form's key is used already; open the page again and write there."))
    text = text_input.lines(text)
    if not text:
        raise NotUnderstood(sentence("The message is empty; write something to send."))
    disclosure.check_text(session, text, LONGEST)
    row = session.get(SeatRow, (match.id, seat))
    if row is None or match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        raise NotLegal(sentence("The table talks from the start of the game on."))
    to = _members(session, match, seat, members)
    if to:
        parleys.check(session, match, seat, to, text)
    _no_flood(session, match, seat, to)
    thread = thread_of(session, match, to)
    message = Message(
        id=key,
        thread_id=thread.id,
        match_id=match.id,
        seat=seat,
        name=row.name,
        text=text,
        via=QUIET if quietly else via,
        at=_later(session, thread),
    )
    session.add(message)
    session.flush()
    mark_read(session, thread, seat, message.at)
    if not quietly:
        _write(session, match, thread, message)
    return message


def by_mail(session: Session, thread: Thread, seat: str, within: timedelta) -> list[Message]:
    since = now() - within
    own = select(Message).where(Message.thread_id == thread.id, Message.seat == seat, col(Message.at) > since)
    return [message for message in session.exec(own.order_by(col(Message.at))) if message.via != "page"]


def _later(session: Session, thread: Thread) -> datetime:
    """A time after the last message's: machines' clocks differ."""
    last = session.exec(select(func.max(Message.at)).where(Message.thread_id == thread.id)).one()
    return max(now(), last + timedelta(microseconds=1)) if last is not None else now()


def _members(session: Session, match: Match, seat: str, members: str) -> str:
    if not members:
        return ""
    seats = {s.seat: s for s in seats_of(session, match)}
    for letter in members:
        if letter.isupper():
            raise NotLegal(
                sentence("Somebody in this conversation has left the game; begin a new one with those who are there.")
            )
        if letter not in seats:
            raise NotLegal(
                sentence("Nobody at this table has the seat “%(seat)s”; write to players of this game.", seat=letter[:1])
            )
        if letter != seat and seats[letter].account_id is None:
            raise NotLegal(sentence("%(name)s reads no letters; write to people.", name=seats[letter].name))
    to = "".join(sorted({*members, seat}))
    if to == seat:
        raise NotLegal(sentence("A private letter needs somebody to read it besides yourself; choose at least one player."))
    return to


def check_flood(session: Session, match: Match, seat: str) -> None:
    """Raise NotLegal over the hourly limit of messages and vote reasons."""
    hour = now() - timedelta(hours=1)
    reasons = select(Vote.id).where(Vote.match_id == match.id, Vote.by_seat == seat, col(Vote.opened_at) > hour)
    reasons = reasons.where(Vote.kind == "end")
    own = select(Message).where(Message.match_id == match.id, Message.seat == seat, col(Message.at) > hour)
    said = sum(session.exec(select(func.count()).select_from(rows.subquery())).one() for rows in (own, reasons))
    if said >= AN_HOUR:
        raise NotLegal(
            nsentence(
                "You have sent %(num)s message within an hour; wait a while before the next.",
                "You have sent %(num)s messages within an hour; wait a while before the next.",
                AN_HOUR,
            )
        )


def _no_flood(session: Session, match: Match, seat: str, to: str) -> None:
    check_flood(session, match, seat)
    hour = now() - timedelta(hours=1)
    if to and session.exec(select(Thread.id).where(Thread.match_id == match.id, Thread.members == to)).first() is None:
        # Only threads that the seat began count, else others could block it.
        other = aliased(Message)
        first = select(func.min(other.at)).where(other.thread_id == Thread.id).correlate(Thread).scalar_subquery()
        fresh = (
            select(func.count())
            .select_from(Thread)
            .join(Message, col(Message.thread_id) == Thread.id)
            .where(Thread.match_id == match.id, Thread.members != "", col(Thread.created_at) > hour)
            .where(Message.seat == seat, Message.at == first)
        )
        if session.exec(fresh).one() >= THREADS_AN_HOUR:
            raise NotLegal(
                nsentence(
                    "%(num)s new private conversations within an hour are the most; wait a while.",
                    "%(num)s new private conversations within an hour are the most; wait a while.",
                    THREADS_AN_HOUR,
                )
            )


def _write(session: Session, match: Match, thread: Thread, message: Message) -> None:
    seats = {s.seat: s for s in seats_of(session, match)}
    names = {s.seat: s.name for s in seats.values()}
    for row in seats.values():
        if row.seat == message.seat or not row.account_id or (thread.members and row.seat not in thread.members):
            continue
        muted = muting.muted_by(session, match.id, row.seat)
        if message.seat in muted:
            continue
        waiting = _waiting(session, match, thread, row)
        said = _since(session, thread, row, muted, waiting) if waiting else [message]
        said = [*_quiet_before(session, thread, row, muted, said[0]), *said]
        context = {
            "members": thread.members,
            "from_name": message.name,
            "to": [names[m] for m in thread.members if m != message.seat],
            "others": [names[m] for m in thread.members if m != row.seat],
        }
        headers = {letters.THREAD: thread.id, letters.MESSAGES: " ".join(m.id for m in said)}
        letter = letters.to_seat(session, "talk", match, row, context, hold=settings_of(session).hold_seconds, headers=headers)
        if waiting:
            # Keeps the first letter's age and due time, or a busy thread would lose text or never be sent.
            letter.created_at = min(x.created_at for x in waiting)
            letter.next_try_at = min(x.next_try_at for x in waiting)
            session.add(letter)
            session.flush()


def _waiting(session: Session, match: Match, thread: Thread, row: SeatRow) -> list[Letter]:
    """Drop unsent letters: the new one includes their text."""
    found = session.exec(
        select(Letter).where(
            Letter.match_id == match.id,
            Letter.seat == row.seat,
            Letter.account_id == row.account_id,
            Letter.kind == "talk",
            Letter.status == LetterStatus.QUEUED,
            Letter.attempts == 0,
        )
    ).all()
    mine = {letter.id: letter for letter in found if letter.headers.get(letters.THREAD) == thread.id}
    if not mine:
        return []
    # A letter being sent isn't queued, so it is left alone.
    drop = update(Letter).where(col(Letter.id).in_(mine), col(Letter.status) == LetterStatus.QUEUED)
    dropped = session.execute(drop.values(status=LetterStatus.DROPPED, facts={}).returning(col(Letter.id)))
    return [mine[id] for id in dropped.scalars()]


def _since(session: Session, thread: Thread, row: SeatRow, muted: set[str], waiting: list[Letter]) -> list[Message]:
    since = min(letter.created_at for letter in waiting) - timedelta(seconds=1)
    query = _heard(thread, muted).where(col(Message.at) >= since, Message.seat != row.seat)
    return list(session.exec(query.order_by(col(Message.at))).all())


def _quiet_before(session: Session, thread: Thread, row: SeatRow, muted: set[str], message: Message) -> list[Message]:
    query = _heard(thread, muted).where(col(Message.at) < message.at, Message.seat != row.seat)
    before = session.exec(query.order_by(col(Message.at).desc()).limit(AN_HOUR)).all()
    return list(itertools.takewhile(lambda one: one.via == QUIET, before))[::-1]


# --- muting and reporting ---------------------------------------------------------------------------------------------


def mute(session: Session, match: Match, seat: str, other: str, on: bool) -> None:
    """Mute or unmute a seat. Idempotent. Raises NotLegal."""
    if other == seat or session.get(SeatRow, (match.id, other)) is None:
        raise NotLegal(sentence("Only another player of this table can be muted."))
    limits.one_at_a_time(session, match)
    known = session.get(Mute, (match.id, seat, other))
    if on and known is None:
        session.add(Mute(match_id=match.id, seat=seat, muted=other))
    elif not on and known is not None:
        session.delete(known)
    session.flush()


def report(session: Session, match: Match, seat: str, message_id: str, why: str) -> None:
    """Report a message to the operators. Raises NotFound; NotLegal for a repeat."""
    message = session.get(Message, message_id)
    if message is None or message.match_id != match.id:
        raise NotFound(sentence("There is no such message."))
    open_thread(session, match, seat, message.thread_id)
    if message.seat == seat:
        raise NotLegal(sentence("That message is your own."))
    disclosure.check_text(session, why, LONGEST_WHY)
    limits.one_at_a_time(session, match)
    if session.exec(select(Report).where(Report.message_id == message_id, Report.seat == seat)).first() is not None:
        raise NotLegal(sentence("You have reported that message already; it is being looked at."))
    session.add(Report(message_id=message_id, match_id=match.id, seat=seat, why=why.strip()))
    session.flush()
