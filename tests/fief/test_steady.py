"""The `steady` bot plays to win, and its games end by victory."""

from __future__ import annotations

from statistics import median

from engine import playout, procedure
from engine.chance import Chance
from engine.fief import FIEF


def test_games_of_steady_alone_end_by_victory() -> None:
    tally = playout.Tally()
    for seed in range(2):
        state = playout.play_one(FIEF, 4, ["steady"] * 4, f"alone/{seed}", tally, checked=True, options={"rounds": 40})
        assert state.table.outcome is not None and state.table.outcome.how in ("alone", "allied")
        assert state.table.round <= 25
    assert not tally.errors and not tally.stalls, tally.faults


def test_three_of_them_come_to_an_end_soon() -> None:
    """Games in which they used to sit behind their walls till the last round are among these."""
    tally, rounds = playout.Tally(), []
    for seed in (13, 18, 22, 24, 25, 32, 38):
        state = playout.play_one(FIEF, 3, ["steady"] * 3, f"alone/{seed}", tally, options={"rounds": 40})
        assert state.table.outcome is not None and state.table.outcome.how == "alone", seed
        rounds.append(state.table.round)
    assert max(rounds) <= 25 and median(rounds) <= 12, rounds


def test_an_army_that_nothing_near_is_worth_goes_towards_what_is() -> None:
    """Blaye is far from all that is free; the Lord there goes the first roads of the way."""
    held = "".join(f"{place}: a\n{place}.a: 1 maa\n" for place in ("la_salle", "charolles", "beaujeu", "sennecy"))
    state = FIEF.read_position(f"fief: 1\nseats: a b c\nphase: 5\n{held}blaye: a\nArthur: a blaye\nblaye.a: 6 maa 3 knights\n")
    procedure.begin(state)
    assert state.waiting == ["a"]
    answer = FIEF.bots["steady"](state, "a", Chance("far"))
    (row,) = answer.rows("moves")
    assert row.pick("to") in ("la_salle", "charolles") and row.pick("then") in (
        "st_ciers",
        "lepervier",
        "villeneuve",
        "beaujeu",
        "sennecy",
    )


def test_one_steady_among_random_wins_more_than_its_share() -> None:
    tally = playout.Tally()
    for seed in range(6):
        playout.play_one(FIEF, 3, ["steady", "random", "random"], f"among/{seed}", tally, checked=True, options={"rounds": 15})
    assert tally.wins["steady"] >= 5, tally.wins
