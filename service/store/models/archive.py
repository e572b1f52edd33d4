"""Archive tables: packed logs and cached counts."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from service.store.models.base import now


class PackedLog(SQLModel, table=True):
    """A finished game's log in one append-only row; see `service.log.packing`."""

    __tablename__ = "packed_logs"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    entries: bytes
    events: bytes


class Tally(SQLModel, table=True):
    """A cached count of rows in a final status; see `service.store.tallies`."""

    __tablename__ = "tallies"
    name: str = Field(primary_key=True, max_length=40)
    n: int
    at: datetime = Field(default_factory=now)
