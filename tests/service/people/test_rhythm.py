"""A person's own rhythm."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.asks import NotUnderstood, Refused
from service.people import rhythm
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account
from tests.service.conftest import person

GOOD: dict[str, Any] = {
    "zone": "Europe/Vienna",
    "quiet_from": "23:00",
    "quiet_to": "07:30",
    "weekends_off": True,
    "ladder": "half, 2d 90m",
}


def keep(settings: Settings, **changes: object) -> None:
    with transaction(settings) as session:
        rhythm.keep(session, person(session, "Anna"), **(GOOD | changes))


def test_a_rhythm_is_kept_whole(settings: Settings) -> None:
    keep(settings)
    with open_session(settings) as session:
        anna = person(session, "Anna")
        assert (anna.zone, anna.quiet_from, anna.quiet_to, anna.weekends_off) == ("Europe/Vienna", "23:00", "07:30", True)
        assert anna.ladder == ["half", "2d", "90m"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"zone": "Middle-earth/Shire"}, "isn’t a time zone"),
        ({"zone": "../../etc/passwd"}, "isn’t a time zone"),
        ({"quiet_from": "25:00"}, "isn’t a time of day"),
        ({"quiet_to": "late"}, "isn’t a time of day"),
        ({"ladder": " ".join(["1h"] * 1000)}, "A ladder of 1000 reminders is too long"),
        ({"ladder": "soon"}, "isn’t a reminder"),
        ({"ladder": "-3h"}, "isn’t a reminder"),
        ({"ladder": "10s"}, "isn’t a reminder"),
        ({"ladder": "1m"}, "between 5 minutes and 14 days"),
        ({"ladder": "99d"}, "between 5 minutes and 14 days"),
        ({"ladder": "6h 6h"}, "a step twice"),
    ],
)
def test_what_can_not_be_a_rhythm_changes_nothing(settings: Settings, changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(NotUnderstood, match=sentence):
        keep(settings, **changes)
    with transaction(settings) as session:
        assert person(session, "Anna").ladder == Account(email="").ladder


def test_no_ladder_is_a_ladder_without_steps() -> None:
    assert rhythm.parse_ladder("  ") == []


@given(st.text(max_size=60))
def test_any_text_is_a_ladder_or_is_refused_with_a_sentence(text: str) -> None:
    try:
        steps = rhythm.parse_ladder(text)
    except Refused as refusal:
        assert str(refusal).endswith(".")
    else:
        assert len(steps) <= 6
