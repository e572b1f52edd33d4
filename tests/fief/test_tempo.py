"""How often a table of Fief waits: a round of six with the preset's orders waits at most twenty times."""

from __future__ import annotations

import pytest

from engine.fief import FIEF
from engine.tools import tempo

AIM = 20
"""Waits a round of six, with those before the first round."""


@pytest.fixture(scope="module")
def found() -> tempo.Tempo:
    """What `writ tempo --game fief --seats 6 --games 4` measures."""
    return tempo.run(FIEF, 6, 4, "1")


def test_a_round_of_six_with_the_preset_waits_at_most_twenty_times(found: tempo.Tempo) -> None:  # FF-RND-1, FF-ASY-1
    printed = found.as_dict()
    plain, preset = printed["waits_per_round"], printed["waits_per_round_preset"]
    assert isinstance(plain, float) and isinstance(preset, float)
    assert preset <= AIM and preset < plain / 2
    assert found.preset.left["village"] > 4 * 5, "where families settle is counted, too"


def test_a_round_is_one_of_the_game_and_not_a_turn_of_a_seat(found: tempo.Tempo) -> None:  # FF-RND-1
    for tally in (found.plain, found.preset, found.advance):
        assert len(tally.rounds) == 4 and all(2 <= rounds <= 20 for rounds in tally.rounds)


def test_with_the_preset_a_defence_and_what_is_the_same_for_most_waits_for_nobody(found: tempo.Tempo) -> None:  # FF-SO-5
    left = found.preset.left
    assert not {"draw", "discard", "play", "stand", "pillage", "plague", "losses", "heir", "place"} & left.keys()
    assert left["muster"] + left["battle_next"] < left["battles"] / 10 < found.plain.left["battles"] / 10
