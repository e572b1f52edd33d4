"""Statistics of a finished match, and the reason for a place."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.asks import Seat
from engine.core.figures import Beat, Figure, Hit, size, tally
from engine.core.procedure import State
from engine.language.words import Names
from engine.mastery.face.narrate import WORDS
from engine.mastery.rules.reckoning import on_map
from engine.mastery.rules.table import Table, held

DEAD = {"retreated": "lost", "killed": "count", "mayhem": "dead", "cut_off": "count"}
"""Events that kill knights of `seat`, and the fact that counts them."""


def knights_lost(beat: Beat) -> Iterable[Hit]:
    for event in beat.events:
        facts = event.facts
        if event.kind in DEAD:
            yield Hit((facts["seat"],), facts[DEAD[event.kind]])
        elif event.kind == "arena":
            yield from (Hit((seat,)) for seat in facts["losers"])
        elif event.kind == "swallowed":
            yield Hit((facts["seat"],))


def cards_played(beat: Beat) -> Iterable[Hit]:
    for event in beat.events:
        if event.kind == "conflict":
            yield from (Hit((seat,)) for seat, card in zip(event.facts["seats"], event.facts["cards"], strict=True) if card)
        elif event.kind in ("played", "supported"):
            yield Hit((event.facts["seat"],), size(event.facts["cards"]) if event.kind == "supported" else 1)


FIGURES = (
    Figure("attacks", tally("attacked")),
    Figure("taken", tally("conquered")),
    Figure("knights_lost", lambda: knights_lost),
    Figure("cards_played", lambda: cards_played),
    Figure("march", tally("attacked", "advanced", of="count"), record=True),
    Figure("artefacts", tally("fractured", "corrupted")),
    Figure("stormed", tally("stormed")),
    Figure("cut_off", tally("cut_off", of="count")),
)


def reason(state: State[Table, object], seat: Seat, _names: Names) -> str:
    table = state.table
    amounts = {"territories": len(held(table, seat)), "knights": on_map(table, seat)}
    return WORDS.listed("comma", [WORDS.amount(key, n) for key, n in amounts.items()])
