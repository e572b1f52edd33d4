"""Due announcements: take effect after the cooling-off, or lapse."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote

from sqlmodel import Session, col, select

from service.clock import deadlines
from service.clock import pace as paces
from service.clock.standstill import RHYTHM, notice_cools
from service.seat.waits import shown_waits
from service.store.models import (
    AskRow,
    Command,
    Match,
    MatchStatus,
    Notice,
    NoticeStatus,
    SeatRow,
    Submission,
    SubmissionStatus,
    now,
)
from service.table import lateness
from service.table.commands import HOST, TABLE
from service.table.notices import REPLACE, open_notices
from workers import outages

SOON = timedelta(minutes=10)


def wanting(session: Session) -> set[str]:
    found = select(Notice, Match).join(Match, col(Match.id) == Notice.match_id)
    rows = session.exec(
        found.where(Notice.status == NoticeStatus.OPEN, Match.status == MatchStatus.RUNNING, col(Match.halted_at).is_(None))
    ).all()
    return {match.id for notice, match in rows if notice.effect_at <= now() or _stays(session, match, notice)}


def settle(session: Session, match: Match) -> None:
    """Queue the commands of due announcements; an answer keeps the seat."""
    if match.snapshot is None or match.halted_at is not None:
        return
    for notice in open_notices(session, match):
        facts = {"notice": notice.id, **{name: fact for name, fact in notice.facts.items() if name != RHYTHM}}
        if _stays(session, match, notice):
            session.add(Command(match_id=match.id, actor="clock", words=f"stays seat={notice.seat}", facts=facts))
        elif notice.effect_at <= now() and outages.awake(session) and not _waits(session, match, notice):
            actor = TABLE if notice.facts.get("voted") else HOST
            session.add(Command(match_id=match.id, actor=actor, words=_command_of(notice), facts=facts))
    session.flush()


def _stays(session: Session, match: Match, notice: Notice) -> bool:
    return notice.kind == REPLACE and lateness.played_since(session, match, notice.seat, notice.serial)


def _command_of(notice: Notice) -> str:
    match notice.kind:
        case "replace":
            return f"seek seat={notice.seat}"
        case "end":
            return f"end reason={quote(notice.facts['reason'], safe='')}"
        case _:
            return "watch on=yes"


def _waits(session: Session, match: Match, notice: Notice) -> bool:
    """Whether to wait: the clock stood still, an answer is queued, or a question is open."""
    if notice.kind != REPLACE:
        return False
    seat = session.get_one(SeatRow, (match.id, notice.seat))
    later = notice_cools(session, match, notice)
    if later > now():
        notice.effect_at = later
        return True
    own = (col(Submission.seat) == notice.seat) & col(Submission.via).in_(deadlines.OWN_HAND)
    coming = select(Submission.id).where(Submission.match_id == match.id, Submission.status == SubmissionStatus.QUEUED, own)
    if session.exec(coming).first() is not None:
        return True
    asked = any(wait.seat == notice.seat for wait in shown_waits(session, match))
    if seat.steward or not asked or notice.put_off not in (0, match.serial):
        return False
    ask = session.get(AskRow, (match.id, notice.seat, match.serial))
    until = ask.due_at if ask is not None and ask.due_at is not None else now()
    notice.put_off = match.serial
    notice.effect_at = max(until + timedelta(seconds=paces.of(match.pace).grace), now() + SOON)
    return True
