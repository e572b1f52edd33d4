"""What was played, and what follows from it: entries, events, asks, answers on their way."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index, text
from sqlmodel import Field, SQLModel

from service.store.models.base import new_id, now
from service.store.models.statuses import StatusColumn, SubmissionStatus
from service.store.sealing import SealedText

OPEN_ASK = "answered_at IS NULL"
"""Questions are looked for while they are open, and nearly all of them are answered."""


class EntryRow(SQLModel, table=True):
    """One entry of a log; see `engine.match.Entry`."""

    __tablename__ = "entries"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    n: int = Field(primary_key=True)
    at: str = Field(max_length=30)
    actor: str = Field(max_length=10)
    ask: str = Field(max_length=40)
    serial: int
    mark: str = Field(max_length=10)
    sealed_move: str = Field(max_length=64)
    sealed_via: str = Field(max_length=64)
    prev: str = Field(max_length=64)
    hash: str = Field(max_length=64)
    move: str
    via: str = Field(max_length=10)


class EventRow(SQLModel, table=True):
    """Something that happened, with its audience: told with entry `n` (0: before the first)."""

    __tablename__ = "events"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    n: int = Field(primary_key=True)
    i: int = Field(primary_key=True)
    kind: str = Field(max_length=40)
    facts: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    only_seats: list[str] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    but_seats: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))


class AskRow(SQLModel, table=True):
    """A question that was opened to a person's seat."""

    __tablename__ = "asks"
    __table_args__ = tuple(
        Index(f"ix_asks_{name}", name, sqlite_where=text(OPEN_ASK), postgresql_where=text(OPEN_ASK))
        for name in ("match_id", "due_at", "falls_at", "remind_at", "kept_at")
    )
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    serial: int = Field(primary_key=True)
    kind: str = Field(max_length=40)
    opened_at: datetime = Field(default_factory=now)
    answered_at: datetime | None = None
    allowed: int = 0
    """Seconds of working clock for the answer."""
    extended: int = 0
    """Seconds of working clock that were added since; negative when taken away."""
    given: int = 0
    """Seconds of these that the host gave."""
    recipe: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """What else its deadline is computed from; see `service.clock.recipe.Recipe`. Empty: nothing runs."""
    due_at: datetime | None = None
    """Cache: the deadline that the player is told; None while nothing runs. `service.clock.recipe.reckon` alone computes it and
    the two below, from the columns above and the time in which clocks stood still."""
    falls_at: datetime | None = None
    """Cache: when the default is played, after the deadline, the grace and the time bank."""
    remind_at: datetime | None = None
    """Cache: when the next reminder is due; moved on by each reminder that is sent."""
    kept: str = Field(default="", sa_column=Column(SealedText("asks.kept"), nullable=False))
    """The answer that an order gives after a decent pause. Secret."""
    kept_at: datetime | None = None
    """When it is to be given."""
    kept_via: str = Field(default="", max_length=10)


QUEUED = "status = 'queued'"


class Submission(SQLModel, table=True):
    """An answer on its way into the log. Its id is the idempotency key of the form that sent it."""

    __tablename__ = "submissions"
    __table_args__ = (
        Index("ix_submissions_queue", "status", "match_id"),
        # One answer to a question is on its way at most, whatever comes at the same moment.
        Index(
            "ux_submissions_queued",
            *("match_id", "seat", "serial", "kind"),
            unique=True,
            sqlite_where=text(QUEUED),
            postgresql_where=text(QUEUED),
        ),
    )
    id: str = Field(primary_key=True, max_length=64)
    match_id: str = Field(foreign_key="matches.id", max_length=32)
    seat: str = Field(max_length=1)
    serial: int
    """The ask's number; 0 for an offer."""
    kind: str = Field(max_length=40)
    move: str = Field(sa_column=Column(SealedText("submissions.move"), nullable=False))
    via: str = Field(max_length=10)
    status: SubmissionStatus = Field(
        default=SubmissionStatus.QUEUED, sa_column=Column(StatusColumn(SubmissionStatus, 10), nullable=False)
    )
    refusal: str = Field(default="", sa_column=Column(SealedText("submissions.refusal"), nullable=False))
    """Why it was not played, as data; see `service.common.messages`."""
    order: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    """Arrival, in nanoseconds."""
    created_at: datetime = Field(default_factory=now)
    done_at: datetime | None = None


class SealedAnswer(SQLModel, table=True):
    """An accepted answer that lies sealed outside the log, where its being there would tell something.

    One to a question put to several seats waits until the last of them is in; one to an offer that others may not know of,
    until something that they may see follows from it.
    """

    __tablename__ = "sealed_answers"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    serial: int
    """The ask's number; 0 for an offer."""
    kind: str = Field(max_length=40)
    move: str = Field(sa_column=Column(SealedText("sealed_answers.move"), nullable=False))
    """Secret."""
    via: str = Field(max_length=10)
    mark: str = Field(default="", max_length=10)
    at: datetime = Field(default_factory=now)
