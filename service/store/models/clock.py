"""Tables of the clocks: absences, standstills, heartbeats."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from service.store.models.base import new_id, now


class Absence(SQLModel, table=True):
    """A seat's absence; empty seat: a pause of the table."""

    __tablename__ = "absences"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(default="", max_length=1)
    starts_at: datetime
    ends_at: datetime
    by: str = Field(default="", max_length=10)
    """Of a pause: host, table or operator."""
    created_at: datetime = Field(default_factory=now)


class Standstill(SQLModel, table=True):
    """Involuntary standstill of a game's clocks; see `service.clock.standstill`."""

    __tablename__ = "standstills"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """service (outage), mail (no delivery), halt (rules failed) or move (between instances)."""
    starts_at: datetime
    ends_at: datetime


class Beat(SQLModel, table=True):
    """When a periodic task last ran; outages are computed from it."""

    __tablename__ = "beats"
    name: str = Field(primary_key=True, max_length=20)
    at: datetime
