"""The one table of games."""

from __future__ import annotations

from engine.asks import NotUnderstood
from engine.game import Game
from engine.mastery import MASTERY
from engine.ortus import ORTUS
from engine.words import find_words_by, say

GAMES: dict[str, Game] = {game.name: game for game in (ORTUS, MASTERY)}
find_words_by(lambda name: GAMES[name].words if name in GAMES else None)


def game_called(name: str, rules: int | None = None) -> Game:
    """The game of that name. Raises NotUnderstood if there is none, or for a rules version that is newer than this program.

    Older versions are played on: by the rulings that they began with.
    """
    game = GAMES.get(name)
    if game is None:
        raise NotUnderstood(say("games.no_such_game", name=name[:40], games=list(GAMES)))
    if rules is not None and not 1 <= rules <= game.rules:
        raise NotUnderstood(say("games.no_such_rules", title=game.title, rules=rules, most=game.rules))
    return game


def game_of_position(text: str) -> Game:
    """The game whose notation a position is in: its first line is `GAME: VERSION`. Raises NotUnderstood."""
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line:
            return game_called(line.partition(":")[0].strip())
    raise NotUnderstood(say("games.no_position"))
