"""What happened, in words: the game's own events by its own telling, what happened around the board by ours."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path

from engine.asks import Seat
from engine.game import Game
from engine.views import Event
from service.clock.arithmetic import shown

PREFIX = "table."
"""What the kinds of events around the board begin with."""
MOMENTS = {"from", "until"}
"""Facts that are moments, in the form of ISO 8601; older ones are words already."""
STAMP = re.compile(r"\d{4}-\d{2}-\d{2}T")


@cache
def _sentences() -> dict[str, str]:
    found: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["sentence"]
    return found


def about_table(kind: str, by: str = "", /, **facts: str | int) -> Event:
    """An event around the board that everybody may know: `kind` is a key of the catalogue; `seat` is told by its name.

    Where the catalogue has words of their own for what is done `by` somebody, it is told in them.
    """
    kind = f"{kind}_{by}" if f"{kind}_{by}" in _sentences() else kind
    assert kind in _sentences(), kind
    return Event(PREFIX + kind, facts)


def tell(game: Game, event: Event, names: Mapping[Seat, str], reader: Seat | None, zone: str = "UTC") -> str:
    """An event as a sentence, its moments in the reader's zone; the empty string for what needs no words."""
    if not event.kind.startswith(PREFIX):
        return game.tell(event, names, reader)
    facts = {**event.facts}
    for key in MOMENTS & facts.keys():
        if STAMP.match(str(facts[key])):
            facts[key] = shown(datetime.fromisoformat(facts[key]), zone)
    if "seat" in facts:
        # A seat that has changed hands since is told by the name that it had then, where that was kept.
        facts.setdefault("who", names.get(facts["seat"], facts["seat"]))
    return _sentences()[event.kind.removeprefix(PREFIX)].format_map(facts)
