"""Private talk of some seats, where a game allows it only to those who have opened a parley.

The game says who may talk, how often they have paid for it, and whether its own time for it lasts; hours and messages are
counted by the service's talk, which keeps what is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from engine.asks import Seat


class Parley(msgspec.Struct):
    """Seats that may talk among themselves."""

    seats: list[Seat]
    """In the order of the table."""
    terms: int = 1
    """How often it was opened or prolonged, in all."""
    open: bool = True
    """Whether what bounds it in the game still lasts."""


@dataclass(frozen=True)
class Parleys:
    """How a game bounds private talk."""

    of: Callable[[Any], Sequence[Parley]]
    """state -> all parleys that there were."""
    posts: int
    """So many messages has each for every term,"""
    longest: int
    """of at most so many characters."""
    least_hours: int
    """A term lasts as long at least,"""
    most_hours: int
    """and so long at most; between the two it ends with what bounds it in the game."""
    needed: Callable[[Mapping[str, Any]], bool] = lambda _options: True
    """the header's options -> whether nobody may talk in private without one."""
