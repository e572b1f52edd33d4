"""The map: slots, adjacency, seats around it, and whether a layout of a host's own will do (MM-MAP)."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from typing import Any

import msgspec

from engine.asks import NotUnderstood
from engine.mastery.pieces import SCHEMA, TEXT, Lore, Slot, lore_of, parsed

NEIGHBOURS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
KINDS = ("castle", "lake", "territory")
LABEL = re.compile("[A-Z][0-9]{1,2}")
MOST_SLOTS = 100


class Geography(msgspec.Struct, frozen=True):
    """What never changes of one map: its slots by label, who touches whom, the castles in the order of the seats."""

    slots: dict[str, Slot]
    near: dict[str, tuple[str, ...]]
    castles: tuple[str, ...]

    def territories(self) -> list[str]:
        """The labels of the territories, in the order of the file."""
        return [s.slot for s in self.slots.values() if s.kind == "territory"]

    def lake(self, label: str) -> bool:
        """Whether there is a lake."""
        return self.slots[label].kind == "lake"


@lru_cache(maxsize=256)
def geography(text: str, n: int) -> Geography:
    """The map of a data file for `n` players."""
    return _survey(lore_of(text).maps[n])


def _survey(slots: tuple[Slot, ...]) -> Geography:
    at = {(s.q, s.r): s.slot for s in slots}
    near = {s.slot: tuple(at[s.q + q, s.r + r] for q, r in NEIGHBOURS if (s.q + q, s.r + r) in at) for s in slots}
    return Geography({s.slot: s for s in slots}, near, _clockwise(slots))


def centre(s: Slot) -> tuple[float, float]:
    """The middle of a slot in units of a hexagon's width; x to the right, y downward (MM-MAP-1)."""
    return s.q + s.r / 2, s.r * math.sqrt(3) / 2


def _clockwise(slots: tuple[Slot, ...]) -> tuple[str, ...]:
    """Castles clockwise around the map, from the one whose label sorts first (MM-MAP-4)."""
    middle_x = sum(centre(s)[0] for s in slots) / len(slots)
    middle_y = sum(centre(s)[1] for s in slots) / len(slots)

    def angle(s: Slot) -> float:
        x, y = centre(s)
        return math.atan2(y - middle_y, x - middle_x) % (2 * math.pi)

    castles = sorted((s for s in slots if s.kind == "castle"), key=angle)
    if not castles:
        return ()
    first = min(range(len(castles)), key=lambda i: label_key(castles[i].slot))
    return tuple(s.slot for s in castles[first:] + castles[:first])


def label_key(label: str) -> tuple[str, int]:
    """How labels sort: by row, then by place in it."""
    return label[:1], int(label[1:]) if label[1:].isdigit() else 0


# --- maps of a host's own (MM-MAP-7) ----------------------------------------------------------------------------------


def own_data(text: str, n: int) -> str:
    """The data file of a host's own file for `n` players: a whole data file, or a map alone, put into the shipped one.

    Raises NotUnderstood with a sentence that says what is wrong with it and what would be right.
    """
    data = parsed(text)
    if not isinstance(data, dict) or not ({"slots", "maps"} & data.keys()):
        raise NotUnderstood("The file is no map; a map has `slots`, a whole data file has `maps`.")
    if "slots" in data:
        whole: dict[str, Any] = json.loads(TEXT)
        whole["maps"] = {str(n): {"slots": _own_slots(data["slots"])}}
        data = whole
    elif isinstance(data.get("maps"), dict) and isinstance(data["maps"].get(str(n)), dict):
        data["maps"] = {str(n): {"slots": _own_slots(data["maps"][str(n)].get("slots"))}}
    elif data.get("schema") == SCHEMA:
        raise NotUnderstood(f"The file has no map for {n} players; its `maps` has none called “{n}”.")
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    lore = lore_of(canonical)
    check_map(lore, lore.maps[n], n)
    return canonical


def _own_slots(slots: object) -> list[dict[str, Any]]:
    if not isinstance(slots, list) or not slots or len(slots) > MOST_SLOTS:
        raise NotUnderstood("The map's `slots` is no list of slots; each is like {slot: A1, q: 0, r: -2, kind: castle}.")
    for number, s in enumerate(slots, 1):
        if not isinstance(s, dict):
            raise NotUnderstood(f"Slot {number} of the map is no object with slot, q, r and kind.")
        label = s.get("slot")
        good = isinstance(label, str) and label[:1].isalpha() and label[:1].isupper() and label[:1].isascii()
        if not good or not str(label)[1:].isdigit() or not str(label).isascii() or len(str(label)) > 3:
            raise NotUnderstood(f"Slot {number} of the map has the label “{str(label)[:20]}”; a label is like A1 or D12.")
        for axis in ("q", "r"):
            if not isinstance(s.get(axis), int) or isinstance(s.get(axis), bool) or abs(s[axis]) > 50:
                raise NotUnderstood(f"Slot {label} has no whole number {axis} from -50 to 50.")
        if s.get("kind") not in KINDS:
            raise NotUnderstood(f"Slot {label} is a “{str(s.get('kind'))[:20]}”; a slot is a castle, a lake or a territory.")
        if s["kind"] == "territory" and s.get("value") not in (1, 2, 3):
            raise NotUnderstood(f"Territory {label} has the value {str(s.get('value'))[:10]}; it is 1, 2 or 3.")
    return [
        {k: s[k] for k in ("slot", "q", "r", "kind", "value") if k in s and (k != "value" or s["kind"] == "territory")}
        for s in slots
    ]


def check_map(lore: Lore, slots: tuple[Slot, ...], n: int) -> list[str]:
    """Check a layout (MM-MAP-7): raises NotUnderstood where it can't be played, returns sentences on what is merely odd."""
    by_label: dict[str, Slot] = {}
    at: dict[tuple[int, int], Slot] = {}
    for s in slots[: MOST_SLOTS + 1]:
        if not LABEL.fullmatch(s.slot) or s.kind not in KINDS or max(abs(s.q), abs(s.r)) > 50:
            raise NotUnderstood(
                f"The slot “{s.slot[:20]}” of the map has a label, a kind or a place that no slot can have; "
                "one is like {slot: A1, q: 0, r: -2, kind: castle}."
            )
        if s.kind == "territory" and s.value not in (1, 2, 3):
            raise NotUnderstood(f"Territory {s.slot} has the value {s.value}; it is 1, 2 or 3.")
    if len(slots) > MOST_SLOTS:
        raise NotUnderstood(f"The map has {len(slots)} slots; at most {MOST_SLOTS} fit.")
    for s in slots:
        if s.slot in by_label:
            raise NotUnderstood(f"Two slots of the map are called {s.slot}; each needs a label of its own.")
        if (s.q, s.r) in at:
            raise NotUnderstood(f"{s.slot} and {at[s.q, s.r].slot} lie on the same place ({s.q}, {s.r}).")
        by_label[s.slot] = at[s.q, s.r] = s
    land = _survey(slots)
    count = sum(s.kind == "castle" for s in slots)
    if count != n:
        raise NotUnderstood(f"The map has {count} castle{'s' * (count != 1)}, but {n} play; it needs one for each.")
    for value, most in lore.per_value.items():
        there = sum(s.kind == "territory" and s.value == value for s in slots)
        if there > most:
            raise NotUnderstood(f"The map has {there} territories of value {value}; the box has {most}.")
    lakes = sum(s.kind == "lake" for s in slots)
    if lakes > lore.lakes:
        raise NotUnderstood(f"The map has {lakes} lakes; the box has {lore.lakes}.")
    if not any(s.kind == "territory" for s in slots):
        raise NotUnderstood("The map has no territory at all.")
    cut = set(land.slots) - _reached(land, slots[0].slot)
    if cut:
        raise NotUnderstood(f"The map has a hole in it: {min(cut, key=label_key)} can't be reached from {slots[0].slot}.")
    for castle in land.castles:
        beside = next((x for x in land.near[castle] if land.slots[x].kind == "castle"), None)
        if beside is not None:
            raise NotUnderstood(f"The castles {castle} and {beside} touch; there must be land or water between castles.")
        if not any(land.slots[x].kind == "territory" for x in land.near[castle]):
            raise NotUnderstood(f"The castle {castle} touches no territory; no knight could leave it.")
    return _oddities(land)


def _reached(land: Geography, start: str) -> set[str]:
    seen, stack = {start}, [start]
    while stack:
        for x in land.near[stack.pop()]:
            if x not in seen:
                seen.add(x)
                stack.append(x)
    return seen


def _oddities(land: Geography) -> list[str]:
    odd, profiles = [], set()
    for s in land.slots.values():
        around = [land.slots[x] for x in land.near[s.slot]]
        kinds = [x.kind for x in around]
        if s.kind == "castle":
            profiles.add(tuple(sorted((x.kind, x.value) for x in around)))
            if "lake" in kinds:
                odd.append(f"A lake touches the castle {s.slot}.")
        elif s.kind == "lake" and "lake" in kinds:
            odd.append(f"The lake {s.slot} touches another lake.")
        elif s.value == 1 and kinds.count("castle") > 1:
            odd.append(f"The territory {s.slot} touches two castles.")
    if len(profiles) > 1:
        odd.append("The castles have different surroundings.")
    return odd
