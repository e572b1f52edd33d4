"""What every game has by itself: copies of its states, and the lists of cards that players build."""

from __future__ import annotations

import pytest

from engine.asks import Answer, Ask, NotUnderstood, Option, write
from engine.chance import Chance
from engine.game import Variants, copy
from engine.games import _Games, game_called, game_of_position
from engine.ortus import ORTUS
from engine.procedure import begin


def test_a_copy_of_a_state_is_equal_and_its_own() -> None:
    state = ORTUS.setup(["a", "b"], {}, Chance("copy"))
    begin(state)
    other = copy(ORTUS, state)
    assert other == state
    other.table.earls["a"].hand.append("Land/a")
    assert other != state and "Land/a" not in state.table.earls["a"].hand


def test_a_list_of_cards_is_played_in_the_order_of_the_rules() -> None:
    build = ORTUS.build
    assert build is not None
    assert write(build.answer({"Banner": 1, "Land": 2, "Dragon": 3})) == "deck cards=[Land*2,Banner]"
    assert {size: build.of_size(size).size for size in (22, 24, 23)} == {22: 22, 24: 24, 23: 24}
    sizes = {seat: found.size for seat in "ab" if (found := build.for_seat({}, seat)) is not None}
    assert sizes == {"a": 24, "b": 24}
    assert {sum(ready.cards.values()) for ready in build.all_ready} == {22, 24}


def test_a_game_without_optional_rules_has_one_way_to_be_played() -> None:
    assert Variants().ask(3) == Ask("", "variant", (Option("play"),), Answer("play"))


def test_a_game_is_made_when_it_is_first_asked_for_and_once() -> None:
    games = _Games({"ortus": lambda: ORTUS})
    assert games["ortus"] is ORTUS and games["ortus"] is ORTUS


def test_the_table_of_games_is_a_mapping_of_those_that_there_are() -> None:
    games = _Games({"ortus": lambda: ORTUS})
    games["other"] = ORTUS
    assert (list(games), len(games), "other" in games, "chess" in games) == (["ortus", "other"], 2, True, False)
    del games["other"]
    assert "other" not in games and games.get("other") is None


def test_a_game_is_called_by_its_name_and_a_version_that_it_has() -> None:
    assert game_called("ortus") is game_called("ortus", 1) is ORTUS
    for name, rules, told in (
        ("chess" * 20, None, f"There is no game called “{('chess' * 20)[:40]}”; there is: ortus, mastery, fief."),
        ("ortus", 0, "Ortus Regni has no rules version 0 here; this program plays all up to 1. Take a newer one."),
        ("ortus", 2, "Ortus Regni has no rules version 2 here; this program plays all up to 1. Take a newer one."),
    ):
        with pytest.raises(NotUnderstood) as refusal:
            game_called(name, rules)
        assert str(refusal.value) == told


def test_a_position_says_on_its_first_line_whose_it_is() -> None:
    assert game_of_position("\n  # mastery: 1\n ortus : 1 # fief\nfief: 1\n") is ORTUS
    for text, told in (
        ("# ortus: 1\n\n", "The text is empty; a position starts with a line such as `ortus: 1`."),
        ("seats: a b\nortus: 1\n", "There is no game called “seats”"),
    ):
        with pytest.raises(NotUnderstood) as refusal:
            game_of_position(text)
        assert str(refusal.value).startswith(told)
