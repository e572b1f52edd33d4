"""A list of purchases is judged line by line on a copy of what it would change."""

from __future__ import annotations

import pytest

from engine import procedure
from engine.asks import NotLegal, read
from engine.fief import FIEF
from engine.fief.types import FiefState


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
