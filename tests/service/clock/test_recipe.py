"""Recipes of deadlines: the rhythm that is frozen with a question, and what outages leave."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.core.asks import NotUnderstood
from service.clock import recipe
from service.clock.arithmetic import Rhythm, joined
from service.clock.pace import Pace
from service.clock.recipe import Recipe, Stops
from service.people import rhythm
from service.store.models import Account, AskRow, Standstill

START = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def ask(**known: Any) -> AskRow:
    row = AskRow(match_id="m", seat="a", serial=1, kind="turn", opened_at=START, allowed=24 * 3600)
    fields: dict[str, Any] = {"rhythm": Rhythm("UTC"), "grace": 3600, **known}
    recipe.store(row, Recipe(**fields))
    return row


def stood(*hours: tuple[float, float], kind: str = "service") -> Stops:
    rows = [Standstill(match_id="m", kind=kind, starts_at=START + a * HOUR, ends_at=START + b * HOUR) for a, b in hours]
    return Stops(standstills=rows)


@pytest.mark.parametrize(
    ("quiet_from", "quiet_to", "end"),
    [
        ("22:00", "08:00", "08:00"),
        ("20:00", "08:00", "08:00"),
        ("20:00", "09:30", "08:00"),
        ("08:59", "08:58", "20:59"),
        ("09:00", "09:00", "09:00"),
        ("", "", ""),
    ],
)
def test_quiet_hours_of_more_than_twelve_count_for_their_first_twelve(quiet_from: str, quiet_to: str, end: str) -> None:
    account = Account(email="a@example.org", zone="UTC", quiet_from=quiet_from, quiet_to=quiet_to)
    assert recipe.rhythm_of(account, Pace()) == Rhythm("UTC", False, quiet_from, end)


@pytest.mark.parametrize(("weekends", "own", "off"), [("off", False, True), ("own", True, True), ("play", True, False)])
def test_week_ends_are_those_of_the_pace_or_the_player(weekends: str, own: bool, off: bool) -> None:
    account = Account(email="a@example.org", weekends_off=own)
    assert recipe.rhythm_of(account, Pace(weekends=weekends)).weekends_off is off


@pytest.mark.parametrize(("quiet_from", "quiet_to"), [("08:59", "08:58"), ("20:00", "08:01"), ("00:00", "12:01")])
def test_longer_quiet_hours_are_refused_with_a_sentence(quiet_from: str, quiet_to: str) -> None:
    with pytest.raises(NotUnderstood, match="Quiet hours last at most 12 hours"):
        rhythm.check_quiet(quiet_from, quiet_to)


@pytest.mark.parametrize(("quiet_from", "quiet_to"), [("20:00", "08:00"), ("09:00", "09:00"), ("00:00", "12:00")])
def test_half_a_day_of_quiet_hours_is_taken(quiet_from: str, quiet_to: str) -> None:
    rhythm.check_quiet(quiet_from, quiet_to)


def test_a_recipe_is_stored_whole() -> None:
    known = Recipe(
        Rhythm("Asia/Tokyo", True, "22:00", "08:00"),
        3600,
        bank=7,
        parked=((START, START + HOUR),),
        parked_at=START,
        least=((START, 60),),
        not_before=START,
        absorbed_at=START,
        kept_from=START,
        kept_for=1.5,
    )
    row = ask()
    recipe.store(row, known)
    assert recipe.of(row) == known


@pytest.mark.parametrize(
    ("stops", "hours"),
    [
        (stood((2, 5)), 27),
        (stood((2, 5), (4, 6), (6, 7)), 29),
        (stood((-5, 1)), 25),
        (stood((-5, -1)), 24),
        (stood((20, 31)), 35),
        (stood((23.5, 34)), 35),  # an hour of grace
        (stood((23.5, 36)), 48),  # half a day after more than half a day
        (stood((23.5, 30), (30, 36)), 48),  # that is one outage
        (stood((23.5, 36), kind="halt"), 36.5),  # the game had failed: what it had
        (stood((25, 40)), 52),  # its time was over: half a day
    ],
)
def test_what_an_outage_leaves(stops: Stops, hours: float) -> None:
    row = ask()
    recipe.reckon(row, stops, None)
    assert row.due_at == START + hours * HOUR and row.falls_at == row.due_at + HOUR


def test_what_was_left_at_least_is_contained_once_more_is_given() -> None:
    row, stops = ask(), stood((23.5, 36))
    recipe.reckon(row, stops, None)
    assert row.due_at is not None
    recipe.allow(row, recipe.spent(row, stops, row.due_at) - 3600)
    recipe.changed(row, absorbed_at=START + 37 * HOUR)
    recipe.reckon(row, stops, None)
    assert row.due_at == START + 47 * HOUR, "a deadline that is made nearer comes nearer"


def test_an_outage_that_is_not_over_moves_nothing_yet() -> None:
    row = ask()
    recipe.reckon(row, Stops(ongoing=(START, START + 9 * HOUR)), None)
    assert row.due_at == START + 24 * HOUR


def test_an_interruption_stops_the_clock_of_its_question() -> None:
    row = ask(parked=((START + HOUR, START + 6 * HOUR),))
    recipe.reckon(row, Stops(), ["half"])
    assert row.due_at == START + 29 * HOUR
    recipe.changed(row, parked_at=START + 7 * HOUR)
    recipe.reckon(row, Stops(), ["half"])
    assert (row.due_at, row.falls_at, row.remind_at) == (START + 29 * HOUR, None, None)


def test_spans_that_overlap_or_touch_are_joined() -> None:
    a, b, c, d = (START + n * HOUR for n in range(4))
    assert joined([(c, d), (a, b), (b, c)]) == [(a, d)]
    assert joined([(a, c), (b, b), (b, d)]) == [(a, d)]
    assert joined([(a, b), (c, d)]) == [(a, b), (c, d)]
    assert joined([(b, a)]) == []
