"""Registry of games, imported lazily: verifying a log needs only one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping

from engine.asks import NotUnderstood
from engine.game import Game
from engine.words import find_words_by, say


def _ortus() -> Game:
    from engine.ortus import ORTUS

    return ORTUS


def _mastery() -> Game:
    from engine.mastery import MASTERY

    return MASTERY


def _fief() -> Game:
    from engine.fief import FIEF

    return FIEF


class _Games(MutableMapping[str, Game]):
    def __init__(self, known: dict[str, Callable[[], Game]]) -> None:
        self._known: dict[str, Game | Callable[[], Game]] = {**known}

    def __getitem__(self, name: str) -> Game:
        found = self._known[name]
        if not isinstance(found, Game):
            found = self._known[name] = found()
        return found

    def __setitem__(self, name: str, game: Game) -> None:
        self._known[name] = game

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


GAMES = _Games({"ortus": _ortus, "mastery": _mastery, "fief": _fief})
find_words_by(lambda name: GAMES[name].words if name in GAMES else None)


def game_called(name: str, rules: int | None = None) -> Game:
    """Find a game. Raises NotUnderstood if there is none, or if the rules version is newer than this program.

    Older versions are played by the rulings in their header.
    """
    game = GAMES.get(name)
    if game is None:
        raise NotUnderstood(say("games.no_such_game", name=name[:40], games=list(GAMES)))
    if rules is not None and not 1 <= rules <= game.rules:
        raise NotUnderstood(say("games.no_such_rules", title=game.title, rules=rules, most=game.rules))
    return game


def game_of_position(text: str) -> Game:
    """Find a position's game by its first line, `GAME: VERSION`. Raises NotUnderstood."""
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line:
            return game_called(line.partition(":")[0].strip())
    raise NotUnderstood(say("games.no_position"))
