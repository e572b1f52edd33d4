"""Subjects: what a letter is and by when, and nothing that is a secret of the seat."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engine.ui.forms import Form
from service.common.dates import Moment
from service.common.i18n import speaking_to, together
from service.post import subjects
from service.post.subjects import subject
from service.seat import waits

DUE = Moment(datetime(2026, 11, 22, 19, tzinfo=UTC), utc=True)
TURN = {"active": "a", "turn": 27}
ROUND = {"active": "b", "round": 7}
DEFEND = Form("a", "muster", "", 1, "What does Bert, whose last knight is hurt, do?", "pass", {}, [], public="defend Blaye")


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day long before the deadline."""
    monkeypatch.setattr(subjects, "now", lambda: datetime(2026, 11, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("kind", "context", "said"),
    [
        ("turn", {"view": TURN, "seat": "a", "deadline": DUE}, "The Marches: turn 27 is yours (by Sun 22 Nov, 20:00)"),
        (
            "turn",
            {"view": TURN, "seat": "b", "deadline": DUE},
            "The Marches: a question for you, turn 27 (by Sun 22 Nov, 20:00)",
        ),
        ("turn", {"view": ROUND, "form": DEFEND, "deadline": DUE}, "The Marches: defend Blaye (by Sun 22 Nov, 20:00)"),
        ("reminder", {"form": DEFEND, "deadline": DUE}, "The Marches: reminder: defend Blaye (by Sun 22 Nov, 20:00)"),
        ("offer", {"form": DEFEND}, "The Marches: you have an offer"),
        (
            "turn",
            {"view": ROUND, "seat": "a", "deadline": DUE},
            "The Marches: a question for you, round 7 (by Sun 22 Nov, 20:00)",
        ),
        ("turn", {"view": ROUND, "seat": "b", "deadline": DUE, "late": True}, "The Marches: your turn, round 7"),
        ("reminder", {"view": TURN, "seat": "a"}, "The Marches: reminder: turn 27 is yours"),
        ("started", {"view": {"round": 0}, "seat": "a"}, "The Marches: the game begins"),
        ("over", {"winners": ["Ann", "Bob"]}, "The Marches is over: Ann and Bob won"),
        ("over", {"winners": ["Ann", "Bob", "Cleo"]}, "The Marches is over: Ann, Bob and Cleo won"),
        ("over", {}, "The Marches is over"),
        ("talk", {"members": ""}, "The Marches: talk at the table"),
        ("talk", {"members": "ab", "from_name": "Ann"}, "The Marches: a private letter"),
        ("kept", {}, "The Marches: a steward keeps your seat"),
        ("substitute", {}, "The Marches: would you take over a seat?"),
        ("cancelled", {}, "The Marches: called off before it began"),
        ("fresh_link", {}, "The Marches: a new link to your page"),
        ("vote", {"until": DUE}, "The Marches: please vote (by Sun 22 Nov, 20:00)"),
        ("vote", {"about": "end", "until": DUE}, "The Marches: a vote to end the game (by Sun 22 Nov, 20:00)"),
        ("vote", {"about": "replace"}, "The Marches: please vote"),
        ("notice", {"about": "end", "until": DUE}, "The Marches: the game is to end (by Sun 22 Nov, 20:00)"),
        ("notice", {"about": "extend", "until": ""}, "The Marches: a deadline was moved"),
        ("notice", {"about": "links", "until": ""}, "The Marches: an announcement"),
        ("notice", {"about": "replace", "mine": True, "until": DUE}, "The Marches: are you there? (by Sun 22 Nov, 20:00)"),
        ("notice", {"mine": True, "until": DUE}, "The Marches: are you there? (by Sun 22 Nov, 20:00)"),
        ("notice", {"mine": False, "until": ""}, "The Marches: an announcement"),
        ("replaced", {"why": "own"}, "The Marches: you gave up your seat"),
        ("replaced", {"why": "missed"}, "The Marches: your seat goes to somebody else"),
    ],
)
def test_a_subject_says_what_it_is_and_by_when(kind: str, context: dict[str, object], said: str) -> None:
    with speaking_to("en", "Europe/Vienna"):
        assert str(subject(kind, "The Marches", "Medieval Mastery", context)) == said


def test_the_day_of_the_week_is_enough_for_what_is_due_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "now", lambda: datetime(2026, 11, 18, tzinfo=UTC))
    told = subject("turn", "The Marches", "Fief", {"view": ROUND, "seat": "b", "deadline": DUE})
    with speaking_to("en", "Europe/Vienna"):
        assert str(told) == "The Marches: your turn, round 7 (by Sun 20:00)"


def test_nothing_of_the_question_stands_in_the_subject() -> None:
    form = Form("a", "verdict", "", 1, "The top card is Fracture.", "pass", {}, [], heading="Discard the Fracture?")
    secret = {"view": TURN, "seat": "a", "form": form, "news": ["Alys drew Fracture."]}
    assert "Fracture" not in str(subject("turn", "The Marches", "Medieval Mastery", secret))


@pytest.mark.parametrize(
    ("names", "said"), [([], ""), (["Ann"], "Ann"), (["Ann", "Bob"], "Ann and Bob"), ("ABC", "A, B and C")]
)
def test_who_does_something_together_is_told_with_an_and(names: list[str], said: str) -> None:
    assert together(names) == said


def test_a_table_waits_for_its_reader_first() -> None:
    names = {"a": "Ann", "b": "Bob", "c": "Cleo"}
    assert waits.said(["a", "b", "c"], names, "a") == "The table waits for you, Bob and Cleo."
    assert waits.said(["a", "b"], names, "a") == "The table waits for you and for Bob."
    assert waits.said(["b", "c"], names, "a") == waits.said(["b", "c"], names, None) == "The table waits for Bob and Cleo."
    assert (waits.said(["a"], names, "a"), waits.said([], names, "a")) == ("The table waits for you.", "")
