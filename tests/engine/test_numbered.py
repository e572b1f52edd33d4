"""Standing orders from before forms had rows: what was kept in a database then is read, and means what it meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import orders
from engine.asks import read, write
from engine.game import Game
from engine.mastery import MASTERY
from engine.numbered import gathered, numbers
from engine.ortus import ORTUS
from engine.ortus.orders.politics import CLASSES

OLD = {
    ("ortus", "SO-03"): "on first=hand " + " ".join(f"limit_{c}=h2l0" for c in CLASSES),
    ("ortus", "SO-04"): "on first=lords limit_hand=h6l1 limit_armies=h0l0",
    (
        "ortus",
        "SO-05",
    ): "on when_1=would_lose forces_1=just_enough when_2=would_fall forces_2=everything what_3=raid forces_4=none",
    ("ortus", "SO-12"): "raid aim_1=raid which_1=weakest aim_2=siege earl_2=any which_2=weakest",
    ("ortus", "SO-13"): "on opt_out=anchor tilt=list tilter_1=hand_Champion tilter_3=hand_Vassal last_anchor=never",
    ("ortus", "SO-14"): "on turn_1=place_Church turn_4=end",
    ("ortus", "SO-08"): "on as_attacker=AW",
    ("mastery", "STO-1-crown"): "rules aimed_1=yes plan_1=use otherwise=pass",
    ("mastery", "STO-1-orb"): "rules role_1=attacker plan_1=ask points_2=p3 plan_2=use otherwise=pass",
    ("mastery", "STO-5-tile"): "list card_2=Conflict2 card_4=Ambush",
    ("mastery", "STO-8"): "on deed_1=march slot_1=B1 knights_1=k2 stops_1=[vacant] deed_3=call branch_3=skip",
    ("mastery", "STO-8+"): "on deed_1=march slot_1=B1 deed_3=call deed_4=end at=3 then=4 was=B1",
    ("mastery", "STO-3"): "on attacker=ask defender=min",
}
NEW = {
    ("ortus", "SO-03"): "on first=hand limits=[(of=any,vassals=2,lords=0)]",
    ("ortus", "SO-04"): "on first=lords limits=[(of=hand,vassals=6,lords=1),(of=armies,vassals=0,lords=0)]",
    ("ortus", "SO-05"): "on rules=[(when=would_lose,forces=just_enough),(when=would_fall,forces=everything),(forces=none)]",
    ("ortus", "SO-12"): "raid attacks=[(aim=raid,which=weakest),(aim=siege,earl=any,which=weakest)]",
    ("ortus", "SO-13"): "on opt_out=anchor tilt=list tilters=[(tilter=hand_Champion),(tilter=hand_Vassal)] last_anchor=never",
    ("ortus", "SO-14"): "on turns=[(turn=place_Church),(turn=end)]",
    ("ortus", "SO-08"): "on as_attacker=AW",
    ("mastery", "STO-1-crown"): "rules rules=[(aimed=yes,plan=use)] otherwise=pass",
    ("mastery", "STO-1-orb"): "rules rules=[(role=attacker,plan=ask),(points=p3,plan=use)] otherwise=pass",
    ("mastery", "STO-5-tile"): "list cards=[(card=Conflict2),(card=Ambush)]",
    ("mastery", "STO-8"): "on steps=[(deed=march,slot=B1,knights=k2,stops=[vacant]),(deed=call,branch=skip)]",
    ("mastery", "STO-8+"): "on steps=[(deed=march,slot=B1),(deed=call),(deed=end)] at=2 then=4 was=B1",
    ("mastery", "STO-3"): "on attacker=ask defender=min",
}
GAMES = {"ortus": ORTUS, "mastery": MASTERY}


@pytest.mark.parametrize(("name", "id"), OLD)
def test_a_setting_is_read_as_it_would_be_written_today(name: str, id: str) -> None:
    assert orders.settings(GAMES[name], {id: OLD[name, id]}) == {id: read(NEW[name, id])}
    assert orders.settings(GAMES[name], {id: NEW[name, id]}) == {id: read(NEW[name, id])}


@pytest.mark.parametrize("game", [*GAMES.values()], ids=[*GAMES])
def test_what_is_offered_today_is_written_as_today(game: Game) -> None:
    for id, text in orders.preset(game).items():
        assert game.orders.renewed(id, read(text)) == read(text)


def test_a_row_of_an_older_answer_needs_what_it_could_not_do_without() -> None:
    older = read("on a_1=x b_2=y a_3=z c_1=w a=v")
    assert numbers(older, "a") == [1, 3] and numbers(older, "d") == []
    assert write(gathered(older, "rows", ("a", "b"), "a")) == "on rows=[(a=x),(a=z)] c_1=w a=v"
    assert gathered(read("on c_1=w"), "rows", ("a", "b"), "a") == read("on c_1=w")
    today = read("on a_1=[(b=x),(b=y)]")
    assert gathered(today, "rows", ("a", "b"), "a") == today, "rows are never gathered into rows"


ROW = st.fixed_dictionaries({"a": st.sampled_from("xyz")}, optional={"b": st.integers(0, 9), "c": st.just(["p", "q"])})


@given(st.lists(ROW, min_size=1, max_size=9))
def test_what_was_numbered_comes_back_as_the_same_rows(rows: list[dict[str, str | int | list[str]]]) -> None:
    text = " ".join(
        f"{name}_{n}={'[p,q]' if name == 'c' else value}" for n, row in enumerate(rows, 1) for name, value in row.items()
    )
    assert gathered(read("on " + text), "rows", ("a", "b", "c"), "a").values == {"rows": rows}
