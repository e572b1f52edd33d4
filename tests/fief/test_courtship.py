"""Who passes while another proposes, in the courtship of step 1a, where all may speak at once (FF-MAR-3, D-MAR-2)."""

from __future__ import annotations

import pytest

from engine.core import procedure
from engine.core.asks import NotLegal, read
from engine.fief.rules.types import FiefState
from engine.games import GAMES
from engine.play.match import run_offer
from engine.ui.forms import describe

FIEF = GAMES["fief"]
SCENE = "fief: 1\nseats: a b c\nfirst: a\nphase: 1a\nArthur: a blaye\nJeanne: b bourg\nIsabelle: c sigy\n"
SUIT = "propose suits=[(lord=Arthur,other=Jeanne)]"


def courtship(more: str = "") -> FiefState:
    """The first step of a round, with a man of a's and ladies of the two others'."""
    state = FIEF.rules.notation.read(SCENE + more)
    procedure.begin(state)
    return state


def says(state: FiefState, seat: str, line: str) -> None:
    """Play an answer as one that comes by letter or page."""
    procedure.play(state, seat, read(line))


def test_a_pass_sent_before_a_suit_declines_nothing() -> None:  # FF-MAR-3
    state = courtship()
    says(state, "a", SUIT)
    before = FIEF.rules.notation.whole(state)
    with pytest.raises(NotLegal, match="A proposal has come in: accept or decline it"):
        says(state, "b", "pass")
    assert FIEF.rules.notation.whole(state) == before
    says(state, "b", "accept suit=Arthur+Jeanne")
    assert state.table.lords["Jeanne"].spouse == "Arthur"


def test_no_to_all_is_a_word_of_its_own_and_the_safe_default() -> None:  # D-MAR-2
    state = courtship()
    says(state, "a", SUIT)
    ask = procedure.ask_of(state, "b")
    assert ask.default.option == "refuse"
    labels = {option.id: option.label for option in describe(FIEF, ask, {"a": "Ann", "b": "Bob", "c": "Cy"}, 0).options}
    assert labels["refuse"] == "Decline all, propose nothing" and "pass" not in labels
    says(state, "b", "refuse")
    assert not state.table.lords["Jeanne"].spouse and "b" not in state.waiting


def test_who_has_nothing_before_him_passes() -> None:  # FF-MAR-3
    state = courtship()
    assert [procedure.ask_of(state, seat).default.option for seat in "abc"] == ["pass"] * 3
    with pytest.raises(NotLegal, match="No proposal is open any more: propose a marriage, or pass"):
        says(state, "b", "refuse")


def test_a_game_that_began_before_the_ruling_takes_a_pass_for_a_no() -> None:  # FF-MAR-3
    state = courtship("rulings: FF-MAR-3=declines\n")
    says(state, "a", SUIT)
    assert "refuse" not in [option.id for option in procedure.ask_of(state, "b").options]
    says(state, "b", "pass")
    assert "b" not in state.waiting and not state.table.lords["Jeanne"].spouse


def test_who_has_passed_is_asked_again_once_proposed_to() -> None:  # FF-MAR-3
    state = courtship()
    says(state, "b", "pass")
    assert "b" not in state.waiting
    says(state, "a", SUIT)
    assert "b" in state.waiting and "c" in state.waiting


def test_a_wedding_in_an_exchange_that_can_not_be_any_more_asks_nobody() -> None:  # FF-MAR-3, FF-DIP-9
    state = courtship()
    run_offer(FIEF, state, "a", "exchange", read("propose to=b lord=Arthur other=Jeanne"))
    assert procedure.ask_of(state, "b").default.option == "refuse"
    state.table.lords["Jeanne"].spouse = "Henri"
    assert procedure.ask_of(state, "b").default.option == "pass"
