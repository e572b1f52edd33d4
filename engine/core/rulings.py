"""Rulings: versioned rule decisions, where the rule book leaves a choice or a rule was changed.

Alternatives are in `lore/rulings.toml`. A match's header fixes its rulings; code asks `table.ruled("DEF-2")`. A ruling missing
from a header has its `before`, so running and recorded games never change. To change a rule:

* Add a ruling named after the rule: `before` is today's behaviour, `default` is for new games, and the code does both. Never
  remove an alternative.
* To change a ruling, change its `default` or add an alternative, never its `before`.
* New fields of a state need a default that means what was before: snapshots lack them. Fields, procedures and steps that a log
  can reach stay.
* Add the log of a game by the new rule to `tests/games`. Raise a game's version `rules` only when today's programs can't read
  new logs.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.core.asks import NotUnderstood, refuse_if
from engine.language import lore
from engine.language.words import Message, say


@dataclass(frozen=True)
class Ruling:
    """A rule decision; each match keeps one alternative."""

    id: str
    """Rule id."""
    about: Message | str
    """Description."""
    alternatives: Mapping[str, Message | str]
    """value -> description."""
    default: str
    """Value in new games."""
    before: str
    """Value in games from before the ruling existed."""
    house: bool = False
    """Whether hosts may choose; else it is a fix."""


Rulings = Mapping[str, Ruling]
Ruled = Mapping[str, str]
"""id -> value in one match."""


def load(package: str) -> dict[str, Ruling]:
    """Load a package's `lore/rulings.toml`."""
    listed = lore.table(package, "rulings.toml", dict[str, dict[str, Any]])
    game = package.rpartition(".")[2]
    rulings = {}
    for id, one in listed.items():
        alternatives = {v: say(f"{game}.ruling.{id}.{v}") for v in one["values"]}
        about = say(f"{game}.ruling.{id}")
        rulings[id] = Ruling(id, about, alternatives, one["default"], one["before"], one.get("house", False))
    return rulings


def defaults(known: Rulings) -> dict[str, str]:
    return {id: ruling.default for id, ruling in known.items()}


def begun(known: Rulings, ruled: Ruled | None) -> dict[str, str]:
    """Rulings of a match's header, or defaults for None. Raises NotUnderstood for unknown ids and values."""
    if ruled is None:
        return defaults(known)
    for id, value in ruled.items():
        ruling = known.get(id)
        if ruling is None:
            raise NotUnderstood(say("rule.none_such", id=id[:40], known=list(known)))
        refuse_if(value not in ruling.alternatives, "rule.not_so", id=id, value=value[:40], values=list(ruling.alternatives))
    return dict(ruled)


def house(known: Rulings) -> list[Ruling]:
    return [ruling for ruling in known.values() if ruling.house]


def chosen(known: Rulings, wanted: Ruled) -> dict[str, str]:
    """Rulings for a new header: defaults with the host's choices. Raises NotUnderstood."""
    ids = [ruling.id for ruling in house(known)]
    for id in wanted:
        refuse_if(id not in ids, "rule.not_house", id=id[:40], known=ids)
    return defaults(known) | begun(known, wanted)


def drawn(known: Rulings, rng: random.Random) -> dict[str, str]:
    return chosen(known, {ruling.id: rng.choice(list(ruling.alternatives)) for ruling in house(known)})


def unlike(known: Rulings, ruled: Ruled) -> dict[str, str]:
    """House rulings that aren't the default."""
    return {r.id: ruled[r.id] for r in house(known) if ruled.get(r.id, r.default) != r.default}


def of(known: Rulings, ruled: Ruled, id: str) -> str:
    """A ruling's value in a match. Raises KeyError."""
    return ruled[id] if id in ruled else known[id].before


def write(known: Rulings, ruled: Ruled) -> str:
    """Serialise rulings for a position: `DEF-2=garrisoned_last MM-AMB-24=attacker`."""
    return " ".join(f"{id}={of(known, ruled, id)}" for id in known)


def read(known: Rulings, text: str) -> dict[str, str]:
    """Parse what `write` wrote; missing ones get the default. Raises NotUnderstood."""
    ruled = {}
    for word in text.split():
        id, equals, value = word.partition("=")
        refuse_if(not equals or id in ruled, "rule.not_read", text=word[:40])
        ruled[id] = value
    return defaults(known) | begun(known, ruled)
