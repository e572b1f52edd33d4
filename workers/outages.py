"""Outages of the service and its mail relay: detection by the heartbeat, standstills of all clocks."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import text
from sqlalchemy.orm import defer
from sqlmodel import Session, col, func, select, update

from service.clock import deadlines, recipe, standstill
from service.clock.deadlines import BEAT, MAIL
from service.clock.standstill import Stood
from service.common.dates import Moment
from service.common.messages import Listed
from service.games import lobby
from service.log.chronicle import about_table
from service.log.entries import event_values, next_event
from service.post import letters, links, outgoing, pacing, relay
from service.store import bulk, limits
from service.store.database import settings_of
from service.store.models import (
    UNSENT,
    Absence,
    Account,
    AddressChange,
    AskRow,
    Beat,
    Browser,
    Command,
    EntryRow,
    EventRow,
    HiddenAnswer,
    Letter,
    LetterEvent,
    Link,
    MailHold,
    Match,
    MatchStatus,
    Message,
    Notice,
    Quota,
    ReadMark,
    RelayFailure,
    SeatRow,
    Standstill,
    Submission,
    Thread,
    Vote,
    now,
)
from service.table import absences
from workers import lobby_deadlines, retention

WORTH_A_LETTER = timedelta(minutes=30)
"""Shorter outages are only told in the history."""
LONGEST_WAIT = timedelta(days=2)
"""No letter waits longer for its next try."""
LIKELY = timedelta(days=60)
"""After a longer outage nothing is tidied away at once: the clock may be wrong."""
LONGEST_AHEAD: tuple[tuple[timedelta, tuple[Any, ...]], ...] = (
    (lobby.GATHERS, (Match.fill_at,)),
    (timedelta(), (Match.started_at, Match.finished_at, Match.halted_at, Account.bounced_at, SeatRow.present_at)),
    (timedelta(), (Submission.created_at, Command.created_at, HiddenAnswer.at, Vote.opened_at, Notice.opened_at)),
    (standstill.VOTING, (Vote.closes_at,)),
    (timedelta(), (Letter.created_at, Letter.sent_at, ReadMark.at, Browser.seen_at, RelayFailure.at, Beat.at)),
    (timedelta(seconds=max(pacing.HOLDS)), (MailHold.until,)),
    (limits.DAY, (Quota.until,)),
    (timedelta(), (AddressChange.created_at, AddressChange.done_at, Link.used_at, LetterEvent.at)),
    (timedelta(), (Thread.created_at, Thread.begun_at, Thread.term_at, Thread.over_at)),
)
"""How far ahead of now stored times can be, in the order of locks. Any further ahead is of a clock that ran ahead."""
BATCH = 200
"""Games between two flushes."""

log = structlog.get_logger()


def awake(session: Session) -> bool:
    """Whether service and mail work; nothing falls due otherwise."""
    return deadlines.awake(session) and relay.down_since(session) is None


def wake(session: Session) -> int:
    """Write the heartbeat. After an outage, recompute all clocks; returns how many deadlines moved."""
    beat = session.get(Beat, BEAT, with_for_update=True, populate_existing=True)
    down_since, most = None, timedelta(seconds=settings_of(session).down_seconds)
    if beat is not None and beat.at - now() > most:
        _set_back(session, beat.at)
    if beat is not None and now() - beat.at > most:
        log.warning("the service was down; clocks stood still", since=beat.at.isoformat())
        down_since = beat.at
    outage = _outage(session, down_since)
    moved = 0
    if outage is not None:
        _lock_unfinished(session)
        moved = _all_stood_still(session, outage)
        lobby_deadlines.put_off(session, *outage[1:])
        if outage[2] - outage[1] > LIKELY:
            retention.put_off(session)
    if beat is None:
        bulk.add_unless_there(session, Beat(name=BEAT, at=now()))
    else:
        beat.at = now()
    return moved


def _outage(session: Session, service_since: datetime | None) -> Stood | None:
    """The outage that has ended. Records a present mail outage; held mail is one."""
    stopped = (relay.down_since(session), outgoing.held_since(session))
    down, noted = min((at for at in stopped if at is not None), default=None), session.get(Beat, MAIL)
    since = [moment for moment in (service_since, noted.at if noted is not None else None, down) if moment is not None]
    if down is not None:
        if noted is None:
            log.error("no letter can leave; all clocks stand still until the mail relay accepts one", since=down.isoformat())
            noted = Beat(name=MAIL, at=down)
        noted.at = min(since)
        session.add(noted)
        return None
    if noted is None:
        return (standstill.SERVICE, service_since, now()) if service_since is not None else None
    session.delete(noted)
    log.warning("the mail relay accepts letters again; clocks stood still", since=noted.at.isoformat())
    counts = now() - min(since) > timedelta(seconds=settings_of(session).down_seconds)
    return (standstill.MAIL, min(since), now()) if counts else None


def _lock_unfinished(session: Session) -> None:
    """Lock lobbies and running games by id, as a change of address or an erasure does, against deadlocks with these."""
    unfinished = select(Match.id).where(col(Match.status).in_((MatchStatus.LOBBY, MatchStatus.RUNNING)))
    session.exec(unfinished.order_by(Match.id).with_for_update(key_share=True)).all()


def _all_stood_still(session: Session, outage: Stood) -> int:
    """Store an outage in each running game, under its lock."""
    running = select(Match.id).where(Match.status == MatchStatus.RUNNING, ~col(Match.practice)).order_by(Match.id)
    ids, moved = session.exec(running).all(), 0
    long_columns = [defer(getattr(Match, name)) for name in ("snapshot", "seed", "header")]
    for first in range(0, len(ids), BATCH):
        rows = select(Match).where(col(Match.id).in_(ids[first : first + BATCH])).order_by(Match.id).options(*long_columns)
        locked = rows.with_for_update(key_share=True).execution_options(populate_existing=True)
        here = col(SeatRow.match_id).in_(ids[first : first + BATCH])
        # Fills the identity map: no query per question.
        people = session.exec(select(Account).join(SeatRow, col(SeatRow.account_id) == Account.id).where(here)).unique().all()
        for match in session.exec(locked).all():
            try:
                with session.begin_nested():
                    moved += _stood_still(session, match, outage)
            except Exception as problem:  # a faulty game must not block others
                log.error("outage can't be stored", match=match.id, problem=type(problem).__name__)
        session.flush()
        log.info("clocks computed again", games=len(ids[first : first + BATCH]), people=len(people))
    return moved


def _set_back(session: Session, ahead: datetime) -> None:
    """Undo the effects of a system clock that ran ahead: its leap counted as an outage, and all games would stand still until
    that time. Questions keep at least half a day: players were told of a later deadline.
    """
    log.error("the clock ran ahead and was set back; deadlines are computed again", it_said=ahead.isoformat())
    # Before other rows: an adjudication locks its game first, then answers and letters.
    _lock_unfinished(session)
    for most, columns in LONGEST_AHEAD:
        for column in columns:
            session.exec(update(column.class_).where(column > now() + most).values({column: now() + most}))
    _talk_set_back(session)
    links.shorten(session)
    lobby_deadlines.shorten(session)
    retried = text(UNSENT), col(Letter.next_try_at) > now() + LONGEST_WAIT
    session.exec(update(Letter).where(*retried).values(next_try_at=now()))
    unanswered = (col(AskRow.answered_at).is_(None), col(AskRow.opened_at) > now())
    late = session.exec(select(AskRow.match_id).where(*unanswered)).all()
    still = session.exec(select(Standstill.match_id).where(col(Standstill.ends_at) > now())).all()
    away = session.exec(select(Absence.match_id).where(col(Absence.created_at) > now())).all()
    rows = select(Match).where(col(Match.id).in_({*late, *still, *away}), Match.status == MatchStatus.RUNNING)
    for match in session.exec(rows.order_by(Match.id).with_for_update(key_share=True)).all():
        try:
            with session.begin_nested():
                _compute_again(session, match)
        except Exception as problem:  # a faulty game must not block others
            log.error("deadlines can't be computed", match=match.id, problem=type(problem).__name__)


def _talk_set_back(session: Session) -> None:
    """Date messages of the future back to now, in their order: new ones follow them, and are limited by the hour."""
    at = now()
    latest_first = select(Message.id).where(col(Message.at) > at).order_by(col(Message.at).desc(), col(Message.id).desc())
    for id in session.exec(latest_first).all():
        session.exec(update(Message).where(col(Message.id) == id).values(at=at))
        at -= timedelta(microseconds=1)


def _compute_again(session: Session, match: Match) -> None:
    start = now()
    for row in session.exec(select(Standstill).where(Standstill.match_id == match.id, col(Standstill.ends_at) > now())).all():
        start = min(start, row.starts_at)
        session.delete(row)
    announced = select(Absence).where(Absence.match_id == match.id, col(Absence.created_at) > now())
    for away in session.exec(announced).all():
        if away.starts_at <= away.created_at:  # from that moment on, as pauses are
            away.starts_at, away.ends_at = now(), now() + (away.ends_at - away.starts_at)
        elif away.ends_at - now() > absences.FARTHEST:
            session.delete(away)
        away.created_at = now()
    for ask in deadlines.questions(session, match):
        ask.opened_at = min(ask.opened_at, now())
        if ask.recipe:
            recipe.changed(ask, least=(*recipe.of(ask).least, (now(), recipe.HALF_A_DAY)))
    outage = (standstill.SERVICE, start, now())
    _stood_still(session, match, outage, worth_a_letter=True)


def _stood_still(session: Session, match: Match, outage: Stood, worth_a_letter: bool = False) -> int:
    moved = standstill.stand_still(session, match, outage)
    _, start, end = outage
    if moved:
        _tell(session, match, outage)
    if worth_a_letter or end - start >= WORTH_A_LETTER:
        _write(session, match, moved, outage)
    return len(moved)


def _tell(session: Session, match: Match, outage: Stood) -> None:
    n = session.exec(select(func.max(EntryRow.n)).where(EntryRow.match_id == match.id)).one() or 0
    kind, start, end = outage
    event = about_table(f"outage_{kind}", **{"from": start.isoformat(), "until": end.isoformat()})
    session.add(EventRow(**event_values(match.id, n, next_event(session, match.id, n), event)))


def _write(session: Session, match: Match, moved: list[AskRow], outage: Stood) -> None:
    kind, start, end = outage
    mine: dict[str, dict[int, datetime]] = {}
    for ask in moved:
        if ask.answered_at is None and ask.due_at is not None and not (ask.serial < 0 and ask.kept):
            mine.setdefault(ask.seat, {})[ask.serial] = ask.due_at
    for letter, due in sorted(mine.items()):
        seat = session.get(SeatRow, (match.id, letter))
        if seat is None or not seat.account_id:
            continue
        last, offers = max(due), sorted({at for serial, at in due.items() if serial < 0})
        facts = {
            "what": kind,
            "began": Moment(start),
            "ended": Moment(end),
            "due": Moment(due[last]) if last > 0 else "",
            "offers": Listed([Moment(at) for at in offers]),
        }
        letters.to_seat(session, "outage", match, seat, facts)
