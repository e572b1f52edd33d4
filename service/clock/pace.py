"""The pace of a game: what its host chooses when it is opened, and what the table may change together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.asks import NotUnderstood
from service.common.dates import Span
from service.common.i18n import mark
from service.common.messages import Listed, sentence
from service.errors import Misread

HOUR = 3600
DAY = 24 * HOUR
PRESETS = {"quick": 12, "daily": 24, "easy": 72}
"""Hours of a turn."""
ANSWERS = ("at_once", "decent")
WINDOWS = ("answered", "deadline")
WEEKENDS = ("play", "off", "own")


class Pace(msgspec.Struct, frozen=True):
    """How fast a game goes. All spans are in seconds."""

    turn: int = 24 * HOUR
    """For the steps of one's own turn together."""
    reaction: int = 12 * HOUR
    """For every other decision."""
    weekends: str = "own"
    """play: they count; off: everybody's clock stands still; own: each decides for themselves."""
    grace: int = HOUR
    """After a deadline, before anything happens."""
    bank: int = 24 * HOUR
    """What a time bank holds at most; 0: no banks."""
    saved: int = 25
    """Per cent of the time left at an answer that go into the bank."""
    absence_days: int = 21
    """Days that each player may be away in one game."""
    steward_after: int = 2
    """Deadlines missed in a row until a steward keeps the seat."""
    answers: str = "at_once"
    """When an order's or a forced answer is given: at_once, or after a decent pause."""
    windows: str = "answered"
    """When a window closes that is open to all who might have something to say: answered, or deadline."""

    @property
    def preset(self) -> str:
        """The preset that the hours of a turn are, or `own`."""
        return next((name for name, hours in PRESETS.items() if hours * HOUR == self.turn), "own")


BOUNDS: dict[str, tuple[int, int, int, str]] = {
    "turn": (
        HOUR,
        30 * DAY,
        HOUR,
        mark("The hours a turn can't be %(given)s hours; it goes from %(least)s to %(most)s hours."),
    ),
    "reaction": (
        HOUR,
        30 * DAY,
        HOUR,
        mark("The hours for reactions can't be %(given)s hours; it goes from %(least)s to %(most)s hours."),
    ),
    "grace": (
        0,
        DAY,
        HOUR,
        mark("The period of grace can't be %(given)s hours; it goes from %(least)s to %(most)s hours."),
    ),
    "bank": (0, 14 * DAY, HOUR, mark("The time bank can't be %(given)s hours; it goes from %(least)s to %(most)s hours.")),
    "saved": (0, 100, 1, mark("The share that is saved can't be %(given)s; it goes from %(least)s to %(most)s.")),
    "absence_days": (0, 365, 1, mark("The days of absence can't be %(given)s; it goes from %(least)s to %(most)s.")),
    "steward_after": (
        1,
        20,
        1,
        mark("The deadlines until the steward comes can't be %(given)s; it goes from %(least)s to %(most)s."),
    ),
}
"""Least and most of each number, the unit in which people give it, and what is said to others."""


def of(stored: Mapping[str, Any]) -> Pace:
    """The pace of a match as its row keeps it; an empty row is the default pace."""
    return msgspec.convert(dict(stored), Pace)


def stored(pace: Pace) -> dict[str, Any]:
    """The pace as a row keeps it."""
    found: dict[str, Any] = msgspec.to_builtins(pace)
    return found


def check(pace: Pace) -> Pace:
    """The pace, if it is one that people can play at. Raises NotUnderstood with a sentence."""
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


def told(pace: Pace) -> Listed:
    """The pace in a few words, as data: `24 h a turn, 12 h for reactions, week-ends off`."""
    said = [sentence("%(span)s a turn", span=Span(pace.turn)), sentence("%(span)s for reactions", span=Span(pace.reaction))]
    said.append(WEEKENDS_SAID[pace.weekends])
    said += [sentence("%(span)s of grace", span=Span(pace.grace))] if pace.grace else []
    said += [sentence("time banks of up to %(span)s", span=Span(pace.bank))] if pace.bank else []
    said += [sentence("windows close at their deadline")] if pace.windows == "deadline" else []
    return Listed(said)


def brief(pace: Pace) -> str:
    """The hours of a turn alone, in the language spoken."""
    return str(sentence("%(span)s a turn", span=Span(pace.turn)))


def words(pace: Pace) -> str:
    """The same in the language spoken."""
    return str(told(pace))
