"""Statistics of a finished match, and the reason for a place."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.asks import Seat
from engine.core.figures import Beat, Figure, Hit, tally
from engine.core.procedure import State
from engine.language.words import Names
from engine.ortus.face.narrate import WORDS
from engine.ortus.rules.pieces import VIKINGS
from engine.ortus.rules.table import Table


def cards_fielded(beat: Beat) -> Iterable[Hit]:
    """Cards fielded by Earls, without the Vikings' own."""
    for event in beat.events:
        if event.kind in ("attack", "defended") and event.facts["seat"] != VIKINGS:
            yield Hit((event.facts["seat"],), len(event.facts["cards"]))


FIGURES = (
    Figure("attacks", tally("attack", by="actor")),
    Figure("fielded", lambda: cards_fielded),
    Figure("hardest", tally("attack", by="actor", of="points"), record=True),
    Figure("fallen", tally("fell", "assassinated")),
    Figure("towers", tally("towers_fell", of="cards")),
    Figure("jousts", tally("joust_won")),
    Figure("politics", tally("politics")),
    Figure("banquets", tally("banquet")),
)


def reason(state: State[Table, object], seat: Seat, _names: Names) -> str:
    earl = state.table.earls[seat]
    held = {"fiefs": len(earl.fiefs), "towers": len(earl.towers)}
    return WORDS.listed("comma", [WORDS.amount(key, n) for key, n in held.items() if n]) if any(held.values()) else ""
