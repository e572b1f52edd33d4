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
    """How many a second: `work` is called until the time is up and says how many it did."""
    done, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        done += work()
    return done / spent


def side_by_side(works: dict[str, Callable[[], int]], seconds: float, rounds: int) -> dict[str, float]:
    """The median rate of each, measured in turns, so that a busy moment of the machine falls on all alike."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    for _ in range(rounds):
        for name, work in works.items():
            rates[name].append(rate(work, seconds))
    return {name: statistics.median(found) for name, found in rates.items()}
