"""What people say to each other."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, UniqueConstraint
from sqlmodel import Field, SQLModel

from service.store.models.base import new_id, now
from service.store.sealing import SealedText


class Thread(SQLModel, table=True):
    """A conversation of some seats of a match; the empty `members`: of the whole table, in public."""

    __tablename__ = "threads"
    __table_args__ = (UniqueConstraint("match_id", "members"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    members: str = Field(default="", max_length=6)
    """Letters of the seats, sorted."""
    created_at: datetime = Field(default_factory=now)
    terms: int = 0
    """How often its members have opened or prolonged it in the game, where the game bounds private talk,"""
    paid: int = 0
    """and how many of these count since it was begun last,"""
    begun_at: datetime | None = None
    """when that was,"""
    term_at: datetime | None = None
    """when the last term began,"""
    over_at: datetime | None = None
    """and when what bounds it in the game ended."""


class Message(SQLModel, table=True):
    """What somebody said in a thread."""

    __tablename__ = "messages"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=64)
    thread_id: str = Field(foreign_key="threads.id", index=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    name: str = Field(max_length=60)
    """The writer's name then: a seat may change hands."""
    text: str = Field(sa_column=Column(SealedText("messages.text"), nullable=False))
    via: str = Field(default="page", max_length=10)
    at: datetime = Field(default_factory=now)


class ReadMark(SQLModel, table=True):
    """How far a seat has read a thread."""

    __tablename__ = "read_marks"
    thread_id: str = Field(foreign_key="threads.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    at: datetime = Field(default_factory=now)


class Mute(SQLModel, table=True):
    """A seat that doesn't want to read what another writes."""

    __tablename__ = "mutes"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    muted: str = Field(primary_key=True, max_length=1)


class Report(SQLModel, table=True):
    """A message that somebody laid before those who run the service."""

    __tablename__ = "reports"
    __table_args__ = (UniqueConstraint("message_id", "seat"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    message_id: str = Field(foreign_key="messages.id", max_length=64)
    match_id: str = Field(foreign_key="matches.id", max_length=32)
    seat: str = Field(max_length=1)
    """Who reported it."""
    why: str = ""
    at: datetime = Field(default_factory=now)
    done_at: datetime | None = None
