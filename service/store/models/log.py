"""Tables of the log: entries, events, asks, answers in flight."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index, text
from sqlmodel import Field, SQLModel

from service.store.encryption import EncryptedText
from service.store.models.base import new_id, now
from service.store.models.statuses import StatusColumn, SubmissionStatus

OPEN_ASK = "answered_at IS NULL"
"""Partial index: nearly all asks are answered."""


class EntryRow(SQLModel, table=True):
    """See `engine.play.match.Entry`."""

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
    """An event with its audience; `n` is its entry (0: before the first)."""

    __tablename__ = "events"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    n: int = Field(primary_key=True)
    i: int = Field(primary_key=True)
    kind: str = Field(max_length=40)
    facts: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    only_seats: list[str] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    but_seats: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))


class AskRow(SQLModel, table=True):
    """A question put to a person's seat."""

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
    """Seconds of working clock."""
    extended: int = 0
    """Seconds added to `allowed`; may be negative."""
    given: int = 0
    """Part of `extended` that the host gave."""
    recipe: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Inputs of the deadline, see `service.clock.recipe.Recipe`. Empty: nothing runs."""
    due_at: datetime | None = None
    """Cache: the published deadline; None: nothing runs. Computed with the two below by `service.clock.recipe.reckon` only."""
    falls_at: datetime | None = None
    """Cache: when the default is played, after grace and time bank."""
    remind_at: datetime | None = None
    """Cache: the next reminder."""
    kept: str = Field(default="", sa_column=Column(EncryptedText("asks.kept"), nullable=False))
    """Delayed answer of a standing order. Secret."""
    kept_at: datetime | None = None
    kept_via: str = Field(default="", max_length=10)


QUEUED = "status = 'queued'"


class Submission(SQLModel, table=True):
    """An answer in flight; its id is the form's idempotency key."""

    __tablename__ = "submissions"
    __table_args__ = (
        Index("ix_submissions_queue", "status", "match_id"),
        # At most one queued answer per question, also under concurrency.
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
    """0: an offer."""
    kind: str = Field(max_length=40)
    move: str = Field(sa_column=Column(EncryptedText("submissions.move"), nullable=False))
    via: str = Field(max_length=10)
    status: SubmissionStatus = Field(
        default=SubmissionStatus.QUEUED, sa_column=Column(StatusColumn(SubmissionStatus, 10), nullable=False)
    )
    refusal: str = Field(default="", sa_column=Column(EncryptedText("submissions.refusal"), nullable=False))
    """Reason as data, see `service.common.messages`."""
    order: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    """Arrival, in nanoseconds."""
    created_at: datetime = Field(default_factory=now)
    done_at: datetime | None = None


class SealedAnswer(SQLModel, table=True):
    """An accepted answer stored outside the log, where its presence would reveal something: to a shared question, until the
    last one; to a secret offer, until something public follows.
    """

    __tablename__ = "sealed_answers"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    serial: int
    """0: an offer."""
    kind: str = Field(max_length=40)
    move: str = Field(sa_column=Column(EncryptedText("sealed_answers.move"), nullable=False))
    """Secret."""
    via: str = Field(max_length=10)
    mark: str = Field(default="", max_length=10)
    at: datetime = Field(default_factory=now)
