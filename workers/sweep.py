"""The sweep: queues due work again, after lost messages or dead workers.

Every ten seconds it reads what is due, by index, in 17 statements, however many games run. Stranded games, without anything
due, take a scan of all running games once a minute.
"""

from __future__ import annotations

from datetime import timedelta

import structlog
from sqlalchemy import exists, text
from sqlmodel import Session, col, select

from service.post import outgoing, relay
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import (
    UNSENT,
    AskRow,
    Beat,
    Command,
    CommandStatus,
    Letter,
    Match,
    MatchStatus,
    SeatRow,
    Submission,
    SubmissionStatus,
    now,
)
from service.table import votes
from workers import lobby_deadlines, outages, pending_notices, retention
from workers.letters import delivery, digest, reminders

log = structlog.get_logger()

PATIENCE = timedelta(seconds=3)
"""Older submissions count as lost."""
MOST = 500
"""Maximum queue length, so that tasks don't pile up without workers."""
BEAT = "stranded"
SCAN_EVERY = timedelta(seconds=50)
"""Interval of scans while they find none: a stranded game is found within a minute."""


def sweep(settings: Settings) -> int:
    """Do timed work and queue the rest; returns how many."""
    with transaction(settings) as session:
        woken = outages.wake(session)
        awake = outages.awake(session)
        matches = stranded(session)
    if woken:
        log.warning("deadlines moved by an outage", deadlines=woken)
    retention.tidy(settings)
    reminded = 0
    if awake:  # in a mail outage votes stay open and reminders would be stale
        votes.close_due(settings)
        lobby_deadlines.settle_due(settings)
        reminded = reminders.send_due(settings) + digest.send_due(settings)
    with open_session(settings) as session:
        # Halted games only get commands. By id: a list of them would scan all games.
        halted = col(Match.halted_at).is_not(None)
        left_alone = halted | col(Match.practice)  # their own page queues them again
        late = select(Submission.match_id).where(
            Submission.status == SubmissionStatus.QUEUED,
            col(Submission.created_at) < now() - PATIENCE,
            ~exists().where(col(Match.id) == Submission.match_id, left_alone),
        )
        # Passed deadlines, due kept answers, lost commands. A parked question's kept answer waits until it is open again, a
        # frozen proposal until the game goes on.
        parked = (col(AskRow.serial) > 0) & (col(AskRow.serial) != Match.serial)
        fallen = select(AskRow.match_id).where(
            col(AskRow.answered_at).is_(None),
            ~col(AskRow.frozen),
            (col(AskRow.falls_at) <= now()) | (col(AskRow.kept_at) <= now()),
            ~exists().where(col(Match.id) == AskRow.match_id, halted | (parked & col(AskRow.falls_at).is_(None))),
        )
        commands = select(Command.match_id).where(
            Command.status == CommandStatus.QUEUED, col(Command.created_at) < now() - PATIENCE
        )
        matches |= {*session.exec(late.distinct().limit(MOST)), *session.exec(fallen.distinct().limit(MOST))}
        matches |= {*session.exec(commands.distinct().limit(MOST))}
        matches |= pending_notices.wanting(session)
        due = select(Letter.id).where(text(UNSENT), col(Letter.next_try_at) <= now(), ~outgoing.is_held())
        letters = len(session.exec(due.limit(MOST)).all())
        probing = not letters and relay.down_since(session) is not None
    # The rest is due at the next sweep.
    for match_id in sorted(matches)[: queue.room(settings, queue.PLAY, MOST)]:
        queue.send(settings, queue.ADJUDICATE, match_id)
    for _ in range(min(-(-letters // delivery.BATCH) + probing, queue.room(settings, queue.LETTERS, MOST))):
        queue.send(settings, queue.DELIVER)
    return len(matches) + letters + reminded


def stranded(session: Session) -> set[str]:
    """Running games without snapshot or open question, in the transaction that locks the heartbeat. Not those in which stewards
    keep every player's seat (`policy.deserted`); where nobody owns a seat, bots play on.
    """
    last = session.get(Beat, BEAT)
    if last is not None and last.at > now() - SCAN_EVERY:
        return set()
    asking = exists().where(col(AskRow.match_id) == Match.id, col(AskRow.answered_at).is_(None), col(AskRow.serial) > 0)
    owned = exists().where(col(SeatRow.match_id) == Match.id, col(SeatRow.account_id).is_not(None))
    deserted = owned & ~owned.where(col(SeatRow.steward) == "")
    standing = select(Match.id).where(
        col(Match.started_at) < now() - PATIENCE,
        col(Match.halted_at).is_(None),
        Match.status == MatchStatus.RUNNING,
        ~col(Match.practice),
        (~asking & ~deserted) | col(Match.snapshot).is_(None),
    )
    found = set(session.exec(standing.limit(MOST)))
    if not found:
        session.merge(Beat(name=BEAT, at=now()))
    return found
