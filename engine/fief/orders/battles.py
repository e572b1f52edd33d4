"""Standing orders of Phase 6 (FF-SO-3 to 6, 17, 18)."""

from __future__ import annotations

from engine.core.asked import by
from engine.core.asks import Answer, Value
from engine.fief.orders.asked import Asked, said
from engine.fief.rules.realm.pieces import AMBUSH, PASSAGE
from engine.fief.rules.war.battle import AS_IS, ATTACK, DEFEND, NEUTRAL, Battle
from engine.fief.rules.war.siege import Battles

# --- others' battles (SO-3) -------------------------------------------------------------------------------------------


def side(at: Asked, wish: Answer) -> Answer | None:
    """D-BAT-2, D-CAV-1. Orders to attack ignore Cavalcades: riders can't be joined."""
    joined = _joins(at, at.frame(Battle), wish)
    return None if joined == "ask" else Answer(joined if at.has(joined) else NEUTRAL)


def _joins(at: Asked, battle: Battle, wish: Answer) -> str:
    """The first matching rule's side, or `ask`. An uninvolved ally's doesn't match."""
    ally = at.table.ally(at.seat)
    for rule in wish.rows("rules"):
        who = rule.pick("who") if rule.pick("who") != "ally" else ally or "-"
        there = battle.attackers if who in battle.attackers else battle.defenders if who in battle.defenders else []
        if rule.pick("at") not in ("", battle.at) or (who and not there):
            continue
        of = ATTACK if there is battle.attackers else DEFEND
        match rule.pick("join"):
            case "ally":
                if ally in (*battle.attackers, *battle.defenders):
                    return ATTACK if ally in battle.attackers else DEFEND
            case "with":
                return of
            case "against":
                return DEFEND if of == ATTACK else ATTACK
            case join:
                return join
    return wish.pick("otherwise")


# --- muster -----------------------------------------------------------------------------------------------------------


def muster(at: Asked) -> Answer | None:
    """D-BAT-3, D-BAT-4. With an order a seat isn't asked, card or not."""
    return by("SO-4", _ready)(at) if at.seat in at.frame(Battle).attackers else by("SO-5", _at_walls)(at)


def _ready(at: Asked, attack: Answer) -> Answer:
    return Answer("ready", _cards(at, at.frame(Battle), attack, first=True))


def _at_walls(at: Asked, defence: Answer) -> Answer:
    battle = at.frame(Battle)
    cards = _cards(at, battle, _cards_of(at, defence), first=True)
    return Answer("out" if at.has("out") and _comes_out(at, battle, defence) == "out" else "ready", cards)


def _cards(at: Asked, battle: Battle, order: Answer | None, first: bool = False) -> dict[str, Value]:
    offered = at.picks("ready" if first else "continue", "card")
    if order is None:
        return {}
    passage = order.pick("passage")
    if PASSAGE in offered and (passage == "always" or (passage == "no_dice" and not battle.dice(at.table)[0])):
        return {"card": PASSAGE}
    attack, defence = battle.sides()
    own, foes = (attack, defence) if at.seat in battle.attackers else (defence, attack)
    losing = own.strength(at.table) < foes.strength(at.table)
    if AMBUSH in offered and (order.pick("ambush") == "muster" if first else order.pick("ambush") == "losing" and losing):
        lords = [at.table.lords[id] for id in at.picks("ready" if first else "continue", "lord")]
        return {"card": AMBUSH, "lord": max(lords, key=lambda p: (p.titles, p.d_arc, p.id)).id}
    return {}


def _cards_of(at: Asked, defence: Answer) -> Answer | None:
    """SO-5's defender cards, or SO-4's if left open."""
    return defence if defence.pick("ambush") else at.orders.get("SO-4")


# --- after a roll -----------------------------------------------------------------------------------------------------


def battle_next(at: Asked) -> Answer | None:
    """D-BAT-6: those who joined may leave (SO-3); then the side's script."""
    moved = by("SO-3", _changes)(at)
    if moved is not None:
        return moved
    return by("SO-4", _attacks)(at) if at.seat in at.frame(Battle).attackers else by("SO-5", _defends)(at)


def _changes(at: Asked, wish: Answer) -> Answer | None:
    battle = at.frame(Battle)
    if at.seat == battle.declarer or at.seat in battle.named or not at.has(NEUTRAL):
        return None
    joined = _joins(at, battle, wish)
    if joined == "ask":
        return Answer("ask")
    if joined == (ATTACK if at.seat in battle.attackers else DEFEND):
        return None
    return Answer("turn" if joined != NEUTRAL and at.has("turn") else NEUTRAL)


def _attacks(at: Asked, order: Answer) -> Answer | None:
    """SO-4: fight on while all conditions hold, up to a number of rolls; then `then`."""
    battle = at.frame(Battle)
    attack, defence = battle.sides()
    cards = _cards(at, battle, order)
    fit = battle.dice(at.table)[0] >= order.number("dice")  # not by hand: everybody sees whether he is asked
    fit = fit and attack.strength(at.table) >= order.number("own") and defence.strength(at.table) >= order.number("foes")
    if fit and (not order.number("rolls") or battle.rolls < order.number("rolls")):
        return Answer("continue", cards)
    match order.pick("then"):
        case "truce":
            return Answer("truce", {"terms": AS_IS})
        case "stop" | "besiege" if at.has("stop"):
            return Answer("stop")
        case "stop" | "besiege" if battle.walled(at.table):
            return Answer("continue")  # decided by the strongest of the side (FF-BAT-15)
        case _:
            return None


def _defends(at: Asked, order: Answer) -> Answer:
    """SO-5: surrender, come out, offer an as-is truce, or fight on."""
    battle = at.frame(Battle)
    cards = _cards(at, battle, _cards_of(at, order))
    if at.has("surrender") and battle.sides()[1].strength_of(at.table, at.seat) <= order.number("surrender"):
        return Answer("surrender")
    how = _comes_out(at, battle, order) if at.has("out") else ""
    if how:
        return Answer(how, cards)
    attack, defence = battle.sides()
    offers = order.pick("truce") == "yes" or (
        order.pick("truce") == "weaker" and defence.strength(at.table) < attack.strength(at.table)
    )
    return Answer("truce", {"terms": AS_IS, **cards}) if offers else Answer("continue", cards)


def _comes_out(at: Asked, battle: Battle, order: Answer) -> str:
    """`out`, `out_if_stop`, or '' to stay behind walls."""
    attack, defence = battle.sides()
    own, foes = defence.strength(at.table), attack.strength(at.table)
    sally = {"stronger": own > foes, "twice": own >= 2 * foes}.get(order.pick("sally"), False)
    if sally or order.pick("walls") == "out":
        return "out"
    return "out_if_stop" if order.pick("walls") == "out_if_stop" else ""


def go_on(at: Asked, order: Answer) -> Answer | None:
    """Whether to continue after an Ambush (D-AMB-2)."""
    return Answer(order.pick("ambushed"))


# --- shields (SO-6) ---------------------------------------------------------------------------------------------------


def shield(at: Asked, order: Answer) -> Answer | None:
    """D-AMB-1, D-ASN-2, per Lord. Passes without the card, which stays secret (FF-ASY-3)."""
    how = said(at, order, lord=at.fact("lord"))
    if how == "ask":
        return None
    return Answer("shield" if how == "yes" and PASSAGE in at.table.families[at.seat].hand else "none")


# --- sieges (SO-17, SO-18) --------------------------------------------------------------------------------------------


def done(at: Asked) -> Answer | None:
    """D-SIE-1 if no attack is possible, else ask. SO-4 besieges where it broke off a battle."""
    order, attack, fought = at.orders.get("SO-17"), at.orders.get("SO-4"), at.frame(Battles).fought
    if at.has("attack"):
        return None
    besieges = attack is not None and attack.pick("then") == "besiege"
    start = [v for v in at.picks("done", "start") if besieges and v in fought]
    if order is None:
        return sieged(at, start) if start else None
    return sieged(at, start if order.pick("start") == "no" else at.picks("done", "start"))


def sieged(at: Asked, start: list[str]) -> Answer:
    """New sieges as engines allow, SO-17 for existing ones."""
    order = at.orders.get("SO-17")
    values: dict[str, Value] = {}
    if start:
        values["start"] = start[: at.table.engines_left(at.seat)]
    held = at.picks("done", "hold")
    how = order.pick("held") if order is not None else "turn"
    if held and how in ("hold", "lift"):
        values[how] = held
    return Answer("done", values)


def pillage(at: Asked, order: Answer) -> Answer | None:
    """D-PIL-1: all Mills of listed villages; `gain` asks where any side has a siege, and pillages nothing elsewhere."""
    wanted = {row.pick("at") for row in order.rows("places")}
    villages, reach = at.table.villages, at.picks("pillage", "mills")
    if order.option == "gain" and any(villages[v].engines for v in reach):
        return None
    besieged = {v for v in reach if villages[v].controller != at.seat}
    listed = [v for v in reach if v in wanted or ("besieged" if v in besieged else "own") in wanted]
    mills = [v for v in listed for _ in range(villages[v].mills)]
    return Answer("pillage", {"mills": mills}) if mills else Answer("none")
