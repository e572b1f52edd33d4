"""Garbage collection of long-lived processes."""

from __future__ import annotations

import gc

NEW_OBJECTS = 20_000
"""New objects that start a collection: with Python's own 700, pages take 15 % more CPU, and letters 10 % (`bench/moves.py`)."""


def spare_what_is_loaded() -> None:
    """Leave what start-up loaded out of all collections: they would go through it and, in a forked child, copy it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
