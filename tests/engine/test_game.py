"""What every game has by itself: copies of its states, and the lists of cards that players build."""

from __future__ import annotations

from engine.asks import Answer, Ask, Option, write
from engine.chance import Chance
from engine.game import Variants, copy
from engine.games import _Games
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
