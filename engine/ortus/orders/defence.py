"""SO-05: ranked rules for defence."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.asked import Asked
from engine.core.asks import Answer, Value
from engine.ortus.rules.combat import Battle, force_fields
from engine.ortus.rules.pieces import VIKINGS, kind, parse
from engine.ortus.rules.table import Earl, Table, holdings

RULES = 4
"""Most rows of an order."""
WHATS = ("any", "siege", "raid", "tower")
WHENS = ("always", "would_fall", "would_lose", "holdable")
WHERES = ("any", "palace", "castle", "last")
FORCES = ("none", "one", "all_lords", "lords_garrisons", "just_enough", "everything", "ask")


def defend(asked: Asked[Table], order: Answer) -> Answer | None:
    """The first rule with available forces. An impossible "just enough" asks, or by ruling is skipped."""
    table, battle, earl = asked.table, asked.frame(Battle), asked.table.earls[asked.seat]
    for rule in order.rows("rules"):
        if not _fits(table, battle, earl, rule):
            continue
        forces = rule.pick("forces")
        found = _fielded(table, battle, earl, forces)
        if found is not None or forces == "ask" or (forces == "just_enough" and table.ruled("SO-05") == "asks"):
            return found
    return None


def _fits(table: Table, battle: Battle, earl: Earl, rule: Answer) -> bool:
    what, who = rule.pick("what") or "any", rule.pick("who") or "any"
    attacker = "vikings" if battle.attacker == VIKINGS else f"earl:{battle.attacker}"
    if what not in ("any", battle.what) or who not in ("any", attacker):
        return False
    return _where(battle, earl, rule.pick("where") or "any") and _when(table, battle, earl, rule.pick("when") or "always")


def _where(battle: Battle, earl: Earl, where: str) -> bool:
    fief = earl.fief(battle.number)
    if where == "any":
        return True
    if fief is None:
        return False
    return len(earl.fiefs) == 1 if where == "last" else kind(fief.anchor).lower() == where


def _when(table: Table, battle: Battle, earl: Earl, when: str) -> bool:
    hurt = cards_needed(battle, earl) > 0
    match when:
        case "would_fall":
            # An Archbishop with only his last Anchor pays with it (OR-ROLE-28).
            last = battle.what == "canterbury" and len(holdings(earl)) == 1
            return hurt and (battle.what == "siege" or last)
        case "would_lose":
            return hurt and (battle.what != "tower" or bool(earl.towers))
        case "holdable":
            return len(able(table, earl)) >= _needed(table, battle, earl)
        case _:
            return True


def _fielded(table: Table, battle: Battle, earl: Earl, forces: str) -> Answer | None:
    having = able(table, earl)
    match forces:
        case "none":
            return Answer("stand_down")
        case "one":
            return _answer(table, earl, having[:1])
        case "all_lords":
            return _answer(table, earl, [x for x in having if _group(*x) in ("king", "lords")])
        case "lords_garrisons":
            return _answer(table, earl, [x for x in having if _group(*x) in ("king", "lords", "royal", "garrison")])
        case "just_enough":
            return just_enough(table, battle, earl)
        case "everything":
            # With little Reserve capacity, Knights first.
            return _answer(table, earl, able(table, earl, knights_first=True))
        case _:
            return None


def _answer(table: Table, earl: Earl, forces: Iterable[tuple[str, str]]) -> Answer | None:
    values: dict[str, list[str]] = {}
    for field, id in forces:
        values.setdefault(field, []).append(id)
    picked: dict[str, Value] = {f.name: values[f.name] for f in force_fields(table, earl) if f.name in values}
    return Answer("field", picked) if picked else None


GROUPS = ("king", "lords", "royal", "garrison", "Infantry", "Knight", "mercenary", "Monk", "Vassal", "Champion", "Prince")
"""Order of forces for "just enough" (SO-05)."""


def cards_needed(battle: Battle, earl: Earl) -> int:
    """Cards needed to lose nothing in a Normal Battle (SO-05): each card and Tower absorbs a point, a Castle withstands 1, a
    Palace 2. Towers don't help in a Tower Attack or Canterbury.
    """
    return max(0, battle.sent(battle.attacking) - battle.needs(earl) + 1)


def _needed(table: Table, battle: Battle, earl: Earl) -> int:
    """0 for a Duke's permanent Tower, which never falls (OR-ROLE-33)."""
    safe = battle.what == "tower" and not earl.towers and table.ruled("OR-ROLE-33") == "none"
    return 0 if safe else cards_needed(battle, earl)


def just_enough(table: Table, battle: Battle, earl: Earl) -> Answer | None:
    """The needed cards by `GROUPS` (SO-05); None if too few."""
    needed = _needed(table, battle, earl)
    if not needed:
        return Answer("stand_down")
    forces = able(table, earl)[:needed]
    return _answer(table, earl, forces) if len(forces) == needed else None


def able(table: Table, earl: Earl, knights_first: bool = False) -> list[tuple[str, str]]:
    """(field, id) of fieldable cards, by `GROUPS` (OR-FLD-1 to 4)."""
    forces: list[tuple[str, str, str]] = []
    for f in force_fields(table, earl):
        ids = [c.id for c in getattr(f, "choices", ()) for _ in range(c.most)]
        forces += [(_group(f.name, id), f.name, id) for id in ids]
    order = [*GROUPS]
    if knights_first:
        order.remove("Knight")
        order.insert(order.index("Infantry"), "Knight")
    forces.sort(key=lambda x: order.index(x[0]))
    room, prince = earl.capacity(), True
    taken: list[tuple[str, str]] = []
    for group, field, id in forces:
        if group == "Prince":
            if not prince:
                continue
            prince = False
        if field == "reserve":
            if not room:
                continue
            room -= 1
        taken.append((field, id))
    return taken


def _group(field: str, id: str) -> str:
    if field == "others":
        return parse(id).where
    if field == "hand":
        return kind(id)
    return "lords" if field == "lords" else id
