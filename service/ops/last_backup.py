"""The last backup, read from `backup.json` in the data folder."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from service.settings import Settings

FILE = "backup.json"


@dataclass(frozen=True)
class Backup:
    at: datetime
    path: str = ""
    entries: int = 0


def read(settings: Settings) -> Backup | None:
    """None if no backup is known, or the file can't be read."""
    try:
        found = msgspec.json.decode((settings.data_folder / FILE).read_bytes(), type=Backup)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found.at.tzinfo is not None else Backup(found.at.replace(tzinfo=UTC), found.path, found.entries)
