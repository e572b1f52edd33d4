"""What changes a game and is no answer: a pause, a deadline moved, a seat that changes hands, an end without a winner.

Whoever wants such a thing leaves a command, a row; the adjudication plays it under the match's lock, in one transaction with
the entry in the log that says so, and with the event that tells everybody. Who may do what stands in `powers`.
"""

from __future__ import annotations

import contextlib
from datetime import datetime

from sqlmodel import Session

from engine.asks import NotLegal, NotUnderstood, read
from service.common.messages import Listed, sentence
from service.store import queue
from service.store.models import Command, Match, MatchStatus

HOST, TABLE, OPERATOR = "host", "table", "operator"
"""Who commands, beside the seats and the clock: the host, a vote, those who run the service."""
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
    "watch",
    "links",
    "keep",
    "end",
)
"""What a command says first: what is to be done. `workers.commands` does it."""


def command(session: Session, match: Match, actor: str, words: str, **facts: object) -> Command:
    """Leave a command: `actor` is a seat, `host`, `clock`, `table` or `operator`; `words` stand in the log.

    Raises NotLegal after the end. `facts` are for its playing alone and never get into the log: an address, an account.
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
    queue.after_commit(session, queue.ADJUDICATE, match.id)
    return row


def moment(text: str) -> datetime:
    """A moment from ISO 8601 with its zone. Raises NotUnderstood."""
    found = None
    with contextlib.suppress(ValueError):
        found = datetime.fromisoformat(text)
    if found is None or found.tzinfo is None:
        raise NotUnderstood(sentence("“%(text)s” is no moment; one looks like 2026-11-24T10:00:00+00:00.", text=text[:40]))
    return found
