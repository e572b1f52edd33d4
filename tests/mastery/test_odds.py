"""Odds of a battle: the hands that others hold in dealt worlds, and how sure a result is told."""

from __future__ import annotations

from collections import Counter

from engine.core import odds
from engine.core.asks import read
from engine.core.chance import Chance
from engine.games import game_called
from engine.mastery.odds import dealt
from engine.mastery.rules.pieces import AUTHORITY
from tests.mastery.scene import Scene, battle

GAME = game_called("mastery")
BEFORE = "a: knights=6\nb.hand: Conflict3, Conflict5, Support1, Ambush\nB1: Fort b 1"


def counted(s: Scene, seat: str, answer: str) -> odds.Odds:
    (stake,) = GAME.face.stakes(s.state, seat, read(answer))
    return odds.count(stake, seat, GAME.rules.redeal, GAME.rules.view)


def held(s: Scene, worlds: int = 300) -> list[Counter[str]]:
    """Hands of b in worlds for a."""
    return [Counter(dealt(s.state, "a", Chance(f"world/{n}")).table.lords["b"].hand) for n in range(worlds)]


def test_worlds_deal_what_players_keep_and_no_card_twice() -> None:
    between, drawn = held(Scene(BEFORE)), held(battle("Fort", 6, 1, b="Conflict3, Conflict5, Support1, Support2, Ambush"))
    for hands in (between, drawn):
        assert len({sum(hand.values()) for hand in hands}) == 1 and not any(AUTHORITY in hand for hand in hands)
    often = [sum(hands, Counter()) for hands in (between, drawn)]
    assert often[0]["Conflict3"] > 2 * often[0]["Conflict5"], "between battles strong cards have been played"
    assert often[1]["Conflict3"] < 3 * often[1]["Conflict5"], "in a battle new ones have been drawn"


def test_some_lords_of_worlds_save_their_support() -> None:
    support = [hand["Support1"] + hand["Support2"] for hand in held(battle("Fort", 6, 1), 600)]
    mean = sum(support) / len(support)
    spread = sum((n - mean) ** 2 for n in support) / len(support)
    assert spread > 0.85, "with one weight for all lords it is 0.75"


def test_a_victory_is_certain_only_where_no_card_can_change_it() -> None:  # MM-BAT-14, 15
    s = battle("Forest", 1, 6)
    told = counted(s, "b", "play card=Conflict5")
    assert (told.won, told.lost) == (99, 1), "a hundred of a hundred, in worlds that are guesses"
    s.play("a: play card=Conflict2", "b: play card=Conflict5", "a: pass")
    last = counted(s, "b", "pass")
    assert (last.won, last.lost) == (100, 0), "nobody is asked after it"
