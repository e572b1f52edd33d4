"""Ids that are made of parts: names of fields, choices and standing orders. They are written and read here alone.

C2            a place of the map: its row, and where it lies in it
CALL_TO_ARMS  a thing in the data file; everywhere else it is CallToArms, and CROWN_FURY is Fury
in_c2         the field with the knights of the territory C2
without_rage  the field of a Fracture plan for the case that the artefact Rage is broken already
lord:b        the lord of seat b, as a choice beside artefacts and cards
k3 p5 t2 v1   3 knights, 5 points, 2 turns, value 1, as choices: no choice is a bare number
teams_of_2    a size of teams, as a choice
use:Rage      what an artefact is for, as a view names it
STO-1-crown   a standing order, and the kind of thing that it is about; the ask that sets it is of the kind sto_1_crown
STO-8+        the turn script in force: one whose turn has begun
STO+          the own turn that was under way when orders were last looked at, for those that end with it
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from engine.asks import Seat


class Id(msgspec.Struct, frozen=True):
    """An id by its parts: what kind of thing it names, which one, and how many or the how-manieth."""

    kind: str
    of: str = ""
    """A slot, an artefact, a seat, or what an order is about."""
    n: int = 0


# --- the map and the data file ----------------------------------------------------------------------------------------

LABEL = re.compile("([A-Z])([0-9]{1,2})")


def is_label(text: str) -> bool:
    """Whether a slot can be called so: `A1`, `D12`."""
    return LABEL.fullmatch(text) is not None


def by_label(text: str) -> tuple[str, int]:
    """What labels are sorted by: the row, then the place in it."""
    found = LABEL.fullmatch(text)
    return (found[1], int(found[2])) if found else (text, 0)


def camel(id: str) -> str:
    """An id of the data file as answers have it: `CALL_TO_ARMS` is `CallToArms`."""
    return "".join(word[:1].upper() + word[1:].lower() for word in id.split("_"))


def of_artefact(id: str) -> str:
    """An artefact's id in the data file, which begins with its type, as answers have it: `CROWN_FURY` is `Fury`."""
    return camel(id.partition("_")[2])


# --- names of fields --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def knights_in(slot: str) -> str:
    """The field with the knights of a territory: `in_c2`."""
    return f"in_{slot.lower()}"


@lru_cache(maxsize=1024)
def without(artefact: str) -> str:
    """The field of a Fracture plan for the case that an artefact is broken already: `without_rage`."""
    return f"without_{artefact.lower()}"


@lru_cache(maxsize=1024)
def read_field(name: str) -> Id:
    """A field's name by its parts: `in` of a slot, `without` of an artefact in small letters; any other is its own kind."""
    kind, _, rest = name.rpartition("_")
    if kind == "in":
        return Id("in", of=rest.upper())
    if kind == "without":
        return Id("without", of=rest)
    return Id(name)


# --- choices ----------------------------------------------------------------------------------------------------------

AMOUNTS = {"knights": "k", "points": "p", "turns": "t", "value": "v"}
"""Amounts and the letters that stand for them in choices."""
_BY_LETTER = {letter: kind for kind, letter in AMOUNTS.items()}


def lord(seat: Seat) -> str:
    """A lord as a choice: `lord:b`."""
    return f"lord:{seat}"


def amount(kind: str, n: int) -> str:
    """An amount as a choice: `k3`."""
    return f"{AMOUNTS[kind]}{n}"


def teams(size: int) -> str:
    """A size of teams as a choice: `teams_of_2`."""
    return f"teams_of_{size}"


@lru_cache(maxsize=1024)
def read_choice(id: str) -> Id:
    """A choice by its parts: `lord` of a seat, `teams` or an amount with a number; any other is its own kind."""
    if id.startswith("lord:"):
        return Id("lord", of=id.removeprefix("lord:"))
    if id.startswith("teams_of_"):
        return Id("teams", n=int(id.removeprefix("teams_of_")))
    if id[:1] in _BY_LETTER and id[1:].isdecimal():
        return Id(_BY_LETTER[id[:1]], n=int(id[1:]))
    return Id(id)


# --- words ------------------------------------------------------------------------------------------------------------


def use(artefact: str) -> str:
    """What an artefact is for, as an id that has words: `use:Rage`."""
    return f"use:{artefact}"


def read_use(id: str) -> str:
    """The artefact whose use is meant; the empty string for any other id."""
    return id.removeprefix("use:") if id.startswith("use:") else ""


# --- standing orders --------------------------------------------------------------------------------------------------

FRACTURES, CONFLICT, SUPPORT, MATCH, DISCARDS = "STO-1", "STO-2", "STO-3", "STO-4", "STO-5"
PROSPERITY, INSIGHT, SCRIPT, AHEAD, ALLIES, AWAY = "STO-6", "STO-7", "STO-8", "STO-9", "STO-10", "STO-11"
IN_FORCE, BEGUN = f"{SCRIPT}+", "STO+"
AT = "at"
"""The field in which a script in force remembers its next step."""


def order(kind: str, of: str) -> str:
    """One of several like orders: `STO-1-crown`."""
    return f"{kind}-{of}"


def read_order(id: str) -> Id:
    """An order's id by its parts: `STO-1` of `crown`."""
    for kind in (FRACTURES, DISCARDS):
        if id.startswith(f"{kind}-"):
            return Id(kind, of=id.removeprefix(f"{kind}-"))
    return Id(id)


def ask_of_order(id: str) -> str:
    """The kind of the ask that sets an order: `sto_1_crown`."""
    return id.lower().replace("-", "_")


def read_deed(text: str) -> Id:
    """What a seat has answered, `early:march target=C3`: the kind of ask, and the answer."""
    kind, _, answer = text.partition(":")
    return Id(kind, of=answer)
