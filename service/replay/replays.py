"""Downloads of a match's log."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session

from engine.play import match as matches
from service.log.entries import header_of, stored_entries
from service.seat.state import state_of
from service.store.models import Match, MatchStatus


def download(session: Session, match: Match, seat: str | None) -> Iterable[str]:
    """The log as JSON Lines: whole after the end, else as the seat (None: a spectator) may know it. Raises NotFound before the
    start.
    """
    header, entries = header_of(match), stored_entries(session, match.id)
    if match.status == MatchStatus.FINISHED:
        return matches.to_lines(header, entries)
    return matches.redacted(header, entries, state_of(match), match.snapshot_n, seat)
