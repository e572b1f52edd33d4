"""This browser's last visit to a table, for marking later events as new. In the signed session cookie: private, without writes,
and without mail scanners.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from flask import request
from flask import session as cookie

from service.store.models import now

PAUSE = timedelta(minutes=30)
"""Another request within this time continues the visit."""
MOST = 12
"""Most tables stored, to keep the cookie small."""


@dataclass(frozen=True)
class Visit:
    n: int
    """Visible entries at that time."""
    at: datetime


def note(match_id: str, seat: str, n: int) -> Visit | None:
    """Store this visit with `n` visible entries; returns the previous one."""
    kept: dict[str, list[int]] = dict(cookie.get("visits", {}))
    key, moment = f"{match_id} {seat}", int(now().timestamp())
    before_n, before_at, shown, at = kept.pop(key, [0, 0, 0, 0])
    if at and moment - at > PAUSE.total_seconds():
        before_n, before_at = shown, at
    if not request.headers.get("Sec-Purpose", "").startswith("prefetch"):  # not a visit
        kept[key] = [before_n, before_at, n, moment]
        cookie["visits"] = dict(list(kept.items())[-MOST:])
    return Visit(before_n, datetime.fromtimestamp(before_at, UTC)) if before_at else None
