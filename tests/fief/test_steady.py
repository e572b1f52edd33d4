"""The `steady` bot plays to win, and its games end by victory."""

from __future__ import annotations

from engine import playout
from engine.fief import FIEF


def test_games_of_steady_alone_end_by_victory() -> None:
    tally = playout.Tally()
    for seed in range(2):
        state = playout.play_one(FIEF, 4, ["steady"] * 4, f"alone/{seed}", tally, checked=True, options={"rounds": 40})
        assert state.table.outcome is not None and state.table.outcome.how in ("alone", "allied")
        assert state.table.round <= 25
    assert not tally.errors and not tally.stalls, tally.faults


def test_one_steady_among_random_wins_more_than_its_share() -> None:
    tally = playout.Tally()
    for seed in range(6):
        playout.play_one(FIEF, 3, ["steady", "random", "random"], f"among/{seed}", tally, checked=True, options={"rounds": 15})
    assert tally.wins["steady"] >= 5, tally.wins
