"""Tables of votes, announcements and commands."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column
from sqlmodel import Field, SQLModel

from service.store.encryption import EncryptedJSON
from service.store.models.base import new_id, now
from service.store.models.statuses import CommandStatus, NoticeStatus, StatusColumn, VoteStatus


class Vote(SQLModel, table=True):
    """A vote of a table; its ballots are rows of `ballots`."""

    __tablename__ = "votes"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """pause, pace, replace, end or watch."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    by_seat: str = Field(max_length=1)
    """Empty: the host."""
    opened_at: datetime = Field(default_factory=now)
    closes_at: datetime
    status: VoteStatus = Field(
        default=VoteStatus.OPEN, sa_column=Column(StatusColumn(VoteStatus, 10), nullable=False, index=True)
    )
    done_at: datetime | None = None


class Ballot(SQLModel, table=True):
    __tablename__ = "ballots"
    vote_id: str = Field(foreign_key="votes.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    yes: bool
    at: datetime = Field(default_factory=now)


class Notice(SQLModel, table=True):
    """An announcement that takes effect after its cooling-off; see `service.table.notices`."""

    __tablename__ = "notices"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """replace, end or watch."""
    seat: str = Field(default="", max_length=1)
    """Empty: the whole table."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    by: str = Field(default="", max_length=10)
    """Who can recall it: host, or the seat that proposed the vote."""
    serial: int = 0
    """The open question then; answering it, or a later one, proves presence."""
    put_off: int = 0
    """The question it waits for; 0: none."""
    opened_at: datetime = Field(default_factory=now)
    effect_at: datetime = Field(index=True)
    status: NoticeStatus = Field(
        default=NoticeStatus.OPEN, sa_column=Column(StatusColumn(NoticeStatus, 10), nullable=False, index=True)
    )
    done_at: datetime | None = None


class Command(SQLModel, table=True):
    """A change other than an answer, before it enters the log; see `service.table.commands`."""

    __tablename__ = "commands"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    actor: str = Field(max_length=10)
    """A seat, `host`, `clock`, `table` (a vote) or `operator`."""
    words: str
    """Its text in the log, in the form of an answer."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(EncryptedJSON("commands.facts"), nullable=False))
    status: CommandStatus = Field(
        default=CommandStatus.QUEUED, sa_column=Column(StatusColumn(CommandStatus, 10), nullable=False, index=True)
    )
    created_at: datetime = Field(default_factory=now)
    done_at: datetime | None = None
