"""Calls for letters: at once after a while without any, and then one for all that are due a moment later."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest

from service.settings import Settings
from service.store import database as db
from service.store import queue

Call = tuple[str, float]


@dataclass
class Clock:
    """A clock that is moved by hand."""

    at: float = 100.0

    def monotonic(self) -> float:
        return self.at


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(queue, "DEBOUNCE", 0.5)
    monkeypatch.setattr(queue, "_called", {})
    monkeypatch.setattr("service.store.queue.time.monotonic", made.monotonic)
    return made


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """What was sent, and in how many seconds it is to be done."""
    made: list[Call] = []
    monkeypatch.setattr(queue, "send", lambda _settings, task, *_, countdown=0.0: made.append((task, countdown)))
    return made


def commit(settings: Settings, task: str = queue.DELIVER, *args: str) -> None:
    with db.transaction(settings) as session:
        queue.after_commit(session, task, *args)


def test_the_first_letter_is_called_for_at_once_and_the_next_go_together(
    settings: Settings, clock: Clock, calls: list[Call]
) -> None:
    commit(settings)
    assert calls == [(queue.DELIVER, 0.0)]
    clock.at += 0.2
    for _ in range(5):
        commit(settings)
        clock.at += 0.05
    # One call for all five, when the time is over that began with the first.
    assert [task for task, _ in calls] == [queue.DELIVER] * 2
    assert calls[1][1] == pytest.approx(0.3)


def test_a_call_that_is_being_answered_sees_to_nothing_that_comes_now(
    settings: Settings, clock: Clock, calls: list[Call]
) -> None:
    commit(settings)
    clock.at += 0.2
    commit(settings)
    clock.at = 100.5  # the second call is answered
    commit(settings)
    assert len(calls) == 3 and calls[2][1] == pytest.approx(0.5)
    clock.at = 101.6
    commit(settings)
    assert calls[3:] == [(queue.DELIVER, 0.0)]


def test_every_letter_is_called_for_after_it_is_due(settings: Settings, clock: Clock, calls: list[Call]) -> None:
    answered: list[float] = []
    for step in (0.0, 0.01, 0.3, 0.19, 0.0, 0.2, 0.31, 0.6, 0.1, 0.05, 3.0, 0.4):
        clock.at += step
        commit(settings)
        answered += [clock.at + countdown for _, countdown in calls[len(answered) :]]
        assert any(clock.at <= at <= clock.at + 0.5 for at in answered)
    assert all(later - one > 0.499 for one, later in itertools.pairwise(answered))


def test_what_is_not_for_all_letters_is_sent_each_time(settings: Settings, clock: Clock, calls: list[Call]) -> None:
    for _ in range(3):
        commit(settings, queue.ADJUDICATE, "one")
        commit(settings, queue.DELIVER, "a letter")
    assert calls == [(queue.ADJUDICATE, 0.0), (queue.DELIVER, 0.0)] * 3
