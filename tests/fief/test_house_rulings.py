"""The house rulings of Fief: each of them in whole games, and what those who have not chosen play by."""

from __future__ import annotations

import pytest

from engine.core import rulings
from engine.fief import FIEF, conserved
from engine.fief.orders import settings
from engine.fief.rules.types import FiefState
from tests.fief import wild
from tests.fief.test_properties import controlled_rightly, counters_within_limits

EIGHT = {
    "FF-AMB-12": ["no_title", "title"],
    "FF-AMB-21": ["silent", "asked"],
    "FF-AMB-29": ["next", "none"],
    "FF-AMB-39": ["free", "tiers"],
    "FF-AMB-40": ["declared", "presence"],
    "FF-AMB-73": ["after", "room_first"],
    "FF-CAV-4": ["never", "granted"],
    "FF-SIE-4": ["own", "all"],
}
MENDED = {"FF-AMB-39": "tiers", "FF-AMB-73": "room_first", "FF-CAV-4": "granted"}
"""Those whose first value isn't how games were played before, and how they were."""


def test_a_host_chooses_among_eight_and_the_first_value_is_the_usual() -> None:
    # FF-AMB-12, FF-AMB-21, FF-AMB-29, FF-AMB-39, FF-AMB-40, FF-AMB-73, FF-CAV-4, FF-SIE-4
    house = {ruling.id: list(ruling.alternatives) for ruling in rulings.house(FIEF.rules.rulings)}
    assert house == EIGHT
    for id, values in EIGHT.items():
        ruling = FIEF.rules.rulings[id]
        assert ruling.default == values[0] and ruling.before == MENDED.get(id, values[0])


def test_what_is_mended_is_no_choice_and_keeps_what_was_before() -> None:
    # FF-MOV-3, FF-CAV-9, FF-BAT-5, FF-CTL-5, FF-PUR-4, FF-BAT-17, FF-CTL-4, FF-CAP-4, FF-CPR-1, FF-RAN-2, FF-RAN-3, FF-BAT-14,
    # FF-BAT-15, FF-BAT-16, FF-ABS-1, FF-CTL-7, FF-MOV-6, FF-TAX-5
    mends = {
        "FF-MOV-3": ("army", "road"),
        "FF-CAV-9": ("taken", "rides"),
        "FF-BAT-5": ("inside", "kept"),
        "FF-CTL-5": ("inside", "arrival"),
        "FF-PUR-4": ("arrive", "unseen"),
        "FF-BAT-17": ("agreed", "any"),
        "FF-CTL-4": ("ceded", "stays"),
        "FF-CAP-4": ("lost", "none"),
        "FF-CPR-1": ("frozen", "open"),
        "FF-RAN-2": ("paid", "kept"),
        "FF-RAN-3": ("captor", "everybody"),
        "FF-BAT-14": ("stays", "all"),
        "FF-BAT-15": ("open", "forced"),
        "FF-BAT-16": ("won", "over"),
        "FF-ABS-1": ("safe", "any"),
        "FF-CTL-7": ("guest", "control"),
        "FF-MOV-6": ("own", "captor"),
        "FF-TAX-5": ("played", "living"),
    }
    for id, (now, before) in mends.items():
        ruling = FIEF.rules.rulings[id]
        assert not ruling.house and (ruling.default, ruling.before) == (now, before)


def test_a_question_that_is_dropped_is_still_asked_in_games_from_before() -> None:
    # FF-ASY-9, FF-PIL-1, FF-RND-3, FF-CRD-1
    dropped = {"FF-ASY-9": "everybody", "FF-PIL-1": "all", "FF-RND-3": "asked", "FF-CRD-1": "apart"}
    for id, before in dropped.items():
        ruling = FIEF.rules.rulings[id]
        assert not ruling.house and ruling.before == before != ruling.default
    old, new = (
        wild.ruled_by(ruled, 3, "asks", rounds=4) for ruled in ({}, {id: FIEF.rules.rulings[id].default for id in dropped})
    )
    assert [*settings.shipped(old.table)] == ["SO-2"] and [*settings.shipped(new.table)] == ["SO-2", "SO-18", "SO-20"]
    for seat in new.table.seats:
        mine = {ask.rule: ask for ask in settings.asks(new.table, seat)}
        assert [mine[id].default.option for id in ("SO-18", "SO-20")] == ["gain", "able"], "the same for everybody"
        assert all(mine[id].options[0].id == "ask" for id in ("SO-18", "SO-20")), "and each may want to be asked"


@pytest.mark.parametrize("id", EIGHT)
def test_a_whole_game_is_played_by_each_of_them(id: str) -> None:
    ruled = rulings.chosen(FIEF.rules.rulings, {id: EIGHT[id][1]})
    state = wild.ruled_by(ruled, 4, f"house/{id}", rounds=5)
    base = conserved(state)

    def watch(state: FiefState) -> None:
        assert conserved(state) == base
        counters_within_limits(state)
        controlled_rightly(state)

    wild.play(state, id, watch)
    assert state.table.outcome is not None and state.table.ruled(id) == EIGHT[id][1]


def test_a_game_that_names_none_of_them_is_played_as_before() -> None:
    state = wild.ruled_by({}, 3, "before", rounds=4)
    assert {id: state.table.ruled(id) for id in EIGHT} == {id: MENDED.get(id, values[0]) for id, values in EIGHT.items()}
    wild.play(state, "before")
    assert state.table.outcome is not None
