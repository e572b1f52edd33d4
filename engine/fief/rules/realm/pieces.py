"""Board, cards, Lords and limits of Fief from data files (FF-CMP, FF-MAP). A host's file may replace parts; a game keeps its
file.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from functools import lru_cache
from importlib import resources
from typing import Any

import msgspec

from engine.core import rulings
from engine.core.asks import NotUnderstood, refuse_if
from engine.language.words import say
from engine.text import bounds

Card = str
"""`uprising`, `heavy_rain`, `cardinal`, or a Lord's id."""

_LORE = resources.files("engine.fief").joinpath("lore")
MAP, COMPONENTS = (_LORE.joinpath(file).read_text("utf-8") for file in ("map.json", "components.json"))
RULINGS = rulings.load("engine.fief")

HARVEST, WEATHER, TAXES = "bountiful_harvest", "good_weather", "taxes"
UPRISING, PASSAGE, ASSASSINATION, JUSTICE, AMBUSH = "uprising", "secret_passage", "assassination", "justice", "ambush"
RAIN, FAMINE, PLAGUE = "heavy_rain", "famine", "plague"
CARDINAL, D_ARC = "cardinal", "d_arc"
ESCAPE = "escape"
"""A Secret Passage used for captives (FF-SEC-6)."""
GRAIL, EYES, TEETH = "grail", "eyes_of_st_roseline", "teeth_of_st_geronce"
SPEAR, BONE = "holy_spear", "bone_of_st_rhadegund"

KNOWN = {
    "fortune_disaster_deck": {
        HARVEST, WEATHER, TAXES, UPRISING, PASSAGE, ASSASSINATION, JUSTICE, AMBUSH, RAIN, FAMINE, PLAGUE,
    },
    "lords_deck_specials": {CARDINAL, D_ARC},
    "relics": {GRAIL, EYES, TEETH, SPEAR, BONE},
}  # fmt: skip
RANKS = {"duchy": 4, "county": 3, "barony": 2}
"""Rank -> number of villages; more is a larger title (FF-FTL-6)."""
MOST = 100
"""Largest count, price or limit in a host's file."""
MOST_ROADS = 400


class Site(msgspec.Struct, frozen=True):
    id: str
    name: str
    fief: str
    bishopric: int
    x: int
    y: int
    principal: bool = False


class Land(msgspec.Struct, frozen=True):
    id: str
    name: str
    rank: str
    title_price: int
    colour: str
    villages: tuple[str, ...]


class See(msgspec.Struct, frozen=True):
    number: int
    name: str
    colour: str
    principal: str
    villages: tuple[str, ...]


class Kind(msgspec.Struct, frozen=True):
    """A kind of card; `back` is `fortune`, `disaster` or `lords`."""

    id: Card
    count: int
    back: str = "lords"
    kind: str = ""


class Person(msgspec.Struct, frozen=True):
    id: str
    name: str
    female: bool


class Box(msgspec.Struct, frozen=True, kw_only=True):
    per_player: dict[str, int]
    start: dict[str, int]
    shared: dict[str, int]
    prices: dict[str, int]
    limits: dict[str, int]
    asynchronous: dict[str, int]
    relics: tuple[str, ...]


class Lore(Box, frozen=True, kw_only=True):
    sites: dict[str, Site]
    roads: dict[str, tuple[str, ...]]
    """Village -> neighbours, in file order."""
    lands: dict[str, Land]
    sees: dict[int, See]
    kinds: dict[Card, Kind]
    people: dict[str, Person]
    dice: dict[str, tuple[int, ...]]
    """Preset -> battle die faces."""

    def fortune_deck(self) -> list[Card]:
        """Cards of the Fortune deck (FF-CMP-4)."""
        return [k.id for k in self.kinds.values() if k.back != "lords" for _ in range(k.count)]

    def lords_deck(self) -> list[Card]:
        """Cards of the Lords deck (FF-CMP-5)."""
        return [k.id for k in self.kinds.values() if k.back == "lords" for _ in range(k.count)]

    def back(self, card: Card) -> str:
        """Back of a card: `fortune`, `disaster` or `lords`; public (FF-INF-1)."""
        return self.kinds[card].back


def folded(name: str) -> str:
    """ASCII id: `Éric` is `Eric`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return plain.replace(" ", "_").replace("'", "")


@lru_cache(maxsize=64)
def data_hash(text: str = "") -> str:
    """SHA-256 of the data's canonical JSON."""
    canonical = json.dumps(_merged(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _merged(text: str) -> dict[str, Any]:
    data = {**json.loads(MAP), **json.loads(COMPONENTS)}
    if text:
        own = bounds.read(text, {"roads": MOST_ROADS}, twice=True)
        refuse_if(not isinstance(own, dict), "fief.file_no_object")
        if strange := own.keys() - data.keys():
            raise NotUnderstood(say("fief.file_strange", key=min(strange)[:40], keys=sorted(data.keys() - {"note"})))
        for key, value in own.items():
            data[key] = {**data[key], **value} if isinstance(value, dict) and isinstance(data[key], dict) else value
    return data


class _Lord(msgspec.Struct):
    name: str
    sex: str


class _File(Box, frozen=True, kw_only=True):
    villages: list[Site]
    roads: list[tuple[str, str]]
    fiefs: list[Land]
    bishoprics: list[See]
    fortune_disaster_deck: list[Kind]
    lords_deck_specials: list[Kind]
    lords: list[_Lord]
    battle_die_presets: dict[str, tuple[int, ...]]


@lru_cache(maxsize=64)
def lore_of(text: str = "") -> Lore:
    """A host's file merged into the shipped data; cached. Raises NotUnderstood."""
    try:
        file = msgspec.convert(_merged(text), _File)
    except msgspec.ValidationError as problem:
        raise NotUnderstood(say("fief.file_lacks", problem=str(problem))) from None
    _check_board(file)
    _check_box(file)
    roads: dict[str, list[str]] = {v.id: [] for v in file.villages}
    for a, b in file.roads:
        roads[a].append(b)
        roads[b].append(a)
    kinds = {c.id: c for c in file.fortune_disaster_deck + file.lords_deck_specials}
    people = {folded(p.name): Person(folded(p.name), p.name, p.sex == "f") for p in file.lords}
    return Lore(
        sites={v.id: v for v in file.villages},
        roads={id: tuple(found) for id, found in roads.items()},
        lands={f.id: f for f in file.fiefs},
        sees={b.number: b for b in file.bishoprics},
        kinds=kinds | {id: Kind(id, 1, kind="lord") for id in people},
        people=people,
        dice=file.battle_die_presets,
        **{name: getattr(file, name) for name in Box.__struct_fields__},
    )


def _check_board(file: _File) -> None:
    """Each village in one Fief and Bishopric, each road between two villages (FF-MAP-1 to 3)."""
    ids = [v.id for v in file.villages]
    for id in ids:
        if not id.isidentifier() or not id.isascii() or id != id.lower() or ids.count(id) > 1:
            raise NotUnderstood(say("fief.village_id", village=id[:40]))
    _check_fiefs(file)
    _check_bishoprics(file)
    for v in file.villages:
        refuse_if(v.fief not in {f.id for f in file.fiefs} or not 1 <= v.bishopric <= 5, "fief.homeless", village=v.id)
    _check_roads(file, ids)


def _check_fiefs(file: _File) -> None:
    for fief in file.fiefs:
        refuse_if(fief.rank not in RANKS, "fief.rank", fief=fief.id[:40], ranks=list(RANKS))
        if sorted(fief.villages) != sorted(v.id for v in file.villages if v.fief == fief.id):
            raise NotUnderstood(say("fief.fief_villages", fief=fief.id[:40]))
        if len(fief.villages) != RANKS[fief.rank]:
            raise NotUnderstood(say("fief.fief_size", fief=fief.id[:40], n=len(fief.villages), rank=fief.rank))
        refuse_if(not 0 <= fief.title_price <= MOST, "fief.price", fief=fief.id[:40], most=MOST)
    refuse_if(len({f.id for f in file.fiefs}) != len(file.fiefs), "fief.fiefs_twice")


def _check_bishoprics(file: _File) -> None:
    refuse_if(sorted(b.number for b in file.bishoprics) != list(range(1, 6)), "fief.bishoprics")
    for see in file.bishoprics:
        if sorted(see.villages) != sorted(v.id for v in file.villages if v.bishopric == see.number):
            raise NotUnderstood(say("fief.bishopric_villages", number=see.number))
        if [v.id for v in file.villages if v.principal and v.bishopric == see.number] != [see.principal]:
            raise NotUnderstood(say("fief.principal", number=see.number))


def _check_roads(file: _File, ids: list[str]) -> None:
    seen: set[frozenset[str]] = set()
    reached = {ids[0]} if ids else set()
    for a, b in file.roads:
        refuse_if(a not in ids or b not in ids or a == b or frozenset((a, b)) in seen, "fief.road", a=a[:40], b=b[:40])
        seen.add(frozenset((a, b)))
    for _ in ids:
        reached |= {v for road in seen if road & reached for v in road}
    if missing := [id for id in ids if id not in reached]:
        raise NotUnderstood(say("fief.cut_off", village=missing[0]))
    refuse_if(not 6 <= len(ids) <= 60, "fief.village_count", n=len(ids))


def _check_box(file: _File) -> None:
    for name, known in KNOWN.items():
        listed = getattr(file, name)
        found = [x if isinstance(x, str) else x.id for x in listed]
        refuse_if(sorted(found) != sorted(known), "fief.kinds", name=name, ids=sorted(known))
    _check_cards(file)
    _check_people(file)
    _check_numbers(file)


def _check_cards(file: _File) -> None:
    for card in file.fortune_disaster_deck + file.lords_deck_specials:
        refuse_if(not 0 <= card.count <= MOST, "fief.card_count", card=card.id, most=MOST)
        disaster = card.id in (RAIN, FAMINE, PLAGUE)
        if card.back != ("disaster" if disaster else "lords" if card.id in (CARDINAL, D_ARC) else "fortune"):
            raise NotUnderstood(say("fief.card_back", card=card.id))


def _check_people(file: _File) -> None:
    names = [folded(p.name) for p in file.lords]
    for person in file.lords:
        if names.count(folded(person.name)) > 1 or person.sex not in ("m", "f") or not folded(person.name).isidentifier():
            raise NotUnderstood(say("fief.person", name=person.name[:40]))
    refuse_if(len(names) < 6, "fief.few_people", n=len(names))


def _check_numbers(file: _File) -> None:
    for preset, faces in file.battle_die_presets.items():
        if not preset.isidentifier() or len(faces) != 6 or not all(0 <= face <= 6 for face in faces):
            raise NotUnderstood(say("fief.die", preset=preset[:40]))
    shipped = json.loads(COMPONENTS)
    for block in ("per_player", "start", "shared", "prices", "limits", "asynchronous"):
        held: dict[str, int] = getattr(file, block)
        for name in shipped[block]:
            if not 0 <= held[name] <= (10_000 if block == "asynchronous" else MOST):
                raise NotUnderstood(say("fief.number", block=block, name=name, most=MOST))
    refuse_if(file.start["lords"] != 1 or file.start["hand"] != 0, "fief.start")
