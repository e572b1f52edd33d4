"""What all tables share: ids and the time."""

from __future__ import annotations

from datetime import UTC, datetime

import uuid_utils


def new_id() -> str:
    """A fresh id: a UUIDv7 in hexadecimal, so ids sort by age."""
    return uuid_utils.uuid7().hex


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)
