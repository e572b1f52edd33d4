"""Moments, days and spans as people read them, in the language that is spoken. Zones are names of the tz database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import msgspec
from babel.core import Locale, UnknownLocaleError
from babel.dates import format_date, format_datetime, parse_date

from engine.words import ENGLISH, language
from service.common.i18n import gettext, ngettext
from service.common.i18n import zone as zone_spoken_to

THIS_WEEK = timedelta(days=6)
"""Until then a day of the week says which day it is."""


@cache
def zone_called(name: str) -> ZoneInfo:
    """The zone of that name; an unknown one, which only an old row can hold, counts as UTC."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def shown(moment: datetime, zone: str) -> str:
    """A moment in the reader's zone, the zone named: `Sat 21 Nov 2026, 18:00 CET`."""
    local = moment.astimezone(zone_called(zone))
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    said = format_datetime(local, gettext("EEE d MMM y, HH:mm"), locale=_locale(language()))
    return f"{said} {_zone_word(local, zone)}"


def shown_with_utc(moment: datetime, zone: str) -> str:
    """As `shown`, with the same moment in UTC for whoever reads elsewhere."""
    words = shown(moment, zone)
    utc = moment.astimezone(UTC)
    return words if words.endswith(" UTC") else gettext("%(moment)s (%(utc)s UTC)", moment=words, utc=f"{utc:%H:%M}")


def soon(moment: datetime, zone: str) -> str:
    """A moment of these days in the reader's zone, in few words: `Sat 21 Nov, 18:00`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    return format_datetime(moment.astimezone(zone_called(zone)), gettext("EEE d MMM, HH:mm"), locale=_locale(language()))


def this_week(moment: datetime, zone: str) -> str:
    """A moment within less than a week in the reader's zone: `Sat 18:00`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    return format_datetime(moment.astimezone(zone_called(zone)), gettext("EEE HH:mm"), locale=_locale(language()))


def nearly(moment: datetime, zone: str, now: datetime) -> str:
    """A moment in as few words as tell it from others: its day of the week alone, where that can be no other day."""
    return (this_week if moment - now < THIS_WEEK else soon)(moment, zone)


def stamp(moment: datetime) -> str:
    """A moment in UTC, without its day of the week: `21 Nov 2026, 17:00 UTC`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    said = format_datetime(moment.astimezone(UTC), gettext("d MMM y, HH:mm"), locale=_locale(language()))
    return f"{said} UTC"


def day(moment: datetime, zone: str = "UTC") -> str:
    """The day of a moment in a zone: `21 Nov 2026`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    return format_date(moment.astimezone(zone_called(zone)), gettext("d MMM y"), locale=_locale(language()))


def of_date(at: date) -> str:
    """A day of the calendar: `Tue 1 Dec 2026`."""
    return format_date(at, gettext("EEE d MMM y"), locale=_locale(language()))


def day_read(text: str) -> date:
    """A day that somebody has typed: `2026-12-24`, or in figures as the language spoken has them, `24.12.2026`.

    Raises ValueError for what is none.
    """
    try:
        return parse_date(text, _locale(language()))
    except IndexError:
        raise ValueError(text) from None


def weekday(moment: datetime, zone: str) -> str:
    """The same with its day of the week: `Sat 21 Nov 2026`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    return format_date(moment.astimezone(zone_called(zone)), gettext("EEE d MMM y"), locale=_locale(language()))


def lately(moment: datetime, zone: str, now: datetime) -> str:
    """The day of a moment that is past, in as few words as tell it from other days: `today`, `Tue`, `3 Nov`."""
    local = moment.astimezone(zone_called(zone))
    days = (now.astimezone(zone_called(zone)).date() - local.date()).days
    if days < 1:
        return gettext("today")
    # Translators: both are patterns of the Unicode standard for dates (UTS 35).
    return format_date(local, gettext("EEE") if days < 7 else gettext("d MMM"), locale=_locale(language()))


def span(seconds: float) -> str:
    """A span in words: `3 h`, `1 day 6 h`, `20 min`."""
    parts = list(_parts(int(seconds))) or [gettext("%(n)s min", n=0)]
    return parts[0] if len(parts) == 1 else gettext("%(long)s %(short)s", long=parts[0], short=parts[1])


def ahead(seconds: float) -> str:
    """How long it is until a moment, roughly, for a line that is short: `in 14 h`, `in 3 days`, `in 20 min`, `now`."""
    minutes = int(seconds) // 60
    if minutes < 1:
        return gettext("now")
    if minutes < 120:
        return gettext("in %(n)s min", n=minutes)
    if minutes < 60 * 60:
        return gettext("in %(n)s h", n=minutes // 60)
    return ngettext("in %(num)s day", "in %(num)s days", minutes // (24 * 60))


def _parts(seconds: int) -> Iterator[str]:
    if seconds and seconds < 60:
        yield gettext("%(n)s s", n=seconds)
        return
    days, rest = divmod(seconds // 60, 24 * 60)
    hours, minutes = divmod(rest, 60)
    if days:
        yield ngettext("%(num)s day", "%(num)s days", days)
    if hours:
        yield gettext("%(n)s h", n=hours)
    if minutes and not days:
        yield gettext("%(n)s min", n=minutes)


def _zone_word(local: datetime, zone: str) -> str:
    """The usual abbreviation; the zone's own name where that is but a number."""
    word = local.tzname() or zone
    return word if word[:1].isalpha() else zone


@cache
def _locale(spoken: str) -> Locale:
    try:
        return Locale.parse(spoken, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale.parse(ENGLISH)


# --- as data -----------------------------------------------------------------------------------------------------------


class Moment(msgspec.Struct, frozen=True, tag_field="is", tag="moment"):
    """A moment, as its reader's clock and calendar have it."""

    at: datetime
    utc: bool = False
    """Whether the same moment in UTC stands beside it."""
    short: bool = False
    """Whether neither the year nor the zone is named."""
    week: bool = False
    """Whether its day of the week tells which day it is."""

    @property
    def soon(self) -> str:
        """In few words, without the zone,"""
        return soon(self.at, zone_spoken_to())

    @property
    def whose(self) -> str:
        """and the zone that it is told in."""
        return _zone_word(self.at.astimezone(zone_called(zone_spoken_to())), zone_spoken_to())

    def __str__(self) -> str:
        if self.short:
            return (this_week if self.week else soon)(self.at, zone_spoken_to())
        return (shown_with_utc if self.utc else shown)(self.at, zone_spoken_to())


class Day(msgspec.Struct, frozen=True, tag_field="is", tag="day"):
    """The day of a moment, as its reader's calendar has it."""

    at: datetime

    def __str__(self) -> str:
        return day(self.at, zone_spoken_to())


class Span(msgspec.Struct, frozen=True, tag_field="is", tag="span"):
    """A span of time."""

    seconds: int

    def __str__(self) -> str:
        return span(self.seconds)
