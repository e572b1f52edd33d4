"""House rulings: what a host chooses before the start where tables honestly differ, and who is told of it.

Until the start the choice lies with the options of the match, the defaults left out; the start fixes all in the header.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine import match as matches
from engine import rulings
from engine.asks import NotUnderstood
from engine.games import GAMES, game_called
from engine.rulings import Ruling
from service.common.i18n import gettext
from service.common.messages import sentence
from service.store.models import Match, MatchStatus

KEY = "rulings"
"""Where the choice lies among the options of a match that has not started."""


def stored(game: str, wanted: Mapping[str, str]) -> dict[str, Any]:
    """What the options of a match keep of a choice; nothing where all is as usual.

    Raises NotUnderstood for a ruling that is none of the house's, or a value that it hasn't got.
    """
    known = game_called(game).rulings
    unlike = rulings.unlike(known, rulings.chosen(known, wanted))
    return {KEY: unlike} if unlike else {}


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a match without the choice of rulings, as a header has them."""
    return {key: value for key, value in options.items() if key != KEY}


def chosen(match: Match) -> dict[str, str]:
    """How a match is ruled: by its header, or before the start by its host's choice. All of the game's rulings."""
    if match.status != MatchStatus.LOBBY and match.header:  # which lists of games in the lobby don't read
        return dict(matches.read_header(match.header).rulings)
    return rulings.chosen(game_called(match.game).rulings, match.options.get(KEY, {}))


def unusual(match: Match) -> dict[str, str]:
    """What of the house rulings differs from the usual: id -> value."""
    return rulings.unlike(game_called(match.game).rulings, chosen(match))


def told(match: Match) -> list[str]:
    """A sentence on each house ruling that differs from the usual."""
    known = game_called(match.game).rulings
    return [words(known[id], value) for id, value in unusual(match).items()]


def words(ruling: Ruling, value: str) -> str:
    """One ruling in words, with the id under which it is talked of."""
    return gettext("%(about)s: %(ruling)s (%(id)s)", about=ruling.about, ruling=ruling.alternatives[value], id=ruling.id)


def read_all(pairs: Iterable[str]) -> dict[str, str]:
    """`ID=VALUE` for each; as a command is given them. Raises NotUnderstood for what is not written so, or said twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        id, equals, value = pair.partition("=")
        if not equals or id in found:
            raise NotUnderstood(sentence("“%(text)s” is no ruling, or given twice; write ID=ALTERNATIVE.", text=pair[:60]))
        found[id] = value
    return found


def of_form(game: str, given: Mapping[str, str]) -> dict[str, str]:
    """The choice of a form that shows the rulings of several games: those of its game. What is another game's is left out.

    Raises NotUnderstood for a ruling of no game at all.
    """
    elsewhere = {id for other in GAMES.values() if other.name != game for id in other.rulings}
    return {id: value for id, value in given.items() if id not in elsewhere or id in game_called(game).rulings}
