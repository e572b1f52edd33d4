"""The pace of a game; estimates of its duration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec

from engine.core.asks import NotUnderstood
from engine.game import Game
from engine.language.words import Message
from service.common.dates import Span
from service.common.i18n import mark
from service.common.messages import Listed, nsentence, sentence
from service.errors import Misread

HOUR = 3600
DAY = 24 * HOUR
PRESETS = {"quick": 12, "daily": 24, "easy": 72}
"""Hours a turn."""
ANSWERS = ("at_once", "decent")
WINDOWS = ("answered", "deadline")
WEEKENDS = ("play", "off", "own")
WEEK = 7
WORKING = 5
"""Days a week with weekends off."""
IN_DAYS = 10
"""From this many days on, weeks are shown."""


class Pace(msgspec.Struct, frozen=True):
    """A game's pace; spans are in seconds."""

    turn: int = 24 * HOUR
    """All steps of a player's turn together."""
    reaction: int = 12 * HOUR
    """Any other decision."""
    weekends: str = "own"
    """play: count; off: all clocks stand still; own: each player decides."""
    grace: int = HOUR
    """Between deadline and default."""
    bank: int = 24 * HOUR
    """Maximum of a time bank; 0: none."""
    saved: int = 25
    """Per cent of the unused time that is banked."""
    absence_days: int = 21
    """A player, in one game."""
    steward_after: int = 2
    """Missed deadlines in a row."""
    answers: str = "at_once"
    """Answers by order or without choice: at_once, or after a delay (decent)."""
    windows: str = "answered"
    """Shared windows close when all have answered, or at the deadline."""

    @property
    def preset(self) -> str:
        """Name of the preset, or `own`."""
        return next((name for name, hours in PRESETS.items() if hours * HOUR == self.turn), "own")


NO_CLOCK = Pace(turn=0, reaction=0, grace=0, bank=0)
"""Of a table against bots: nothing falls due."""


BOUNDS: dict[str, tuple[int, int, int, str]] = {
    "turn": (HOUR, 30 * DAY, HOUR, mark("A turn has %(least)s to %(most)s hours, not %(given)s.")),
    "reaction": (HOUR, 30 * DAY, HOUR, mark("Reactions have %(least)s to %(most)s hours, not %(given)s.")),
    "grace": (0, DAY, HOUR, mark("The period of grace has %(least)s to %(most)s hours, not %(given)s.")),
    "bank": (0, 14 * DAY, HOUR, mark("The time bank has %(least)s to %(most)s hours, not %(given)s.")),
    "saved": (0, 100, 1, mark("The share that is saved goes from %(least)s to %(most)s, not %(given)s.")),
    "absence_days": (0, 365, 1, mark("Days of absence go from %(least)s to %(most)s, not %(given)s.")),
    "steward_after": (1, 20, 1, mark("Deadlines until the steward comes go from %(least)s to %(most)s, not %(given)s.")),
}
"""Minimum, maximum, unit of input, error message."""


def of(stored: Mapping[str, Any]) -> Pace:
    """Read a match's pace, or the default."""
    return msgspec.convert(dict(stored), Pace)


def stored(pace: Pace) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(pace)
    return found


def check(pace: Pace) -> Pace:
    """Validate. Raises NotUnderstood."""
    for name, (least, most, unit, message) in BOUNDS.items():
        value = getattr(pace, name)
        if not least <= value <= most:
            given = f"{value / unit:g}"
            raise Misread(sentence(message, given=given, least=least // unit, most=most // unit), name)
    if pace.reaction > pace.turn:
        raise Misread(sentence("Reactions can't have more hours than a turn; give them as many or fewer."), "reaction")
    if pace.weekends not in WEEKENDS:
        raise NotUnderstood(
            sentence("Week-ends are played, off for all, or each player's own choice; choose one of the three.")
        )
    if pace.answers not in ANSWERS:
        raise NotUnderstood(sentence("Answers by order are given at once or after a decent pause; choose one of the two."))
    if pace.windows not in WINDOWS:
        raise NotUnderstood(sentence("Windows close when all have answered, or at their deadline; choose one of the two."))
    return pace


WEEKENDS_SAID = {
    "off": sentence("week-ends off"),
    "own": sentence("week-ends as each likes"),
    "play": sentence("week-ends count"),
}

UNTIMED = sentence("no clock")


def told(pace: Pace) -> Listed:
    if not pace.turn:
        return Listed([UNTIMED])
    said = [sentence("%(span)s a turn", span=Span(pace.turn)), sentence("%(span)s for reactions", span=Span(pace.reaction))]
    said.append(WEEKENDS_SAID[pace.weekends])
    said += [sentence("%(span)s of grace", span=Span(pace.grace))] if pace.grace else []
    said += [sentence("time banks of up to %(span)s", span=Span(pace.bank))] if pace.bank else []
    said += [sentence("windows close at their deadline")] if pace.windows == "deadline" else []
    return Listed(said)


def brief(pace: Pace) -> str:
    return str(UNTIMED if not pace.turn else sentence("%(span)s a turn", span=Span(pace.turn)))


def words(pace: Pace) -> str:
    return str(told(pace))


# --- how long a game takes: simulated games (`writ tempo`) scaled to the table's pace ---------------------------------


@dataclass(frozen=True)
class Estimate:
    """Estimates with the offered standing orders, and without."""

    offered: Message
    alone: Message


def estimate(game: Game, seats: int, pace: Pace) -> Estimate | None:
    """Median duration, interpolated between measured paces, never extrapolated; None if not measured."""
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
    return Estimate(*(_about(days * stretched) for days in found))


def _about(days: float) -> Message:
    if days < IN_DAYS:
        return nsentence("about %(num)s day", "about %(num)s days", max(1, round(days)))
    return nsentence("about %(num)s week", "about %(num)s weeks", round(days / WEEK))
