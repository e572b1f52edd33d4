"""Estimated duration of a game: simulated games (`writ tempo`) scaled to the table's pace."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from engine.game import Game
from engine.language.words import Message
from service.clock.pace import HOUR, Pace
from service.common.messages import nsentence

WEEK = 7
WORKING = 5
"""Days a week with weekends off."""
IN_DAYS = 10
"""From this many days on, weeks are shown."""


@dataclass(frozen=True)
class Estimate:
    """Estimates with the offered standing orders, and without."""

    offered: Message
    alone: Message


def estimate(game: Game, seats: int, pace: Pace) -> Estimate | None:
    """Median duration; None if not measured. Interpolated between measured paces, never extrapolated."""
    measured = {int(hours): figures[str(seats)] for hours, figures in game.face.days.items() if str(seats) in figures}
    turn = pace.turn / HOUR
    found = measured.get(int(turn)) if turn == int(turn) else None
    for low, high in pairwise(sorted(measured)):
        if low < turn < high and found is None:
            part = (turn - low) / (high - low)
            found = [a + part * (b - a) for a, b in zip(measured[low], measured[high], strict=True)]
    if found is None:
        return None
    stretched = WEEK / WORKING if pace.weekends == "off" else 1.0
    return Estimate(*(_words(days * stretched) for days in found))


def _words(days: float) -> Message:
    if days < IN_DAYS:
        return nsentence("about %(num)s day", "about %(num)s days", max(1, round(days)))
    return nsentence("about %(num)s week", "about %(num)s weeks", round(days / WEEK))
