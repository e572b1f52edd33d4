"""Rulings: what is decided where the books leave a choice, and wherever a rule is mended. Rules change, games don't.

A game lists its rulings as data: which alternatives there are in `lore/rulings.toml`, their words in the section `ruling` of
its catalogue. A match's header lists those that it began with, the table carries them, and code asks for them by name,
`table.ruled("DEF-2")`. What a header doesn't name is as it was before there was that ruling, so a running game is played to
its end by what it began with, and a recorded one replays to the same hash for ever.

To change a rule from now on:

* No code changes what it does for a match that has begun. Add a ruling, named after the rule: its `before` is what the code
  does today, its `default` what new games get; the code asks `ruled` and can do both. Never take an alternative away.
* To change one's mind about a ruling that is there, change its `default` alone, or add an alternative. Never its `before`.
* Fields that are added to a table, a procedure or any other part of a state need a default, which stands for what was before
  there was the field: snapshots of running games lack it. Fields, procedures and steps that a log can lead to stay.
* Play a game by the new rule and add its log to `tests/games`; those that are there stay as they are.
* A game's `rules`, its version, goes up only when logs are written that programs of today couldn't read at all.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from engine import lore
from engine.asks import NotUnderstood
from engine.words import Sentence, say


@dataclass(frozen=True)
class Ruling:
    """One point on which a game may be played in several ways."""

    id: str
    """The rule that it is about."""
    about: Sentence | str
    """What is to be decided, in words."""
    alternatives: Mapping[str, Sentence | str]
    """value -> what it means, in words."""
    default: str
    """What new games begin with."""
    before: str
    """What games go on with that began before there was this ruling."""
    house: bool = False
    """Whether a host may choose it, for tables honestly differ; else it is a mend, which nobody chooses."""


Rulings = Mapping[str, Ruling]
"""Those of a game, by their ids."""
Ruled = Mapping[str, str]
"""What is ruled in one match: id -> value."""


def load(package: str) -> dict[str, Ruling]:
    """The rulings of a game's package, from its `lore/rulings.toml`. Their words are those of the game called like it."""
    listed = tomllib.loads(lore.text(package, "rulings.toml"))
    game = package.rpartition(".")[2]
    rulings = {}
    for id, one in listed.items():
        alternatives = {v: say(f"{game}.ruling.{id}.{v}") for v in one["values"]}
        about = say(f"{game}.ruling.{id}")
        rulings[id] = Ruling(id, about, alternatives, one["default"], one["before"], one.get("house", False))
    return rulings


def defaults(known: Rulings) -> dict[str, str]:
    """What a new game's header lists: every ruling with its default."""
    return {id: ruling.default for id, ruling in known.items()}


def begun(known: Rulings, ruled: Ruled | None) -> dict[str, str]:
    """What a match is played by: what its header lists, or the defaults of new games for None.

    Raises NotUnderstood for a ruling that is not known, or a value that it hasn't got.
    """
    if ruled is None:
        return defaults(known)
    for id, value in ruled.items():
        ruling = known.get(id)
        if ruling is None:
            raise NotUnderstood(say("rule.none_such", id=id[:40], known=list(known)))
        if value not in ruling.alternatives:
            raise NotUnderstood(say("rule.not_so", id=id, value=value[:40], values=list(ruling.alternatives)))
    return dict(ruled)


def house(known: Rulings) -> list[Ruling]:
    """Those that a host may choose, in their order."""
    return [ruling for ruling in known.values() if ruling.house]


def chosen(known: Rulings, wanted: Ruled) -> dict[str, str]:
    """What a new game's header lists where its host wants some things otherwise: every ruling, with the default or his choice.

    Raises NotUnderstood for a ruling that is none of the house's, or a value that it hasn't got.
    """
    ids = [ruling.id for ruling in house(known)]
    for id in wanted:
        if id not in ids:
            raise NotUnderstood(say("rule.not_house", id=id[:40], known=ids))
    return defaults(known) | begun(known, wanted)


def drawn(known: Rulings, rng: random.Random) -> dict[str, str]:
    """A choice of every house ruling at random, as `chosen` makes it: for games that try everything."""
    return chosen(known, {ruling.id: rng.choice(list(ruling.alternatives)) for ruling in house(known)})


def unlike(known: Rulings, ruled: Ruled) -> dict[str, str]:
    """What of a host's choice differs from the defaults: id -> value, in the order of the rulings."""
    return {r.id: ruled[r.id] for r in house(known) if ruled.get(r.id, r.default) != r.default}


def of(known: Rulings, ruled: Ruled, id: str) -> str:
    """What is ruled on one point in a match that began with `ruled`. Raises KeyError for no ruling of the game's."""
    return ruled[id] if id in ruled else known[id].before


def write(known: Rulings, ruled: Ruled) -> str:
    """All rulings of a match as they stand in a position: `DEF-2=garrisoned_last MM-AMB-24=attacker`."""
    return " ".join(f"{id}={of(known, ruled, id)}" for id in known)


def read(known: Rulings, text: str) -> dict[str, str]:
    """What `write` wrote; those that are left out are as in new games. Raises NotUnderstood."""
    ruled = {}
    for word in text.split():
        id, equals, value = word.partition("=")
        if not equals or id in ruled:
            raise NotUnderstood(say("rule.not_read", text=word[:40]))
        ruled[id] = value
    return defaults(known) | begun(known, ruled)
