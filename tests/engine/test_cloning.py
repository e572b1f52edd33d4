"""Copies of states are equal and independent, whatever is done to either."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import msgspec
import pytest

from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.asks import Answer
from engine.core.chance import Chance, Guess
from engine.core.cloning import clone
from engine.game import AnyState, Game, options_of
from engine.games import GAMES


def positions(game: Game, seed: int, every: int) -> Iterator[AnyState]:
    """Positions of a random game from its beginning to its end."""
    rng = random.Random(seed)
    seats = rng.randint(game.rules.seats[0], game.rules.seats[-1])
    state = game.rules.setup("abcdef"[:seats], options_of(game, seats, "", aimless=True), Chance(f"{seed:064}"))
    procedure.begin(state)
    moves = 0
    while state.waiting:
        if not moves % every:
            yield state
        seat = rng.choice(state.waiting)
        procedure.play(state, seat, legal_at_random(state, seat, rng), trusted=True)
        moves += 1


def changeable(thing: Any, found: dict[int, Any]) -> dict[int, Any]:
    """Every list, dict and struct of a state that can be changed, by its identity."""
    if isinstance(thing, msgspec.Struct):
        if not thing.__struct_config__.frozen:
            found[id(thing)] = thing
        for name in thing.__struct_fields__:
            changeable(getattr(thing, name), found)
    elif isinstance(thing, list | dict):
        found[id(thing)] = thing
        for part in thing.values() if isinstance(thing, dict) else thing:
            changeable(part, found)
    elif isinstance(thing, tuple):
        for part in thing:
            changeable(part, found)
    return found


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_clone_is_equal_and_shares_nothing_that_can_change(game: Game) -> None:
    for seed in range(3):
        for state in positions(game, seed, every=23):
            copied = clone(state)
            assert copied == state and type(copied) is type(state)
            assert not changeable(state, {}).keys() & changeable(copied, {}).keys()


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_playing_on_in_either_leaves_the_other(game: Game) -> None:
    rng = random.Random(4)
    for state in positions(game, 4, every=31):
        before, copied = game.rules.encode(state), clone(state)
        for _ in range(40):
            if copied.waiting:
                seat = rng.choice(copied.waiting)
                procedure.play(copied, seat, legal_at_random(copied, seat, rng), trusted=True)
        assert game.rules.encode(state) == before
        again = clone(state)
        after = game.rules.encode(copied)
        for _ in range(10):
            if again.waiting:
                seat = again.waiting[0]
                procedure.play(again, seat, procedure.ask_of(again, seat).default)
        assert (game.rules.encode(copied), game.rules.encode(state)) == (after, before)


def test_an_answer_that_lies_sealed_is_copied_with_its_lists() -> None:
    answer = Answer("pay", {"cards": ["Land/a"], "attach": {"Land/a": "F1"}, "count": 2})
    copied = clone({"a": answer})["a"]
    assert copied == answer
    copied.some("cards").append("Land/b")
    copied.assigned("attach").clear()
    assert answer == Answer("pay", {"cards": ["Land/a"], "attach": {"Land/a": "F1"}, "count": 2})


class Piece(msgspec.Struct):
    on: list[str] = []


class Crowned(Piece):
    by: list[str] = []


class Box(msgspec.Struct, kw_only=True):
    piece: Piece
    held: list[Piece] = []
    pairs: list[tuple[str, list[int]]] = []
    places: list[tuple[str, str]] = []


def test_a_part_of_a_derived_type_is_copied_as_what_it_is() -> None:
    box = Box(piece=Crowned(["a"], ["b"]), held=[Piece(["c"]), Crowned(["d"])], pairs=[("e", [1])], places=[("f", "g")])
    copied = clone(box)
    assert copied == box and [type(p) for p in (copied.piece, *copied.held)] == [Crowned, Piece, Crowned]
    assert not changeable(box, {}).keys() & changeable(copied, {}).keys()


def test_what_is_no_plain_data_is_not_copied() -> None:
    with pytest.raises(TypeError, match="Random is no part of a state"):
        clone([random.Random(1)])


@dataclass
class Pouch:
    coins: list[int]


class Purse(msgspec.Struct):
    pouch: Pouch


def test_a_field_of_a_type_that_no_state_has_is_refused_rather_than_shared() -> None:
    with pytest.raises(TypeError, match="Pouch is no part of a state"):
        clone(Purse(Pouch([1])))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_copy_dealt_anew_draws_by_a_guess_of_its_own(game: Game) -> None:
    """The same own chance deals the same, the next draw of it another; neither is what the match has committed."""
    for state in positions(game, 5, every=60):
        own, other = Chance("a bot's"), Chance("a bot's")
        first, second = game.rules.redeal(state, "a", own), game.rules.redeal(state, "a", other)
        assert game.rules.encode(first) == game.rules.encode(second)
        assert game.rules.redeal(state, "a", own).table.chance != first.table.chance
        assert isinstance(first.table.chance, Guess) and not first.table.chance.secret


class Leaf(msgspec.Struct):
    cards: int = 0


class Seal(msgspec.Struct, frozen=True):
    cards: int = 0


def test_a_struct_without_parts_is_copied_where_it_can_change_and_shared_where_it_cannot() -> None:
    leaf, seal = Leaf(3), Seal(3)
    (copied, shared), (again,) = clone([leaf, seal]), clone([[leaf]])[0]
    assert copied == again == leaf and copied is not leaf and again is not leaf and shared is seal
    copied.cards = 4
    assert leaf.cards == 3


class Colour(Enum):
    RED = "red"


class Lid(msgspec.Struct):
    name: str
    bands: list[str]


class Chest(Lid, kw_only=True):
    """A part of a state with one field of each kind that there can be."""

    size: int | None = None
    weight: float = 0.5
    open: bool = True
    mark: bytes = b"m"
    way: Literal["in", "out"] = "in"
    colour: Colour = Colour.RED
    late: int | msgspec.UnsetType = msgspec.UNSET
    leaves: list[Leaf] = []
    boxes: dict[str, Piece] = {}
    counts: dict[str, int] = {}
    rows: list[list[int]] = []
    trail: tuple[str, ...] = ()
    loads: tuple[list[int], ...] = ()
    pair: tuple[str, int] = ("", 0)
    mixed: tuple[str, list[int]] = ("", [])
    seal: Seal = Seal()
    leaf: Leaf = msgspec.field(default_factory=Leaf)
    maybe: Piece | None = None
    either: Piece | list[str] | None = None
    kept: set[str] = set()


def test_each_kind_of_field_is_copied_if_it_can_change_and_shared_if_it_can_not() -> None:
    boxes: dict[str, Piece] = {"a": Crowned(["x"], ["y"]), "b": Piece(["z"])}
    chest = Chest(
        "oak", ["iron"], size=3, late=4, leaves=[Leaf(1), Leaf(2)], boxes=boxes, counts={"a": 1}, rows=[[1], []],
        trail=("n", "s"), loads=([1], [2]), pair=("p", 7), mixed=("m", [8]), seal=Seal(5), leaf=Leaf(6),
        maybe=Piece(["q"]), either=["w"], kept={"k"},
    )  # fmt: skip
    for other in (chest, Chest("elm", []), Chest("ash", ["tin"], either=Piece(["v"]))):
        copied = clone(other)
        assert copied == other and type(copied) is Chest
        assert not changeable(other, {}).keys() & changeable(copied, {}).keys()
        assert copied.trail is other.trail and copied.pair is other.pair and copied.seal is other.seal
    copied = clone(chest)
    assert [type(box) for box in copied.boxes.values()] == [Crowned, Piece]
    copied.kept.add("l")
    copied.mixed[1].append(9)
    copied.loads[0].append(9)
    assert (chest.kept, chest.mixed, chest.loads) == ({"k"}, ("m", [8]), ([1], [2]))
    assert clone(("a", ["b"], frozenset("c"), 1.5, None, b"d", True)) == ("a", ["b"], frozenset("c"), 1.5, None, b"d", True)
