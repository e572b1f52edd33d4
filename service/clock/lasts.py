"""How long a game lasts about: what games of simulated people took (`writ tempo`, a game's lore), at the pace of a table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from engine.game import Game
from service.clock.pace import HOUR, Pace
from service.common.messages import Phrase, nsentence

WEEK = 7
WORKING = 5
"""Days of a week that count where week-ends are off for all."""
IN_DAYS = 10
"""From so many days on it is told in weeks."""


@dataclass(frozen=True)
class Lasts:
    """The time in words: for who takes the orders that are offered at the start, and for who plays without them."""

    offered: Phrase
    alone: Phrase


def lasts(game: Game, seats: int, pace: Pace) -> Lasts | None:
    """How long half of the games of so many people are done in; None for what nobody has measured.

    Between two paces that were measured it is taken in proportion; a pace beyond them isn't guessed at.
    """
    measured = {int(hours): figures[str(seats)] for hours, figures in game.days.items() if str(seats) in figures}
    turn = pace.turn / HOUR
    found = measured.get(int(turn)) if turn == int(turn) else None
    for low, high in pairwise(sorted(measured)):
        if low < turn < high and found is None:
            part = (turn - low) / (high - low)
            found = [a + part * (b - a) for a, b in zip(measured[low], measured[high], strict=True)]
    if found is None:
        return None
    stretched = WEEK / WORKING if pace.weekends == "off" else 1.0
    return Lasts(*(_words(days * stretched) for days in found))


def _words(days: float) -> Phrase:
    if days < IN_DAYS:
        return nsentence("about %(num)s day", "about %(num)s days", max(1, round(days)))
    return nsentence("about %(num)s week", "about %(num)s weeks", round(days / WEEK))
