"""A list of purchases is judged line by line on a copy of what it would change."""

from __future__ import annotations

import pytest

from engine.core import procedure
from engine.core.asks import Answer, NotLegal, PickOne, Row, are_rows, read
from engine.core.cloning import clone
from engine.fief import FIEF
from engine.fief.rules.purchase import HAT, buy, judge
from engine.fief.rules.realm.placing import Placing
from engine.fief.rules.realm.table import Table
from engine.fief.rules.stall import WARES, Stall
from engine.fief.rules.types import FiefState
from tests.tables import questions


def scene(text: str) -> FiefState:
    """A position, run to its first ask."""
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{text}")
    procedure.begin(state)
    return state


MARKET = (
    "phase: 4b\nCharles: a mazilles\nHenri: a bourg bishop=5\nmazilles: a stronghold\nmazilles.a: 1 maa\n"
    "st_andromy.a: 1 maa\nbourg: a\nbourg.a: 1 maa\na.deniers: 40\n"
)
ALL = (
    "(what=maa,at=mazilles,n=1),(what=mill,at=mazilles),(what=title,at=mazilles,lord=Charles),(what=cardinal,lord=Henri),"
    "(what=stronghold,at=bourg),(what=knight,at=bourg,n=1)"
)


@pytest.mark.parametrize(
    "more", ["", ",(what=title,at=mazilles,lord=Charles)", ",(what=mill,at=mazilles),(what=mill,at=mazilles)"]
)
def test_a_list_is_judged_as_its_lines_leave_the_table_which_stays_as_it_is(more: str) -> None:  # FF-PUR-1
    state = scene(MARKET)
    answer, before = read(f"buy items=[{ALL}{more}]"), FIEF.rules.encode(state)
    if more:
        with pytest.raises(NotLegal, match=r"^Line [78]: "):
            procedure.vet(state, "a", answer)
    else:
        procedure.vet(state, "a", answer)
    assert FIEF.rules.encode(state) == before and not state.table.news
    if not more:
        procedure.play(state, "a", answer)
        table = state.table
        assert table.villages["mazilles"].walls == "city" and table.lords["Charles"].fiefs == ("mazilles",)
        assert table.lords["Henri"].cardinal == "sale" and table.villages["bourg"].walls == "stronghold"


def bought(state: FiefState, rows: list[Row]) -> Table:
    """The table once these rows are bought."""
    table = clone(state.table)
    for row in rows:
        buy(table, "a", Answer("", {**row}))
    return table


def possible(table: Table, row: dict[str, str]) -> bool:
    """Whether the rules let it be bought."""
    try:
        judge(table, table.buying or "a", Answer("", {**row}))
    except NotLegal:
        return False
    return True


def test_the_board_lights_where_a_thing_can_be_placed_and_nothing_else() -> None:  # FF-PUR-2, FF-PUR-4, FF-FTL-1, FF-CAR-2
    market = scene(MARKET)
    rows = read(f"buy items=[{ALL}]").values["items"]
    assert isinstance(rows, list) and are_rows(rows)
    shown = [(market, "a", rows[:n]) for n in range(len(rows))]
    shown += [(found.state, found.seat, []) for found in (questions("fief", n)["purchase"] for n in (3, 6))]
    besieged = "phase: 4b\nArthur: b bourg on=villeneuve\nbourg.b: 2 maa on villeneuve\nbourg: a stronghold engine=b/1\n"
    shown.append((scene(f"{besieged}Charles: a bourg\nsigy: a mills=2\nmarcamps: a\na.deniers: 12\n"), "a", []))
    milled = scene(MARKET.replace("mazilles: a stronghold", "mazilles: a stronghold mills=1"))
    shown += [(milled, "a", [{"what": "mill", "at": at}]) for at in ("bourg", "mazilles")]
    most = market.table.limits["new_troops_per_village"]
    shown += [(market, "a", [{"what": what, "at": "mazilles", "n": most - 1}]) for what in ("maa", "knight")]
    shown += [(market, "a", [{"what": what, "at": "mazilles", "n": most}]) for what in ("maa", "knight")]
    for state, seat, before in shown:
        table = bought(state, before) if before else state.table
        stall = Stall(FIEF.rules.view(state, seat), seat, before)
        lords = [p.id for p in table.with_room(seat)]
        for ware in WARES:
            lit = {at for at in table.villages if possible(table, {"what": ware, "at": at, "lord": lords[0] if lords else ""})}
            assert {*stall.places[ware]} == lit, (ware, before)
        assert {*stall.lords[HAT]} >= {id for id in table.lords if possible(table, {"what": HAT, "lord": id})}
        assert stall.left == table.families[seat].deniers


def test_titles_and_hats_alone_are_judged_on_a_copy_as_well() -> None:  # FF-PUR-1, FF-FTL-1
    state = scene(MARKET)
    before = FIEF.rules.encode(state)
    procedure.vet(state, "a", read("buy items=[(what=title,at=mazilles,lord=Charles),(what=cardinal,lord=Henri)]"))
    assert FIEF.rules.encode(state) == before and state.table.lords["Charles"].fiefs == ()


def test_a_village_or_lord_is_taken_for_the_wares_that_can_be_had_there() -> None:  # FF-PUR-1
    stall = Stall(FIEF.rules.view(scene(MARKET), "a"), "a", [])
    for code, wares in (("mazilles", {"maa", "mill", "title"}), ("Henri", {HAT}), ("tournus", set())):
        assert wares <= {ware for ware in (*WARES, HAT) if stall.takes(code, ware)}
        assert stall.takes(code, "") == bool(wares)
    assert not stall.takes("mazilles", HAT) and not stall.takes("Henri", "mill")


def test_the_full_ransom_of_d_arc_is_paid_without_asking_her_captor() -> None:  # FF-RAN-4, FF-AMB-12
    state = scene(
        "rulings: FF-AMB-12=title\nphase: 4b\nfirst: a\nCharles: a mazilles\nMireille: a bourg d_arc captor=b\n"
        "bourg.b: 1 maa\na.deniers: 9\n"
    )
    procedure.play(state, "a", read("ransom captive=Mireille sum=4"))
    assert not state.table.lords["Mireille"].captor and state.table.families["a"].deniers == 5


def test_of_freed_lords_whom_no_village_takes_the_first_stays() -> None:  # FF-RAN-5
    table = scene("phase: 4b\nfirst: a\nCharles: a mazilles\nHenri: a bourg\n").table
    table.villages["mazilles"].order = ("b",)
    placing = Placing(lords=["Charles", "Henri"])
    assert placing.stay(table) == "begin" and placing.lords == ["Henri"]
    assert [v.order for v in table.villages.values() if v.id == "mazilles"] == [("b", "a")]


def test_titles_of_each_lord_who_has_two_can_be_moved_but_the_largest() -> None:  # FF-FTL-6
    state = scene(
        "phase: 4b\nfirst: a\nCharles: a mazilles fief=tournus fief=blaye\nHenri: a bourg fief=sigy fief=bourg\n"
        "Othon: a bourg\n"
    )
    move = procedure.ask_of(state, "a").option("move_title")
    assert [{c.id for c in field.choices} for field in move.fields if isinstance(field, PickOne)] == [
        {"tournus", "sigy"},
        {"Othon"},
    ]
