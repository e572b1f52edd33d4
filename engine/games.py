"""Registry of games, imported lazily. Others register by an entry point of the group `writ.games`, `NAME = "package:GAME"`."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, MutableMapping
from pkgutil import resolve_name

from engine.core.asks import NotUnderstood
from engine.game import Game
from engine.language.words import find_words_by, say

GROUP = "writ.games"
"""Entry point group by which packages register games."""


class _Games(MutableMapping[str, Game]):
    def __init__(self, shipped: Mapping[str, str]) -> None:
        self._known: dict[str, Game | str] = {**shipped}
        self._faults: dict[str, str] | None = None
        self._lock = threading.RLock()  # reentrant: a game's module may look at the registry

    @property
    def faults(self) -> dict[str, str]:
        """Registered games that can't be used -> why."""
        self._install()
        return self._faults or {}

    def _install(self) -> None:
        """Load installed packages' games once; failing ones are left out."""
        with self._lock:
            if self._faults is not None:
                return
            from importlib.metadata import entry_points  # lazy: a shipped game's log is verified without it

            self._faults = {}
            for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
                try:
                    found = point.load()
                except Exception as error:  # third-party code: an error mustn't affect other games
                    self._faults[point.name] = f"{point.value} can't be imported ({type(error).__name__}: {error})."
                    continue
                fault = self._fault(point.name, found)
                if fault:
                    self._faults[point.name] = f"{point.value} {fault}"
                else:
                    self._known[point.name] = found

    def _fault(self, name: str, found: object) -> str:
        if not isinstance(found, Game):
            return f"is no Game, but {type(found).__name__}."
        if found.name != name:
            return f"is registered as “{name}”, but its `name` is “{found.name}”."
        return "has a name that another game has already." if name in self._known else ""

    def __getitem__(self, name: str) -> Game:
        if name not in self._known:
            self._install()
        found = self._known[name]
        if not isinstance(found, Game):
            found = self._known[name] = resolve_name(found)
            assert isinstance(found, Game)
        return found

    def __setitem__(self, name: str, game: Game) -> None:
        self._known[name] = game

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        if name not in self._known:
            self._install()
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        self._install()
        return iter(self._known)

    def __len__(self) -> int:
        self._install()
        return len(self._known)


SHIPPED = {"ortus": "engine.ortus:ORTUS", "mastery": "engine.mastery:MASTERY", "fief": "engine.fief:FIEF"}
"""Games of this package, imported when they are first looked up."""
GAMES = _Games(SHIPPED)
find_words_by(lambda name: GAMES[name].words.catalogue if name in GAMES else None)


def game_called(name: str, rules: int | None = None) -> Game:
    """Find a game. Raises NotUnderstood if there is none or its rules version is newer than this program.

    Older versions are played by the rulings in their header.
    """
    game = GAMES.get(name)
    if game is None:
        raise NotUnderstood(say("games.no_such_game", name=name[:40], games=list(GAMES)))
    if rules is not None and not 1 <= rules <= game.rules.version:
        raise NotUnderstood(say("games.no_such_rules", title=game.title, rules=rules, most=game.rules.version))
    return game


def game_of_position(text: str) -> Game:
    """Find a game by a position's first line, `GAME: VERSION`. Raises NotUnderstood."""
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line:
            return game_called(line.partition(":")[0].strip())
    raise NotUnderstood(say("games.no_position"))


def title_of(name: str) -> str:
    """A game's title, or the name of one that is not installed."""
    return GAMES[name].title if name in GAMES else name
