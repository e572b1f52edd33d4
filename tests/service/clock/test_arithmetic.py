"""The arithmetic of a clock that stands still and of hours in which no deadline falls."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from service.clock.arithmetic import Rest, Rhythm, due, worked
from service.common import dates

HOUR = 3600
VIENNA = "Europe/Vienna"
ZONES = st.sampled_from([VIENNA, "UTC", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Gaza"])
FROM, TO = datetime.fromisoformat("2026-01-01"), datetime.fromisoformat("2028-01-01")
MOMENTS = st.datetimes(FROM, TO).map(lambda m: m.replace(tzinfo=UTC, microsecond=0))
HOURS = st.integers(0, 23).map(lambda h: f"{h:02}:30")


def local(text: str, zone: str = VIENNA) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


@st.composite
def rests(draw: st.DrawFn, quiet: bool = True) -> Rest:
    starts = draw(st.lists(MOMENTS, max_size=3))
    away = [(start, start + timedelta(minutes=draw(st.integers(1, 20_000)))) for start in starts]
    hours = (draw(HOURS), draw(HOURS)) if quiet else ("", "")
    return Rest(Rhythm(draw(ZONES), draw(st.booleans()), *hours), tuple(away))


@given(MOMENTS, st.integers(0, 10 * 24 * HOUR), rests(quiet=False))
def test_as_much_has_been_worked_at_the_deadline_as_was_given(start: datetime, seconds: int, rest: Rest) -> None:
    assert worked(start, due(start, seconds, rest), rest) == seconds


@given(MOMENTS, st.integers(0, 10 * 24 * HOUR), rests())
def test_no_deadline_falls_in_quiet_hours_week_ends_or_absences(start: datetime, seconds: int, rest: Rest) -> None:
    at = due(start, seconds, rest)
    here = at.astimezone(ZoneInfo(rest.rhythm.zone))
    assert not any(begin < at < end for begin, end in rest.away)
    assert not (rest.rhythm.weekends_off and here.weekday() >= 5)
    hour = f"{here:%H:%M:%S}"
    start_, end_ = rest.rhythm.quiet_from, rest.rhythm.quiet_to
    if start_ < end_:
        assert not start_ + ":00" <= hour < end_ + ":00"
    elif start_ > end_:
        assert end_ + ":00" <= hour < start_ + ":00"
    assert worked(start, at, rest) >= seconds


@given(MOMENTS, st.integers(0, 5 * 24 * HOUR), st.integers(0, 5 * 24 * HOUR), rests())
def test_more_time_never_means_an_earlier_deadline(start: datetime, one: int, other: int, rest: Rest) -> None:
    assert due(start, min(one, other), rest) <= due(start, max(one, other), rest)


def test_a_week_end_off_is_left_out_whole() -> None:
    rest = Rest(Rhythm(VIENNA, weekends_off=True))
    assert due(local("2026-11-20T18:00"), 24 * HOUR, rest) == local("2026-11-23T18:00")
    assert due(local("2026-11-21T12:00"), HOUR, rest) == local("2026-11-23T01:00")


def test_a_deadline_in_the_night_falls_in_the_morning_of_that_zone() -> None:
    rest = Rest(Rhythm("America/New_York", quiet_from="22:00", quiet_to="08:00"))
    assert due(local("2026-11-20T11:00", "America/New_York"), 12 * HOUR, rest) == local("2026-11-21T08:00", "America/New_York")


def test_a_night_before_a_week_end_off_leads_to_monday_morning() -> None:
    rest = Rest(Rhythm(VIENNA, True, "22:00", "08:00"))
    assert due(local("2026-11-20T11:30"), 12 * HOUR, rest) == local("2026-11-23T08:00")


def test_the_days_on_which_the_clocks_change_have_their_own_length() -> None:
    rest = Rest(Rhythm(VIENNA, weekends_off=True))
    # 29 March 2026 is a Sunday of 23 hours; 25 October one of 25.
    assert due(local("2026-03-27T23:00"), 2 * HOUR, rest) == local("2026-03-30T01:00")
    assert due(local("2026-10-23T23:00"), 2 * HOUR, rest) == local("2026-10-26T01:00")
    quiet = Rest(Rhythm(VIENNA, quiet_from="01:00", quiet_to="02:30"))
    assert due(local("2026-03-29T01:10"), 60, quiet) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    # The hour from 2 to 3 comes twice; quiet in its first time ends at 2:30, and is quiet again in the second until 2:30.
    assert due(datetime(2026, 10, 24, 23, 30, tzinfo=UTC), 60, quiet) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert due(datetime(2026, 10, 25, 1, 5, tzinfo=UTC), 60, quiet) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_an_absence_that_begins_as_the_time_ends_moves_no_deadline() -> None:
    begins = local("2026-11-25T00:00")
    rest = Rest(Rhythm(VIENNA), away=((begins, local("2026-11-28T00:00")),))
    assert due(local("2026-11-24T12:00"), 12 * HOUR, rest) == begins
    assert due(begins, 0, rest) == begins
    assert due(local("2026-11-24T12:00"), 12 * HOUR + 1, rest) == local("2026-11-28T00:00:01")


def test_an_absence_stops_the_clock_and_another_one_joins_it() -> None:
    first = (local("2026-11-21T00:00"), local("2026-11-25T00:00"))
    second = (local("2026-11-24T00:00"), local("2026-11-28T00:00"))
    rest = Rest(Rhythm(VIENNA), away=(second, first))
    assert due(local("2026-11-20T12:00"), 24 * HOUR, rest) == local("2026-11-28T12:00")
    assert worked(local("2026-11-20T12:00"), local("2026-11-28T12:00"), rest) == 24 * HOUR


def test_moments_are_shown_in_the_readers_zone_with_its_name() -> None:
    moment = datetime(2026, 7, 4, 16, 5, tzinfo=UTC)
    assert dates.shown(moment, VIENNA) == "Sat 4 Jul 2026, 18:05 CEST"
    assert dates.shown(moment, "America/Sao_Paulo") == "Sat 4 Jul 2026, 13:05 America/Sao_Paulo"
    assert dates.shown_with_utc(moment, VIENNA) == "Sat 4 Jul 2026, 18:05 CEST (16:05 UTC)"
    assert dates.shown_with_utc(moment, "UTC") == "Sat 4 Jul 2026, 16:05 UTC"


def test_spans_are_said_as_people_say_them() -> None:
    assert [dates.span(s) for s in (0, 45, 60, 5400, 86400, 2 * 86400 + 7200)] == [
        "0 min",
        "45 s",
        "1 min",
        "1 h 30 min",
        "1 day",
        "2 days 2 h",
    ]
