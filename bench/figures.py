"""One JSON line a figure, and what the benchmarks share."""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any


def figure(name: str, value: float, unit: str, **more: Any) -> None:
    """Print a figure as a line of JSON."""
    print(json.dumps({"figure": name, "value": round(value, 3), "unit": unit, **more}), flush=True)


def machine() -> None:
    """Print what it was measured on."""
    print(json.dumps({"figure": "machine", "python": platform.python_version(), "system": platform.platform()}), flush=True)


def rate(work: Callable[[], int], seconds: float) -> float:
    """How many a second of CPU time: `work` is called until the time is up and says how many it did."""
    done, began = 0, time.process_time()
    while (spent := time.process_time() - began) < seconds:
        done += work()
    return done / spent


def side_by_side(works: dict[str, Callable[[], int]], seconds: float, rounds: int) -> dict[str, float]:
    """The median rate of each, as `in_turns` finds them."""
    return {name: statistics.median(found) for name, found in in_turns(works, seconds, rounds).items()}


def in_turns(works: dict[str, Callable[[], int]], seconds: float, rounds: int) -> dict[str, list[float]]:
    """The rates of each, a round after the other, so that a busy moment of the machine falls on all alike."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    for _ in range(rounds):
        for name, work in works.items():
            rates[name].append(rate(work, seconds))
    return rates


def compared(name: str, rates: list[float], base: list[float], unit: str, **more: Any) -> None:
    """Print the median of the rounds' ratios, and the least and the greatest of them: the machine's noise."""
    ratios = sorted(own / other for own, other in zip(rates, base, strict=True))
    figure(name, statistics.median(ratios), unit, least=round(ratios[0], 3), most=round(ratios[-1], 3), **more)
