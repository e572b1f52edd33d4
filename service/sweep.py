"""The sweep: send again whatever is due, in case a message was lost or a worker died."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import exists
from sqlmodel import col, select

from service import queue
from service.db import open_session
from service.models import AskRow, Letter, Match, Submission, ViewRow, now
from service.settings import Settings

PATIENCE = timedelta(seconds=3)
"""A submission that has waited this long was lost on the way."""
MOST = 500


def sweep(settings: Settings) -> int:
    """Queue tasks for all that is due; how many."""
    with open_session(settings) as session:
        late = select(Submission.match_id).where(Submission.status == "queued", col(Submission.created_at) < now() - PATIENCE)
        # A running game that asks nobody was never opened, or its bots were left in the middle; caches may have been dropped.
        asking = exists().where(col(AskRow.match_id) == Match.id, col(AskRow.answered_at).is_(None))
        viewed = exists().where(col(ViewRow.match_id) == Match.id)
        standing = select(Match.id).where(
            col(Match.started_at) < now() - PATIENCE,
            ((col(Match.status) == "running") & (~asking | col(Match.snapshot).is_(None)))
            | (col(Match.status).in_(("running", "finished")) & ~viewed),
        )
        matches = {*session.exec(late.distinct().limit(MOST)), *session.exec(standing.limit(MOST))}
        due = select(Letter.id).where(col(Letter.status).in_(("queued", "sending")), col(Letter.next_try_at) <= now())
        letters = session.exec(due.order_by(col(Letter.next_try_at)).limit(MOST)).all()
    for match_id in sorted(matches):
        queue.send(settings, queue.ADJUDICATE, match_id)
    for letter_id in letters:
        queue.send(settings, queue.DELIVER, letter_id)
    return len(matches) + len(letters)
