"""Standing orders of Ortus Regni (rules 14.2): what an order answers in its owner's place.

An order is a function of the position, as its owner knows it, to an answer, or to None where it leaves the decision to him
(OR-DEC-4). Nothing here changes a position.
"""

from __future__ import annotations

from engine.asks import Answer, Value
from engine.ortus.combat import Battle, force_fields
from engine.ortus.pieces import kind, strength
from engine.ortus.table import Earl, Table

GROUPS = ("king", "lords", "royal", "garrison", "Infantry", "Knight", "mercenary", "Monk", "Vassal", "Champion", "Prince")
"""The order in which "just enough" takes forces (SO-05)."""


def cards_needed(battle: Battle, earl: Earl) -> int:
    """How many cards of the defender keep everything safe in a Normal Battle (SO-05).

    Each fielded card absorbs one point and each Tower one more; a Castle withstands 1 point, a Palace 2. In a Tower Attack
    the Towers absorb nothing.
    """
    points, towers = battle.sent(battle.attacking), len(earl.towers)
    if battle.what == "tower":
        return points
    if battle.what == "raid":
        return max(0, points - towers)
    fief = earl.fief(battle.number)
    withstands = strength(fief.anchor) - 1 if fief is not None else 0
    return max(0, points - towers - withstands)


def just_enough(table: Table, battle: Battle, earl: Earl) -> Answer | None:
    """SO-05, "just enough": exactly as many cards as are needed, in the order of `GROUPS`; None if not that many exist."""
    needed = cards_needed(battle, earl)
    if not needed:
        return Answer("stand_down")
    values: dict[str, list[str]] = {}
    for field, id in _forces(table, earl)[:needed]:
        values.setdefault(field, []).append(id)
    if sum(len(ids) for ids in values.values()) < needed:
        return None
    picked: dict[str, Value] = {f.name: values[f.name] for f in force_fields(table, earl) if f.name in values}
    return Answer("field", picked)


def _forces(table: Table, earl: Earl) -> list[tuple[str, str]]:
    """Field and id of every card he could field at once, in the order of `GROUPS` (OR-FLD-1 to 4)."""
    forces: list[tuple[str, str, str]] = []
    for f in force_fields(table, earl):
        ids = [c.id for c in getattr(f, "choices", ()) for _ in range(c.most)]
        forces += [(_group(f.name, id), f.name, id) for id in ids]
    forces.sort(key=lambda x: GROUPS.index(x[0]))
    room = earl.capacity()
    taken: list[tuple[str, str]] = []
    for _, field, id in forces:
        if field == "reserve":
            if not room:
                continue
            room -= 1
        taken.append((field, id))
    return taken


def _group(field: str, id: str) -> str:
    if field == "others":
        return id.partition(":")[0]
    if field == "hand":
        return kind(id)
    return "lords" if field == "lords" else id
