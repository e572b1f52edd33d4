"""Settings of standing orders (MM-STO), one Ask each."""

from __future__ import annotations

from datetime import date

from engine.core.asked import may, order_ask, order_kind
from engine.core.asks import Answer, Ask, Fields, Option, Order, PickOne, PickSome, Rows, Seat, Simple, choices, illegal_if
from engine.mastery.orders.script import KEPT
from engine.mastery.rules import ids
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.pieces import TYPES
from engine.mastery.rules.table import Table, team
from engine.text import days

RULES = 3
"""Rules in a Fracture policy."""
TESTS = ("role", "artefact", "owner", "applies", "aimed", "points")
"""Conditions of a rule; all that are set must hold."""
STEPS = 4
"""Steps of a turn script."""
LISTED = 4
"""Cards in a list of discards."""
ROLES = ("attacker", "defender", "ally", "bystander")
PLANS = ("ask", "pass", "use")
POLICIES = ("ask", "pass", "all", "min")
SIDES = ("attack", "defend", "attack_3", "defend_3")
MOVES = ("call", "tactical", "march", "crown", "fracture", "end")
STOPS = ("crown", "battle", "vacant", "fracture", "points")
BRANCHES = ("ask", "skip", "end")
DISCARDS = {"crown": "fury", "orb": "orbs", "tile": "lands"}

CONCERNED, MINE, ALWAYS, NEVER = "concerned", "mine", "always", "never"
"""When a lord is asked about Fractures and support that no other order answers (MM-STO-12)."""
USUAL = "usual"
"""A Fracture policy that leaves it to the reactions setting."""


def asks(table: Table, seat: Seat) -> list[Ask]:
    data = table.data
    conflict, every = tuple(data.of_kind("conflict")), tuple(sorted(data.cards))
    kept = tuple(c for c in every if c != "Authority")
    levels = tuple(Option(level) for level in (CONCERNED, MINE, ALWAYS, NEVER))
    made = [Ask(seat, order_kind(ids.REACTIONS), levels, Answer(usual(table)), ids.REACTIONS)]
    made += [_policy(table, seat, what) for what in TYPES]
    orders = [Order(side, choices(conflict)) for side in SIDES]
    made.append(order_ask(seat, ids.CONFLICT, Option("on", (PickSome("when", choices(SIDES), 1, len(SIDES)), *orders))))
    made.append(order_ask(seat, ids.SUPPORT, Option("on", _support())))
    four = (Option("auto"), Option("never"), Option("ask"))
    made.append(Ask(seat, order_kind(ids.MATCH), four, Answer("auto"), ids.MATCH))
    for what in DISCARDS:
        wanted = Rows("cards", (PickOne("card", choices(kept)),), 1, LISTED)
        made.append(order_ask(seat, ids.order(ids.DISCARDS, what), Option("none"), Option("list", (wanted,))))
    heaps = (PickSome("own", choices(every), 0, len(every)), PickSome("others", choices(every), 0, len(every)))
    made.append(order_ask(seat, ids.PROSPERITY, Option("on", heaps)))
    made.append(order_ask(seat, ids.INSIGHT, Option("keep"), Option("list", (Order("top", choices(every)),))))
    made.append(order_ask(seat, ids.SCRIPT, Option("on", _script(table, seat))))
    made.append(order_ask(seat, ids.AHEAD, Option("on", (may("but", _artefacts(table)),))))
    allies = [s for s in team(table, seat) if s != seat]
    if allies:
        fields = (PickSome("allies", choices(ids.lord(s) for s in allies), 1, len(allies)), *_support())
        made.append(order_ask(seat, ids.ALLIES, Option("on", fields)))
    turns = choices(ids.amount("turns", n) for n in (1, 2, 3, 5, 10))
    made.append(order_ask(seat, ids.AWAY, Option("on", (PickOne("turns", turns),)), Option("date", days.FIELDS)))
    return made


def usual(table: Table) -> str:
    """Initial reactions by ruling; the same for every seat (MM-STO-12)."""
    return MINE if table.ruled("MM-STO-12") == "battles" else CONCERNED


def _artefacts(table: Table) -> list[str]:
    return [a.name for s in table.order for a in table.lords[s].artefacts()]


def _policy(table: Table, seat: Seat, what: str) -> Ask:
    """STO-1: ordered rules and a fallback per kind of window."""
    names = [a.name for s in table.order for a in table.lords[s].artefacts() if table.data.regalia[a.name].type == what]
    owners = [ids.lord(s) for s in table.seats if s != seat]
    points = [ids.amount("points", n) for n in range(3, 13)]
    # Crowns are used outside battles, without roles, but may target someone.
    alone = (may("aimed", ("yes",)),) if what == "crown" else (may("role", ROLES), may("applies", ("yes",)))
    tests = (*alone, may("artefact", names), may("owner", owners), may("points", points))
    rules = Rows("rules", (*tests, PickOne("plan", choices(PLANS))), 0, RULES)
    own = (Option("ask"), Option("pass"), Option("rules", (rules, PickOne("otherwise", choices(("ask", "pass"))))))
    id = ids.order(ids.FRACTURES, what)
    return Ask(seat, order_kind(id), (Option(USUAL), *own), Answer(USUAL), id)


def _support() -> Fields:
    return (
        PickOne("attacker", choices(POLICIES)),
        PickOne("defender", choices(POLICIES)),
        may("from", [ids.amount("value", n) for n in (1, 2, 3)]),
    )


def _script(table: Table, seat: Seat) -> Fields:
    aims = [*_artefacts(table), *(ids.lord(s) for s in table.seats), *sorted(set(table.data.cards))]
    places = [*table.lands, *(lord.slot for lord in table.lords.values() if lord.seat != seat and table.options.siege)]
    step: tuple[Simple, ...] = (
        PickOne("deed", choices(MOVES)),  # the option of the turn's ask; stored settings have `deed`
        may("slot", places),
        may("knights", ["all", *(ids.amount("knights", n) for n in range(1, 9))]),
        may("gather", tuple(KEPT)),
        may("aim", aims),
        PickSome("stops", choices(STOPS), 0, len(STOPS)),
        may("branch", BRANCHES),
    )
    return (Rows("steps", step, 1, STEPS),)


def vet(id: str, order: Answer) -> None:
    """Raises NotLegal."""
    for i, step in enumerate(order.rows("steps") if id == ids.SCRIPT else (), 1):
        option = step.pick("deed")
        illegal_if(option in ("march", "tactical") and not step.pick("slot"), "mastery.march_nowhere", n=i)
        illegal_if(option == "fracture" and not step.pick("aim"), "mastery.breaks_nothing", n=i)
    illegal_if(id == ids.AWAY and order.option == "date" and last_day(id, order) is None, "mastery.no_such_day")


def last_day(id: str, order: Answer) -> date | None:
    """Last day of the standing orders (MM-STO-11)."""
    return days.of(order) if id == ids.AWAY and order.option == "date" else None


def role(table: Table, battle: Battle | None, seat: Seat) -> str:
    """A seat's role in a battle: `attacker`, `defender`, `ally` or `bystander` (MM-GEN-1)."""
    if battle is None:
        return "bystander"
    if seat in (battle.attacker, battle.defender):
        return "attacker" if seat == battle.attacker else "defender"
    return "ally" if seat in (*team(table, battle.attacker), *team(table, battle.defender)) else "bystander"
