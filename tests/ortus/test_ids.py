"""Ids: what each form says, and that what is written is read back."""

from __future__ import annotations

import pytest

from engine.ortus.rules import pieces
from engine.ortus.rules.pieces import Id, parse


@pytest.mark.parametrize(
    ("id", "says"),
    [
        ("Vassal/b", Id(card="Vassal/b", kind="Vassal", owner="b")),
        ("Land/b+2", Id(card="Land/b", kind="Land", owner="b", copy=2)),
        ("Infantry", Id(card="Infantry", kind="Infantry")),
        ("F2", Id(number=2)),
        ("F12.Land/b", Id(number=12, card="Land/b", kind="Land", owner="b")),
        ("T3", Id("tower", number=3)),
        ("lord:F2", Id("lord", number=2)),
        ("hand:Vassal/a", Id("hand", card="Vassal/a", kind="Vassal", owner="a")),
        ("reserve:Knight", Id("reserve", card="Knight", kind="Knight")),
        ("force:VikingInfantry", Id("force", card="VikingInfantry", kind="VikingInfantry")),
        ("king", Id("king")),
        ("royal", Id("royal")),
        ("royal:Infantry", Id("royal", card="Infantry", kind="Infantry")),
        ("mercenary:1", Id("mercenary", number=1)),
        ("garrison:2", Id("garrison", number=2)),
        ("siege:b:F2", Id("siege", "b", 2)),
        ("tower:b", Id("tower", "b")),
        ("hand:b", Id("hand", "b")),
        ("mercenary:b:1", Id("mercenary", "b", 1)),
        ("new:Castle/b", Id("new", card="Castle/b", kind="Castle", owner="b")),
        ("favour:c", Id("favour", "c")),
        ("", Id()),
        ("Fog", Id(card="Fog", kind="Fog")),
        ("Land+x", Id(card="Land", kind="Land")),
    ],
)
def test_an_id_says_what_it_is_about(id: str, says: Id) -> None:
    assert parse(id) == says


def test_what_is_written_is_read_back() -> None:
    assert parse(pieces.holding_id(2, pieces.card_of("Land", "c"))) == Id(number=2, card="Land/c", kind="Land", owner="c")
    assert parse(pieces.of_earl("raid", "b", 3)) == Id("raid", "b", 3)
    assert parse(pieces.of_earl("mercenary", "b", mercenary=4)) == Id("mercenary", "b", 4)
    assert parse(pieces.of_earl("armies", "b")) == Id("armies", "b")
    assert parse(pieces.at("garrison", 1)) == Id("garrison", number=1)
    assert [parse(pieces.fief_id(1)), parse(pieces.tower_id(2)), parse(pieces.lord_id(3))] == [
        Id(number=1),
        Id("tower", number=2),
        Id("lord", number=3),
    ]
    assert pieces.wish("place_Land") == ("place", "Land")
    assert pieces.wish("castle") == ("castle", "")


def test_kind_and_owner_of_a_card() -> None:
    assert (pieces.kind("MarketTown/b"), pieces.owner("MarketTown/b")) == ("MarketTown", "b")
    assert (pieces.kind("Knight"), pieces.owner("Knight")) == ("Knight", "")
    assert pieces.numbered(["Land/b", "Church/b", "Land/b"]) == ["Land/b", "Church/b", "Land/b+2"]
