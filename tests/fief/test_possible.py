"""No position is read that no game comes to: each is refused with its line and the rule that it breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core.asks import NotUnderstood
from engine.games import game_called
from engine.language.words import read_said
from tests.fief.recorded import facts, stays

FIEF = game_called("fief")


IMPOSSIBLE = [
    ("round: -1", "FF-GEN-10"),
    ("first: f", "FF-GEN-10"),
    ("a.deniers: -1", "FF-GEN-11"),
    ("a.hand: 4 taxes", "FF-CRD-2"),
    ("a.hand: 3 taxes", ""),
    ("a.markers: 4", "FF-DIP-2"),
    ("Arthur: a blaye\nEric: a blaye\nHenri: a blaye\nOthon: a blaye\nThierry: a blaye", "FF-LRD-1"),
    ("blaye.a: 13 maa\nsigy.a: 1 maa", "FF-CMP-1"),
    ("blaye.a: 9 knights", "FF-CMP-1"),
    ("blaye.a: 13 maa\nsigy.a: 8 knights", ""),
    ("blaye: b engine=a/1\nsigy: b engine=a/1\nbourg: b engine=a/2", "FF-CMP-1"),
    ("blaye: b engine=a/3", "FF-CMP-1"),
    ("Arthur: a blaye captor=a", "FF-CAP-1"),
    ("Arthur: a blaye on=sigy", "FF-MOV-6"),
    ("Arthur: a blaye on=charolles", ""),
    ("blaye.a: 1 maa on sigy", "FF-MOV-6"),
    ("Arthur: a blaye spouse=Jeanne\nJeanne: b sigy", "FF-MAR-1"),
    ("Arthur: a blaye spouse=Jeanne", "FF-MAR-1"),
    ("Arthur: a blaye spouse=Jeanne\nJeanne: a sigy spouse=Arthur", "FF-MAR-1"),
    ("Arthur: a blaye spouse=Eric\nEric: b sigy spouse=Arthur", "FF-MAR-1"),
    (
        "Arthur: a blaye spouse=Jeanne\nJeanne: b sigy spouse=Arthur\n"
        "Eric: a blaye spouse=Blanche\nBlanche: c sigy spouse=Eric",
        "FF-MAR-2",
    ),
    ("Arthur: a blaye fief=blaye fief=bourg fief=sigy", "FF-TTL-2"),
    ("Arthur: a blaye fief=paris", "FF-MAP-2"),
    ("Arthur: a blaye bishop=6", "FF-MAP-3"),
    ("Arthur: a blaye bishop=1 cardinal=gift", "FF-CAR-1"),
    ("Jeanne: a blaye bishop=1", "FF-BIS-1"),
    ("Arthur: a blaye king bishop=1", "FF-TTL-2"),
    ("Arthur: a blaye king prince", "FF-TTL-2"),
    ("Arthur: a blaye pope\nEric: b blaye pope", "FF-TTL-1"),
    ("Arthur: a blaye bishop=1\nEric: b blaye bishop=1", "FF-TTL-1"),
    ("Arthur: a blaye fief=blaye\nEric: b blaye fief=blaye", "FF-TTL-1"),
    ("Arthur: a blaye cardinal=sale\nEric: b blaye cardinal=sale", "FF-CMP-3"),
    ("blaye: a mills=3", "FF-PUR-6"),
    ("blaye: a city\ncharolles: a city", "FF-FTL-2"),
    ("blaye: a relic=grail\nsigy: b relic=grail", "FF-CMP-2"),
    ("blaye: a relic=spoon", "FF-CMP-2"),
    ("weather: famine 6", "FF-PLY-2"),
    ("weather: taxes 1", "FF-PLY-2"),
]
POSSIBLE = (
    "a.deniers: 0\na.hand: 3 taxes\na.markers: 0",
    "a.markers: 3\nArthur: a blaye\nEric: a blaye\nHenri: a blaye\nOthon: a blaye",
    "blaye: b engine=a/1\nsigy: b engine=a/2",
    "Arthur: a blaye fief=blaye fief=bourg\nblaye: a mills=2",
    "Arthur: a blaye king\nJeanne: b sigy queen=regent",
    "weather: bountiful_harvest 1, good_weather 2, heavy_rain 3, famine 4, plague 5",
)
"""Limits that are reached, and not passed."""


def refused(text: str) -> str:
    try:
        FIEF.rules.notation.read(f"fief: 1\nseats: a b c d\nphase: 2c\n{text}")
    except NotUnderstood as refusal:
        return str(refusal)
    return ""


@pytest.mark.parametrize(("text", "rule"), IMPOSSIBLE)
def test_what_no_game_comes_to_is_refused_with_the_rule(text: str, rule: str) -> None:
    said = refused(text)
    assert rule in said and bool(said) == bool(rule)


def told(text: str) -> str:
    """The text, and the line, code and facts of its refusal."""
    reason = ""
    try:
        FIEF.rules.notation.read(f"fief: 1\nseats: a b c d\nphase: 2c\n{text}")
    except NotUnderstood as refusal:
        assert refusal.said.code
        said = read_said(refusal.said.facts["reason"])
        assert said.code
        reason = f"line {refusal.said.facts['line']} {said.code} {facts(said.facts)}"
    return f"{' / '.join(text.splitlines())} -> {reason or 'read'}"


def test_each_refusal_states_the_line_and_the_facts_as_recorded() -> None:
    lines = [told(text) for text in (*(text for text, _ in IMPOSSIBLE), *POSSIBLE)]
    changed = stays(Path(__file__).with_name("impossible.txt"), lines)
    assert not changed, "\n".join(changed)


def test_counters_that_all_share_are_counted_together() -> None:
    places = list(FIEF.rules.notation.read("fief: 1\nseats: a b c\n").table.villages)
    walls = "\n".join(f"{place}: a stronghold" for place in places[:13])
    box = "(FF-CMP-2, 7)."
    assert refused(walls) == f"Line 16: There are 13 Strongholds and Fortified Cities, and the box has 12 counters {box}"
    mills = "\n".join(f"{place}: a mills=2" for place in places[:8])
    assert refused(mills) == f"Line 11: There are 16 Mills on the map, and the box has 15 {box}"


def test_a_card_that_is_nowhere_left_is_told_with_its_line() -> None:
    assert refused("a.hand: justice\nb.hand: justice\nc.hand: taxes") == "Line 5: There are not so many cards “justice”."
