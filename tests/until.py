"""Wait for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(what: Callable[[], object], why: str = "it doesn't come to that", seconds: float = 90) -> None:
    """Poll until `what()` is true; AssertionError with `why` after `seconds`."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, why
        time.sleep(0.02)
