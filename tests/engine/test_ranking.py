"""Places: how a seat stands among the others, by what everybody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from engine.games import GAMES
from engine.play.ranking import Place, place
from tests.tables import laid
from tests.toy_game import FAIR


def places(ranked: Mapping[Any, tuple[int, ...]], seats: str) -> list[Place | None]:
    game = replace(GAMES["ortus"], rules=replace(GAMES["ortus"].rules, ranking=lambda _state: ranked))
    return [place(game, laid("ortus", 6, "middle").state, seat) for seat in seats]


def test_equals_share_a_place_and_the_next_is_further_down() -> None:
    ranked = {("a",): (3,), ("b",): (5,), ("c",): (3,), ("d",): (1,)}
    assert places(ranked, "abcd") == [Place(2, True), Place(1, False), Place(2, True), Place(4, False)]


def test_those_who_win_together_have_one_place_that_is_not_shared() -> None:
    ranked = {("a", "c"): (3, 1), ("b", "d"): (3, 2)}
    assert places(ranked, "abcd") == [Place(2, False), Place(1, False)] * 2


def test_where_all_are_equal_or_nobody_is_ranked_there_are_no_places() -> None:
    assert places({("a",): (0,), ("b",): (0,)}, "ab") == [None, None]
    assert places({}, "a") == places({("b",): (1,), ("c",): (2,)}, "a") == [None], "nor has one who is out of it"
    assert FAIR.rules.ranking(laid("ortus", 6, "middle").state) == {}, "as a game has it that brings no ranking"


@pytest.mark.parametrize("game", ["mastery", "fief"])
def test_points_rank_those_who_play_and_the_first_has_most(game: str) -> None:
    """MM-VIC-1, FF-VIC-1"""
    state = laid(game, 6, "middle").state
    ranked = GAMES[game].rules.ranking(state)
    assert sorted(seat for side in ranked for seat in side) == [*"abcdef"]
    lacks = {side: own - goal for side in ranked for own, goal in [GAMES[game].rules.score(state, side[0]) or (0, 0)]}
    assert len({*lacks.values()}) > 1 and [*sorted(ranked, key=lambda s: ranked[s])] == [
        *sorted(ranked, key=lambda s: (lacks[s], ranked[s]))
    ]


def test_in_fief_who_stands_alone_goes_before_allies_who_lack_as_much() -> None:
    """FF-VIC-3, FF-VIC-4"""
    game = GAMES["fief"]
    state = game.rules.decode(game.rules.encode(laid("fief", 6, "middle").state))
    for lord in state.table.lords.values():
        lord.king = lord.pope = False
        lord.fiefs = []
    allied = next(lord for lord in state.table.lords.values() if state.table.ally(lord.seat))
    allied.fiefs = ["touraine"]
    alone = [side for side in game.rules.ranking(state) if len(side) == 1]
    assert game.rules.score(state, allied.seat) == (1, 4) and game.rules.score(state, alone[0][0]) == (0, 3)
    assert place(game, state, alone[0][0]) == Place(1, len(alone) > 1)
    assert place(game, state, allied.seat) == place(game, state, state.table.ally(allied.seat)) == Place(1 + len(alone), False)


def test_earls_are_ranked_only_where_a_last_round_was_agreed_on() -> None:
    """OR-WIN-1, OR-HOUSE-1"""
    state = laid("ortus", 6, "middle").state
    game = GAMES["ortus"]
    assert game.rules.ranking(state) == {}
    copy = game.rules.decode(game.rules.encode(state))
    copy.table.rulings = {**copy.table.rulings, "OR-HOUSE-1": "12"}
    ranked = game.rules.ranking(copy)
    assert sorted(seat for (seat,) in ranked) == sorted(copy.table.alive()) and len({*ranked.values()}) > 1
