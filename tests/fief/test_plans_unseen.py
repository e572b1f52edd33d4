"""What a player has planned and told nobody is forgotten when the position is re-dealt for another."""

from __future__ import annotations

import msgspec
import pytest

from engine.core import procedure
from engine.core.asks import read
from engine.core.chance import Chance
from engine.fief import FIEF
from engine.fief.rules.types import FiefState
from engine.play.cases import run_text

BESIEGED = (
    "fief: 1\nseats: a b c d\nfirst: a\nphase: 5\nCharles: a charolles\ncharolles: a stronghold engine=b/1 engine=c/1\n"
    "charolles.a: 2 maa 1 knights\ncharolles.b: 1 maa on blaye\ncharolles.c: 1 maa on blaye\n"
)
"""From inside, leave has to be asked of both besiegers."""
BARE = "move moves=[(lords=[Charles],maa=0,knights=0,to=lepervier)]"


def asking(plan: str) -> FiefState:
    """The position in which the besiegers are asked for leave."""
    state: FiefState = FIEF.rules.notation.read(BESIEGED)
    procedure.begin(state)
    procedure.play(state, "a", procedure.vet(state, "a", read(plan)))
    assert state.waiting == ["b", "c"] and state.stack[-1].step == "leave"
    return state


@pytest.mark.parametrize(
    "plan",
    [
        "move moves=[(lords=[Charles],maa=2,knights=1,to=lepervier)]",
        "move moves=[(lords=[Charles],maa=0,knights=0,to=lepervier,then=charolles)]",
        "move moves=[(lords=[Charles],maa=0,knights=0,to=lepervier,refused=stay)]",
        "move moves=[(lords=[Charles],maa=0,knights=0,to=lepervier,guest=guest)]",
        "move moves=[(lords=[Charles],maa=1,knights=0,to=lepervier),(lords=[Charles],maa=1,knights=0,to=charolles)]",
    ],
)
@pytest.mark.parametrize("reader", ["b", "c", "d", None])
def test_who_is_asked_for_leave_learns_no_plan_from_a_redeal(plan: str, reader: str | None) -> None:
    one, other = asking(BARE), asking(plan)
    assert FIEF.rules.view(one, reader) == FIEF.rules.view(other, reader)
    dealt = [msgspec.to_builtins(FIEF.rules.redeal(state, reader, Chance("guess")).stack) for state in (one, other)]
    assert dealt[0] == dealt[1]
    own = msgspec.to_builtins(FIEF.rules.redeal(other, "a", Chance("guess")).stack)
    assert own == msgspec.to_builtins(other.stack) != msgspec.to_builtins(one.stack)


def test_a_redealt_march_goes_on_once_leave_is_given() -> None:
    dealt = FIEF.rules.redeal(
        asking("move moves=[(lords=[Charles],maa=2,knights=1,to=lepervier,then=charolles)]"), "b", Chance("guess")
    )
    for seat in ("b", "c"):
        procedure.play(dealt, seat, read("yes"))
    assert dealt.table.lords["Charles"].at == "lepervier"


KILLED = """case: FF-DTH-3
game: fief
rules: FF-DTH-3, FF-MOV-14
shows: a Lord is killed while his group waits for leave
given
  seats: a b c d
  phase: 5
  first: a
  Charles: a blaye fief=mazilles
  Arthur: a blaye
  Thierry: a tournus
  blaye.a: 2 maa
  charolles: b
  charolles.b: 3 maa
  Henri: c sigy
  c.hand: assassination
  chance assassination: 0
moves
  a: move moves=[(lords=[Charles,Arthur],maa=2,to=charolles,then=lepervier)]
  offer c assassination: play lord=Charles sponsor=Henri
expect
  asked: a heir
"""


def test_a_march_that_has_lost_a_lord_is_redealt_for_everybody() -> None:  # FF-ASY-2, FF-DTH-3
    dealt = []

    def watch(line: str, state: FiefState, *_: object) -> None:
        for reader in (*state.table.seats, None):
            FIEF.rules.view(state, reader)
            dealt.append((line.partition(":")[0], FIEF.rules.redeal(state, reader, Chance("guess")).waiting))

    assert run_text(KILLED, watch=watch) == []
    assert dealt[-5:] == [("offer c assassination", ["a"])] * 5
