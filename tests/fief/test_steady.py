"""The `steady` bot plays to win, and its games end by victory."""

from __future__ import annotations

from statistics import median

import pytest

from engine.core import procedure
from engine.core.asks import Answer, read
from engine.core.chance import Chance
from engine.fief import FIEF
from engine.fief.rules.types import FiefState
from engine.tools import playout


def test_games_of_steady_alone_end_by_victory() -> None:
    tally = playout.Tally()
    for seed in range(2):
        state = playout.play_one(FIEF, 4, ["steady"] * 4, f"alone/{seed}", tally, options={"rounds": 40})
        assert state.table.outcome is not None and state.table.outcome.how in ("alone", "allied")
        assert state.table.round <= 14
    assert not tally.errors and not tally.stalls, tally.faults


def test_games_that_took_many_rounds_or_none_to_end_are_won_soon() -> None:
    """Purses that nobody spent, titles that changed hands by turns for want of a guard, a Pope asked for a hat without end."""
    check_won_soon((5, "base/0"))


@pytest.mark.soak
def test_games_of_six_that_took_many_rounds_are_won_soon() -> None:
    check_won_soon((6, "base/17"), (6, "base/16"))


def check_won_soon(*games: tuple[int, str]) -> None:
    for seats, seed in games:
        state = playout.play_one(FIEF, seats, ["steady"] * seats, seed, playout.Tally(), options={"rounds": 40})
        assert state.table.outcome is not None and state.table.outcome.how != "rounds"
        assert state.table.round <= 12, (seats, seed, state.table.round)


def test_three_of_them_come_to_an_end_soon() -> None:
    """Games in which they used to sit behind their walls till the last round are among these."""
    check_three_end_soon(13, 22, 32)


@pytest.mark.soak
def test_more_threes_of_them_come_to_an_end_soon() -> None:
    check_three_end_soon(13, 18, 22, 24, 25, 32, 38)


def check_three_end_soon(*seeds: int) -> None:
    tally, rounds = playout.Tally(), []
    for seed in seeds:
        state = playout.play_one(FIEF, 3, ["steady"] * 3, f"alone/{seed}", tally, options={"rounds": 40})
        assert state.table.outcome is not None and state.table.outcome.how == "alone", seed
        rounds.append(state.table.round)
    assert max(rounds) <= 16 and median(rounds) <= 9, rounds


def test_an_army_that_nothing_near_is_worth_goes_towards_what_is() -> None:
    """Blaye is far from all that is free; the Lord there goes the first roads of the way."""
    held = "".join(f"{place}: a\n{place}.a: 1 maa\n" for place in ("la_salle", "charolles", "beaujeu", "sennecy"))
    state = FIEF.rules.notation.read(
        f"fief: 1\nseats: a b c\nphase: 5\n{held}blaye: a\nArthur: a blaye\nblaye.a: 6 maa 3 knights\n"
    )
    procedure.begin(state)
    assert state.waiting == ["a"]
    answer = FIEF.bots.players["steady"](state, "a", Chance("far"))
    (row,) = answer.rows("moves")
    assert row.pick("to") in ("la_salle", "charolles") and row.pick("then") in (
        "st_ciers",
        "lepervier",
        "villeneuve",
        "beaujeu",
        "sennecy",
    )


def scene(text: str, seats: str = "a b c d") -> FiefState:
    """A position, run to its first ask."""
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: {seats}\n{text}")
    procedure.begin(state)
    return state


def says(state: FiefState, seat: str = "a") -> Answer:
    return FIEF.bots.players["steady"](state, seat, Chance("said"))


def plays(state: FiefState, kind: str, seat: str = "a") -> Answer | None:
    ask = next(ask for ask in FIEF.rules.powers.open(state, seat) if ask.kind == kind)
    return FIEF.bots.offer_policies["steady"](state, seat, ask, Chance("said"))


SEES = "Othon: a blaye bishop=1\nblaye: a\nblaye.a: 2 maa\nHenri: b bourg pope bishop=4{}\nbourg.b: 1 maa\n"


def test_a_pope_who_has_to_consent_is_not_asked_again_and_again_for_a_hat() -> None:
    """He refuses, nothing is spent (FF-CAR-3), and a game went on for ever."""
    state = scene("phase: cp1\na.hand: cardinal\n" + SEES.format(""))
    assert plays(state, "cardinal") is None
    state = scene("phase: cp1\na.hand: cardinal\nbourg.c: 1 maa\n" + SEES.format(" captor=c"))
    assert plays(state, "cardinal") == Answer("play", {"lord": "Othon"})
    for deniers, captor, bought in ((5, "", False), (5, " captor=c", True), (4, " captor=c", False)):
        state = scene(f"phase: 4b\nfirst: a\na.deniers: {deniers}\nbourg.c: 1 maa\n" + SEES.format(captor))
        assert state.waiting == ["a"]
        items = says(state).rows("items")
        assert ([row.pick("what") for row in items] == ["cardinal"]) == bought, (deniers, captor, items)


def test_allies_hat_each_other_and_do_not_stand_against_each_other() -> None:
    wed = "Arthur: a sigy fief=sigy spouse=Jeanne\nJeanne: b bourg spouse=Arthur\n"
    state = scene("phase: cp1\na.hand: cardinal\nOthon: b bourg bishop=1\n" + wed)
    assert plays(state, "cardinal") == Answer("play", {"lord": "Othon"})
    state = scene("phase: 1d\nfirst: b\nCharles: b bourg fief=bourg\nHenri: b bourg bishop=4 fief=blaye\n" + wed)
    while state.waiting and procedure.ask_of(state, state.waiting[0]).kind != "stand":
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    assert says(state, state.waiting[0]) == Answer("stand", {"lord": "Charles"}), state.waiting
    procedure.play(state, "b", says(state, "b"))
    assert state.waiting == ["a"] and says(state) == Answer("none")


def test_a_marriage_may_not_take_a_side_further_from_winning() -> None:
    suit = "phase: 1a\nfirst: b\nJeanne: b bourg{}\nArthur: a sigy fief=sigy fief=st_paul\n"
    for titles, said in (("", "refuse"), (" fief=bourg", "accept")):
        state = scene(suit.format(titles))
        procedure.play(state, "b", read("propose suits=[(lord=Jeanne,other=Arthur)]"))
        assert says(state).option == said, titles


def test_a_city_keeps_its_guard() -> None:
    city = "phase: 5\nsigy: a city\nArthur: a sigy fief=sigy\nCharles: a sigy\n"
    state = scene(f"{city}sigy.a: 5 maa 1 knights\n")
    (row,) = says(state).rows("moves")
    assert (row.number("maa"), row.number("knights")) == (2, 1)
    state = scene(f"{city.replace('Charles: a sigy', 'Charles: a blaye')}")
    went = {lord for row in says(state).rows("moves") for lord in row.some("lords")}
    assert "Arthur" not in went


def test_what_a_guard_lacks_is_bought() -> None:
    state = scene(
        "phase: 4b\nfirst: a\na.deniers: 8\nsigy: a city\nCharles: a blaye\nArthur: a blaye fief=sigy\nsigy.a: 1 maa\n"
    )
    (item,) = says(state).rows("items")
    assert (item.pick("what"), item.pick("at"), item.number("n")) == ("maa", "sigy", 2)


def test_who_would_win_with_the_round_is_attacked_at_almost_any_odds() -> None:
    field = "phase: 5\nCharles: a la_salle\nla_salle: a\nla_salle.a: 7 knights\nblaye: b city\nblaye.b: 13 maa 1 knights\n"
    for titles, goes in (("blaye fief=sigy", False), ("blaye fief=sigy king", True)):
        state = scene(field + f"Henri: b blaye fief={titles}\n")
        tos = [row.pick("to") for row in says(state).rows("moves")]
        assert ("blaye" in tos) == goes, (titles, tos)


def test_one_steady_among_random_wins_more_than_its_share() -> None:
    tally = playout.Tally()
    for seed in range(6):
        playout.play_one(FIEF, 3, ["steady", "random", "random"], f"among/{seed}", tally, options={"rounds": 15})
    assert tally.wins["steady"] >= 5, tally.wins
