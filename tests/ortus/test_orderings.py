"""The default orderings DEF-1 to DEF-7 (rules 13)."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.core import procedure
from engine.core.asks import NotLegal
from engine.core.chance import Chance
from engine.games import game_called
from engine.ortus import ORTUS
from engine.ortus.rules.combat import Fielded, rational_hits
from engine.ortus.rules.orderings import clockwise, holding_to_give, lowest_fief, properties_to_give, seize, troops_to_give
from engine.ortus.rules.pieces import check_deck
from engine.ortus.rules.table import Earl, Fief


def fief(number: int, anchor: str, lord: str | None = None, *properties: str) -> Fief:
    return Fief(number, anchor, lord, list(properties))


def test_def_1_gives_up_the_cheapest_property_first() -> None:
    # DEF-1: Church, Market Town, Land, Cathedral
    earl = Earl("a")
    all_four = fief(1, "Palace/a", None, "Cathedral/a", "Land/a", "MarketTown/a", "Church/a")
    assert properties_to_give(earl, all_four, 4) == ["Church/a", "MarketTown/a", "Land/a", "Cathedral/a"]
    assert properties_to_give(earl, all_four, 2) == ["Church/a", "MarketTown/a"]
    # foreign before own colour, whatever came first
    mixed = fief(1, "Palace/a", None, "Land/a", "Land/c", "Land/b")
    assert properties_to_give(earl, mixed, 3) == ["Land/c", "Land/b", "Land/a"]


def test_def_1_for_any_holding_of_the_earldom() -> None:
    # DEF-1: type, foreign first, lower Fief, arrived first; an Anchor only without any Property.
    earl = Earl("a", fiefs=[fief(1, "Palace/a", None, "Land/a"), fief(2, "Castle/a", None, "Land/b"), fief(3, "Castle/a")])
    assert holding_to_give(earl) == "F2.Land/b"
    earl.fiefs[0].properties = ["Land/a", "Church/a"]
    assert holding_to_give(earl) == "F1.Church/a"
    earl.fiefs[1].properties = ["Church/a"]
    assert holding_to_give(earl) == "F1.Church/a", "the lower Fief"


def test_def_1_among_anchors() -> None:
    # DEF-1: Castles before Palaces; of Castles those without a Lord, then foreign, then lower.
    earl = Earl("a", fiefs=[fief(1, "Palace/a"), fief(2, "Castle/b", "Vassal/a"), fief(3, "Castle/a"), fief(4, "Castle/a")])
    assert holding_to_give(earl) == "F3"
    earl.fiefs[2].lord = "Monk/a"
    earl.fiefs[3].lord = "Monk/a"
    assert holding_to_give(earl) == "F2", "all have Lords: the foreign one"
    earl.fiefs = [fief(1, "Palace/a"), fief(5, "Palace/b", "Vassal/a")]
    assert holding_to_give(earl) == "F5", "Lords count among Castles only: the foreign Palace"
    earl.fiefs = [fief(1, "Palace/a")]
    assert holding_to_give(earl) == "F1", "the last Anchor when nothing else is possible"


def test_def_2_the_rational_order_of_taking_damage() -> None:
    # DEF-2, the whole of it
    order = [
        Fielded("king", "King", "king"),
        Fielded("hand:Monk/a", "Monk/a", "hand"),
        Fielded("hand:Vassal/a", "Vassal/a", "hand"),
        Fielded("hand:Prince/a", "Prince/a", "hand"),
        Fielded("hand:Champion/a", "Champion/a", "hand"),
        Fielded("lord:F1", "Champion/a", "lord", 1),
        Fielded("lord:F4", "Monk/a", "lord", 4),
        Fielded("reserve:Infantry", "Infantry", "reserve"),
        Fielded("royal:Infantry", "Infantry", "royal"),
        Fielded("garrison:2", "Infantry", "garrison", 2),
        Fielded("reserve:Knight", "Knight", "reserve"),
        Fielded("royal:Knight", "Knight", "royal"),
        Fielded("garrison:1", "Knight", "garrison", 1),
        Fielded("mercenary:3", "Mercenary/a", "mercenary", 3),
        Fielded("mercenary:1", "Mercenary/a", "mercenary", 1),
        Fielded("mercenary:2", "Mercenary/a", "mercenary", 2),
    ]
    ids = [f.id for f in order]
    for points in range(1, len(order)):
        assert sorted(rational_hits(order[::-1], points, {1, 2})) == sorted(ids[:points])
    assert rational_hits(order, 0) == [] and len(rational_hits(order, 99)) == len(order)


def test_def_2_for_the_vikings() -> None:
    # DEF-2: Viking Infantry, then Chieftains.
    chief, foot = (Fielded(f"force:{c}", c, "force") for c in ("VikingChieftain", "VikingInfantry"))
    assert rational_hits([chief, foot, chief, foot], 3) == [foot.id, foot.id, chief.id]


def test_def_6_and_seats() -> None:
    # DEF-6: the lowest-numbered Fief.
    earl = Earl("a", fiefs=[fief(4, "Castle/a"), fief(2, "Castle/b")])
    assert lowest_fief(earl).number == 2
    assert clockwise(["a", "b", "c"], "b") == ["b", "c", "a"]


def test_def_4_infantry_before_knights() -> None:
    # DEF-4
    assert troops_to_give(["Knight", "Infantry", "Knight", "Infantry"], 3) == ["Infantry", "Infantry", "Knight"]


def test_def_5_what_to_seize() -> None:
    # DEF-5: Palace, Castle, Cathedral, Land, Market Town, Church; within a type the one that arrived first.
    destroyed = ["Church/b", "MarketTown/b", "Land/c", "Land/b", "Cathedral/b", "Castle/b", "Palace/b"]
    assert seize(destroyed, 9) == ["Palace/b", "Castle/b", "Cathedral/b", "Land/c", "Land/b", "MarketTown/b", "Church/b"]
    assert seize(destroyed, 2) == ["Palace/b", "Castle/b"]


def test_def_7_the_deck_when_none_was_submitted() -> None:
    # DEF-7
    state = ORTUS.rules.setup(["a", "b"], {}, Chance("x"))
    procedure.begin(state)
    default = procedure.ask_of(state, "a").default
    counts = Counter(default.some("cards"))
    assert counts == {
        "Castle": 3,
        "Land": 3,
        "MarketTown": 1,
        "Church": 1,
        "Prince": 2,
        "Vassal": 3,
        "Champion": 2,
        "Monk": 1,
        "Mercenary": 1,
        "Treachery": 1,
        "Intrigue": 1,
        "Allies": 2,
        "Banquet": 1,
        "Banner": 2,
    }
    check_deck(counts)


def test_a_deck_of_the_wrong_size_is_told_how_many_to_add_or_take_out() -> None:
    # OR-COMP-2, OR-ROLE-4
    game_called("ortus")  # its words come with it
    kinds = ("Land", "Church", "Castle", "Vassal")
    check_deck(dict.fromkeys(kinds, 6), 24)
    with pytest.raises(NotLegal, match="An Earl Deck has no “Dragon”; its cards are: "):
        check_deck({"Dragon": 6, **dict.fromkeys(kinds[:3], 6)})
    for n in (7, -1):
        with pytest.raises(NotLegal) as refusal:
            check_deck({"Land": n, "Church": 24 - n})
        assert str(n) in str(refusal.value) and "The deck has" not in str(refusal.value)
    with pytest.raises(NotLegal) as refusal:
        check_deck(dict.fromkeys(kinds, 5))
    assert str(refusal.value) == "The deck has 20 cards; an Earl Deck is exactly 24, so add 4."
    with pytest.raises(NotLegal) as refusal:
        check_deck(dict.fromkeys(kinds, 6), 20)
    assert str(refusal.value).startswith("The deck has 24 cards; an Earl Deck is exactly 20, so ")
    assert "add" not in str(refusal.value) and "4" in str(refusal.value).partition("so ")[2]


def test_if_all_are_hit_all_are_named_as_they_stand() -> None:
    # DEF-2
    forces = [Fielded("Knight", "Knight", "reserve"), Fielded("lord:F1", "Prince/a", "lord", 1)]
    assert rational_hits(forces, 2) == rational_hits(forces, 3) == ["Knight", "lord:F1"]
    assert rational_hits(forces, 1) == ["lord:F1"] and rational_hits(forces, 0) == []
