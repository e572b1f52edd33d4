"""When the service was awake."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel


class Beat(SQLModel, table=True):
    """When something that runs regularly last ran; tells how long the service was down."""

    __tablename__ = "beats"
    name: str = Field(primary_key=True, max_length=20)
    at: datetime
