"""How each standing order is set (MM-STO): one Ask an order, so that forms, words and checks are those of every Ask."""

from __future__ import annotations

from engine.asks import Answer, Ask, Choice, Field, Fields, NotLegal, Option, Order, PickOne, PickSome, Seat, choices
from engine.mastery import ids
from engine.mastery.battle import Battle
from engine.mastery.pieces import TYPES
from engine.mastery.table import Table, team
from engine.words import say

RULES = 3
"""Rules of a Fracture policy."""
TESTS = ("role", "artefact", "owner", "applies", "aimed", "points")
"""What a rule may ask of an artefact; it fits where all that it asks holds."""
STEPS = 4
"""Steps of a turn script."""
LISTED = 4
"""Cards of a list of discards."""
ROLES = ("attacker", "defender", "ally", "bystander")
PLANS = ("ask", "pass", "use")
POLICIES = ("ask", "pass", "all", "min")
SIDES = ("attack", "defend", "attack_3", "defend_3")
MOVES = ("call", "tactical", "march", "crown", "fracture", "end")
STOPS = ("crown", "battle", "vacant", "fracture", "points")
BRANCHES = ("ask", "skip", "end")
DISCARDS = {"crown": "fury", "orb": "orbs", "tile": "lands"}
OFF = Option("off")

_IN_BATTLE = Answer(
    "rules", {"role_1": "attacker", "plan_1": "ask", "role_2": "defender", "plan_2": "ask", "otherwise": "pass"}
)
SHIPPED = {
    "crown": Answer("rules", {"aimed_1": "yes", "plan_1": "ask", "otherwise": "pass"}),
    "sceptre": _IN_BATTLE,
    "orb": _IN_BATTLE,
}
"""What each Fracture policy stands at when a game begins (MM-STO-1)."""


def may(name: str, ids: tuple[str, ...] | list[str]) -> PickOne:
    """A choice that may be left open."""
    return PickOne(name, choices(ids), optional=True)


def asks(table: Table, seat: Seat) -> list[Ask]:
    """Every order that can be set, in the order of the rules. The default is what holds when a game begins."""
    data = table.data
    conflict, every = tuple(data.of_kind("conflict")), tuple(sorted(data.cards))
    kept = tuple(c for c in every if c != "Authority")
    made = [_policy(table, seat, what) for what in TYPES]
    orders: list[Field] = [Order(side, tuple(Choice(c) for c in conflict)) for side in SIDES]
    made.append(_ask(seat, ids.CONFLICT, Option("on", (PickSome("when", choices(SIDES), 1, len(SIDES)), *orders))))
    made.append(_ask(seat, ids.SUPPORT, Option("on", _support())))
    four = (Option("auto"), Option("never"), Option("ask"))
    made.append(Ask(seat, ids.ask_of_order(ids.MATCH), four, Answer("auto"), ids.MATCH))
    for what in DISCARDS:
        wanted = tuple(may(ids.nth("card", i), kept) for i in range(1, LISTED + 1))
        made.append(_ask(seat, ids.order(ids.DISCARDS, what), Option("none"), Option("list", wanted)))
    heaps = (PickSome("own", choices(every), 0, len(every)), PickSome("others", choices(every), 0, len(every)))
    made.append(_ask(seat, ids.PROSPERITY, Option("on", heaps)))
    made.append(_ask(seat, ids.INSIGHT, Option("keep"), Option("list", (Order("top", tuple(Choice(c) for c in every)),))))
    made.append(_ask(seat, ids.SCRIPT, Option("on", _script(table, seat))))
    made.append(_ask(seat, ids.AHEAD, Option("on", (may("but", _artefacts(table)),))))
    allies = [s for s in team(table, seat) if s != seat]
    if allies:
        fields: Fields = (PickSome("allies", choices(ids.lord(s) for s in allies), 1, len(allies)), *_support())
        made.append(_ask(seat, ids.ALLIES, Option("on", fields)))
    turns = choices(ids.amount("turns", n) for n in (1, 2, 3, 5, 10))
    made.append(_ask(seat, ids.AWAY, Option("on", (PickOne("turns", turns),))))
    return made


def _ask(seat: Seat, id: str, *options: Option) -> Ask:
    return Ask(seat, ids.ask_of_order(id), (OFF, *options), Answer("off"), id)


def _artefacts(table: Table) -> list[str]:
    return [a.name for s in table.order for a in table.lords[s].artefacts()]


def _policy(table: Table, seat: Seat, what: str) -> Ask:
    """STO-1, one list for each kind of window: rules in order, and what holds where none fits."""
    names = [a.name for s in table.order for a in table.lords[s].artefacts() if table.data.regalia[a.name].type == what]
    owners = [ids.lord(s) for s in table.seats if s != seat]
    points = [ids.amount("points", n) for n in range(3, 13)]
    fields: list[Field] = []
    for i in range(1, RULES + 1):
        # A crown is used outside battles: nobody has a role then, but it may be aimed at somebody.
        if what == "crown":
            fields.append(may(ids.nth("aimed", i), ("yes",)))
        else:
            fields += [may(ids.nth("role", i), ROLES), may(ids.nth("applies", i), ("yes",))]
        fields += [may(ids.nth("artefact", i), names), may(ids.nth("owner", i), owners)]
        fields += [may(ids.nth("points", i), points), may(ids.nth("plan", i), PLANS)]
    fields.append(PickOne("otherwise", choices(("ask", "pass"))))
    options = (Option("ask"), Option("pass"), Option("rules", tuple(fields)))
    id = ids.order(ids.FRACTURES, what)
    return Ask(seat, ids.ask_of_order(id), options, SHIPPED[what], id)


def _support() -> Fields:
    return (
        PickOne("attacker", choices(POLICIES)),
        PickOne("defender", choices(POLICIES)),
        may("from", [ids.amount("value", n) for n in (1, 2, 3)]),
    )


def _script(table: Table, seat: Seat) -> Fields:
    aims = [*_artefacts(table), *(ids.lord(s) for s in table.seats), *sorted(set(table.data.cards))]
    places = [*table.lands, *(lord.slot for lord in table.lords.values() if lord.seat != seat and table.options.siege)]
    fields: list[Field] = []
    for i in range(1, STEPS + 1):
        fields += [may(ids.nth("deed", i), MOVES), may(ids.nth("slot", i), places)]
        fields += [may(ids.nth("knights", i), ["all", *(ids.amount("knights", n) for n in range(1, 9))])]
        fields += [may(ids.nth("gather", i), ("yes",)), may(ids.nth("aim", i), aims)]
        fields += [PickSome(ids.nth("stops", i), choices(STOPS), 0, len(STOPS)), may(ids.nth("branch", i), BRANCHES)]
    return tuple(fields)


def vet(id: str, order: Answer) -> None:
    """What the fields of an order can't say. Raises NotLegal with what would be right."""
    kind = ids.read_order(id).kind
    if kind == ids.FRACTURES and order.option == "rules":
        for i in range(1, RULES + 1):
            if any(order.pick(ids.nth(test, i)) for test in TESTS) and not order.pick(ids.nth("plan", i)):
                raise NotLegal(say("mastery.rule_without_plan", n=i))
    listed = (order.pick(ids.nth("card", i)) for i in range(1, LISTED + 1))
    if kind == ids.DISCARDS and order.option == "list" and not any(listed):
        raise NotLegal(say("mastery.empty_list"))
    if kind == ids.SCRIPT and order.option == "on":
        _vet_script(order)


def _vet_script(order: Answer) -> None:
    if not any(order.pick(ids.nth("deed", i)) for i in range(1, STEPS + 1)):
        raise NotLegal(say("mastery.no_step"))
    for i in range(1, STEPS + 1):
        deed = order.pick(ids.nth("deed", i))
        if deed in ("march", "tactical") and not order.pick(ids.nth("slot", i)):
            raise NotLegal(say("mastery.march_nowhere", n=i))
        if deed == "fracture" and not order.pick(ids.nth("aim", i)):
            raise NotLegal(say("mastery.breaks_nothing", n=i))


def role(table: Table, battle: Battle | None, seat: Seat) -> str:
    """What a lord is in a battle (MM-GEN-1); everybody is a bystander where there is none."""
    if battle is None:
        return "bystander"
    if seat in (battle.attacker, battle.defender):
        return "attacker" if seat == battle.attacker else "defender"
    return "ally" if seat in (*team(table, battle.attacker), *team(table, battle.defender)) else "bystander"


PRESET: dict[str, str] = {
    "STO-1-crown": "rules aimed_1=yes plan_1=use otherwise=pass",
    "STO-1-sceptre": "rules role_1=attacker applies_1=yes plan_1=use role_2=defender applies_2=yes plan_2=use otherwise=pass",
    "STO-1-orb": "pass",
    "STO-2": "on when=[defend,defend_3]"
    " attack=[Conflict5,Conflict4,Ambush,Conflict3,Conflict2] defend=[Conflict4,Ambush,Conflict5,Conflict3,Conflict2]"
    " attack_3=[Conflict5,Conflict4,Ambush,Conflict3,Conflict2] defend_3=[Conflict5,Conflict4,Ambush,Conflict3,Conflict2]",
    "STO-3": "on attacker=ask defender=min",
    "STO-4": "auto",
    "STO-5-orb": "list card_1=Conflict2",
    "STO-5-tile": "list card_1=Conflict2",
}
"""A sensible player's orders: what new players are offered. Their own turn stays theirs."""
