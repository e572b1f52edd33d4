"""Battle orders: sides (FF-SO-3), attack (FF-SO-4), defence (FF-SO-5), shields (FF-SO-6)."""

from __future__ import annotations

from engine.asks import Answer, Seat, Value
from engine.fief.battle import AS_IS, ATTACK, DEFEND, NEUTRAL, Battle
from engine.fief.forces import Side, penalty
from engine.fief.orders.asked import Asked, said
from engine.fief.pieces import AMBUSH, PASSAGE
from engine.fief.table import Table


def sides(battle: Battle) -> tuple[Side, Side]:
    riding = battle.cavalcade
    return Side(battle.at, battle.attackers, riding), Side(battle.at, battle.defenders)


# --- others' battles (SO-3) -------------------------------------------------------------------------------------------


def side(at: Asked) -> Answer | None:
    """D-BAT-2, D-CAV-1. An order to attack ignores Cavalcades: riders can't be joined."""
    wish, battle = at.order("SO-3"), at.battle
    if wish is None or battle is None:
        return None
    joined = _joins(at, battle, wish)
    if joined == "ask":
        return None
    return Answer(joined if at.has(joined) else NEUTRAL)


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
    battle = at.battle
    if battle is None:
        return None
    if at.seat in battle.attackers:
        attack = at.order("SO-4")
        return Answer("ready", _cards(at, battle, attack, first=True)) if attack is not None else None
    defence = at.order("SO-5")
    if defence is None:
        return None
    cards = _cards(at, battle, _cards_of(at, defence), first=True)
    return Answer("out" if at.has("out") and _comes_out(at, battle, defence) == "out" else "ready", cards)


def _cards(at: Asked, battle: Battle, order: Answer | None, first: bool = False) -> dict[str, Value]:
    offered = at.picks("ready" if first else "continue", "card")
    if order is None:
        return {}
    passage = order.pick("passage")
    if PASSAGE in offered and (passage == "always" or (passage == "no_dice" and not _dice(at.table, battle))):
        return {"card": PASSAGE}
    attack, defence = sides(battle)
    own, foes = (attack, defence) if at.seat in battle.attackers else (defence, attack)
    losing = own.strength(at.table) < foes.strength(at.table)
    if AMBUSH in offered and (order.pick("ambush") == "muster" if first else order.pick("ambush") == "losing" and losing):
        lords = [at.table.lords[id] for id in at.picks("ready" if first else "continue", "lord")]
        return {"card": AMBUSH, "lord": max(lords, key=lambda p: (p.titles, p.d_arc, p.id)).id}
    return {}


def _cards_of(at: Asked, defence: Answer) -> Answer | None:
    """The order for a defender's cards: SO-5, or SO-4 if it leaves them open."""
    return defence if defence.pick("ambush") else at.order("SO-4")


def _dice(table: Table, battle: Battle) -> int:
    attack = sides(battle)[0]
    return attack.dice(table, penalty(table, attack) if battle.walled(table) and not battle.passage else 0)


# --- after a roll -----------------------------------------------------------------------------------------------------


def battle_next(at: Asked) -> Answer | None:
    """D-BAT-6: those who joined may leave (SO-3); then the script of the side."""
    battle = at.battle
    if battle is None:
        return None
    moved = _changes(at, battle)
    if moved is not None:
        return moved if moved.option != "ask" else None
    return _attacks(at, battle) if at.seat in battle.attackers else _defends(at, battle)


def _changes(at: Asked, battle: Battle) -> Answer | None:
    wish = at.order("SO-3")
    if wish is None or at.seat == battle.declarer or at.seat in battle.named or not at.has(NEUTRAL):
        return None
    joined = _joins(at, battle, wish)
    if joined == "ask":
        return Answer("ask")
    if joined == (ATTACK if at.seat in battle.attackers else DEFEND):
        return None
    return Answer("turn" if joined != NEUTRAL and at.has("turn") else NEUTRAL)


def _attacks(at: Asked, battle: Battle) -> Answer | None:
    """SO-4: fight on while all conditions hold, up to a number of rolls; then its `then`."""
    order = at.order("SO-4")
    if order is None:
        return None
    attack, defence = sides(battle)
    cards = _cards(at, battle, order)
    fit = _dice(at.table, battle) >= order.number("dice")  # not by hand: everybody sees whether he is asked
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


def _defends(at: Asked, battle: Battle) -> Answer | None:
    """SO-5: surrender, come out, offer an as-is truce, or fight on."""
    order = at.order("SO-5")
    if order is None:
        return None
    cards = _cards(at, battle, _cards_of(at, order))
    if at.has("surrender") and sides(battle)[1].strength_of(at.table, at.seat) <= order.number("surrender"):
        return Answer("surrender")
    how = _comes_out(at, battle, order) if at.has("out") else ""
    if how:
        return Answer(how, cards)
    attack, defence = sides(battle)
    offers = order.pick("truce") == "yes" or (
        order.pick("truce") == "weaker" and defence.strength(at.table) < attack.strength(at.table)
    )
    return Answer("truce", {"terms": AS_IS, **cards}) if offers else Answer("continue", cards)


def _comes_out(at: Asked, battle: Battle, order: Answer) -> str:
    """`out`, `out_if_stop`, or '' to stay behind walls."""
    attack, defence = sides(battle)
    own, foes = defence.strength(at.table), attack.strength(at.table)
    sally = {"stronger": own > foes, "twice": own >= 2 * foes}.get(order.pick("sally"), False)
    if sally or order.pick("walls") == "out":
        return "out"
    return "out_if_stop" if order.pick("walls") == "out_if_stop" else ""


def captors(at: Asked) -> Answer | None:
    """D-BAT-7: himself, if able."""
    order = at.order("SO-4")
    return at.ask.default if order is not None and order.pick("captors") == "self" else None


def go_on(at: Asked) -> Answer | None:
    """D-AMB-2."""
    how = order.pick("ambushed") if (order := at.order("SO-4")) is not None else "ask"
    return None if how == "ask" else Answer(how)


# --- shields (SO-6) ---------------------------------------------------------------------------------------------------


def shield(at: Asked) -> Answer | None:
    """D-AMB-1, D-ASN-2, per Lord. Passes without the card, which isn't revealed (FF-ASY-3)."""
    order = at.order("SO-6")
    if order is None:
        return None
    how = said(order, next((rule for rule in order.rows("rules") if rule.pick("lord") == at.fact("lord")), None))
    if how == "ask":
        return None
    return Answer("shield" if how == "yes" and _holds(at.table, at.seat) else "none")


def _holds(table: Table, seat: Seat) -> bool:
    return PASSAGE in table.families[seat].hand
