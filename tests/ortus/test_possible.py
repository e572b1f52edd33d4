"""No position is read that no game comes to: each is refused with the rule that it breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core.asks import NotUnderstood
from engine.games import game_called

ORTUS = game_called("ortus")


def refused(text: str) -> str:
    try:
        ORTUS.rules.notation.read(f"ortus: 1\nseats: a b c\n{text}")
    except NotUnderstood as refusal:
        return str(refusal)
    return ""


def crowned_while_b(step: str) -> str:
    """c is crowned, in the Turn of b, who is out of the game."""
    stack = (
        '{"type":"Muster","step":"begin","came":""}',
        '{"type":"Campaign","step":"next","came":"","at":2}',
        f'{{"type":"Turn","step":"{step}","came":"","seat":"b","done":[],"under_way":false}}',
        '{"type":"Crowning","step":"levy","came":"","king":"c"}',
    )
    return "\n".join(("active: b", "b: out cubes=0", "king: c []", "a.reserve: K, I", *(f"stack: {one}" for one in stack)))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (crowned_while_b("after"), ""),
        (crowned_while_b("turn"), "OR-TURN-1"),
        ("a.F1: Palace (-) {Cathedral}\nb.F1: Palace (-) {Cathedral}", "OR-PROP-5"),
        ("a.F1: Palace (Prince) {}\na.F2: Castle (Prince/b) {}", "OR-LORD-3"),
        ("a.F1: Palace (Land) {}", "OR-LORD-1"),
        ("a.F1: Palace (Mercenary) {}", "OR-LORD-1"),
        ("a.F1: Land (-) {}", "OR-PROP-1"),
        ("a.F1: Palace (-) {Castle}", "OR-PROP-2"),
        ("a.M1: Vassal (-)", "OR-MERC-1"),
        ("a.M1: Mercenary (VikingInfantry)", "OR-FREE-2"),
        ("a: in founded=1\na.F2: Castle (-) {}\na.F1: Palace (-) {}\na.hand: Land", ""),
        ("a.F2: Castle (-) {}\na: in founded=1", "rules 1, Fief"),
        ("a.reserve: VikingInfantry", "OR-COMP-4"),
        ("a.banners: Monk", "OR-KING-1"),
        ("a.emissaries: Champion", "OR-EMI-1"),
        ("a: out\na.hand: Land", "OR-ELIM-2"),
        ("a.F1: Palace (-) {6 Land}\nb.F1: Palace (-) {Land/a}", "OR-COMP-1"),
        ("a.F1: Palace (-) {}\nb.F1: Palace/a (-) {}", "OR-COMP-1"),
        ("a.hand: 7 Land", "OR-COMP-1"),
        ("a.hand: 2 Palace", "OR-COMP-1"),
        ("a.hand: 3 Land\na.deck: 3 Land\nb.towers: Land/a", "OR-COMP-1"),
        ("a.discard: 6 Monk\na.emissaries: Monk", "OR-COMP-1"),
        ("a.deck: 6 Land, 6 Castle, 6 Monk, 6 Vassal\nb.hand: Prince/a", "OR-COMP-2"),
        ("a.F1: Palace (-) {}\na.deck: 6 Land, 6 Castle, 6 Monk, 6 Vassal", ""),
        ("a.reserve: 13 K", "OR-COMP-4"),
        ("a.reserve: 6 K\na.M1: Mercenary (K)\narmy-discard: 6 K", "OR-COMP-4"),
        ("army: 25 I", "OR-COMP-4"),
        ("vikings: arrived black=8 white=0\nforce: 9 VikingChieftain", "OR-COMP-4, 5"),
        ("a: in cubes=-1", "OR-SET-7"),
        ("a.F0: Castle (-) {}", "rules 1, Fief"),
        ("round: -1", "OR-TURN-1"),
        ("vikings: approaching black=-1 white=0", "OR-VIK-1"),
        ("king: a [3 Infantry]", "OR-KING-3"),
        ("king: a []\nb.banners: Banner", "OR-KING-1"),
        ("king: a [VikingInfantry]", "OR-DEST-3"),
        ("army: VikingInfantry", "OR-DEST-3"),
        ("vikings: arrived black=4 white=0\nforce: Knight", "OR-DEST-3"),
        ("battle: Land", "OR-DEST-3"),
        ("battle: 4 AW", "OR-COMP-6"),
        ("joust: 7 JoustPrince", "OR-COMP-6, 7"),
        ("vikings: approaching black=9 white=0", "OR-VIK-1"),
        ("vikings: arrived black=8 white=1", "OR-VIK-1"),
        ("vikings: approaching black=2 white=0\nforce: VikingInfantry", "OR-VIK-4"),
        ("b: out cubes=0\nactive: b", "OR-TURN-1"),
        ("a.role: king\nb.role: king", "OR-ROLE-1"),
        ("a.role: king loyal", "OR-ROLE-9"),
        ("a.role: earl\na.assets: Allies", "OR-ROLE-36"),
        ("a.role: duke\na.assets: Allies, Allies", "OR-ROLE-36"),
        ("a.role: duke\ncanterbury: a", "OR-ROLE-21"),
        ("roles: given", "OR-ROLE-2"),
    ],
)
def test_what_no_game_comes_to_is_refused_with_the_rule(text: str, rule: str) -> None:
    said = refused(text)
    assert rule in said and bool(said) == bool(rule)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("b.F1: Castle (-) {}\nb.F1: Palace (-) {}", "line 4: “b.F1” is there twice"),
        ("active: z", "Line 3: “z” isn't one of -, a, b, c."),
        ("start: z", "Line 3: “z” isn't one of -, a, b, c."),
        ("action: usedd", "Line 3: “usedd” isn't one of unused, used."),
        ("a: inn", "Line 3: “inn” isn't one of in, out."),
        ("vikings: landed", "Line 3: “landed” isn't one of approaching, arrived."),
        ("canterbury: z", "line 3: “z” isn't one of"),
        ("a.role: duke loyall", "Line 3: “loyall” isn't one of loyal."),
        ("a.hand: Land/z", "line 3: there is no card"),
        ("a.hand: Land+2", "line 3: there is no card"),
        ("a.M1: Mercenary (K, K)", "line 3: “Mercenary (K, K)” isn't a Mercenary"),
    ],
)
def test_what_can_not_be_read_is_refused_with_its_line(text: str, reason: str) -> None:
    assert reason.lower() in refused(text).lower()


POSITIONS = (Path(__file__).parent / "positions.txt").read_text("utf-8").strip().split("\n\n")
"""Positions on both sides of each bound, and below them what is said of each."""


@pytest.mark.parametrize("block", POSITIONS, ids=lambda block: block.partition("\n  ")[0].replace("\n", " / "))
def test_each_bound_of_a_position_is_drawn_where_its_rule_draws_it(block: str) -> None:
    # OR-COMP-1 to 7, OR-PROP-1, 2, 5, OR-LORD-1, 3, OR-KING-1, 3, 6, OR-VIK-1, 3, 4, OR-ROLE-1, 9, 21, 36
    text, _, said = block.partition("\n  ")
    assert (refused(text) or "It can be.") == said


def test_what_is_wrong_with_lines_together_is_told_with_the_one_that_makes_it_so() -> None:
    assert refused("a.hand: 4 Land\nb.F1: Palace (-) {3 Land/a}\nc.hand: Monk").startswith("Line 4: 7 times Land of a's set")
    assert refused("a.hand: 7 Land\nb.hand: Monk").startswith("Line 3: 7 times Land")
    assert refused("vikings: approaching black=2 white=0\nforce: VikingInfantry\na.hand: Land").startswith(
        "Line 4: The Vikings"
    )


def test_a_garrison_may_be_written_in_short() -> None:
    for garrison in ("K", "Knight"):
        state = ORTUS.rules.notation.read(f"ortus: 1\nseats: a b\na.M1: Mercenary ({garrison})\n")
        assert state.table.earls["a"].mercenaries[0].garrison == "Knight"


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("army: VikingInfantry", "army"),
        ("viking-deck: Knight", "viking-deck"),
        ("battle: Land", "battle"),
        ("joust: Land", "joust"),
        ("vikings: arrived black=4 white=0\nforce: Knight", "force"),
        ("king: a [VikingInfantry]", "king"),
    ],
)
def test_a_card_in_the_wrong_deck_is_told_with_its_zone(text: str, zone: str) -> None:
    # OR-DEST-3
    assert f"can't lie in `{zone}`: cards of the table keep to their own decks (OR-DEST-3)." in refused(text)
