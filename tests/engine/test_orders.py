"""Standing orders in general: settings that are refused, and the dry run."""

from __future__ import annotations

import random

import pytest

from engine import orders
from engine.asks import Answer, NotUnderstood
from engine.games import game_called
from tests.contract.walk import fresh, header_for, walk

GAME = game_called("ortus")


def test_an_order_that_does_not_exist_is_refused_with_its_name() -> None:
    with pytest.raises(NotUnderstood, match="no standing order “SO-99”"):
        orders.check(GAME, fresh(GAME, 2, 1).state, "a", "SO-99", Answer("on"))


def test_a_dry_run_counts_the_same_twice_and_tells_who_would_have_been_asked_less() -> None:
    match = fresh(GAME, 3, 5)
    for _ in walk(match, random.Random(5), taken=0, stop=200):
        pass
    header, seed = header_for(GAME, 3, 5)
    none = orders.dry_run(header, seed, match.entries, "a", {})
    some = orders.dry_run(header, seed, match.entries, "a", orders.preset(GAME))
    assert none.asked == some.asked > 0 and none.left > some.left
    assert some == orders.dry_run(header, seed, match.entries, "a", orders.preset(GAME))


def test_a_dry_run_counts_from_the_entry_it_is_told() -> None:
    match = fresh(GAME, 3, 5)
    for _ in walk(match, random.Random(5), taken=0, stop=200):
        pass
    header, seed = header_for(GAME, 3, 5)
    assert orders.dry_run(header, seed, match.entries, "a", {}, since=len(match.entries) + 1) == orders.DryRun(0, 0)
