"""What an answer costs an Earl for good, said before it is given."""

from __future__ import annotations

import itertools

from engine.core.asks import read
from engine.language.words import NOBODY
from engine.ortus import ORTUS
from service.seat import costs
from tests.ortus.scene import Scene
from tests.ortus.test_decisions import scene

MARKS = itertools.count()


def told(s: Scene, seat: str, line: str) -> costs.Losses:
    return costs.told(ORTUS, NOBODY, s.state, seat, read(line), f"{next(MARKS)}")


def attacked(text: str) -> Scene:
    s = scene(text)
    s.play("a: attack target=siege:b:F1 lords=[lord:F1]")
    return s


def test_the_last_fief_that_falls_is_the_end_and_nothing_else_is_told() -> None:
    s = attacked("a.F1: Palace (Champion) {}\nb.F1: Castle (-) {}\nb.F2: Castle (-) {}\nb.hand: Land\nb.towers:")
    assert told(s, "b", "stand_down").certain == ["You lose Fief 1, your Castle."]
    s = attacked("a.F1: Palace (Champion) {}\nb.F1: Castle (-) {}\nb.hand: Land\nb.towers:")
    found = told(s, "b", "stand_down")
    assert found.certain == ["It is your last Fief: you will be out of the game."] and found.ends and not found.risked


def test_the_end_of_a_turn_without_a_card_to_draw_is_the_end_of_the_game() -> None:
    # OR-TURN-4
    s = scene("a.deck:")
    assert told(s, "a", "end").ends and "out of the game" in told(s, "a", "end").certain[0]
    assert not told(scene("a.deck: 2 Land"), "a", "end")


def test_a_banquet_that_empties_the_deck_warns_of_the_draw_that_comes() -> None:
    # OR-DEC-12
    found = told(scene("a.deck: 2 Land\na.hand: Banquet"), "a", "banquet")
    assert found.ends and "the draw that ends this Turn" in found.certain[0]
