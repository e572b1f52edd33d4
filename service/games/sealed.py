"""Rows of hidden answers, encrypted outside the log; `engine.hidden` says what they do."""

from __future__ import annotations

from engine.asks import read
from engine.hidden import Given, Taken
from service.store.models import SealedAnswer


def taken(row: SealedAnswer) -> Taken:
    """Parse a hidden offer's row."""
    return Taken(row.seat, row.kind, stored(row), -row.serial)


def stored(row: SealedAnswer) -> Given:
    """Parse a hidden answer's row."""
    return Given(read(row.move), row.via, row.mark)
