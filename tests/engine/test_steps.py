"""Steps are bound when a procedure's class is made: what can't be run fails there, with a sentence."""

from __future__ import annotations

import types
from typing import Any, ClassVar

import pytest

from engine.core.asks import Answer, Ask, Option, Seat
from engine.core.procedure import Asking, Automatic, Next, Procedure, Unfinished
from tests.toy_game import Dice, Fair


def begin(self: Any, table: Any) -> Next:
    return "more"


def who(self: Any, table: Any) -> list[Seat]:
    return []


def ask(self: Any, table: Any, seat: Seat) -> Ask:
    return Ask(seat, "more", (Option("pass"),), Answer("pass"))


def take(self: Any, table: Any, answers: dict[Seat, Answer]) -> Next:
    return "begin"


def vet(self: Any, table: Any, seat: Seat, answer: Answer) -> None:
    return None


def made(**parts: object) -> type[Procedure]:
    """A procedure called `Odd` with these methods."""
    return types.new_class("Odd", (Procedure,), exec_body=lambda space: space.update(parts))


def test_every_step_stands_in_the_table_of_its_class() -> None:
    assert list(Dice.steps) == ["begin", "dare"]
    assert isinstance(Dice.steps["begin"], Automatic)
    bid, alms = Fair.steps["bid"], Fair.steps["alms"]
    assert isinstance(bid, Asking) and isinstance(alms, Asking)
    assert bid.vet is not None and bid.explain is None and not bid.each
    assert alms.each and alms.vet is None


def test_helpers_are_no_steps() -> None:
    def count(self: Any, table: Any) -> int:
        return 0

    def _go_on(self: Any, table: Any) -> Next:
        return "begin"

    assert list(made(begin=begin, count=count, _go_on=_go_on).steps) == ["begin"]


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({}, "Odd, step “begin”: it is missing"),
        ({"begin": begin, "who_more": who}, "Odd, step “more”: it has who_more, but no ask_more and take_more"),
        ({"begin": begin, "who_more": who, "ask_more": ask}, "Odd, step “more”: .* but no take_more"),
        ({"begin": begin, "ask_more": ask, "take_more": take}, "Odd, step “more”: .* but no who_more"),
        ({"begin": begin, "vet_moer": vet}, "Odd, step “moer”: it has vet_moer, but no who_moer and ask_moer and take_moer"),
        ({"begin": begin, "explain_moer": vet}, "Odd, step “moer”: it has explain_moer, but no who_moer"),
        ({"begin": begin, "more": begin, "who_more": who, "ask_more": ask, "take_more": take}, "“more”: it can't ask and be"),
        (
            {"begin": begin, "who_more": who, "ask_more": who, "take_more": take},
            "“ask_more”: it takes other arguments.*: self, table, seat or answers\\.",
        ),
        ({"begin": who, "more": begin}, "Odd, step “begin”: it is missing"),
    ],
)
def test_what_is_no_whole_step_fails_with_a_sentence(parts: dict[str, object], sentence: str) -> None:
    with pytest.raises(Unfinished, match=sentence):
        made(**parts)


def test_only_asking_steps_take_answers_one_by_one() -> None:
    with pytest.raises(Unfinished, match="Odd, step “begin”: `each` lists it, but there is no such asking step"):

        class Odd(Procedure):
            each: ClassVar[frozenset[str]] = frozenset({"begin"})

            def begin(self, _table: Any) -> Next:
                return "begin"
