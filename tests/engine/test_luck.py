"""Fights won in a finished match beside those that were to be expected."""

from __future__ import annotations

import pytest

from engine.play.ending import luck
from tests.engine.test_ending import events, log
from tests.tables import stems

BEGUN = {"mastery": "result", "fief": "battle_over"}


@pytest.mark.parametrize("game", ["mastery", "fief", "ortus"])
def test_each_fight_counts_once_and_no_seat_expects_more_than_it_fought(game: str) -> None:
    stem = stems(game)[0]
    found = luck(*log(game, stem), worlds=2)
    assert found and all(0 <= own.won <= own.fights and 0 <= own.expected <= own.fights for own in found.values())
    if kind := BEGUN.get(game):
        ended = [event for event in events(game, stem) if event.kind == kind]
        assert sum(own.fights for own in found.values()) <= 6 * len(ended)
        assert sum(own.won for own in found.values()) > 0


def test_the_two_sides_of_a_battle_share_its_victory() -> None:
    """In Mastery one of them wins, but where the Arena or Mayhem stops it."""
    found = luck(*log("mastery", stems("mastery")[0]), worlds=2)
    fights, won = sum(own.fights for own in found.values()), sum(own.won for own in found.values())
    assert fights % 2 == 0 and won <= fights // 2
