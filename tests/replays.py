"""The replay viewer's data of a stored game, for tests."""

from __future__ import annotations

from sqlmodel import Session

from service.games import viewer
from service.games.viewer import Moment, Reader
from service.store.models import Match


def moment(session: Session, match: Match, seat: str, n: int) -> Moment:
    """The board after entry `n` as a seat, a spectator ("") or OPEN sees it."""
    reader = Reader(seat)
    return viewer.at(session, match, reader, n, viewer.last_of(session, match), viewer.names_at(session, match, reader))
