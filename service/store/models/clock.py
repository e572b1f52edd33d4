"""Heartbeats."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel


class Beat(SQLModel, table=True):
    """When a periodic task last ran; outages are computed from it."""

    __tablename__ = "beats"
    name: str = Field(primary_key=True, max_length=20)
    at: datetime
