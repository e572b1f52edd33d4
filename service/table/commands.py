"""Commands: changes to a game other than answers. Adjudication executes them under the match's lock, in one transaction with
log entry and event. Permissions: `powers`.
"""

from __future__ import annotations

import contextlib
from datetime import datetime

from sqlmodel import Session

from engine.core.asks import NotLegal, NotUnderstood, read
from service.common.messages import Listed, sentence
from service.store import queue
from service.store.models import Command, Match, MatchStatus

HOST, TABLE, OPERATOR = "host", "table", "operator"
"""Actors besides seats and the clock."""
COMMANDS = (
    "pause",
    "resume",
    "pace",
    "extend",
    "away",
    "back",
    "here",
    "announce",
    "recall",
    "stays",
    "seek",
    "replace",
    "name",
    "watch",
    "links",
    "keep",
    "end",
)
"""First words of commands; `workers.commands` executes them."""


def command(session: Session, match: Match, actor: str, words: str, **facts: object) -> Command:
    """Queue a command. `actor`: a seat, `host`, `clock`, `table` or `operator`; `words` go into the log, `facts` (addresses,
    accounts) don't. Raises NotLegal unless the game is running.
    """
    if match.status != MatchStatus.RUNNING:
        raise NotLegal(sentence("That can only be done while the game is running."))
    if read(words).option not in COMMANDS:
        raise NotUnderstood(
            sentence(
                "A table can't “%(command)s”; it can: %(commands)s.", command=read(words).option, commands=Listed([*COMMANDS])
            )
        )
    row = Command(match_id=match.id, actor=actor, words=words, facts=dict(facts))
    session.add(row)
    session.flush()
    queue.after_commit(session, queue.adjudication(match), match.id)
    return row


def moment(text: str) -> datetime:
    """Parse an ISO 8601 time with zone. Raises NotUnderstood."""
    found = None
    with contextlib.suppress(ValueError):
        found = datetime.fromisoformat(text)
    if found is None or found.tzinfo is None:
        raise NotUnderstood(sentence("“%(text)s” isn’t a moment; one looks like 2026-11-24T10:00:00+00:00.", text=text[:40]))
    return found
