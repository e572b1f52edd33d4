"""The stored position."""

from __future__ import annotations

from engine.game import AnyState
from engine.games import game_called
from service.errors import NotFound
from service.ground.phrases import sentence
from service.store.models import Match
from service.store.sealing import need


def state_of(match: Match) -> AnyState:
    """The position as the snapshot has it. Raises NotFound before the workers have opened the game."""
    if match.snapshot is None:
        raise NotFound(sentence("The game is being set up; it opens in a moment."))
    need(match.snapshot)
    return game_called(match.game).decode(match.snapshot)
