"""Parleys as the game keeps them; what they bound is counted by the talk (tests/service/table/test_parleys.py)."""

from __future__ import annotations

from engine.core import offers, procedure
from engine.core.asks import Answer
from engine.core.parleys import Parley
from engine.core.procedure import AnyState
from engine.fief import FIEF
from engine.play.match import check_offer, run_offer

TEXT = "fief: 1\nseats: a b c\nphase: cp3\n"


def use(state: AnyState, seat: str, kind: str, answer: Answer) -> None:
    run_offer(FIEF, state, seat, kind, check_offer(FIEF, state, seat, kind, answer))


def test_a_marker_opens_a_parley_until_its_phase_ends_and_another_prolongs_it() -> None:  # FF-DIP-10, FF-AMB-74, D-DIP-2
    assert FIEF.rules.parleys is not None
    assert (
        FIEF.rules.parleys.posts,
        FIEF.rules.parleys.longest,
        FIEF.rules.parleys.least_hours,
        FIEF.rules.parleys.most_hours,
    ) == (
        6,
        1200,
        24,
        72,
    )
    state = FIEF.rules.notation.read(TEXT)
    procedure.begin(state)
    use(state, "a", "parley", Answer("open", {"with": ["c"]}))
    assert state.table.parleys == [Parley(["a", "c"])] and state.table.families["a"].markers == 2
    assert "extend" not in [ask.kind for ask in offers.powers(state, FIEF.rules.powers.open(state, "b"))]
    use(state, "c", "extend", Answer("extend", {"circle": "a+c"}))
    assert state.table.parleys == [Parley(["a", "c"], 2)] and state.table.families["c"].markers == 2
    assert FIEF.rules.view(state, None)["parleys"] == [["a", "c"]]
    for seat in list(state.waiting):
        procedure.play(state, seat, Answer("pass"))
    assert state.table.parleys == [Parley(["a", "c"], 2, False)] and state.table.round == 2


def test_talk_before_all_is_never_bounded_and_with_open_diplomacy_none_is() -> None:  # FF-DIP-1, FF-OPT-11
    assert (
        FIEF.rules.parleys is not None
        and FIEF.rules.parleys.needed({})
        and not FIEF.rules.parleys.needed({"open_diplomacy": True})
    )
    state = FIEF.rules.notation.read(TEXT.replace("phase", "options: open_diplomacy\nphase"))
    procedure.begin(state)
    assert [ask.kind for ask in offers.powers(state, FIEF.rules.powers.open(state, "a"))] == ["exchange"]
