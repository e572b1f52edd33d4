"""What several answers make together is one line of a page's log, and nothing of it is missing."""

from __future__ import annotations

import pytest

from engine.core.views import Event
from engine.fief import FIEF
from engine.fief.face.digest import joins, said
from engine.fief.face.narrate import lord, village
from engine.language.words import addressed
from service.log.recent_events import LogLine, digested, lines
from tests.tables import NAMES, reached


def log(stem: str, n: int, seat: str) -> tuple[list[LogLine], list[LogLine]]:
    """What a seat of a recorded game has in its log at entry `n`: a line an answer, and a line for all that is one thing."""
    found = reached("fief", stem, n, seat)
    told = [
        (n, event, FIEF.words.tell(event, NAMES, None)) for n, events in found.told for event in events if event.seen_by(seat)
    ]
    plain, merged = (lines([one for one in reversed(told) if one[2]], set(found.seats), 0, FIEF) for _ in range(2))
    return plain, digested(merged, FIEF.face.log.digest, lambda _n: NAMES, FIEF.face.log.drawn)


SIX = "6-seats-allied-by-the-crown"
TOLD = {
    (
        SIX,
        188,
        "d",
    ): "Drogo moved Blanche from St Paul via St Vivien to Bourg; Aliénor from St Ciers d'Abzac to Beaujeu; Charles "
    "from St Paul to St Vivien and back. They took Beaujeu and Bourg. Baldwin took St Ciers d'Abzac from Drogo.",
    (SIX, 162, "b"): "Baldwin bought a Mill and 1 Man-at-Arms at Marcamps.",
    (SIX, 142, "c"): "Cecily brought Isabelle into play at Sennecy. They played Bountiful Harvest and "
    "Good Weather on the Bishopric of Blaye.",
    (
        "4-seats-fog-of-war",
        76,
        "b",
    ): "Cecily, Drogo and Alys drew a Lords card and a Fortune card; Baldwin drew François.",
    (
        "3-seats-alone",
        229,
        "a",
    ): "Alys’s Charles, Baldwin’s Philippe and Cecily’s Arthur stood for King. Alys laid a marker on Charles.",
    ("3-seats-alone", 231, "a"): "Nobody was elected King. Votes: Charles 2 (Alys), Arthur 2 (Cecily), Philippe 1 (Baldwin).",
}


@pytest.mark.parametrize(("stem", "n", "seat"), TOLD)
def test_a_turn_s_moves_purchases_and_draws_and_an_election_are_a_line_each(stem: str, n: int, seat: str) -> None:
    assert log(stem, n, seat)[1][0].said == TOLD[stem, n, seat]


def test_a_digest_calls_its_reader_you() -> None:
    left = Event("control", {"village": "bourg", "seat": "", "old": "d"})
    moved = Event("moved", {"seat": "d", "lords": ["Charles"], "at": "bourg", "to": "blaye", "n": 2, "captives": []})
    taken = Event("control", {"village": "blaye", "seat": "d", "old": ""})
    assert said([moved, left, taken], addressed(NAMES, "d")) == [
        "You moved Charles from Bourg to Blaye with 2 Troops.",
        "You left Bourg and took Blaye.",
    ]


def control(village: str, seat: str, old: str) -> Event:
    return Event("control", {"village": village, "seat": seat, "old": old})


def test_one_sentence_tells_what_a_move_a_new_lord_or_a_change_of_villages_takes() -> None:
    moved = Event("moved", {"seat": "d", "lords": ["Charles"], "at": "bourg", "to": "blaye", "n": 2, "captives": []})
    founded = Event("founded", {"seat": "d", "lord": "Charles", "village": "blaye"})
    taken, left = control("blaye", "d", ""), control("bourg", "", "d")
    merge = FIEF.words.merge
    assert merge is not None
    assert merge(moved, taken) == Event("moved", {**moved.facts, "took": "yes"})
    assert merge(founded, taken) == founded
    assert merge(left, taken) == Event("control", {**taken.facts, "left": "bourg"})
    others = (control("sigy", "d", ""), control("blaye", "c", ""), control("blaye", "d", "c"), left, moved)
    assert [then for one in (moved, founded) for then in others if merge(one, then)] == []
    assert not merge(left, control("blaye", "c", "")) and not merge(left, control("blaye", "d", "c"))
    assert not merge(control("bourg", "c", "d"), taken) and not merge(left, control("blaye", "", ""))


def test_what_is_discarded_before_one_draws_is_told_with_it() -> None:
    drawn = Event("drawn", {"seat": "b", "deck": "lords"})
    thrown = Event("discarded", {"seat": "b", "cards": ["taxes"]})
    assert joins([Event("drawn", {"seat": "a", "deck": "fortune"})], [thrown]) and joins([thrown], [drawn])
    assert said([thrown, drawn], NAMES) == ["Baldwin discarded Taxes.", "Baldwin drew a Lords card."]


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
        "Alys attacked Cecily at Châteauneuf. Alys had 7 Men-at-Arms and 6 Knights; Cecily 3 Men-at-Arms and "
        "5 Knights. Alys fought on; Cecily offered a truce, all as it is. Alys lost 7 Men-at-Arms and 2 Knights; "
        "Cecily 3 Men-at-Arms and 5 Knights. Cecily’s Quentin fell in battle. Alys took Châteauneuf from Cecily."
    )
    assert [part.event.facts["roll"] for part in line.drawn] == [1, 2, 3, 4]
    assert line.seat == "a", "whoever attacks, and not whoever answered last"
    assert line.latest == "Alys took Châteauneuf from Cecily."


def test_two_battles_at_the_same_place_are_two_lines() -> None:
    one = [Event("battle", {"seat": "a", "village": "blaye", "against": ["b"]})]
    roll = [Event("battle_roll", {"village": "blaye", "roll": 1, "attack": [1], "defence": [0], "hits": [1, 0]})]
    over = [Event("battle_over", {"village": "blaye", "how": "won"})]
    assert joins(one, roll) and joins([*one, *roll], over)
    assert not joins([*one, *roll, *over], one) and not joins([*one, *roll, *over], roll)
    elsewhere = [Event("battle_roll", {**roll[0].facts, "village": "sigy"})]
    assert not joins(one, elsewhere)
    assert said(roll, NAMES) == ["The battle at Blaye went on."]


def test_an_assassin_s_roll_is_told_with_his_errand() -> None:  # FF-ASN-1
    sent = [Event("assassination", {"seat": "a", "lord": "Henri", "of": "b", "sponsor": "Blanche"})]
    rolled = [Event("assassin_roll", {"lord": "Henri", "roll": 5, "dead": False})]
    assert joins(sent, rolled) and not joins([*sent, *rolled], sent)
    assert said([*sent, *rolled], NAMES) == ["Alys sent an assassin for Baldwin’s Henri, in the name of Blanche."]
