"""Fracture orders: policies (STO-1) and passing ahead (STO-9); else the reactions setting (STO-12)."""

from __future__ import annotations

from engine.core.asked import Asked
from engine.core.asks import Answer, Seat, Value
from engine.mastery.orders import reactions
from engine.mastery.orders.settings import TESTS, USUAL, role
from engine.mastery.rules import ids
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.crowns import CrownUse
from engine.mastery.rules.fracture import PASS, Window
from engine.mastery.rules.table import Table, points


def fracture(asked: Asked[Table]) -> Answer | None:
    """A policy's answer; None to ask. Never depends on the hand (MM-FRA-13)."""
    table, window, battle, seat = asked.table, asked.frame(Window), asked.under_way(Battle), asked.seat
    ahead, crown = asked.orders.get(ids.AHEAD), asked.under_way(CrownUse)
    if ahead is not None and ahead.option == "on":
        # Exceptions are always asked (MM-STO-9), Corruption's target too.
        involved = [*window.aims, crown.artefact] if crown is not None else window.aims
        return None if ahead.pick("but") in involved else Answer(PASS)
    policy = asked.orders.get(ids.order(ids.FRACTURES, window.what))
    if policy is None or policy.option == USUAL:
        return None if reactions.asks_fracture(asked, window, battle) else Answer(PASS)
    if policy.option == "pass":
        return Answer(PASS)
    plans = {aim: _plan(table, window, battle, seat, policy, aim) for aim in window.legal(table, seat)}
    if any(plan == "ask" for _, plan in plans.values()):
        return None
    # Earlier rules have priority among two targets.
    used = sorted((aim for aim, (_, plan) in plans.items() if plan == "use"), key=lambda aim: plans[aim][0])
    if not used:
        return Answer(PASS)
    values: dict[str, Value] = {"first": used[0]}
    for gone in window.gone_before(table, seat):
        left = [aim for aim in used if aim != gone]
        if left:
            values[ids.without(gone)] = left[0]
    return Answer("plan", values)


def _plan(table: Table, window: Window, battle: Battle | None, seat: Seat, policy: Answer, aim: str) -> tuple[int, str]:
    rules = policy.rows("rules")
    for i, rule in enumerate(rules):
        if _fits(table, window, battle, seat, rule, aim):
            return i, rule.pick("plan")
    return len(rules), policy.pick("otherwise") or "ask"


def _fits(table: Table, window: Window, battle: Battle | None, seat: Seat, rule: Answer, aim: str) -> bool:
    owner = table.owner(aim)
    wanted = {test: rule.pick(test) for test in TESTS}
    if wanted["role"] and wanted["role"] != role(table, battle, seat):
        return False
    if wanted["artefact"] and wanted["artefact"] != aim:
        return False
    if wanted["owner"] and wanted["owner"] != ids.lord(owner):
        return False
    if wanted["aimed"] and window.aimed != seat:
        return False
    if points(table, owner) < ids.read_choice(wanted["points"]).n:
        return False
    return not wanted["applies"] or (battle is not None and battle.applies(table, owner, window.what) is not None)
