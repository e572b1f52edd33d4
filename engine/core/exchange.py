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
Room = Callable[[Seat, str], int | None]
"""seat, thing -> how many more the seat may take; None for no limit."""
Hand = Callable[[Line], None]


def judge(lines: Iterable[Line], holds: Holds, room: Room | None = None) -> list[Line]:
    """Raises NotLegal for the first illegal line. `room` limits what a seat can take; what it gives makes no room."""
    lines, given, taken = list(lines), Counter[tuple[Seat, str]](), Counter[tuple[Seat, str]]()
    for line in lines:
        if line.amount < 1 or line.giver == line.taker:
            raise NotLegal(say("exchange.no_line", giver=line.giver, taker=line.taker, what=line.what, n=line.amount))
        given[line.giver, line.what] += line.amount
        taken[line.taker, line.what] += line.amount
    for (seat, what), n in given.items():
        has = holds(seat, what)
        illegal_if(n > has, "exchange.lacks", seat=seat, what=what, n=n, has=has)
    for (seat, what), n in taken.items():
        left = room(seat, what) if room is not None else None
        illegal_if(left is not None and n > left, "exchange.no_room", seat=seat, what=what, n=n, left=left)
    return lines


def execute(lines: Iterable[Line], holds: Holds, hand: Hand, room: Room | None = None) -> None:
    """Raises NotLegal before anything has moved."""
    for line in judge(lines, holds, room):
        hand(line)
