"""The sweep: send again whatever is due, in case a message was lost or a worker died."""

from __future__ import annotations

from datetime import timedelta

import structlog
from sqlalchemy import exists
from sqlmodel import col, select

from service.post import relay
from service.settings import Settings
from service.store import queue
from service.store.database import open_session, transaction
from service.store.models import (
    AskRow,
    Command,
    CommandStatus,
    Letter,
    LetterStatus,
    Match,
    MatchStatus,
    Submission,
    SubmissionStatus,
    now,
)
from service.table import votes
from workers import clocks, delivery, digest, pending_notices, reminders, retention

log = structlog.get_logger()

PATIENCE = timedelta(seconds=3)
"""A submission that has waited this long was lost on the way."""
MOST = 500
"""Tasks that the sweep lets wait in a queue: where nobody takes them, they must not pile up from sweep to sweep."""


def sweep(settings: Settings) -> int:
    """Do what is due by the clock, and queue tasks for all that is due otherwise; how many things there were."""
    with transaction(settings) as session:
        woken = clocks.wake(session)
        awake = clocks.awake(session)
    if woken:
        log.warning("deadlines moved by an outage", deadlines=woken)
    retention.tidy(settings)
    reminded = 0
    if awake:  # while no letter can leave, votes stay open and reminders would go stale
        votes.close_due(settings)
        reminded = reminders.send_due(settings) + digest.send_due(settings)
    with open_session(settings) as session:
        # Halted games are left alone; commands alone reach them. Looked for by their ids, for a list of those that are halted
        # is made by reading all games there ever were.
        halted = col(Match.halted_at).is_not(None)
        late = select(Submission.match_id).where(
            Submission.status == SubmissionStatus.QUEUED,
            col(Submission.created_at) < now() - PATIENCE,
            ~exists().where(col(Match.id) == Submission.match_id, halted),
        )
        # A running game that asks nobody was never opened, or its bots were left in the middle; a snapshot may be gone.
        asking = exists().where(col(AskRow.match_id) == Match.id, col(AskRow.answered_at).is_(None), col(AskRow.serial) > 0)
        standing = select(Match.id).where(
            col(Match.started_at) < now() - PATIENCE,
            col(Match.halted_at).is_(None),
            Match.status == MatchStatus.RUNNING,
            ~asking | col(Match.snapshot).is_(None),
        )
        # Deadlines that have fallen, answers kept back whose pause is over, commands that were lost on the way.
        fallen = select(AskRow.match_id).where(
            col(AskRow.answered_at).is_(None),
            (col(AskRow.falls_at) <= now()) | (col(AskRow.kept_at) <= now()),
            ~exists().where(col(Match.id) == AskRow.match_id, halted),
        )
        commands = select(Command.match_id).where(
            Command.status == CommandStatus.QUEUED, col(Command.created_at) < now() - PATIENCE
        )
        matches = {*session.exec(late.distinct().limit(MOST)), *session.exec(standing.limit(MOST))}
        matches |= {*session.exec(fallen.distinct().limit(MOST)), *session.exec(commands.distinct().limit(MOST))}
        matches |= pending_notices.wanting(session)
        due = select(Letter.id).where(
            col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.SENDING)), col(Letter.next_try_at) <= now()
        )
        letters = len(session.exec(due.limit(MOST)).all())
        probing = not letters and relay.unreached(session)
    # What finds no room is due at the next sweep, too.
    for match_id in sorted(matches)[: queue.room(settings, queue.PLAY, MOST)]:
        queue.send(settings, queue.ADJUDICATE, match_id)
    for _ in range(min(-(-letters // delivery.BATCH) + probing, queue.room(settings, queue.LETTERS, MOST))):
        queue.send(settings, queue.DELIVER)
    return len(matches) + letters + reminded
