"""An exchange: who gives what to whom, done whole or not at all.

It is judged on the position just before: what somebody gives has to be his already, whatever he gets by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import msgspec

from engine.asks import NotLegal, Seat
from engine.words import say


class Line(msgspec.Struct, frozen=True):
    """One line of a bargain: so many of a thing go from one seat to another."""

    giver: Seat
    taker: Seat
    what: str
    amount: int = 1


Holds = Callable[[Seat, str], int]
"""seat, what -> how many of it the seat may give."""
Room = Callable[[Seat, str], int | None]
"""seat, what -> how many more of it the seat may take; None: as many as there are."""
Hand = Callable[[Line], None]
"""Carry out one line."""


def judge(lines: Iterable[Line], holds: Holds, room: Room | None = None) -> list[Line]:
    """The lines, if each can be carried out as the position stands. Raises NotLegal with the first that can't; changes
    nothing. `room`, where there is a limit to what one can take: what somebody gives away makes no room for what he gets."""
    lines, given, taken = list(lines), Counter[tuple[Seat, str]](), Counter[tuple[Seat, str]]()
    for line in lines:
        if line.amount < 1 or line.giver == line.taker:
            raise NotLegal(say("exchange.no_line", giver=line.giver, taker=line.taker, what=line.what, n=line.amount))
        given[line.giver, line.what] += line.amount
        taken[line.taker, line.what] += line.amount
    for (seat, what), n in given.items():
        has = holds(seat, what)
        if n > has:
            raise NotLegal(say("exchange.lacks", seat=seat, what=what, n=n, has=has))
    for (seat, what), n in taken.items():
        left = room(seat, what) if room is not None else None
        if left is not None and n > left:
            raise NotLegal(say("exchange.no_room", seat=seat, what=what, n=n, left=left))
    return lines


def execute(lines: Iterable[Line], holds: Holds, hand: Hand, room: Room | None = None) -> None:
    """Carry out all lines. Raises NotLegal, before anything has moved, if one of them can't be."""
    for line in judge(lines, holds, room):
        hand(line)
