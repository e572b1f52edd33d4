"""Odds of battles: which answers are counted, what is certain before the dice, and what a fight comes to."""

from __future__ import annotations

import pytest

from engine.core import odds, procedure
from engine.core.asks import read
from engine.core.chance import Chance
from engine.core.odds import Fight, Odds, Stake, Trial
from engine.core.views import Event
from engine.fief import FIEF
from engine.fief.odds import fights_on
from engine.fief.rules.types import FiefState
from engine.play.cases import Scripted

WORLDS = 12
HIT, MISS = ["5"], ["0"]
"""Sides of the battle die: three hits, and none."""


def scene(text: str) -> FiefState:
    """A position, run to its first ask."""
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{text}")
    procedure.begin(state)
    return state


def said(state: FiefState, seat: str, *answers: str) -> FiefState:
    """The position after these answers of a seat, and the defaults of all others until it is asked again."""
    for answer in answers:
        while state.waiting[0] != seat:
            procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
        procedure.play(state, seat, read(answer))
    return state


def stakes(state: FiefState, answer: str, seat: str = "a") -> list[Stake]:
    return [*FIEF.face.stakes(state, seat, read(answer))]


def counted(state: FiefState, answer: str, seat: str = "a") -> Odds:
    (stake,) = stakes(state, answer, seat)
    return odds.count(stake, seat, FIEF.rules.redeal, FIEF.rules.view, WORLDS)


def trial(stake: Stake, attack: list[list[str]], defence: list[list[str]]) -> Trial:
    """The fight by copies of these dice: mutmut runs the tests twice in a process."""
    world = FIEF.rules.decode(FIEF.rules.encode(stake.start))
    world.table.chance = Scripted("odds", {}, {"battle/attack": [*attack], "battle/defence": [*defence]})
    return stake.play(world)


def field(own: str, foe: str, *more: str) -> FiefState:
    options = [line for line in more if line.startswith("options")]
    lines = (*options, "phase: 6a", "Arthur: a blaye", f"blaye.a: {own}", "Henri: b blaye", f"blaye.b: {foe}")
    lines += tuple(line for line in more if line not in options)
    state = scene("".join(f"{line}\n" for line in lines))
    state.table.chance = Scripted("odds", {}, {"battle/attack": [MISS] * 9, "battle/defence": [MISS] * 9})
    return state


ATTACK = "attack at=blaye against=[b]"


def test_an_attack_states_both_sides_before_the_dice_and_changes_nothing() -> None:  # FF-BAT-6, FF-BAT-7
    state = field("12 maa", "1 maa", "blaye: b", "a.hand: taxes", "b.hand: taxes, uprising", "c.hand: taxes")
    before = FIEF.rules.encode(state)
    found = counted(state, ATTACK)
    assert found.fight == Fight("blaye", ("a",), ("b",), strength=13, rival=2, dice=3, rival_dice=1)
    assert (found.won, found.drawn, found.lost, found.cost_lost) == (100, 0, 0, None)
    assert found.cost_won is not None and FIEF.rules.encode(state) == before
    walled = field("12 maa", "1 maa", "blaye: b stronghold")
    assert stakes(walled, ATTACK)[0].fight == Fight("blaye", ("a",), ("b",), 13, 2, 2, 1, walls=True)
    unseen = field("12 maa", "1 maa", "options: fog_of_war")
    assert stakes(unseen, ATTACK)[0].fight == Fight("blaye", ("a",), ("b",), 13, None, 3, None)


@pytest.mark.parametrize(
    ("own", "foe", "attack", "defence", "came"),
    [
        ("3 maa", "1 maa", [HIT], [["1"]], Trial(1, 1)),
        ("3 maa", "3 maa", [MISS, HIT], [["1"], MISS], Trial(1, 1)),
        ("1 maa", "3 maa", [["1"]], [HIT], Trial(-1, 2)),
        ("1 maa", "1 maa", [["1"]], [["1"]], Trial(0, 1)),
        ("3 maa", "3 maa", [MISS] * 3, [MISS] * 3, Trial(0, 0)),
    ],
    ids=["won", "won-late", "lost", "both-gone", "blank"],
)
def test_a_battle_is_fought_to_its_end_and_costs_strength(
    own: str, foe: str, attack: list[list[str]], defence: list[list[str]], came: Trial
) -> None:  # FF-BAT-6, FF-BAT-12, FF-BAT-13
    state = field(own, foe, "blaye: b")
    (stake,) = stakes(state, ATTACK)
    assert trial(stake, attack, defence) == came


def test_who_holds_out_behind_walls_for_three_rolls_has_not_lost() -> None:  # FF-BAT-13
    """The house's bot would stop at once: nobody can be hit here."""
    (stake,) = stakes(field("1 maa", "3 maa", "blaye: b city"), ATTACK)
    assert trial(stake, [], [MISS] * 3) == Trial(0, 0)
    assert trial(stake, [], [MISS, MISS, HIT]) == Trial(-1, 2)


def test_in_a_battle_both_sides_are_told_from_who_answers_and_the_game_stops_where_it_ends() -> None:
    state = said(field("3 maa", "2 maa", "blaye: b stronghold", "Eric: c sigy"), "a", ATTACK)
    assert state.waiting == ["b"] and procedure.ask_of(state, "b").kind == "muster"
    state = said(field("7 maa", "2 maa", "blaye: b stronghold"), "a", ATTACK)
    (own,) = stakes(state, "ready", "b")
    assert own.fight == Fight("blaye", ("b",), ("a",), 3, 8, 1, 2)
    assert trial(own, [HIT], [["1"]]) == Trial(-1, 3)
    (out,) = stakes(state, "out", "b")
    assert trial(out, [HIT, HIT], [["1"]]) == Trial(-1, 3)


def test_only_answers_that_go_on_with_a_battle_are_counted() -> None:
    state = said(field("3 maa", "3 maa"), "a", ATTACK)
    assert procedure.ask_of(state, "a").kind == "battle_next"
    assert not [answer for answer in ("surrender", "truce terms=as_is", "stop") if stakes(state, answer)]
    (own,) = stakes(state, "continue")
    assert own.fight == Fight("blaye", ("a",), ("b",), 4, 4, 1, 1)
    assert trial(own, [HIT], [["1"]]) == Trial(1, 1)
    assert not stakes(field("3 maa", "3 maa"), "done")


def test_each_battle_that_a_move_may_bring_about_is_counted_where_it_leads() -> None:  # FF-BAT-2
    text = "phase: 5\nCharles: a bourg\nbourg.a: 8 maa\nHenri: b villeneuve\nvilleneuve.b: 1 maa\nvilleneuve.c: 2 maa\n"
    state = scene(text)
    found = stakes(state, "move moves=[(lords=[Charles],maa=7,to=villeneuve)]")
    assert [stake.fight for stake in found] == [
        Fight("villeneuve", ("a",), ("b",), 8, 2, 2, 1),
        Fight("villeneuve", ("a",), ("c",), 8, 2, 2, 1),
    ]
    assert trial(found[0], [HIT], [["1"]]) == Trial(1, 1)
    assert not stakes(state, "move moves=[(lords=[Charles],maa=9,to=villeneuve)]"), "so many don't stand there"
    assert not stakes(state, "move moves=[(lords=[Charles],maa=7,to=sigy)]"), "there is no road"


def test_a_battle_s_end_is_a_win_or_a_loss_or_neither() -> None:
    ends = {
        how: FIEF.face.verdict(Event("battle_over", {"village": "blaye", "how": how}), "a") for how in ("won", "lost", "truce")
    }
    assert ends == {"won": 1, "lost": -1, "truce": 0}
    assert FIEF.face.verdict(Event("battle", {"seat": "a", "village": "blaye", "against": ["b"]}), "a") is None


def test_nobody_is_let_off_once_odds_are_counted() -> None:
    """A bot that would stop at the walls, or offer a truce, fights on; cards that it plays it still plays."""
    state = said(field("1 maa", "9 maa", "blaye: b city"), "a", ATTACK)
    state = said(state, "b", "ready")
    assert procedure.ask_of(state, "a").kind == "battle_next"
    assert FIEF.bots.players["steady"](state, "a", Chance("x")).option == "stop"
    assert fights_on(state, "a", Chance("x")) == read("continue")
