"""How often a table of Fief waits: a round of six with the preset's orders waits at most twenty times. And the CPU time of
drawing the largest map.
"""

from __future__ import annotations

import pytest

from engine.fief import FIEF
from engine.fief.face.chart import chart_of
from engine.fief.rules.realm.pieces import lore_of
from engine.tools import tempo
from tests.cpu import cpu_seconds
from tests.fief.test_own_files import towns

AIM = 20
"""Waits a round of six, with those before the first round."""
ASKS = 2.0
"""Asks a turn without any order of a player's own."""


@pytest.fixture(scope="module")
def found() -> tempo.Tempo:
    """What `writ tempo --game fief --seats 6 --games 4` measures."""
    return tempo.run(FIEF, 6, 4, "1")


def test_a_round_of_six_with_the_preset_waits_at_most_twenty_times(found: tempo.Tempo) -> None:  # FF-RND-1, FF-ASY-1
    printed = found.as_dict()
    plain, preset = printed["waits_per_round"], printed["waits_per_round_preset"]
    assert isinstance(plain, float) and isinstance(preset, float)
    assert preset <= AIM < plain <= 2 * AIM
    assert found.preset.left["village"] > 4 * 5, "where families settle is counted, too"


def test_a_turn_asks_at_most_twice_without_an_order(found: tempo.Tempo) -> None:  # FF-ASY-9, FF-PIL-1, FF-CRD-1, FF-RND-3
    assert found.plain.a_turn(found.plain.asks) <= ASKS
    assert found.plain.left["window"], "who is concerned is asked still"


def test_a_round_is_one_of_the_game_and_not_a_turn_of_a_seat(found: tempo.Tempo) -> None:  # FF-RND-1
    for tally in (found.plain, found.preset, found.advance):
        assert len(tally.rounds) == 4 and all(2 <= rounds <= 20 for rounds in tally.rounds)


def test_with_the_preset_a_defence_and_what_is_the_same_for_most_waits_for_nobody(found: tempo.Tempo) -> None:  # FF-SO-5
    left = found.preset.left
    assert not {"draw", "discard", "play", "stand", "pillage", "plague", "losses", "heir", "place"} & left.keys()
    assert left["muster"] + left["battle_next"] < left["battles"] / 10 < found.plain.left["battles"] / 10


def test_the_largest_map_is_drawn_in_the_time_of_some_million_squares() -> None:  # FF-MAP-5
    own = towns(18)
    lore_of(own)
    assert cpu_seconds(lambda: chart_of.__wrapped__(own)) < 12 * cpu_seconds(lambda: sum(n * n for n in range(3_000_000)))
