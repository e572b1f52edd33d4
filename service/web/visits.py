"""When this browser last looked at a table, and how far its log went then: what came since is marked.

It lies in the browser's own signed cookie. So nobody is told when somebody looks, no page writes for it, and a scanner of mail
that follows a link first counts for itself alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from flask import request
from flask import session as cookie

from service.store.models import now

PAUSE = timedelta(minutes=30)
"""Who looks again sooner is still on the same visit, and what is marked stays so."""
MOST = 12
"""Tables that are remembered; the one that was looked at longest ago is forgotten first, so that the cookie stays small."""


@dataclass(frozen=True)
class Visit:
    """The last visit before this one."""

    n: int
    """How many entries of the log could be known then,"""
    at: datetime
    """and when that was."""


def note(match_id: str, seat: str, n: int) -> Visit | None:
    """The last visit of a seat's table before this one, None for the first; `n` entries are shown now, which is kept."""
    kept: dict[str, list[int]] = dict(cookie.get("visits", {}))
    key, moment = f"{match_id} {seat}", int(now().timestamp())
    before_n, before_at, shown, at = kept.pop(key, [0, 0, 0, 0])
    if at and moment - at > PAUSE.total_seconds():
        before_n, before_at = shown, at
    if not request.headers.get("Sec-Purpose", "").startswith("prefetch"):  # nobody has looked yet
        kept[key] = [before_n, before_at, n, moment]
        cookie["visits"] = dict(list(kept.items())[-MOST:])
    return Visit(before_n, datetime.fromtimestamp(before_at, UTC)) if before_at else None
