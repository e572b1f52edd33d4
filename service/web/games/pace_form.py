"""The form of a pace: at the start of a game, and when the table votes on another."""

from __future__ import annotations

from typing import Any

from engine.core.asks import NotUnderstood
from service.clock import pace
from service.common.i18n import gettext
from service.errors import Misread

FIELDS = {
    "preset": 10,
    "turn": 8,
    "reaction": 8,
    "weekends": 10,
    "grace": 8,
    "bank": 8,
    "absence_days": 5,
    "steward_after": 4,
    "answers": 10,
    "windows": 10,
}
"""Fields and their longest values. Durations are in hours."""


def given(pace_: pace.Pace) -> dict[str, str]:
    """The form filled with a pace."""
    hours = {name: f"{getattr(pace_, name) / pace.HOUR:g}" for name in ("turn", "reaction", "grace", "bank")}
    rest = {name: str(getattr(pace_, name)) for name in ("weekends", "absence_days", "steward_after", "answers", "windows")}
    return {"preset": pace_.preset, **hours, **rest}


def read(sent: dict[str, str], before: pace.Pace | None = None) -> pace.Pace:
    """Parse the pace form; absent fields keep `before`. Raises NotUnderstood."""
    base = before or pace.Pace()
    values: dict[str, Any] = {name: getattr(base, name) for name in base.__struct_fields__}
    if sent["preset"] in pace.PRESETS:
        values["turn"] = pace.PRESETS[sent["preset"]] * pace.HOUR
        values["reaction"] = values["turn"] // 2
    elif sent["preset"] not in ("own", ""):
        raise NotUnderstood(gettext("There is no such pace; choose quick, daily, easy, or hours of your own."))
    # Hours count only with an unchanged preset.
    own = sent["preset"] in ("own", base.preset)
    for name in ("turn", "reaction", "grace", "bank"):
        if sent[name] and (own or name in ("grace", "bank")):
            values[name] = _seconds(sent[name], name)
    for name in ("absence_days", "steward_after"):
        if sent[name]:
            values[name] = _whole(sent[name], name)
    for name in ("weekends", "answers", "windows"):
        values[name] = sent[name] or values[name]
    return pace.check(pace.Pace(**values))


def _seconds(text: str, field: str) -> int:
    try:
        hours = float(text.replace(",", "."))
    except ValueError:
        hours = -1.0
    if not 0 <= hours < 10_000:
        raise Misread(gettext("“%(text)s” isn’t a number of hours; one looks like 12 or 1.5.", text=text[:20]), field)
    return round(hours * pace.HOUR)


def _whole(text: str, field: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Misread(gettext("“%(text)s” isn’t a whole number.", text=text[:20]), field)
    return int(text)
