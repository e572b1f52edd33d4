"""What happens around the board: absences, votes, announcements, commands."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column
from sqlmodel import Field, SQLModel

from service.store.models.base import new_id, now
from service.store.models.statuses import CommandStatus, NoticeStatus, StatusColumn, VoteStatus
from service.store.sealing import SealedJSON


class Absence(SQLModel, table=True):
    """Time in which a seat's clock stands still (the empty seat: the whole table's, a pause)."""

    __tablename__ = "absences"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(default="", max_length=1)
    starts_at: datetime
    ends_at: datetime
    by: str = Field(default="", max_length=10)
    """Whose command a pause is: host, table or operator."""
    created_at: datetime = Field(default_factory=now)


class Standstill(SQLModel, table=True):
    """Time in which all clocks of a game stood still and nobody at the table chose it; see `service.clock.standstill`."""

    __tablename__ = "standstills"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """service (it was down), mail (no letter could leave), halt (the rules had failed) or move (it was in nobody's house)."""
    starts_at: datetime
    ends_at: datetime


class Vote(SQLModel, table=True):
    """A question to the table: to pause, to play at another pace, to replace somebody, to end the game, to let others watch."""

    __tablename__ = "votes"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """pause, pace, replace, end or watch."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    by_seat: str = Field(max_length=1)
    """Who proposed it; empty: the host, as host."""
    opened_at: datetime = Field(default_factory=now)
    closes_at: datetime
    status: VoteStatus = Field(
        default=VoteStatus.OPEN, sa_column=Column(StatusColumn(VoteStatus, 10), nullable=False, index=True)
    )
    done_at: datetime | None = None


class Ballot(SQLModel, table=True):
    """One seat's vote."""

    __tablename__ = "ballots"
    vote_id: str = Field(foreign_key="votes.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    yes: bool
    at: datetime = Field(default_factory=now)


class Notice(SQLModel, table=True):
    """Something grave that was announced, and takes effect when its cooling-off is over; see `service.table.notices`."""

    __tablename__ = "notices"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """replace, end or watch."""
    seat: str = Field(default="", max_length=1)
    """Whose seat it is about; empty: the whole table."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    by: str = Field(default="", max_length=10)
    """Who can take it back: host, or the seat that proposed the vote."""
    serial: int = 0
    """The question that was open then: who answers it, or a later one, is there."""
    put_off: int = 0
    """The question on whose answer it waits; 0: none."""
    opened_at: datetime = Field(default_factory=now)
    effect_at: datetime = Field(index=True)
    status: NoticeStatus = Field(
        default=NoticeStatus.OPEN, sa_column=Column(StatusColumn(NoticeStatus, 10), nullable=False, index=True)
    )
    done_at: datetime | None = None


class Command(SQLModel, table=True):
    """Something that changes a game and is no answer, on its way into the log; see `service.table.commands`."""

    __tablename__ = "commands"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    actor: str = Field(max_length=10)
    """A seat, `host`, `clock`, `table` (a vote) or `operator`."""
    words: str
    """As it will stand in the log, in the text form of an answer."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(SealedJSON("commands.facts"), nullable=False))
    status: CommandStatus = Field(
        default=CommandStatus.QUEUED, sa_column=Column(StatusColumn(CommandStatus, 10), nullable=False, index=True)
    )
    created_at: datetime = Field(default_factory=now)
    done_at: datetime | None = None
