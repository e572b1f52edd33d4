"""Orders for battles and Fractures: conflict cards (STO-2), support (STO-3, STO-10), matching (STO-4), discards (STO-5),
Fracture policies (STO-1), passing ahead (STO-9). Else the reactions setting (STO-12) says who is asked, by public facts, so
that passing unasked reveals no hand (MM-ASY-5, MM-FRA-13).
"""

from __future__ import annotations

from engine.core.asked import Asked, by
from engine.core.asks import Answer, Seat, Value
from engine.mastery.orders.settings import ALWAYS, CONCERNED, MINE, NEVER, TESTS, USUAL, role, usual
from engine.mastery.rules import ids
from engine.mastery.rules.battle import Battle, conflict_cards, given, support_cards
from engine.mastery.rules.cards import pile
from engine.mastery.rules.crowns import CrownUse
from engine.mastery.rules.fracture import MATCH, PASS, Window
from engine.mastery.rules.table import Table, points, team, value


def worth(table: Table, battle: Battle) -> int:
    """Victory value of the place; 3 for a castle."""
    return 3 if battle.siege else value(table, battle.slot)


def conflict(asked: Asked[Table], order: Answer) -> Answer | None:
    """First listed card, by role and value (STO-2)."""
    table, battle, seat = asked.table, asked.frame(Battle), asked.seat
    side = "attack" if seat == battle.attacker else "defend"
    if worth(table, battle) >= 3:
        side += "_3"
    if order.option != "on" or side not in order.some("when"):
        return None
    held = conflict_cards(table, seat)
    card = next((c for c in order.some(side) if c in held), None)
    return Answer("play", {"card": card}) if card else Answer("none")


def support(asked: Asked[Table]) -> Answer | None:
    """ASK, PASS, ALL or MIN, by role and value (STO-3), for allies STO-10."""
    table, battle, seat = asked.table, asked.frame(Battle), asked.seat
    attacking = seat in team(table, battle.attacker)
    helped = battle.attacker if attacking else battle.defender
    own = helped == seat
    order = asked.orders.get(ids.SUPPORT if own else ids.ALLIES)
    if order is None or order.option != "on" or (not own and ids.lord(helped) not in order.some("allies")):
        return _unordered(asked, battle)
    if worth(table, battle) < ids.read_choice(order.pick("from")).n:
        return _unordered(asked, battle)
    policy = order.pick("attacker" if attacking else "defender")
    if policy == "ask":
        return None
    cards = given(table, battle.lacks(attacking), support_cards(table, seat), policy)
    return Answer("support", {"cards": cards}) if cards else Answer("pass")


def _unordered(asked: Asked[Table], battle: Battle) -> Answer | None:
    return None if _asks_support(asked, battle) else Answer("pass")


def match(asked: Asked[Table]) -> Answer | None:
    """AUTO, the initial setting, gives the default (STO-4)."""
    how = asked.orders.get(ids.MATCH, Answer("auto")).option
    return {"auto": asked.ask.default, "never": Answer("no")}.get(how)


def discard(asked: Asked[Table]) -> Answer | None:
    """First listed card, or none (STO-5)."""
    return by(ids.order(ids.DISCARDS, asked.fact("why")), _discarded)(asked)


def _discarded(asked: Asked[Table], order: Answer) -> Answer:
    hand = asked.table.lords[asked.seat].hand
    card = next((row.pick("card") for row in order.rows("cards") if row.pick("card") in hand), None)
    return Answer("discard", {"card": card}) if card else Answer("keep")


# --- Fractures --------------------------------------------------------------------------------------------------------


def fracture(asked: Asked[Table]) -> Answer | None:
    """A policy's answer; None to ask. Never depends on the hand (MM-FRA-13)."""
    table, window, battle, seat = asked.table, asked.frame(Window), asked.under_way(Battle), asked.seat
    ahead, crown = asked.orders.get(ids.AHEAD), asked.under_way(CrownUse)
    if ahead is not None and ahead.option == "on":
        # Exceptions are always asked (MM-STO-9), Corruption's target too.
        involved = [*window.aims, crown.artefact] if crown is not None else window.aims
        but = ahead.pick("but")
        return None if but and but in involved else Answer(PASS)
    policy = asked.orders.get(ids.order(ids.FRACTURES, window.what))
    if policy is None or policy.option == USUAL:
        return None if _asks_fracture(asked, window, battle) else Answer(PASS)
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


def in_window(asked: Asked[Table]) -> Answer | None:
    """A Fracture plan, with Fear or Vigour in the same answer (MM-ASY-4)."""
    window, seat = asked.frame(Window), asked.seat
    if window.alone(asked.table, seat):
        return match(asked)
    plan = fracture(asked)
    if plan is None or seat not in window.matching:
        return plan
    how = asked.orders.get(ids.MATCH)
    if how is not None and how.option == "ask":
        return None
    never = how is not None and how.option == "never"
    return Answer(plan.option, {**plan.values, **({MATCH: "no"} if never else {})})


def _plan(table: Table, window: Window, battle: Battle | None, seat: Seat, policy: Answer, aim: str) -> tuple[int, str]:
    rules = policy.rows("rules")
    for i, rule in enumerate(rules):
        if _fits(table, window, battle, seat, rule, aim):
            return i, rule.pick("plan")
    return len(rules), policy.pick("otherwise") or "ask"


def _fits(table: Table, window: Window, battle: Battle | None, seat: Seat, rule: Answer, aim: str) -> bool:
    owner = table.owner(aim)
    wanted = {test: rule.pick(test) for test in TESTS}
    facts = {"role": role(table, battle, seat), "artefact": aim, "owner": ids.lord(owner)}
    if any(wanted[test] not in ("", fact) for test, fact in facts.items()):
        return False
    if wanted["aimed"] and window.aimed != seat:
        return False
    if points(table, owner) < ids.read_choice(wanted["points"]).n:
        return False
    return not wanted["applies"] or (battle is not None and battle.applies(table, owner, window.what) is not None)


# --- who is asked -----------------------------------------------------------------------------------------------------


def level(asked: Asked[Table]) -> str:
    order = asked.orders.get(ids.REACTIONS)
    return order.option if order is not None else usual(asked.table)


def _asks_fracture(asked: Asked[Table], window: Window, battle: Battle | None) -> bool:
    """Whether the seat is asked. `concerned`: a crown aimed at it, or a rival's artefact that works in its battle. `mine`: in
    its battles.
    """
    table, seat = asked.table, asked.seat
    match level(asked):
        case "never":
            return False
        case "always":
            return True
        case how:
            if battle is None or window.what == "crown":
                return window.aimed == seat
            if seat not in (battle.attacker, battle.defender):
                return False
            works = (battle.applies(table, table.owner(aim), window.what) for aim in window.legal(table, seat))
            return how == MINE or any(works)


def _asks_support(asked: Asked[Table], battle: Battle) -> bool:
    """Whether the seat is asked. `concerned`: its side is behind, and cards that its team publicly may hold would put it ahead.
    If passes are final, the leader too (MM-AMB-25).
    """
    how = level(asked)
    if how in (MINE, ALWAYS, NEVER):
        return how != NEVER
    assert how == CONCERNED
    lack = battle.lacks(asked.seat in team(asked.table, battle.attacker))
    if lack <= 0:
        return asked.table.ruled("MM-AMB-25") == "final"
    helped = battle.side_for(asked.table, asked.seat).seat
    return sum(most_support(asked.table, battle, ally) for ally in team(asked.table, helped)) >= lack


def most_support(table: Table, battle: Battle, seat: Seat) -> int:
    """Most support that a lord could add, by public facts."""
    lord = table.lords[seat]
    shown, cards = [*pile(lord), *battle.played[seat]], table.data.cards
    unseen = [
        cards[kind].value for kind in table.data.of_kind("support") for _ in range(cards[kind].copies - shown.count(kind))
    ]
    return sum(sorted(unseen, reverse=True)[: len(lord.hand)])
