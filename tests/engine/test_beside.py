"""A position's text keeps what a question needs that something has interrupted."""

from __future__ import annotations

from engine.core import procedure
from engine.core.asks import Answer
from engine.core.chance import Chance
from engine.core.procedure import Parked
from engine.ortus import ORTUS
from tests.ortus.scene import Scene
from tests.toy_game import FAIR


def test_a_position_keeps_parked_questions() -> None:
    state = FAIR.rules.setup("abc", {}, Chance("00"))
    procedure.begin(state)
    state.parked = [Parked(1, 4, ["b"], {"a": Answer("pass")})]
    state.returned, state.opened = [(3, "c")], 5
    read = FAIR.rules.notation.read(FAIR.rules.notation.whole(state))
    assert (read.parked, read.returned, read.opened) == (state.parked, state.returned, state.opened)


def test_a_game_with_lines_of_its_own_keeps_them_too() -> None:
    state = Scene("a.hand: Land").state
    state.parked, state.returned, state.opened = [Parked(0, 4, ["b"], {"a": Answer("pass")})], [(3, "c")], 5
    read = ORTUS.rules.notation.read(ORTUS.rules.notation.whole(state))
    assert (read.parked, read.returned, read.opened) == (state.parked, state.returned, state.opened)


def test_a_position_that_nothing_interrupted_says_nothing_of_it() -> None:
    state = FAIR.rules.setup("abc", {}, Chance("00"))
    procedure.begin(state)
    assert "beside" not in FAIR.rules.notation.whole(state)
