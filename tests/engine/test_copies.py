"""A copy that is dealt anew for a seat holds nothing that others have proposed or sealed behind its back."""

from __future__ import annotations

from engine.core import offers, procedure
from engine.core.asks import Answer
from engine.core.chance import Chance, guess
from engine.core.procedure import Parked, copy_for
from tests.toy_game import FAIR, FairState, Trade


def table_with_secrets() -> FairState:
    state: FairState = FAIR.rules.setup("abc", {}, Chance("00"))
    procedure.begin(state)
    ware = state.table.keepers["a"].wares[0]
    offers.put(state.table, Trade(by="a", to=["b"], only=["a", "b"], ware=ware))
    state.sealed = {"b": Answer("pass")}
    state.waiting = ["a", "c"]
    state.parked = [Parked(1, 1, ["c"], {"a": Answer("pass"), "b": Answer("pass")})]
    state.returned = [(1, "a"), (1, "b")]
    return state


def test_proposals_behind_its_back_are_gone_with_their_count() -> None:
    state = table_with_secrets()
    seen = {seat: copy_for(state, seat, guess(1)).table.proposals for seat in ("a", "b", "c", None)}
    assert [len(seen[seat].open) for seat in ("a", "b", "c", None)] == [1, 1, 0, 0]
    assert seen["a"].counted == state.table.proposals.counted != {} and seen["c"].counted == seen[None].counted == {}


def test_who_has_answered_and_whose_answer_went_back_is_known_to_each_alone() -> None:
    state = table_with_secrets()
    for seat, sealed, waiting, returned in (
        ("a", [], ["a", "b", "c"], [(1, "a")]),
        ("b", ["b"], ["a", "c"], [(1, "b")]),
        ("c", [], ["a", "b", "c"], []),
    ):
        copy = copy_for(state, seat, guess(1))
        assert ([*copy.sealed], copy.waiting, copy.returned) == (sealed, waiting, returned)
    parked = copy_for(state, "c", guess(1)).parked[0]
    assert (parked.waiting, parked.sealed) == (["a", "b", "c"], {})
    own = copy_for(state, "a", guess(1)).parked[0]
    assert ([*own.sealed], own.waiting) == (["a"], ["b", "c"])
    assert state.sealed and state.parked[0].sealed and state.returned == [(1, "a"), (1, "b")], "the state itself is untouched"


def test_a_proposal_that_is_gone_is_dropped_without_a_word() -> None:
    state = table_with_secrets()
    number = state.table.proposals.open[0].number
    offers.drop(state.table, number + 64, "gone")
    assert len(state.table.proposals.open) == 1
    offers.drop(state.table, number, "gone")
    assert not state.table.proposals.open
