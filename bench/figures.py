"""Output as JSON lines, and helpers shared by the benchmarks."""

from __future__ import annotations

import contextlib
import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def figure(name: str, value: float, unit: str, **more: Any) -> None:
    print(json.dumps({"figure": name, "value": round(value, 3), "unit": unit, **more}), flush=True)


def machine() -> None:
    """Print the platform."""
    print(json.dumps({"figure": "machine", "python": platform.python_version(), "system": platform.platform()}), flush=True)


def family(pids: set[int]) -> set[int]:
    """Processes and their descendants."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(folder.name))
    found, new = set[int](), set(pids)
    while new:
        found |= new
        new = {child for pid in new for child in parents.get(pid, [])} - found
    return found


def rate(work: Callable[[], int], seconds: float) -> float:
    """Units of `work` per second of CPU time."""
    done, began = 0, time.process_time()
    while (spent := time.process_time() - began) < seconds:
        done += work()
    return done / spent


def side_by_side(works: dict[str, Callable[[], int]], seconds: float, rounds: int) -> dict[str, float]:
    """Median rates of `in_turns`."""
    return {name: statistics.median(found) for name, found in in_turns(works, seconds, rounds).items()}


def in_turns(works: dict[str, Callable[[], int]], seconds: float, rounds: int) -> dict[str, list[float]]:
    """Rates by alternating rounds, so that noise affects all alike."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    for _ in range(rounds):
        for name, work in works.items():
            rates[name].append(rate(work, seconds))
    return rates


def compared(name: str, rates: list[float], base: list[float], unit: str, **more: Any) -> None:
    """Print the median, minimum and maximum of the rounds' ratios."""
    ratios = sorted(own / other for own, other in zip(rates, base, strict=True))
    figure(name, statistics.median(ratios), unit, least=round(ratios[0], 3), most=round(ratios[-1], 3), **more)
