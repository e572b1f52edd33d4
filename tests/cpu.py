"""CPU time of code under test, to compare with that of a yardstick on the same machine."""

from __future__ import annotations

import time
from collections.abc import Callable


def cpu_seconds(work: Callable[[], object]) -> float:
    """The least of three runs."""
    taken = []
    for _ in range(3):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)
