"""Atomic exchange between seats, judged on the position before: a seat can't give what it only gets by the exchange."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import msgspec

from engine.core.asks import NotLegal, Seat, illegal_if
from engine.language.words import say


class Line(msgspec.Struct, frozen=True):
    giver: Seat
    taker: Seat
    what: str
    amount: int = 1


Holds = Callable[[Seat, str], int]
"""seat, thing -> how many the seat may give."""
Hand = Callable[[Line], None]


def judge(lines: Iterable[Line], holds: Holds) -> list[Line]:
    """Raises NotLegal for the first line that can't be carried out."""
    lines, given = list(lines), Counter[tuple[Seat, str]]()
    for line in lines:
        if line.amount < 1 or line.giver == line.taker:
            raise NotLegal(say("exchange.no_line", giver=line.giver, taker=line.taker, what=line.what, n=line.amount))
        given[line.giver, line.what] += line.amount
    for (seat, what), n in given.items():
        has = holds(seat, what)
        illegal_if(n > has, "exchange.lacks", seat=seat, what=what, n=n, has=has)
    return lines


def execute(lines: Iterable[Line], holds: Holds, hand: Hand) -> None:
    """Raises NotLegal before anything has moved."""
    for line in judge(lines, holds):
        hand(line)
