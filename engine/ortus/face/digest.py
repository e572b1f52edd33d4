"""Log digest: one line for an Earl's answers of a Turn that don't concern others."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.views import Event
from engine.language.words import Names
from engine.ortus.face.narrate import DRAWN, merge, tell
from engine.text.digest import Digest, flowing

ALONE = frozenset((
    "towers", "towers_own", "garrisoned", "castle", "placed", "installed", "hired", "recruited", "army_drawn",
    "army_drawn_own", "emissary", "banquet", "canterbury_announced", "canterbury_left", *DRAWN,
))  # fmt: skip
"""Events of a Turn that concern nobody else."""
AROUND = frozenset(("canterbury_entered", "turn", "round", "vikings_held", "vikings_nearer", "vikings_idle"))
"""Events after a Turn's end that may stand in its line."""


def _goes_on(events: Sequence[Event]) -> bool:
    """Whether the Turn continues: a Banquet's count mustn't take the closing draw."""
    return all(event.kind in ALONE and event.kind not in DRAWN for event in events)


def joins(before: Sequence[Event], after: Sequence[Event]) -> bool:
    same = before[0].facts.get("seat") == after[0].facts.get("seat")
    return same and _goes_on(before) and after[0].kind in ALONE and (ALONE | AROUND).issuperset(e.kind for e in after)


def said(events: Sequence[Event], names: Names) -> list[str]:
    kinds = {event.kind for event in events}
    return [*flowing(tell, merge, events, names)] if kinds <= (ALONE | AROUND) else []


DIGEST = Digest(joins, said, folds=1.3)
