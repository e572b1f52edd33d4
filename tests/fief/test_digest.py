"""What several answers make together is one line of a page's log, and nothing of it is missing."""

from __future__ import annotations

import pytest

from engine.fief import FIEF
from engine.fief.digest import joins, said
from engine.fief.narrate import lord, village
from engine.views import Event
from service.games.recent_events import Line, digested, lines
from tests.tables import NAMES, reached


def log(stem: str, n: int, seat: str) -> tuple[list[Line], list[Line]]:
    """What a seat of a recorded game has in its log at entry `n`: a line an answer, and a line for all that is one thing."""
    found = reached("fief", stem, n, seat)
    told = [(n, event, FIEF.tell(event, NAMES, seat)) for n, events in found.told for event in events if event.seen_by(seat)]
    plain, merged = (lines([one for one in reversed(told) if one[2]], set(found.seats), 0, FIEF) for _ in range(2))
    return plain, digested(merged, FIEF.digest, lambda _n: NAMES, FIEF.drawn)


SIX = "6-seats-allied-by-the-crown"
TOLD = {
    (
        SIX,
        188,
        "d",
    ): "Drogo moves Blanche from St Paul by St Vivien to Bourg; Aliénor from St Ciers d'Abzac to Beaujeu; Charles "
    "from St Paul by St Vivien to St Paul. Taken: Beaujeu and Bourg. Baldwin controls St Ciers d'Abzac in the place of Drogo.",
    (SIX, 162, "b"): "Baldwin buys a Mill and 1 Man-at-Arms at Marcamps.",
    (SIX, 142, "c"): "Cecily brings Isabelle into play at Sennecy. Cecily plays Bountiful Harvest on the Bishopric of Blaye. "
    "Cecily plays Good Weather on the Bishopric of Blaye.",
    (
        "4-seats-fog-of-war",
        76,
        "b",
    ): "Cecily draws a Lords card and a Fortune card; Drogo draws a Lords card and a Fortune card; "
    "Alys draws a Lords card and a Fortune card; Baldwin draws François.",
    (
        "3-seats-alone",
        229,
        "a",
    ): "Charles (Alys), Philippe (Baldwin) and Arthur (Cecily) stand for King. Markers: Alys on Charles.",
    ("3-seats-alone", 231, "a"): "Nobody is elected King. The markers are turned: Alys has FOR on Charles; Baldwin has FOR on "
    "Philippe; Cecily has FOR on Arthur. That makes Charles 2 votes, Philippe 1 vote, Arthur 2 votes.",
}


@pytest.mark.parametrize(("stem", "n", "seat"), TOLD)
def test_a_turn_s_moves_purchases_and_draws_and_an_election_are_a_line_each(stem: str, n: int, seat: str) -> None:
    assert log(stem, n, seat)[1][0].said == TOLD[stem, n, seat]


def test_what_is_discarded_before_one_draws_is_told_with_it() -> None:
    drawn = Event("drawn", {"seat": "b", "deck": "lords"})
    thrown = Event("discarded", {"seat": "b", "cards": ["taxes"]})
    assert joins([Event("drawn", {"seat": "a", "deck": "fortune"})], [thrown]) and joins([thrown], [drawn])
    assert said([thrown, drawn], NAMES) == ["Baldwin discards Taxes.", "Baldwin draws a Lords card."]


@pytest.mark.parametrize("stem", ["3-seats-alone", "4-seats-fog-of-war", "6-seats-allied-by-the-crown"])
def test_nothing_is_cut_where_lines_are_put_together(stem: str) -> None:
    plain, told = log(stem, 170, "a")
    assert len(told) < len(plain)
    assert [event for line in told for event in reversed(line.events)] == [e for line in plain for e in reversed(line.events)]
    assert {code for line in told for code in line.lights} == {code for line in plain for code in line.lights}
    for line in told:
        for event in line.events:
            if event.kind in ("moved", "bought", "title_bought", "stands", "elected"):
                named = [lord(one) for one in (*event.facts.get("lords", ()), event.facts.get("lord", "")) if one]
                named += [village(event.facts[key]) for key in ("at", "to", "village") if event.facts.get(key)]
                tallied = event.kind == "stands" and any(one.kind == "tally" for one in line.events)
                assert tallied or all(name in line.said for name in named), line.said


def test_a_battle_is_one_line_with_its_rolls_drawn_below_and_its_cost_in_one_sentence() -> None:  # FF-BAT-9
    line = log("3-seats-alone", 452, "b")[1][0]
    assert line.said == (
        "Alys attacks Cecily at Châteauneuf. There stand Alys 7 Men-at-Arms and 6 Knights; Cecily 3 Men-at-Arms and 5 Knights. "
        "Alys fights on; Cecily offers a truce, all as it is. Alys loses 7 Men-at-Arms and 2 Knights; Cecily 3 Men-at-Arms and "
        "5 Knights. Quentin (Cecily) falls in battle. Alys controls Châteauneuf in the place of Cecily. The attackers have won."
    )
    assert [part.event.facts["roll"] for part in line.drawn] == [1, 2, 3, 4]
    assert line.seat == "a", "whoever attacks, and not whoever answered last"
    assert line.latest == "The attackers have won."


def test_two_battles_at_the_same_place_are_two_lines() -> None:
    one = [Event("battle", {"seat": "a", "village": "blaye", "against": ["b"]})]
    roll = [Event("battle_roll", {"village": "blaye", "roll": 1, "attack": [1], "defence": [0], "hits": [1, 0]})]
    over = [Event("battle_over", {"village": "blaye", "how": "won"})]
    assert joins(one, roll) and joins([*one, *roll], over)
    assert not joins([*one, *roll, *over], one) and not joins([*one, *roll, *over], roll)
    elsewhere = [Event("battle_roll", {**roll[0].facts, "village": "sigy"})]
    assert not joins(one, elsewhere)
    assert said(roll, NAMES) == ["The battle at Blaye goes on."]


def test_an_assassin_s_roll_is_told_with_his_errand() -> None:  # FF-ASN-1
    sent = [Event("assassination", {"seat": "a", "lord": "Henri", "of": "b", "sponsor": "Blanche"})]
    rolled = [Event("assassin_roll", {"lord": "Henri", "roll": 5, "dead": False})]
    assert joins(sent, rolled) and not joins([*sent, *rolled], sent)
    assert said([*sent, *rolled], NAMES) == ["Alys sends an assassin for Henri (Baldwin), in the name of Blanche."]
