"""Odds of Treachery and Intrigue: the Hands that others hold in dealt worlds."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.core import odds, procedure
from engine.core.asks import Answer, read
from engine.core.chance import Chance
from engine.core.cloning import clone
from engine.game import AnyState
from engine.games import game_called
from engine.ortus import odds as ortus_odds
from engine.ortus.rules.pieces import kind
from engine.ortus.rules.table import Earl
from tests.ortus.scene import Scene

ORTUS = game_called("ortus")
TEXT = """
a.F1: Palace (-) {}
a.hand: Treachery
a.deck: Land
b.F1: Palace (Prince) {}
b.F2: Castle (Vassal) {}
b.hand: Allies, Land, Church
b.towers: Land, Land
b.deck: 2 Land, 2 Castle
active: a
"""
MURDER = "treachery aim=lord:b:F2"


def dealt(text: str, worlds: int = 200) -> list[Earl]:
    """Earl b in worlds for a's Treachery."""
    s = Scene(text, "a b")
    (stake,) = ORTUS.face.stakes(s.state, "a", read(MURDER))
    assert stake.deal is not None
    return [stake.deal(s.state, "a", Chance(f"world/{n}")).table.earls["b"] for n in range(worlds)]


def test_worlds_deal_what_players_keep() -> None:
    worlds = dealt(TEXT)
    held = Counter(kind(card) for earl in worlds for card in earl.hand)
    assert held["Banner"] > 2 * held["Land"] > 4 * held["Banquet"]
    assert all((len(e.hand), len(e.towers), len(e.deck)) == (3, 2, 4) for e in worlds)
    assert not any("Palace/b" in e.hand for e in worlds), "it stands before him"


def test_no_world_deals_a_card_that_its_seat_has_seen() -> None:  # OR-COMP-2
    for earl in dealt(TEXT + "b.discard: 6 Banner, 5 Allies, Champion"):
        hidden = Counter(kind(card) for card in [*earl.hand, *earl.towers, *earl.deck])
        assert not hidden["Banner"] and hidden["Allies"] <= 1 and hidden["Champion"] <= 5 and hidden["Vassal"] <= 5


def test_allies_seen_in_the_discards_are_no_danger() -> None:
    told = []
    for seen in ("", "b.discard: 6 Allies"):
        s = Scene(TEXT.replace("Allies, ", "Monk, ") + seen, "a b")
        (stake,) = ORTUS.face.stakes(s.state, "a", read(MURDER))
        told.append(odds.count(stake, "a", ORTUS.rules.redeal, ORTUS.rules.view).won)
    assert told[0] < 80 and told[1] == 100


@pytest.mark.parametrize(
    ("attack", "payment", "won"),
    [
        ("target=siege:b:F2", "F2", 1),
        ("target=raid:b:F2", "F2", 1),
        ("target=raid:b:F2", "F2.Church/b", -1),
        ("target=siege:b:F2", "F2.Church/b", 1),
    ],
)
def test_what_was_paid_counts_alike_in_odds_and_in_luck(
    monkeypatch: pytest.MonkeyPatch, attack: str, payment: str, won: int
) -> None:
    # OR-RAN-4, OR-RAN-5, OR-AMB-70, OR-AMB-71
    text = "a.F1: Palace (-) {Land, Land}\na.reserve: K, I\nb.F1: Palace (Champion) {}\nb.F2: Castle (-) {Church}\nbattle: AW"
    answers = {"defend": "field lords=[lord:F1]", "ransom": f"pay payments={{lord:F1>{payment}}}"}

    def policy(state: AnyState, seat: str, _chance: Chance) -> Answer:
        ask = procedure.ask_of(state, seat)
        return read(answers[ask.kind]) if ask.kind in answers else ask.default

    monkeypatch.setattr(ortus_odds, "steady", policy)
    attack = f"attack {attack} reserve=[Knight,Infantry]"
    s = Scene(text, "a b")
    (stake,) = ORTUS.face.stakes(s.state, "a", read(attack))
    trial = stake.play(clone(s.state))
    s.play(f"a: {attack}", f"b: {answers['defend']}", f"b: {answers['ransom']}").until("turn")
    assert trial.result == won == next(v for e in s.log if (v := ORTUS.face.verdict(e, "a")) is not None)


def test_who_stays_out_of_a_joust_has_no_fight_to_win_or_lose() -> None:  # OR-JOU-2, D-60
    s = Scene("a.F1: Palace (-) {Land}\na.hand: Banner\nb.F1: Palace (-) {Land}\nb.hand: Banner", "a b").play("a: joust")
    assert ORTUS.face.stakes(s.state, "b", read("opt_out")) == []
    assert len(ORTUS.face.stakes(s.state, "b", read("ante ante=F1.Land/b"))) == 1
    assert not {"enter/opt_out", "enter/stand_aside"} & ORTUS.face.counts
