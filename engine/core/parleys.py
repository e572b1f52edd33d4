"""Limits of private talk, which the service counts in hours and messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from engine.core.asks import Seat


class Parley(msgspec.Struct):
    seats: list[Seat]
    terms: int = 1
    """How often it was opened or prolonged."""
    open: bool = True
    """Whether its limit in the game still lasts."""


@dataclass(frozen=True)
class Parleys:
    """Limits of messages and hours."""

    of: Callable[[Any], Sequence[Parley]]
    """state -> all parleys so far."""
    posts: int
    """Messages per seat and term."""
    longest: int
    """Characters per message."""
    least_hours: int
    """Least hours of a term."""
    most_hours: int
    """Most hours of a term."""
    needed: Callable[[Mapping[str, Any]], bool] = lambda _options: True
    """Header options -> whether private talk needs a parley."""
