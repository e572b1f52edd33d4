"""Cards, artefacts, tiles and constants from the data file (MM-CMP, MM-DAT).

Entries of `lore/components.json` marked DESIGNED are only pictured in the box. A host's file may replace it; a game keeps its
file.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any

import msgspec

from engine.core import rulings
from engine.core.asks import NotUnderstood, refuse_if
from engine.language import lore as files
from engine.language.words import say
from engine.mastery.rules.ids import camel, of_artefact
from engine.text import bounds

Card = str
"""`Conflict5`, `Ambush`, `Support2`, `Fracture` ...: all decks are alike."""

TEXT = files.text("engine.mastery", "components.json")
"""The shipped data file."""
RULINGS = rulings.load("engine.mastery")
SCHEMA = "medieval-mastery-data/1"

AUTHORITY, CALL_TO_ARMS, TACTICAL_ADVANCE, FRACTURE = "Authority", "CallToArms", "TacticalAdvance", "Fracture"
RESOURCES = (AUTHORITY, CALL_TO_ARMS, TACTICAL_ADVANCE, FRACTURE)
TYPES = ("crown", "sceptre", "orb")
DIE = 6
MOST = 100
"""Largest number used in play."""
FOREVER = 1_000_000
"""Turn until which an artefact that is out of the game stays down."""
MOST_SLOTS = 100
"""Most slots of a map."""

EFFECTS = {
    "DESTROY_ANY_1_ARTEFACT", "MAY_DISCARD_1", "LOOK_TOP_4_REORDER", "SHUFFLE_IN_1_OLD_DISCARD",
    "LOOK_TOP_1_KEEP_OR_DISCARD", "EXTRA_REDISTRIBUTION", "MAY_MATCH_RIVAL_KNIGHTS", "DISCARD_1_RANDOM", "SCORE_PLUS_1",
    "LOSE_1_KNIGHT_IN_DISPUTE", "DRAW_TO_6", "PLACE_1_KNIGHT_IN_CASTLE",
}  # fmt: skip
BATTLE_START = {"ATTACKER_PLUS_1", "DEFENDER_PLUS_1", "NO_SUPPORT_CARDS", "ARENA_ROLL"}
ON_CONQUER = {"PLACE_1_KNIGHT_IN_CASTLE", "MAY_DISCARD_1", "LOSE_1_KNIGHT_HERE"}


class Kind(msgspec.Struct, frozen=True):
    """A kind of card: `conflict`, `support` or `resource`; value 0 rolls a die."""

    id: Card
    kind: str
    value: int
    copies: int


class Regalia(msgspec.Struct, frozen=True):
    id: str
    type: str
    when: str
    """`own turn, once`, `attacking`, `defending`, `win` or `lose`."""
    effect: str


class Tile(msgspec.Struct, frozen=True):
    type: str
    value: int
    copies: int
    capacity: int
    battle_start: tuple[str, ...] = ()
    on_conquer: tuple[str, ...] = ()
    start_knights: bool = False

    def abilities(self) -> list[str]:
        return [*(["START_KNIGHTS"] if self.start_knights else []), *self.battle_start, *self.on_conquer]


class Slot(msgspec.Struct, frozen=True):
    """A hex in axial coordinates: `castle`, `lake` or `territory` (MM-MAP-1)."""

    slot: str
    q: int
    r: int
    kind: str
    value: int = 0


class Lore(msgspec.Struct, frozen=True):
    cards: dict[Card, Kind]
    regalia: dict[str, Regalia]
    castles: tuple[str, ...]
    tiles: dict[str, Tile]
    per_value: dict[int, int]
    lakes: int
    maps: dict[int, tuple[Slot, ...]]
    constants: dict[str, int]
    victory: dict[str, dict[str, int]]
    by_kind: dict[str, list[Card]]

    def deck(self) -> list[Card]:
        return sorted(k.id for k in self.cards.values() for _ in range(k.copies))

    def of_kind(self, kind: str) -> list[Card]:
        return self.by_kind.get(kind, [])


@lru_cache(maxsize=64)
def data_hash(text: str = "") -> str:
    """SHA-256 of canonical JSON (MM-DAT-3); "" is the shipped file."""
    canonical = json.dumps(json.loads(text or TEXT), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def shipped(mark: str) -> str:
    """A data file by hash: "" for the current one, else `lore/components-*.json`. Raises NotUnderstood."""
    if mark in ("", data_hash()):
        return ""
    from importlib import resources  # lazy import: slow and hardly ever needed

    for file in resources.files("engine.mastery").joinpath("lore").iterdir():
        if file.name.startswith("components-") and data_hash(file.read_text("utf-8")) == mark:
            return file.read_text("utf-8")
    raise NotUnderstood(say("mastery.data_not_at_hand"))


@lru_cache(maxsize=64)
def lore_of(text: str) -> Lore:
    """Parse and check a data file (cached); "" is the shipped one. Raises NotUnderstood."""
    data = bounds.read(text or TEXT, {"slots": 2 * MOST_SLOTS})
    refuse_if(not isinstance(data, dict) or data.get("schema") != SCHEMA, "mastery.file_no_data", schema=SCHEMA)
    try:
        lore = _lore(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        raise NotUnderstood(say("mastery.file_lacks", problem=repr(problem))) from None
    _check(lore)
    return lore


def _lore(data: dict[str, Any]) -> Lore:
    cards = {}
    for c in data["deck"]["cards"]:
        value = c.get("value", 0)
        cards[camel(c["id"])] = Kind(camel(c["id"]), c["kind"], 0 if value == "d6" else int(value), int(c["copies"]))
    regalia = {}
    for a in data["artefacts"]:
        name = of_artefact(a["id"])
        regalia[name] = Regalia(name, str(a["type"]), str(a["when"]), str(a["effect"]))
    tiles = {}
    for t in data["tiles"]["territories"]:
        tiles[camel(t["type"])] = Tile(
            camel(t["type"]),
            int(t["value"]),
            int(t["copies"]),
            int(t["capacity"]),
            tuple(str(ability) for ability in t["battle_start"]),
            tuple(str(ability) for ability in t["on_conquer"]),
            "START_KNIGHTS" in t["set_up"],
        )
    per_value = {int(k): int(v) for k, v in data["tiles"]["per_value"].items()}
    maps = {int(n): slots_of(m["slots"]) for n, m in data["maps"].items()}
    castles = tuple(camel(c["id"]) for c in data["castles"])
    constants = {k: int(v) for k, v in data["constants"].items() if k != "provenance"}
    victory = {k: {x: int(y) for x, y in v.items() if x != "provenance"} for k, v in data["victory"].items()}
    by_kind: dict[str, list[Card]] = {}
    for card in cards.values():
        by_kind.setdefault(card.kind, []).append(card.id)
    return Lore(cards, regalia, castles, tiles, per_value, int(data["tiles"]["lakes"]), maps, constants, victory, by_kind)


def slots_of(slots: list[dict[str, Any]]) -> tuple[Slot, ...]:
    return tuple(Slot(str(s["slot"]), int(s["q"]), int(s["r"]), str(s["kind"]), int(s.get("value", 0))) for s in slots)


def _check(lore: Lore) -> None:
    """MM-DAT-2; maps are checked in `maps`."""
    _check_cards(lore)
    _check_regalia(lore)
    _check_tiles(lore)
    _check_numbers(lore)
    _check_values(lore)
    refuse_if(len(lore.castles) != 6, "mastery.castles", n=len(lore.castles))


def _check_cards(lore: Lore) -> None:
    size = sum(k.copies for k in lore.cards.values())
    refuse_if(size != 18, "mastery.deck_size", n=size)
    for k in lore.cards.values():
        if k.kind not in ("conflict", "support", "resource") or not 0 <= k.value <= MOST or k.copies < 0:
            raise NotUnderstood(say("mastery.card", card=k.id))
    for name in RESOURCES:
        refuse_if(name not in lore.cards or lore.cards[name].copies < 1, "mastery.no_card", card=name)


def _check_regalia(lore: Lore) -> None:
    for type in TYPES:
        found = [a for a in lore.regalia.values() if a.type == type]
        refuse_if(len(found) != 6, "mastery.artefacts", n=len(found), type=type)
    for a in lore.regalia.values():
        refuse_if(a.effect not in EFFECTS, "mastery.effect", artefact=a.id, effect=a.effect[:40])


def _check_tiles(lore: Lore) -> None:
    for t in lore.tiles.values():
        wrong = [*(set(t.battle_start) - BATTLE_START), *(set(t.on_conquer) - ON_CONQUER)]
        if wrong:
            raise NotUnderstood(say("mastery.ability", tile=t.type, ability=wrong[0][:40]))
        refuse_if(t.copies < 0 or not 1 <= t.capacity <= MOST, "mastery.tile", tile=t.type)


def _check_values(lore: Lore) -> None:
    refuse_if(set(lore.per_value) != {1, 2, 3}, "mastery.per_value")
    for value, count in lore.per_value.items():
        copies = sum(t.copies for t in lore.tiles.values() if t.value == value)
        refuse_if(copies != count, "mastery.territories_of_value", there=copies, value=value, said=count)
    refuse_if(sum(t.copies for t in lore.tiles.values()) != 30, "mastery.territories")


def _check_numbers(lore: Lore) -> None:
    shipped = json.loads(TEXT)
    for name in sorted(shipped["constants"].keys() - {"provenance"}):
        least = 1 if name in ("pips_per_die", "dice_per_player") else 0
        refuse_if(not least <= lore.constants.get(name, -1) <= MOST, "mastery.constant", name=name, least=least, most=MOST)
    for block, targets in shipped["victory"].items():
        for name in sorted(targets.keys() - {"provenance", "homelands_value"}):
            refuse_if(lore.victory.get(block, {}).get(name, 0) < 1, "mastery.victory", name=name, block=block)
