"""What lasts a round is over at its end, and what lasts a phase when the phase begins again."""

from __future__ import annotations

from engine.core import procedure
from engine.core.asks import read
from engine.fief import FIEF
from engine.fief.rules.court.ransom import Ransoms
from engine.fief.rules.types import FiefState


def scene(text: str) -> FiefState:
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: a b c\n{text}")
    procedure.begin(state)
    return state


def test_exposure_prayers_leave_and_consents_end_with_the_round() -> None:  # FF-DIS-6, FF-OPT-7, FF-MOV-14, FF-DIP-9
    army = "Arthur: a tournus exposed=2\ntournus.a: 1 maa exposed 2, 2 knights\n"
    state = scene(f"phase: cp3\nround: 2\n{army}weather: plague 2\n")
    table = state.table
    table.prayed = ["eyes/blaye"]
    table.grants, table.bound = [("a", "b", "tournus")], [("a", "b", "tournus")]
    table.consents = [("a", "b", "Othon")]
    for seat in "abc":
        procedure.play(state, seat, read("pass"))
    assert table.round == 3 and table.lords["Arthur"].exposed == ()
    (group,) = table.villages["tournus"].troops["a"]
    assert (group.maa, group.knights, group.exposed) == (1, 2, ()), "one army again"
    assert (table.prayed, table.grants, table.bound, table.consents) == ([], [], [], [])


def test_a_ransom_by_exchange_counts_in_its_phase_alone() -> None:  # FF-RAN-2, FF-AMB-42
    table = scene("phase: 4b\na.deniers: 6\n").table
    table.ransoms = {"a": 4}
    ransoms = Ransoms()
    ransoms.begin(table)
    assert table.ransoms == {} and ransoms._rest(table, "a") == 6
