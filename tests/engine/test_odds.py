"""The arithmetic of odds, and what a position that is played on has cost."""

from __future__ import annotations

from engine.core.consequences import Cost, Loss
from engine.core.odds import hundredths
from engine.games import GAMES
from engine.language.words import NOBODY
from service.seat import costs


def test_shares_of_a_hundred_add_up() -> None:
    assert hundredths([1, 1, 1]) == [34, 33, 33]
    assert hundredths([0, 0, 7]) == [0, 0, 100]
    assert hundredths([2, 1, 0]) == [67, 33, 0]
    assert hundredths([60, 30, 10]) == [60, 30, 10]


def test_beside_the_end_of_the_game_no_other_loss_is_told() -> None:
    lost = (Loss("out", {"last": True}), Loss("crown"))
    assert costs._said(GAMES["ortus"], NOBODY, "loss", lost) == ["It is your last Fief: you will be out of the game."]
    assert costs._said(GAMES["ortus"], NOBODY, "risk", lost[:1]) == [
        "It is your last Fief: if it falls, you are out of the game."
    ]
    assert costs._said(GAMES["ortus"], NOBODY, "loss", lost[1:]) == ["You lose the crown."]
    assert not Cost() and Cost(lost)
