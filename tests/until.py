"""Wait for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable

SHORTEST, LONGEST = 0.02, 0.5
"""Seconds between two polls."""
SHARE = 10
"""Polls take at most one in so many parts of the time: what is waited for needs the processor."""


def until(what: Callable[[], object], why: str = "it doesn't come to that", seconds: float = 90) -> None:
    """Poll until `what()` is true; AssertionError with `why` after `seconds`."""
    began = time.monotonic()
    end = began + seconds
    while not what():
        polled = time.monotonic()
        assert polled < end, why
        time.sleep(min(LONGEST, max(SHORTEST, SHARE * (polled - began))))
        began = time.monotonic()
