"""Tables of threads, messages, notes at moves, and reports."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, UniqueConstraint
from sqlmodel import Field, SQLModel

from service.store.encryption import EncryptedText
from service.store.models.base import new_id, now


class Thread(SQLModel, table=True):
    """A conversation; empty `members`: the whole table, in public."""

    __tablename__ = "threads"
    __table_args__ = (UniqueConstraint("match_id", "members"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    members: str = Field(default="", max_length=6)
    """Seats, sorted."""
    created_at: datetime = Field(default_factory=now)
    terms: int = 0
    """Times it was opened or prolonged in the game."""
    paid: int = 0
    """Terms since `begun_at`."""
    begun_at: datetime | None = None
    term_at: datetime | None = None
    """Start of the last term."""
    over_at: datetime | None = None
    """When the game ended the parley."""


class Message(SQLModel, table=True):
    """A message of a thread."""

    __tablename__ = "messages"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=64)
    thread_id: str = Field(foreign_key="threads.id", index=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    name: str = Field(max_length=60)
    """At the time of writing: a seat may change hands."""
    text: str = Field(sa_column=Column(EncryptedText("messages.text"), nullable=False))
    via: str = Field(default="page", max_length=10)
    at: datetime = Field(default_factory=now)


class ReadMark(SQLModel, table=True):
    __tablename__ = "read_marks"
    thread_id: str = Field(foreign_key="threads.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    at: datetime = Field(default_factory=now)


class Mute(SQLModel, table=True):
    __tablename__ = "mutes"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    muted: str = Field(primary_key=True, max_length=1)


class MoveNote(SQLModel, table=True):
    """A player's note on an entry of the log, private or shared with the table."""

    __tablename__ = "move_notes"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    name: str = Field(max_length=60)
    """At the time of writing: a seat may change hands."""
    n: int
    """The entry."""
    text: str = Field(sa_column=Column(EncryptedText("move_notes.text"), nullable=False))
    shared: bool = False
    at: datetime = Field(default_factory=now)


class Report(SQLModel, table=True):
    """A player's report of a message."""

    __tablename__ = "reports"
    __table_args__ = (UniqueConstraint("message_id", "seat"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    message_id: str = Field(foreign_key="messages.id", max_length=64)
    match_id: str = Field(foreign_key="matches.id", max_length=32)
    seat: str = Field(max_length=1)
    """The reporter."""
    why: str = ""
    at: datetime = Field(default_factory=now)
    done_at: datetime | None = None


class ProblemReport(SQLModel, table=True):
    """A player's report that something is wrong at an entry; see `service.table.problems`."""

    __tablename__ = "problem_reports"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    name: str = Field(max_length=60)
    n: int
    """The entry."""
    words: str = Field(sa_column=Column(EncryptedText("problem_reports.words"), nullable=False))
    view: str = Field(sa_column=Column(EncryptedText("problem_reports.view"), nullable=False))
    """The position as the seat saw it. Secret."""
    at: datetime = Field(default_factory=now)
    done_at: datetime | None = None
