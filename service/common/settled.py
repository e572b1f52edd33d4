"""What stays in memory as long as a process runs, put aside from what is gone through for things that nobody needs any more."""

from __future__ import annotations

import gc

COLLECTED = (10_000, 10, 10)
"""New objects until they are gone through. A page or a move makes thousands that live as long as it does: Python's own 700 had
each gone through several times while it was made, a thirtieth of all work."""


def settle() -> None:
    """Put aside all that there is. To be called when all is made that a process needs, and before it is forked."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED)
