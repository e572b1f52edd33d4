"""Dates, times and durations in the current language and a tz zone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import msgspec
from babel.core import Locale, UnknownLocaleError
from babel.dates import format_date, format_datetime, parse_date

from engine.language.i18n import ENGLISH, language
from service.common.i18n import gettext, ngettext
from service.common.i18n import zone as zone_spoken_to

THIS_WEEK = timedelta(days=6)
"""Within this span a weekday alone is unambiguous."""


@cache
def zone_called(name: str) -> ZoneInfo:
    """A time zone; unknown ones (old rows) are UTC."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def of_log(moment: datetime) -> str:
    """`2026-11-21T17:00:00Z`, as in logs."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def shown(moment: datetime, zone: str) -> str:
    """`Sat 21 Nov 2026, 18:00 CET`."""
    local = moment.astimezone(zone_called(zone))
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    said = format_datetime(local, gettext("EEE d MMM y, HH:mm"), locale=_locale(language()))
    return f"{said} {_zone_word(local, zone)}"


def shown_with_utc(moment: datetime, zone: str) -> str:
    words = shown(moment, zone)
    utc = moment.astimezone(UTC)
    return words if words.endswith(" UTC") else gettext("%(moment)s (%(utc)s UTC)", moment=words, utc=f"{utc:%H:%M}")


def soon(moment: datetime, zone: str) -> str:
    """`Sat 21 Nov, 18:00`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    return format_datetime(moment.astimezone(zone_called(zone)), gettext("EEE d MMM, HH:mm"), locale=_locale(language()))


def this_week(moment: datetime, zone: str) -> str:
    """`Sat 18:00`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    return format_datetime(moment.astimezone(zone_called(zone)), gettext("EEE HH:mm"), locale=_locale(language()))


def nearly(moment: datetime, zone: str, now: datetime) -> str:
    """`this_week` if unambiguous, else `soon`."""
    return (this_week if moment - now < THIS_WEEK else soon)(moment, zone)


def stamp(moment: datetime) -> str:
    """`21 Nov 2026, 17:00 UTC`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    said = format_datetime(moment.astimezone(UTC), gettext("d MMM y, HH:mm"), locale=_locale(language()))
    return f"{said} UTC"


def day(moment: datetime, zone: str = "UTC") -> str:
    """`21 Nov 2026`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    return format_date(moment.astimezone(zone_called(zone)), gettext("d MMM y"), locale=_locale(language()))


def of_date(at: date) -> str:
    """`Tue 1 Dec 2026`."""
    # Translators: a pattern of the Unicode standard for dates (UTS 35).
    return format_date(at, gettext("EEE d MMM y"), locale=_locale(language()))


def day_read(text: str) -> date:
    """Parse a date: `2026-12-24`, or localised, `24.12.2026`. Raises ValueError."""
    try:
        return parse_date(text, _locale(language()))
    except (IndexError, OverflowError):  # too few numbers, or one that no date has
        raise ValueError(text) from None


def weekday(moment: datetime, zone: str) -> str:
    """`Sat 21 Nov 2026`."""
    return of_date(moment.astimezone(zone_called(zone)))


def lately(moment: datetime, zone: str, now: datetime) -> str:
    """`today`, `Tue`, `3 Nov`."""
    local = moment.astimezone(zone_called(zone))
    days = (now.astimezone(zone_called(zone)).date() - local.date()).days
    if days < 1:
        return gettext("today")
    # Translators: both are patterns of the Unicode standard for dates (UTS 35).
    return format_date(local, gettext("EEE") if days < 7 else gettext("d MMM"), locale=_locale(language()))


def span(seconds: float) -> str:
    """`3 h`, `1 day 6 h`, `20 min`."""
    parts = list(_parts(int(seconds))) or [gettext("%(n)s min", n=0)]
    return parts[0] if len(parts) == 1 else gettext("%(long)s %(short)s", long=parts[0], short=parts[1])


def ahead(seconds: float) -> str:
    """`in 14 h`, `in 3 days`, `in 20 min`, `now`."""
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
    """The zone's abbreviation, or full name if that is a number."""
    word = local.tzname() or zone
    return word if word[:1].isalpha() else zone


@cache
def _locale(spoken: str) -> Locale:
    try:
        return Locale.parse(spoken, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale.parse(ENGLISH)


# --- serialisable values, formatted when read ---


class Moment(msgspec.Struct, frozen=True, tag_field="is", tag="moment"):
    """A time, formatted in the reader's zone and language."""

    at: datetime
    utc: bool = False
    """Add the time in UTC."""
    short: bool = False
    """Without year and zone."""
    week: bool = False
    """Weekday instead of date, with `short`."""

    @property
    def soon(self) -> str:
        return soon(self.at, zone_spoken_to())

    @property
    def whose(self) -> str:
        return _zone_word(self.at.astimezone(zone_called(zone_spoken_to())), zone_spoken_to())

    def __str__(self) -> str:
        if self.short:
            return (this_week if self.week else soon)(self.at, zone_spoken_to())
        return (shown_with_utc if self.utc else shown)(self.at, zone_spoken_to())


class Day(msgspec.Struct, frozen=True, tag_field="is", tag="day"):
    """A date, formatted in the reader's zone and language."""

    at: datetime

    def __str__(self) -> str:
        return day(self.at, zone_spoken_to())


class Span(msgspec.Struct, frozen=True, tag_field="is", tag="span"):
    seconds: int

    def __str__(self) -> str:
        return span(self.seconds)
