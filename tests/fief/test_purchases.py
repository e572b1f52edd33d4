"""A list of purchases is judged line by line on a copy of what it would change."""

from __future__ import annotations

import pytest

from engine import procedure
from engine.asks import Answer, NotLegal, Row, are_rows, read
from engine.cloning import clone
from engine.fief import FIEF
from engine.fief.purchase import HAT, buy, judge
from engine.fief.stall import WARES, Stall
from engine.fief.table import Table
from engine.fief.types import FiefState
from tests.tables import questions


def scene(text: str) -> FiefState:
    """A position, run to its first ask."""
    state: FiefState = FIEF.read_position(f"fief: 1\nseats: a b c\n{text}")
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
    answer, before = read(f"buy items=[{ALL}{more}]"), FIEF.encode(state)
    if more:
        with pytest.raises(NotLegal, match=r"Row [78] of “items”"):
            procedure.vet(state, "a", answer)
    else:
        procedure.vet(state, "a", answer)
    assert FIEF.encode(state) == before and not state.table.news
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
    for state, seat, before in shown:
        table = bought(state, before) if before else state.table
        stall = Stall(FIEF.view(state, seat), seat, before)
        lords = [p.id for p in table.with_room(seat)]
        for ware in WARES:
            lit = {at for at in table.villages if possible(table, {"what": ware, "at": at, "lord": lords[0] if lords else ""})}
            assert {*stall.places[ware]} == lit, (ware, before)
        assert {*stall.lords[HAT]} >= {id for id in table.lords if possible(table, {"what": HAT, "lord": id})}
        assert stall.left == table.families[seat].deniers


def test_titles_and_hats_alone_are_judged_on_a_copy_as_well() -> None:  # FF-PUR-1, FF-FTL-1
    state = scene(MARKET)
    before = FIEF.encode(state)
    procedure.vet(state, "a", read("buy items=[(what=title,at=mazilles,lord=Charles),(what=cardinal,lord=Henri)]"))
    assert FIEF.encode(state) == before and state.table.lords["Charles"].fiefs == ()


def test_a_village_or_lord_is_taken_for_the_wares_that_can_be_had_there() -> None:  # FF-PUR-1
    stall = Stall(FIEF.view(scene(MARKET), "a"), "a", [])
    for code, wares in (("mazilles", {"maa", "mill", "title"}), ("Henri", {HAT}), ("tournus", set())):
        assert wares <= {ware for ware in (*WARES, HAT) if stall.takes(code, ware)}
        assert stall.takes(code, "") == bool(wares)
    assert not stall.takes("mazilles", HAT) and not stall.takes("Henri", "mill")
