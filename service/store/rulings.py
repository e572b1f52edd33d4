"""House rulings: non-defaults in a lobby match's options, all in the header from the start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.core import rulings
from engine.core.asks import NotUnderstood
from engine.core.rulings import Ruling
from engine.game import Game
from engine.games import GAMES, game_called
from engine.play import match as matches
from service.common.i18n import gettext
from service.common.messages import sentence
from service.store.models import Match, MatchStatus

KEY = "rulings"
"""Key among the options of a match in the lobby."""


def house(game: Game) -> list[Ruling]:
    return rulings.house(game.rules.rulings)


def stored(game: str, wanted: Mapping[str, str]) -> dict[str, Any]:
    """Options with rulings; empty for defaults. Raises NotUnderstood."""
    known = game_called(game).rules.rulings
    unlike = rulings.unlike(known, rulings.chosen(known, wanted))
    return {KEY: unlike} if unlike else {}


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without rulings, as in a header."""
    return {key: value for key, value in options.items() if key != KEY}


def chosen(match: Match) -> dict[str, str]:
    """All rulings of a match, from its header or lobby options."""
    if match.status != MatchStatus.LOBBY and match.header:  # lists of lobby games don't load the header
        return dict(matches.read_header(match.header).rulings)
    return rulings.chosen(game_called(match.game).rules.rulings, match.options.get(KEY, {}))


def unusual(match: Match) -> dict[str, str]:
    return rulings.unlike(game_called(match.game).rules.rulings, chosen(match))


def told_options(match: Match) -> list[str]:
    """Optional rules, one sentence each."""
    return game_called(match.game).rules.variants.tell(plain(match.options))


def told(match: Match) -> list[str]:
    """Unusual house rulings, one sentence each."""
    known = game_called(match.game).rules.rulings
    return [words(known[id], value) for id, value in unusual(match).items()]


def words(ruling: Ruling, value: str) -> str:
    return gettext("%(about)s: %(ruling)s (%(id)s)", about=ruling.about, ruling=ruling.alternatives[value], id=ruling.id)


def read_all(pairs: Iterable[str]) -> dict[str, str]:
    """Parse `ID=VALUE` pairs. Raises NotUnderstood, also for a repeated id."""
    found: dict[str, str] = {}
    for pair in pairs:
        id, equals, value = pair.partition("=")
        if not equals or id in found:
            raise NotUnderstood(sentence("“%(text)s” isn’t a ruling, or is there twice; write RULE=value.", text=pair[:60]))
        found[id] = value
    return found


def of_form(game: str, given: Mapping[str, str]) -> dict[str, str]:
    """One game's rulings from a form with several games'. Raises NotUnderstood for unknown ids."""
    elsewhere = {id for other in GAMES.values() if other.name != game for id in other.rules.rulings}
    return {id: value for id, value in given.items() if id not in elsewhere or id in game_called(game).rules.rulings}
