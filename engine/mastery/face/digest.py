"""Log digest: merges the support cards and passes of a battle, and its result, into one line."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.views import Event
from engine.language.words import Names
from engine.mastery.face.narrate import merge, tell
from engine.text.digest import Digest, flowing

PASSED = "support_passed"
SUPPORT = frozenset((PASSED, "supported", "score"))


def joins(before: Sequence[Event], after: Sequence[Event]) -> bool:
    return after[0].kind in SUPPORT and all(event.kind in SUPPORT for event in before)


def said(events: Sequence[Event], names: Names) -> list[str]:
    """Passes are told only if nothing else is."""
    if events[0].kind not in SUPPORT:
        return []
    return [*flowing(tell, merge, [event for event in events if event.kind != PASSED] or events, names)]


DIGEST = Digest(joins, said, folds=1.3)
