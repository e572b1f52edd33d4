"""Movement of Fief: what is told of each Move, what its questions say, and which Troops a group is made of."""

from __future__ import annotations

import pytest

from engine.core import procedure
from engine.core.asks import Answer, NotLegal, Refused, read
from engine.core.views import Event
from engine.fief.rules.realm.control import absent_lord
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.marching import led, stand
from engine.fief.rules.war.movement import Movement, Order, check_group
from engine.games import game_called
from engine.language.words import say
from engine.play.cases import Scripted

FIEF = game_called("fief")
HELD = "phase: 5\nArthur: a blaye\nblaye.a: 1 maa 2 knights\ncharolles: b\ncharolles.b: 1 maa\n"


def scene(text: str) -> FiefState:
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{text}")
    procedure.begin(state)
    return state


def facts(news: list[Event], kind: str) -> list[dict[str, object]]:
    return [dict(event.facts) for event in news if event.kind == kind]


def test_a_move_is_told_with_who_goes_from_where_to_where_with_how_many() -> None:  # FF-MOV-2, FF-MOV-15
    state = scene("phase: 5\nArthur: a blaye\nHenri: b blaye captor=a\nblaye.a: 3 maa 2 knights\n")
    news = procedure.play(state, "a", read("move moves=[(lords=[Arthur],maa=2,knights=1,captives=[Henri],to=charolles)]"))
    (moved,) = facts(news, "moved")
    assert moved == {"seat": "a", "lords": ["Arthur"], "n": 3, "captives": ["Henri"], "at": "blaye", "to": "charolles"}


@pytest.mark.parametrize(("word", "kind"), [("yes", "leave_given"), ("no", "leave_refused")])
def test_an_answer_about_leave_is_told_with_the_village(word: str, kind: str) -> None:  # FF-MOV-7, FF-MOV-14
    state = scene(HELD)
    procedure.play(state, "a", read("move moves=[(lords=[Arthur],knights=2,to=charolles,then=lepervier,refused=stay)]"))
    ask = procedure.ask_of(state, "b")
    assert (ask.kind, ask.rule, ask.default.option) == ("leave", "D-MOV-2", "no")
    assert dict(ask.about) == {"seat": "a", "lords": ["Arthur"], "at": "charolles", "to": "lepervier"}
    news = procedure.play(state, "b", read(word))
    assert facts(news, kind) == [{"seat": "b", "to": "a", "village": "charolles"}]
    dropped = facts(news, "order_dropped")
    assert dropped == ([] if word == "yes" else [{"seat": "a", "lords": ["Arthur"]}])


def test_a_refused_group_is_asked_what_now_and_can_go_back_or_ride() -> None:  # FF-MOV-8, FF-CAV-2
    state = scene(HELD)
    procedure.play(state, "a", read("move moves=[(lords=[Arthur],knights=2,to=charolles,then=lepervier)]"))
    procedure.play(state, "b", read("no"))
    ask = procedure.ask_of(state, "a")
    assert (ask.seat, ask.kind, ask.rule) == ("a", "refused", "D-MOV-3")
    assert dict(ask.about) == {"by": ["b"], "at": "charolles", "to": "lepervier", "lords": ["Arthur"]}
    assert [o.id for o in ask.options] == ["back", "stay", "ride"] and ask.default == Answer("back")
    other = scene(f"{HELD}Henri: a charolles on=blaye moves=1\ncharolles.a: 1 maa on blaye moves 1 with Henri\n")
    procedure.play(other, "a", read("move moves=[(lords=[Arthur],knights=2,to=charolles,then=lepervier)]"))
    procedure.play(other, "b", read("no"))
    assert "ride" in [o.id for o in procedure.ask_of(other, "a").options], "Henri's Men-at-Arms are not with him"
    procedure.play(state, "a", read("back"))
    assert state.table.lords["Arthur"].at == "blaye" and state.table.troops("a", "blaye") == (1, 2)


def test_a_cavalcade_that_was_ordered_for_a_refusal_is_fought_then() -> None:  # FF-MOV-14, FF-CAV-2
    state = scene(HELD)
    order = "move moves=[(lords=[Arthur],knights=2,to=charolles,then=lepervier,refused=ride)]"
    assert not facts(procedure.play(state, "a", read(order)), "cavalcade"), "leave is asked for first"
    news = procedure.play(state, "b", read("no"))
    assert facts(news, "cavalcade") == [{"seat": "a", "village": "charolles", "against": ["b"]}]
    given = scene(HELD)
    procedure.play(given, "a", read(order))
    assert not facts(procedure.play(given, "b", read("yes")), "cavalcade") and given.table.lords["Arthur"].at == "lepervier"


def test_who_has_no_road_back_is_not_asked_without_another_way() -> None:  # FF-MOV-6, FF-MOV-8
    text = "phase: 5\nArthur: a charolles on=open\ncharolles: b\ncharolles.b: 1 maa\n"
    state = scene(text)
    procedure.play(state, "a", read("move moves=[(lords=[Arthur],to=blaye)]"))
    procedure.play(state, "b", read("no"))
    assert procedure.ask_of(state, "a").kind == "movement"
    slips = scene(text + "a.hand: secret_passage\n")
    procedure.play(slips, "a", read("move moves=[(lords=[Arthur],to=blaye)]"))
    procedure.play(slips, "b", read("no"))
    ask = procedure.ask_of(slips, "a")
    assert [o.id for o in ask.options] == ["stay", "slip"]
    news = procedure.play(slips, "a", read("slip"))
    assert facts(news, "passage") == [{"seat": "a", "use": "move", "lords": ["Arthur"]}]
    assert slips.table.lords["Arthur"].at == "blaye"


def test_a_road_that_is_not_there_is_told_with_those_that_are() -> None:  # FF-MOV-2
    state = scene(HELD)
    with pytest.raises((Refused, NotLegal), match="Charolles"):
        procedure.vet(state, "a", read("move moves=[(lords=[Arthur],to=charolles,then=bourg)]"))


def test_troops_are_led_in_the_order_in_which_they_need_the_least_leave() -> None:  # FF-MOV-3, FF-MOV-7, FF-CTL-4
    text = (
        "phase: 5\nArthur: a charolles on=lepervier\ncharolles: b\ncharolles.b: 1 maa\n"
        "charolles.a: 1 maa on villeneuve, 1 maa on open unbarred, 1 maa on lepervier, 1 maa on blaye\n"
    )
    table = scene(text).table
    for to, roads in (
        ("blaye", ["blaye", "open", "lepervier", "villeneuve"]),
        ("lepervier", ["lepervier", "open", "villeneuve", "blaye"]),
        ("villeneuve", ["villeneuve", "open", "lepervier", "blaye"]),
    ):
        assert [g.road for g, _, _ in led(table, "a", ["Arthur"], 4, 0, to)] == roads
        assert [g.road for g, _, _ in led(table, "a", ["Arthur"], 2, 0, to)] == roads[:2]
    before = scene("rulings: FF-MOV-3=road\n" + text).table
    assert [g.road for g, _, _ in led(before, "a", ["Arthur"], 4, 0, "blaye")] == ["lepervier"]


@pytest.mark.parametrize("ruling", ["army", "road"])
def test_those_who_were_brought_go_on_before_those_who_stood_there(ruling: str) -> None:  # FF-MOV-3, FF-MOV-11
    state = scene(f"rulings: FF-MOV-3={ruling}\nphase: 5\nArthur: a blaye\nblaye.a: 2 maa\ncharolles: a\ncharolles.a: 2 maa\n")
    procedure.play(state, "a", read("move moves=[(lords=[Arthur],maa=2,to=charolles)]"))
    groups = led(state.table, "a", ["Arthur"], 3, 0, "lepervier")
    assert [(g.moves, maa) for g, maa, _ in groups] == [(1, 2), (0, 1)]


def test_a_captive_is_led_on_by_nobody_but_who_was_with_him_all_the_way() -> None:  # FF-MOV-4
    state = scene("phase: 5\nArthur: a blaye\nEric: a blaye\nHenri: b blaye captor=a\nCharles: a sigy\n")
    procedure.play(state, "a", read("move moves=[(lords=[Arthur,Eric],captives=[Henri],to=charolles)]"))
    assert list(state.table.lords["Henri"].escort) == ["Arthur", "Eric"]
    procedure.play(state, "a", read("move moves=[(lords=[Arthur],captives=[Henri],to=lepervier)]"))
    assert list(state.table.lords["Henri"].escort) == ["Arthur"] and state.table.lords["Henri"].moves == 2


def test_in_an_absent_title_holder_s_city_one_is_a_guest_on_the_road_or_takes_control_inside() -> None:  # FF-CTL-7, FF-MOV-6
    text = "fief: 1\nseats: a b c\nphase: 5\nHenri: b bourg fief=mazilles\nmazilles: b city\n"
    for guest, road in (("guest", "belleville"), ("", ""), ("control", "")):
        table = FIEF.rules.notation.read(text).table
        assert absent_lord(table, "mazilles") == "b"
        assert stand(table, "a", "belleville", "mazilles", guest) == road
        assert ("a" in table.villages["mazilles"].guests) == (road != "")


def test_a_group_needs_a_lord_of_its_own_who_is_free() -> None:  # FF-MOV-1, FF-MOV-2
    table = scene(HELD + "Henri: a blaye captor=b\nblaye.b: 1 maa on charolles\n").table
    for lords, said in (([], say("fief.no_leader")), (["Henri"], say("fief.no_free_lord", lord="Henri"))):
        with pytest.raises(NotLegal) as refused:
            check_group(table, "a", Order(lords, ["charolles"]))
        assert refused.value.said == said


def test_who_has_refused_leave_in_a_village_is_not_asked_again() -> None:  # FF-MOV-14
    state = scene(f"{HELD}Henri: a charolles on=blaye\n")
    procedure.play(state, "a", read("move moves=[(lords=[Arthur],knights=2,to=charolles,then=lepervier,refused=stay)]"))
    procedure.play(state, "b", read("no"))
    procedure.play(state, "a", read("move moves=[(lords=[Henri],to=lepervier)]"))
    assert state.waiting == ["a"] and procedure.ask_of(state, "a").kind == "refused"


PLAGUE = "weather: plague 2\nArthur: a lepervier\nlepervier.a: 2 maa\n"
RIDE = "Arthur: a la_salle on=beaujeu\nla_salle: b\nla_salle.a: 2 knights on beaujeu\nla_salle.b: 1 maa on sennecy\n"
HOST = "Arthur: a charolles\ncharolles: b\ncharolles.b: 1 maa\n"


@pytest.mark.parametrize(
    ("text", "moves", "gone", "asked"),
    [
        (PLAGUE, "(lords=[Arthur],maa=2,to=chateauneuf)", "", "a"),
        (RIDE, "(lords=[Arthur],knights=2,to=sennecy,refused=charge)", "", "a"),
        (HOST, "(lords=[Arthur],to=blaye),(lords=[Othon],to=villeneuve)", "Othon", "a"),
        (HOST, "(lords=[Arthur],to=blaye),(lords=[Othon],to=villeneuve)", "", "b"),
    ],
    ids=["the plague takes all", "it comes to a Cavalcade", "a Lord is gone", "all is carried out"],
)
def test_a_list_ends_the_turn_if_all_of_it_is_carried_out(text: str, moves: str, gone: str, asked: str) -> None:  # FF-MOV-15
    state = scene(f"phase: 5\nfirst: a\n{text}Henri: a sigy\nOthon: a bourg\nEric: b tournus\n")
    state.table.chance = Scripted("marches", {}, {"plague": [["0"]]})
    procedure.play(state, "a", read(f"move moves=[{moves}] after=end"))
    if gone:
        del state.table.lords[gone]
    while procedure.ask_of(state, state.waiting[0]).kind != "movement":
        ask = procedure.ask_of(state, state.waiting[0])
        procedure.play(state, ask.seat, read("yes") if ask.kind == "leave" else ask.default)
    assert state.waiting == [asked]


@pytest.mark.parametrize("answers", [("b: yes",), ("b: no", "a: stay")], ids=["leave is asked", "it is refused"])
def test_a_lord_who_is_struck_while_leave_is_asked_goes_nowhere(answers: tuple[str, ...]) -> None:  # FF-MOV-7
    state = scene(f"phase: 5\nfirst: a\n{HOST}Henri: a sigy\na.hand: taxes\n")
    procedure.play(state, "a", read("move moves=[(lords=[Arthur],to=blaye)]"))
    for line in answers[:-1]:
        procedure.play(state, line[0], read(line[3:]))
    state.table.lords["Arthur"].captor = "b"
    news = procedure.play(state, answers[-1][0], read(answers[-1][3:]))
    assert not facts(news, "moved") and facts(news, "order_dropped") == [{"seat": "a", "lords": ["Arthur"]}]
    assert state.waiting == ["a"] and procedure.ask_of(state, "a").kind == "movement"


def test_who_is_asked_for_leave_sees_the_troops_of_two_lords_once() -> None:  # FF-INF-4
    state = scene(f"phase: 5\nfirst: a\n{HOST}Henri: a charolles\ncharolles.a: 3 maa 1 knights\n")
    procedure.play(state, "a", read("move moves=[(lords=[Arthur,Henri],maa=2,to=blaye)]"))
    movement = state.stack[-1]
    assert isinstance(movement, Movement) and state.waiting == ["b"]
    assert movement.known_orders(state.table, "b") == [Order(["Arthur", "Henri"], ["blaye"], 3, 1)]
