"""Which questions are one turn, and so share a deadline (FF-ASY-4)."""

from __future__ import annotations

from engine.core import procedure
from engine.core.asks import read
from engine.fief import FIEF
from engine.fief.rules.types import FiefState


def scene(text: str) -> FiefState:
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{text}")
    procedure.begin(state)
    return state


def turns(state: FiefState) -> list[str]:
    return [FIEF.rules.turn_of(state, seat) for seat in "abc"]


def test_a_turn_belongs_to_who_is_asked_first_in_its_phase() -> None:  # FF-ASY-4
    state = scene("round: 3\nphase: 4b\nfirst: b\nArthur: a blaye\nHenri: b bourg\n")
    assert turns(state) == ["", "3/4b", ""]
    procedure.play(state, "b", read("done"))
    assert turns(state) == ["3/4b", "", ""], "another's turn of the same phase"


def test_questions_to_others_and_to_all_belong_to_no_turn() -> None:  # FF-ASY-4, FF-ASY-9
    state = scene("round: 3\nphase: 5\nCharles: a blaye\nblaye.a: 1 maa\nHenri: b charolles\ncharolles: b\n")
    assert turns(state) == ["3/5", "", ""]
    procedure.play(state, "a", read("move moves=[(lords=[Charles],maa=1,to=charolles,then=lepervier)]"))
    assert state.waiting == ["b"] and turns(state) == ["", "", ""], "leave is asked for"
    procedure.play(state, "b", read("no"))
    assert state.waiting == ["a"] and turns(state) == ["3/5", "", ""], "and refused in his turn"
    assert turns(scene("round: 3\nphase: cp1\n")) == ["", "", ""]


def test_a_game_that_is_over_has_no_turn() -> None:
    state = scene("phase: 4b\n")
    state.stack, state.waiting = [], []
    assert turns(state) == ["", "", ""]
