"""How often a table of Fief waits: a round of six with the preset's orders waits at most twenty times."""

from __future__ import annotations

from engine import tempo
from engine.fief import FIEF


def test_a_round_of_six_with_the_preset_waits_at_most_twenty_times() -> None:  # FF-RND-1, FF-ASY-1
    found = tempo.run(FIEF, 6, 2, "tempo", variant="play rounds=8")
    assert 0 < sum(found.plain.rounds) <= 16 and 0 < sum(found.preset.rounds) <= 16, "rounds of the game, not turns of a seat"
    # Where families settle is asked before the first round, and once a game, however soon that is won.
    waits = [(tally.waits - tally.left["village"]) / sum(tally.rounds) for tally in (found.plain, found.preset)]
    assert waits[1] <= 20 and waits[1] < waits[0] / 2
    assert not {"draw", "discard", "play", "stand", "pillage", "plague", "losses", "heir", "place"} & found.preset.left.keys()
