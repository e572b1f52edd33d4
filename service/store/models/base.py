"""Ids and time."""

from __future__ import annotations

from datetime import UTC, datetime

import uuid_utils


def new_id() -> str:
    """A UUIDv7 in hexadecimal; ids sort by age."""
    return uuid_utils.uuid7().hex


def now() -> datetime:
    return datetime.now(UTC)
