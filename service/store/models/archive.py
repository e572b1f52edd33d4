"""What is kept of the past in few rows: packed logs, and counts of what no longer changes."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from service.store.models.base import now


class PackedLog(SQLModel, table=True):
    """The whole log of a finished game in one row: see `service.games.packing`. Append-only, like what it stands for."""

    __tablename__ = "packed_logs"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    entries: bytes
    events: bytes
    packed_at: datetime = Field(default_factory=now)


class Tally(SQLModel, table=True):
    """How many rows of a table had come to a status that is their last, when they were counted; see `service.store.tallies`."""

    __tablename__ = "tallies"
    name: str = Field(primary_key=True, max_length=40)
    n: int
    at: datetime = Field(default_factory=now)
