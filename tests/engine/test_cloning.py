"""Copies of states are equal and independent, whatever is done to either."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from engine import procedure
from engine.asks import Answer
from engine.bots.random import legal_at_random
from engine.chance import Chance, Guess
from engine.cloning import clone
from engine.game import AnyState, Game, options_of
from engine.games import GAMES


def positions(game: Game, seed: int, every: int) -> Iterator[AnyState]:
    """Positions of a random game from its beginning to its end."""
    rng = random.Random(seed)
    seats = rng.randint(game.least, game.most)
    state = game.setup("abcdef"[:seats], options_of(game, seats, "", aimless=True), Chance(f"{seed:064}"))
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
        before, copied = game.encode(state), clone(state)
        for _ in range(40):
            if copied.waiting:
                seat = rng.choice(copied.waiting)
                procedure.play(copied, seat, legal_at_random(copied, seat, rng), trusted=True)
        assert game.encode(state) == before
        again = clone(state)
        after = game.encode(copied)
        for _ in range(10):
            if again.waiting:
                seat = again.waiting[0]
                procedure.play(again, seat, procedure.ask_of(again, seat).default)
        assert (game.encode(copied), game.encode(state)) == (after, before)


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


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_copy_dealt_anew_draws_by_a_guess_of_its_own(game: Game) -> None:
    """The same own chance deals the same, the next draw of it another; neither is what the match has committed."""
    for state in positions(game, 5, every=60):
        own, other = Chance("a bot's"), Chance("a bot's")
        first, second = game.redeal(state, "a", own), game.redeal(state, "a", other)
        assert game.encode(first) == game.encode(second)
        assert game.redeal(state, "a", own).table.chance != first.table.chance
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
