"""The pace of a game: what its host chooses when it is opened, and what the table may change together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.asks import NotUnderstood
from service.clock.arithmetic import span

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


BOUNDS: dict[str, tuple[int, int, str]] = {
    "turn": (HOUR, 30 * DAY, "hours a turn"),
    "reaction": (HOUR, 30 * DAY, "hours for reactions"),
    "grace": (0, DAY, "period of grace"),
    "bank": (0, 14 * DAY, "time bank"),
    "saved": (0, 100, "share that is saved"),
    "absence_days": (0, 365, "days of absence"),
    "steward_after": (1, 20, "deadlines until the steward comes"),
}


def of(stored: Mapping[str, Any]) -> Pace:
    """The pace of a match as its row keeps it; an empty row is the default pace."""
    return msgspec.convert(dict(stored), Pace)


def stored(pace: Pace) -> dict[str, Any]:
    """The pace as a row keeps it."""
    found: dict[str, Any] = msgspec.to_builtins(pace)
    return found


def check(pace: Pace) -> Pace:
    """The pace, if it is one that people can play at. Raises NotUnderstood with a sentence."""
    for name, (least, most, words) in BOUNDS.items():
        value = getattr(pace, name)
        if not least <= value <= most:
            unit, size = ("hours", HOUR) if name in ("turn", "reaction", "grace", "bank") else ("", 1)
            shown = f"{value / size:g} {unit}".strip()
            raise NotUnderstood(
                f"The {words} can't be {shown}; it goes from {least // size} to {most // size} {unit}".strip() + "."
            )
    if pace.reaction > pace.turn:
        raise NotUnderstood("Reactions can't have more hours than a turn; give them as many or fewer.")
    if pace.weekends not in WEEKENDS:
        raise NotUnderstood("Week-ends are played, off for all, or each player's own choice; choose one of the three.")
    if pace.answers not in ANSWERS:
        raise NotUnderstood("Answers by order are given at once or after a decent pause; choose one of the two.")
    if pace.windows not in WINDOWS:
        raise NotUnderstood("Windows close when all have answered, or at their deadline; choose one of the two.")
    return pace


def words(pace: Pace) -> str:
    """The pace in a few words: `24 h a turn, 12 h for reactions, week-ends off`."""
    said = [f"{span(pace.turn)} a turn", f"{span(pace.reaction)} for reactions"]
    said += {"off": ["week-ends off"], "own": ["week-ends as each likes"], "play": ["week-ends count"]}[pace.weekends]
    said += [f"{span(pace.grace)} of grace"] if pace.grace else []
    said += [f"time banks of up to {span(pace.bank)}"] if pace.bank else []
    said += ["windows close at their deadline"] if pace.windows == "deadline" else []
    return ", ".join(said)
