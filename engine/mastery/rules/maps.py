"""Map: slots, adjacency, seating, checks of a host's layout (MM-MAP)."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

import msgspec

from engine.core.asks import NotUnderstood, refuse_if
from engine.language.words import Message, say
from engine.mastery.rules.ids import by_label, is_label
from engine.mastery.rules.pieces import MOST_SLOTS, SCHEMA, TEXT, Lore, Slot, lore_of
from engine.text import bounds

NEIGHBOURS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
KINDS = ("castle", "lake", "territory")


class Geography(msgspec.Struct, frozen=True):
    slots: dict[str, Slot]
    near: dict[str, tuple[str, ...]]
    castles: tuple[str, ...]
    lakes: frozenset[str]

    def territories(self) -> list[str]:
        return [s.slot for s in self.slots.values() if s.kind == "territory"]

    def lake(self, label: str) -> bool:
        return label in self.lakes


@lru_cache(maxsize=256)
def geography(text: str, n: int) -> Geography:
    return survey(lore_of(text).maps[n])


def survey(slots: tuple[Slot, ...]) -> Geography:
    at = {(s.q, s.r): s.slot for s in slots}
    near = {s.slot: tuple(at[s.q + q, s.r + r] for q, r in NEIGHBOURS if (s.q + q, s.r + r) in at) for s in slots}
    lakes = frozenset(s.slot for s in slots if s.kind == "lake")
    return Geography({s.slot: s for s in slots}, near, _clockwise(slots), lakes)


def _clockwise(slots: tuple[Slot, ...]) -> tuple[str, ...]:
    """Castles clockwise from the lowest label (MM-MAP-4); skewed axes (MM-MAP-1) keep the order."""
    middle_q = sum(s.q for s in slots) / len(slots)
    middle_r = sum(s.r for s in slots) / len(slots)

    def angle(s: Slot) -> float:
        return math.atan2(s.r - middle_r, s.q - middle_q)

    castles = sorted((s for s in slots if s.kind == "castle"), key=angle)
    if not castles:
        return ()
    first = min(range(len(castles)), key=lambda i: by_label(castles[i].slot))
    return tuple(s.slot for s in castles[first:] + castles[:first])


# --- maps of a host's own (MM-MAP-7) ----------------------------------------------------------------------------------


def own_data(text: str, n: int) -> str:
    """Normalise a host's data file, or a map alone merged into the shipped file. Raises NotUnderstood."""
    data = bounds.read(text, {"slots": 2 * MOST_SLOTS})
    refuse_if(not isinstance(data, dict) or not ({"slots", "maps"} & data.keys()), "mastery.file_no_map")
    if "slots" in data:
        whole: dict[str, Any] = json.loads(TEXT)
        whole["maps"] = {str(n): {"slots": _own_slots(data["slots"])}}
        data = whole
    elif isinstance(data.get("maps"), dict) and isinstance(data["maps"].get(str(n)), dict):
        data["maps"] = {str(n): {"slots": _own_slots(data["maps"][str(n)].get("slots"))}}
    elif data.get("schema") == SCHEMA:
        raise NotUnderstood(say("mastery.file_no_map_for", n=n))
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    lore = lore_of(canonical)
    check_map(lore, lore.maps[n], n)
    return canonical


def _own_slots(slots: object) -> list[dict[str, Any]]:
    if not isinstance(slots, list) or not slots or len(slots) > MOST_SLOTS:
        raise NotUnderstood(say("mastery.no_slots"))
    for number, s in enumerate(slots, 1):
        if not isinstance(s, dict):
            raise NotUnderstood(say("mastery.slot_no_object", n=number))
        label = s.get("slot")
        refuse_if(not isinstance(label, str) or not is_label(label), "mastery.slot_label", n=number, label=str(label)[:20])
        for axis in ("q", "r"):
            if not isinstance(s.get(axis), int) or isinstance(s.get(axis), bool) or abs(s[axis]) > 50:
                raise NotUnderstood(say("mastery.slot_axis", label=label, axis=axis))
        refuse_if(s.get("kind") not in KINDS, "mastery.slot_kind", label=label, kind=str(s.get("kind"))[:20])
        if s["kind"] == "territory" and s.get("value") not in (1, 2, 3):
            raise NotUnderstood(say("mastery.slot_value", label=label, value=str(s.get("value"))[:10]))
    return [{k: s[k] for k in ("slot", "q", "r", "kind", "value") if k != "value" or s["kind"] == "territory"} for s in slots]


def check_map(lore: Lore, slots: tuple[Slot, ...], n: int) -> list[Message]:
    """Check a layout (MM-MAP-7). Raises NotUnderstood; returns warnings."""
    _check_slots(slots)
    _check_counts(lore, slots, n)
    land = survey(slots)
    _check_ways(land, slots[0].slot)
    return _oddities(land)


def oddities(text: str) -> list[Message]:
    """Warnings about all layouts of a host's file (MM-MAP-7)."""
    return [said for n in sorted(lore_of(text).maps) for said in _oddities(geography(text, n))]


def _check_slots(slots: tuple[Slot, ...]) -> None:
    refuse_if(len(slots) > MOST_SLOTS, "mastery.map_slots", n=len(slots), most=MOST_SLOTS)
    for s in slots:
        if not is_label(s.slot) or s.kind not in KINDS or max(abs(s.q), abs(s.r)) > 50:
            raise NotUnderstood(say("mastery.slot_odd", label=s.slot[:20]))
        refuse_if(s.kind == "territory" and s.value not in (1, 2, 3), "mastery.slot_value", label=s.slot, value=s.value)
    labels: set[str] = set()
    at: dict[tuple[int, int], Slot] = {}
    for s in slots:
        refuse_if(s.slot in labels, "mastery.map_twice", label=s.slot)
        if (s.q, s.r) in at:
            raise NotUnderstood(say("mastery.map_same_place", label=s.slot, other=at[s.q, s.r].slot, q=s.q, r=s.r))
        labels.add(s.slot)
        at[s.q, s.r] = s


def _check_counts(lore: Lore, slots: tuple[Slot, ...], n: int) -> None:
    count = sum(s.kind == "castle" for s in slots)
    refuse_if(count != n, "mastery.map_castles", there=count, n=n)
    for value, most in lore.per_value.items():
        there = sum(s.kind == "territory" and s.value == value for s in slots)
        refuse_if(there > most, "mastery.map_values", there=there, value=value, most=most)
    lakes = sum(s.kind == "lake" for s in slots)
    refuse_if(lakes > lore.lakes, "mastery.map_lakes", there=lakes, most=lore.lakes)
    refuse_if(not any(s.kind == "territory" for s in slots), "mastery.map_empty")


def _check_ways(land: Geography, start: str) -> None:
    """Connected, a free territory next to each castle, no two castles adjacent."""
    cut = set(land.slots) - _reached(land, start)
    if cut:
        raise NotUnderstood(say("mastery.map_hole", label=min(cut, key=by_label), start=start))
    for castle in land.castles:
        beside = next((x for x in land.near[castle] if land.slots[x].kind == "castle"), None)
        refuse_if(beside is not None, "mastery.map_castles_touch", castle=castle, other=beside)
        if not any(land.slots[x].kind == "territory" for x in land.near[castle]):
            raise NotUnderstood(say("mastery.map_castle_alone", castle=castle))


def _reached(land: Geography, start: str) -> set[str]:
    seen, stack = {start}, [start]
    while stack:
        for x in land.near[stack.pop()]:
            if x not in seen:
                seen.add(x)
                stack.append(x)
    return seen


def _oddities(land: Geography) -> list[Message]:
    odd, profiles = [], set()
    for s in land.slots.values():
        around = [land.slots[x] for x in land.near[s.slot]]
        kinds = [x.kind for x in around]
        if s.kind == "castle":
            profiles.add(tuple(sorted((x.kind, x.value) for x in around)))
            if "lake" in kinds:
                odd.append(say("mastery.oddity.lake_at_castle", label=s.slot))
        elif s.kind == "lake" and "lake" in kinds:
            odd.append(say("mastery.oddity.lake_at_lake", label=s.slot))
        elif s.value == 1 and kinds.count("castle") > 1:
            odd.append(say("mastery.oddity.between_castles", label=s.slot))
    if len(profiles) > 1:
        odd.append(say("mastery.oddity.unlike_castles"))
    return odd
