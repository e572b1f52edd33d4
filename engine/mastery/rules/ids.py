"""Composite ids: formatting and parsing of fields', choices' and standing orders' names.

C2            a place of the map: row and number
CALL_TO_ARMS  an id in the data file; elsewhere CallToArms, and CROWN_FURY is Fury
in_c2         field: knights of territory C2
without_rage  field of a Fracture plan, if the artefact Rage is already broken
lord:b        choice: the lord of seat b
k3 p5 t2 v1   choices: 3 knights, 5 points, 2 turns, value 1 (ids aren't bare numbers)
teams_of_2    choice: size of teams
use:Rage      an artefact's use, in views
STO-1-crown   a standing order and its subject; its ask is of kind sto_1_crown
STO-8+        the turn script in force
STO+          the own turn when orders were last evaluated, for orders that end with it
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from engine.core.asks import Seat


class Id(msgspec.Struct, frozen=True):
    kind: str
    of: str = ""
    """A slot, an artefact, a seat, or an order's subject."""
    n: int = 0


# --- the map and the data file ----------------------------------------------------------------------------------------

LABEL = re.compile("([A-Z])([0-9]{1,2})")


def is_label(text: str) -> bool:
    return LABEL.fullmatch(text) is not None


def by_label(text: str) -> tuple[str, int]:
    found = LABEL.fullmatch(text)
    return (found[1], int(found[2])) if found else (text, 0)


def camel(id: str) -> str:
    """`CALL_TO_ARMS` to `CallToArms`."""
    return "".join(word[:1].upper() + word[1:].lower() for word in id.split("_"))


def of_artefact(id: str) -> str:
    """`CROWN_FURY` to `Fury`."""
    return camel(id.partition("_")[2])


# --- names of fields --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def knights_in(slot: str) -> str:
    return f"in_{slot.lower()}"


@lru_cache(maxsize=1024)
def without(artefact: str) -> str:
    return f"without_{artefact.lower()}"


@lru_cache(maxsize=1024)
def read_field(name: str) -> Id:
    kind, _, rest = name.rpartition("_")
    if kind == "in":
        return Id("in", of=rest.upper())
    if kind == "without":
        return Id("without", of=rest)
    return Id(name)


# --- choices ----------------------------------------------------------------------------------------------------------

AMOUNTS = {"knights": "k", "points": "p", "turns": "t", "value": "v"}
"""Amounts and their letters in choices."""
_BY_LETTER = {letter: kind for kind, letter in AMOUNTS.items()}


def lord(seat: Seat) -> str:
    return f"lord:{seat}"


def amount(kind: str, n: int) -> str:
    return f"{AMOUNTS[kind]}{n}"


def teams(size: int) -> str:
    return f"teams_of_{size}"


@lru_cache(maxsize=1024)
def read_choice(id: str) -> Id:
    if id.startswith("lord:"):
        return Id("lord", of=id.removeprefix("lord:"))
    if id.startswith("teams_of_"):
        return Id("teams", n=int(id.removeprefix("teams_of_")))
    if id[:1] in _BY_LETTER and id[1:].isdecimal():
        return Id(_BY_LETTER[id[:1]], n=int(id[1:]))
    return Id(id)


# --- words ------------------------------------------------------------------------------------------------------------


def use(artefact: str) -> str:
    return f"use:{artefact}"


def read_use(id: str) -> str:
    """The artefact of `use:Rage`, else ""."""
    return id.removeprefix("use:") if id.startswith("use:") else ""


# --- standing orders --------------------------------------------------------------------------------------------------

FRACTURES, CONFLICT, SUPPORT, MATCH, DISCARDS = "STO-1", "STO-2", "STO-3", "STO-4", "STO-5"
PROSPERITY, INSIGHT, SCRIPT, AHEAD, ALLIES, AWAY = "STO-6", "STO-7", "STO-8", "STO-9", "STO-10", "STO-11"
REACTIONS = "STO-12"
IN_FORCE, BEGUN = f"{SCRIPT}+", "STO+"
AT = "at"
"""Field of a script in force: its next step."""


def order(kind: str, of: str) -> str:
    return f"{kind}-{of}"
