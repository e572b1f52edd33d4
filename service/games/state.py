"""The stored position."""

from __future__ import annotations

import msgspec
from sqlmodel import Session

from engine import match as matches
from engine.game import AnyState
from engine.games import game_called
from service.common.messages import sentence
from service.errors import NotFound
from service.games.entries import stored_entries
from service.store.models import Match
from service.store.sealing import need


def state_of(match: Match) -> AnyState:
    """Decode the snapshot. Raises NotFound before the workers have opened the game."""
    if match.snapshot is None:
        raise NotFound(sentence("The game is being set up; it opens in a moment."))
    need(match.snapshot)
    return game_called(match.game).decode(match.snapshot)


def position(session: Session, match: Match) -> AnyState | None:
    """The position, replayed from the log without a readable snapshot; None before the game opens."""
    need(match.snapshot)
    if match.snapshot is not None:
        try:
            return game_called(match.game).decode(match.snapshot)
        except msgspec.MsgspecError:
            pass  # an old format; the next answer rewrites it
    if match.header is None or not match.serial:
        return None
    need(match.seed)
    header = msgspec.json.decode(match.header, type=matches.Header)
    return matches.replay(header, match.seed, stored_entries(session, match.id), trusted=True).state
