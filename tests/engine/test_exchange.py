"""Exchanges line by line: what is refused with which facts, and that nothing moves before all is judged."""

from __future__ import annotations

import pytest

from engine.core.asks import NotLegal, Seat
from engine.core.exchange import Line, execute, judge
from engine.language.words import Message, say

PURSES = {("a", "coin"): 5, ("a", "ale"): 1, ("b", "coin"): 2}


def holds(seat: Seat, what: str) -> int:
    return PURSES.get((seat, what), 0)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([Line("a", "b", "coin", 0)], say("exchange.no_line", giver="a", taker="b", what="coin", n=0)),
        ([Line("a", "a", "coin", 2)], say("exchange.no_line", giver="a", taker="a", what="coin", n=2)),
        (
            [Line("a", "b", "coin"), Line("b", "a", "coin", -1)],
            say("exchange.no_line", giver="b", taker="a", what="coin", n=-1),
        ),
        ([Line("a", "b", "coin", 3), Line("a", "c", "coin", 3)], say("exchange.lacks", seat="a", what="coin", n=6, has=5)),
        ([Line("b", "a", "coin", 2), Line("b", "c", "ale")], say("exchange.lacks", seat="b", what="ale", n=1, has=0)),
        ([Line("a", "b", "coin", 6)], say("exchange.lacks", seat="a", what="coin", n=6, has=5)),
    ],
)
def test_what_can_not_be_is_refused_with_its_facts(lines: list[Line], told: Message) -> None:
    with pytest.raises(NotLegal) as refusal:
        judge(lines, holds)
    assert refusal.value.said == told
    moved = list[Line]()
    with pytest.raises(NotLegal):
        execute(lines, holds, moved.append)
    assert moved == [], "nothing has moved"


def test_what_can_be_is_done_line_by_line_in_the_order_said() -> None:
    lines = [Line("a", "b", "coin", 4), Line("b", "a", "coin", 2), Line("a", "c", "ale"), Line("a", "d", "coin")]
    assert judge(iter(lines), holds) == lines
    moved = list[Line]()
    execute(iter(lines), holds, moved.append)
    assert moved == lines
    assert judge([], holds) == []
