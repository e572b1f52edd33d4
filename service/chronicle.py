"""What happened, in words: the game's own events by its own telling, what happened around the board by ours."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from engine.asks import Seat
from engine.game import Game
from engine.views import Event

PREFIX = "table."
"""What the kinds of events around the board begin with."""


@cache
def _sentences() -> dict[str, str]:
    found: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["sentence"]
    return found


def about_table(kind: str, **facts: str | int) -> Event:
    """An event around the board that everybody may know: `kind` is a key of the catalogue; `seat` is told by its name."""
    assert kind in _sentences(), kind
    return Event(PREFIX + kind, facts)


def tell(game: Game, event: Event, names: Mapping[Seat, str], reader: Seat | None) -> str:
    """An event as a sentence; the empty string for what needs no words."""
    if not event.kind.startswith(PREFIX):
        return game.tell(event, names, reader)
    facts = {**event.facts}
    if "seat" in facts:
        # A seat that has changed hands since is told by the name that it had then, where that was kept.
        facts.setdefault("who", names.get(facts["seat"], facts["seat"]))
    return _sentences()[event.kind.removeprefix(PREFIX)].format_map(facts)
