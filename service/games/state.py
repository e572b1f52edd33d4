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
    """The position as the snapshot has it. Raises NotFound before the workers have opened the game."""
    if match.snapshot is None:
        raise NotFound(sentence("The game is being set up; it opens in a moment."))
    need(match.snapshot)
    return game_called(match.game).decode(match.snapshot)


def position(session: Session, match: Match) -> AnyState | None:
    """The position, made again out of the log where there is no snapshot that can be read; None before the game is open."""
    need(match.snapshot)
    if match.snapshot is not None:
        try:
            return game_called(match.game).decode(match.snapshot)
        except msgspec.MsgspecError:
            pass  # of a program of before; the next answer writes it anew
    if match.header is None or not match.serial:
        return None
    need(match.seed)
    header = msgspec.json.decode(match.header, type=matches.Header)
    return matches.replay(header, match.seed, stored_entries(session, match.id), trusted=True).state
