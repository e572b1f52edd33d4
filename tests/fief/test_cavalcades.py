"""A Cavalcade that rides on: what its question says, what is told of its Move, and how its riders stand then."""

from __future__ import annotations

from engine.core import procedure
from engine.core.asks import Answer, read
from engine.core.views import Event
from engine.fief import FIEF
from engine.fief.rules.realm.table import RIDE, Group
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.battle import _remove
from engine.fief.rules.war.cavalcade import Cavalcade
from engine.fief.rules.war.forces import Side
from engine.play.match import check_offer, run_offer

SCENE = "phase: 5\n{more}Henri: c charolles\ncharolles: c\n"
RIDES = "{lord}: a blaye{words}\nblaye.a: 2 knights\n"
CHARGE = "move moves=[(lords=[{lord}],knights=2,to=charolles,then=lepervier,refused=charge)]"


def charged(lord: str = "Charles", words: str = "", more: str = "") -> tuple[FiefState, list[Event]]:
    """Riders who have taken Henri at Charolles, and are asked where they ride on to."""
    state = FIEF.rules.notation.read("fief: 1\nseats: a b c\n" + SCENE.format(more=more + RIDES.format(lord=lord, words=words)))
    procedure.begin(state)
    return state, procedure.play(state, "a", read(CHARGE.format(lord=lord)))


def test_the_question_names_the_place_the_roads_and_each_captive() -> None:  # FF-CAV-7, FF-CAV-9
    state, _ = charged()
    ask = procedure.ask_of(state, "a")
    assert (ask.seat, ask.kind, ask.rule, dict(ask.about)) == ("a", "ride_on", "D-CAV-2", {"at": "charolles"})
    assert ask.default == Answer("ride", {"to": "lepervier"}), "where it wanted to go, with the captive"
    assert [f.name for f in ask.options[0].fields] == ["to", "stay", "left", "freed"]
    before, _ = charged(more="rulings: FF-CAV-9=stands\n")
    assert [f.name for f in procedure.ask_of(before, "a").options[0].fields] == ["to", "stay"]


def test_the_ride_is_told_with_all_who_make_it() -> None:  # FF-CAV-7, FF-CAV-9
    state, _ = charged()
    news = procedure.play(state, "a", read("ride to=lepervier stay=1"))
    (told,) = [event for event in news if event.kind == "moved"]
    assert told.facts == {
        "seat": "a",
        "lords": ["Charles"],
        "n": 1,
        "captives": ["Henri"],
        "at": "charolles",
        "to": "lepervier",
    }
    table = state.table
    assert table.lords["Henri"].escort == () and table.lords["Henri"].moves == 0, "the phase is over"
    assert table.troops("a", "charolles") == (0, 1) and table.villages["charolles"].controller == "a"


def test_riders_have_made_their_moves_and_are_no_longer_who_stood_there() -> None:  # FF-CAV-3, FF-MOV-4, FF-CTL-4
    state, _ = charged(words=" unbarred", more="Eric: a sigy\n")
    procedure.play(state, "a", read("ride to=lepervier"))
    charles, henri = state.table.lords["Charles"], state.table.lords["Henri"]
    (riders,) = state.table.villages["lepervier"].troops["a"]
    assert (charles.moves, charles.unbarred, charles.company, riders.moves) == (2, False, False, 2)
    assert "a" not in state.table.villages["charolles"].troops
    assert (henri.moves, henri.escort, henri.company, henri.captor) == (1, ("Charles",), False, "a")


def test_with_d_arc_all_who_ride_keep_her_company() -> None:  # FF-MOV-4, FF-DAR-2
    state, _ = charged("Mireille", " d_arc")
    procedure.play(state, "a", read("ride to=lepervier"))
    assert all(state.table.lords[id].company for id in ("Mireille", "Henri"))
    procedure.play(state, "a", read("move moves=[(lords=[Mireille],captives=[Henri],knights=2,to=sennecy)]"))
    assert state.table.lords["Henri"].at == "sennecy" and state.table.troops("a", "sennecy") == (0, 2)


def test_where_the_wanted_road_is_not_open_another_is_the_default() -> None:  # FF-CAV-7, FF-DIS-3
    state, _ = charged()
    frame = state.stack[-1]
    assert isinstance(frame, Cavalcade)
    frame.to = "bourg"
    roads = state.table.roads("charolles")
    assert procedure.ask_of(state, "a").default == Answer("ride", {"to": roads[0]})


def test_riders_who_are_killed_while_they_are_asked_ride_no_further() -> None:  # FF-CAV-7, FF-ASY-10
    state, _ = charged(words=" assassin", more="Othon: b sigy king fief=sigy\nb.hand: justice\n")
    assert procedure.ask_of(state, "a").kind == "ride_on"
    run_offer(FIEF, state, "b", "justice", check_offer(FIEF, state, "b", "justice", read("play lord=Charles")))
    table = state.table
    assert "Charles" not in table.lords and [type(p).__name__ for p in state.stack] == ["Round", "Movement"]
    assert table.troops("a", "charolles") == (0, 2) and table.villages["charolles"].controller == "a"


def test_knights_that_stay_to_hold_the_village_move_no_more_in_this_phase() -> None:  # FF-CAV-7, FF-MOV-4
    state, _ = charged(more="Eric: a sigy\n")
    procedure.play(state, "a", read("ride to=lepervier stay=1"))
    (left,) = state.table.villages["charolles"].troops["a"]
    assert (left.knights, left.road, left.halted, left.moves, left.exposed) == (1, "", True, 1, ())


def test_knights_that_stay_where_another_rules_stand_on_the_road_by_which_they_came() -> None:  # FF-CAV-7, FF-MOV-6
    state, _ = charged(more="Eric: a sigy\nOthon: b charolles on=villeneuve\n")
    procedure.play(state, "a", read("ride to=lepervier stay=1"))
    village = state.table.villages["charolles"]
    assert village.controller == "b" and [(g.knights, g.road) for g in village.troops["a"]] == [(1, "blaye")]


def test_fallen_riders_leave_no_empty_group() -> None:  # FF-CAV-1, FF-CAV-5
    table = charged()[0].table
    table.villages["blaye"].troops["a"] = [Group(maa=1), Group(RIDE, knights=2)]
    _remove(table, Side("blaye", ["a"], True), "a", 0, 2)
    assert table.villages["blaye"].troops["a"] == [Group(maa=1)]
