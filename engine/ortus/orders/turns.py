"""SO-08, SO-12 to SO-19 and SO-21: the Church, the Vikings, Jousts, the own Turn at its deadline, levies, roles, the deck."""

from __future__ import annotations

from engine.asks import Answer, Ask, PickOne, Seat, Value
from engine.ortus import ids
from engine.ortus.combat import Battle
from engine.ortus.ids import at, kind, lord_id, of_earl, parse
from engine.ortus.joust import is_exempt
from engine.ortus.orders.settings import KEEPING
from engine.ortus.pieces import strength
from engine.ortus.table import Earl, Fief, Table, holdings


def church(battle: Battle, seat: Seat, order: Answer) -> Answer | None:
    """SO-08: what the Church decides, by the side on which its owner stands."""
    side = "attacker" if battle.attacker == seat else "defender" if battle.defender == seat else "neither"
    wish = order.pick(f"as_{side}")
    if parse(wish).where == "favour":
        favoured = parse(wish).seat
        return Answer("AW" if favoured == battle.attacker else "DW" if favoured == battle.defender else "NB")
    return Answer(wish) if wish else None


# --- the Vikings ------------------------------------------------------------------------------------------------------


def vikings(table: Table, seat: Seat, order: Answer) -> Answer | None:
    """SO-12: never, or the first attack of the list that is legal; no attack where none is."""
    if order.option == "hold":
        return Answer("hold")
    for attack in order.rows("attacks"):
        target = _target(table, seat, attack.pick("aim"), attack.pick("earl") or "any", attack.pick("which"))
        if target is not None:
            return Answer("attack", {"target": target})
    return Answer("hold")


def _target(table: Table, seat: Seat, what: str, whom: str, which: str) -> str | None:
    earls = [e for e in table.others(seat) if whom in ("any", f"earl:{e.seat}")]
    if what == "tower":
        best = max((e for e in earls if e.towers), key=lambda e: (len(e.towers), e.seat), default=None)
        return of_earl("tower", best.seat) if best is not None else None
    fiefs = [(e, f) for e in earls for f in e.fiefs if what == "siege" or f.properties]
    if which in ("palace", "castle"):
        fiefs = [(e, f) for e, f in fiefs if kind(f.anchor).lower() == which]
    if not fiefs:
        return None
    e, f = min(fiefs, key=lambda x: _rank(x[0], x[1], which))
    return of_earl(what, e.seat, f.number)


def _rank(earl: Earl, fief: Fief, which: str) -> tuple[int, str, int]:
    weight = -len(fief.properties) if which == "richest" else earl.walls + strength(fief.anchor) + len(earl.reserve)
    return weight, earl.seat, fief.number


# --- Jousts -----------------------------------------------------------------------------------------------------------


def joust(earl: Earl, ask: Ask, order: Answer) -> Answer | None:
    """SO-13: how to enter a Joust."""
    options = {o.id for o in ask.options}
    ante = _ante(earl, order)
    anchor = not parse(ante).card
    last = anchor and len(earl.fiefs) == 1
    if "opt_out" in options:
        match order.pick("opt_out"):
            case "always":
                return Answer("opt_out")
            case "anchor" if anchor:
                return Answer("opt_out")
            case "":
                return None
    if "stand_aside" in options and (order.pick("tilt") == "never" or last):
        return Answer("stand_aside")
    if last and order.pick("last_anchor") != "always" and not is_exempt(earl):
        return Answer("ante", {"ante": ante})
    tilter = _tilter(earl, order) if order.pick("tilt") == "list" else ""
    if tilter and not (last and order.pick("last_anchor") != "always"):
        return Answer("tilt", {"ante": ante, "tilter": tilter})
    return Answer("stand_aside") if "stand_aside" in options else Answer("ante", {"ante": ante})


def _ante(earl: Earl, order: Answer) -> str:
    wish = order.some("ante_order") or list(KEEPING)

    def rank(holding: str) -> tuple[bool, int, int]:
        told = parse(holding)
        fief = earl.fief(told.number)
        what = told.kind or (kind(fief.anchor) if fief is not None else "")
        # The last Anchor goes last of all, whatever the list says.
        return not told.card and len(earl.fiefs) == 1, wish.index(what) if what in wish else len(wish), told.number

    return min(holdings(earl), key=rank)


def _tilter(earl: Earl, order: Answer) -> str:
    for wanted in order.rows("tilters"):
        where, what = ids.wish(wanted.pick("tilter"))
        if where == "hand":
            card = earl.in_hand(what)
            if card is not None:
                return at("hand", card)
        elif where == "lord":
            fief = next((f for f in earl.fiefs if f.lord is not None and kind(f.lord) == what), None)
            if fief is not None:
                return lord_id(fief.number)
    return ""


# --- the own Turn -----------------------------------------------------------------------------------------------------


def turn(earl: Earl, ask: Ask, order: Answer) -> Answer | None:
    """SO-14: at the deadline, the first Action of the list that is legal; the Turn ends after it."""
    if ask.about.get("action_used"):
        return Answer("end")
    for wish in order.rows("turns"):
        found = _deed(earl, ask, wish.pick("turn"))
        if found is not None:
            return found
    return None


def _deed(earl: Earl, ask: Ask, wish: str) -> Answer | None:
    what, which = ids.wish(wish)
    option = next((o for o in ask.options if o.id == what), None)
    if option is None:
        return None
    values: dict[str, Value] = {}
    for field in option.fields:
        if not isinstance(field, PickOne):
            return None
        able = [c.id for c in field.choices if not which or field.name != "card" or kind(c.id) == which]
        if not able:
            return None
        values[field.name] = _best(earl, field.name, able, which)
    return Answer(what, values)


def _best(earl: Earl, field: str, able: list[str], which: str) -> str:
    if field != "fief":
        return able[0]
    fiefs = [f for f in earl.fiefs if f.id in able]
    if which == "Land":
        # A Land beside a Market Town brings two Army Cards.
        fiefs.sort(key=lambda f: not f.has("MarketTown"))
    elif which in ("Prince", "Vassal", "Champion", "Monk"):
        fiefs.sort(key=lambda f: f.lord is not None)
    return fiefs[0].id


# --- roles ------------------------------------------------------------------------------------------------------------


def role(ask: Ask, order: Answer) -> Answer:
    """SO-17: the first role of the list that is free."""
    able = [o.id for o in ask.options]
    return Answer(next(wish for wish in order.some("role_order") if wish in able))


def canterbury(ask: Ask, order: Answer) -> Answer | None:
    """SO-18, at the end of the Turn: announce Canterbury, or leave it; None where he is as he wants to be."""
    wish = {"in": "enter", "out": "leave"}.get(order.pick("canterbury"), "")
    return Answer(wish) if any(o.id == wish for o in ask.options) else None


def toll(earl: Earl, ask: Ask, order: Answer) -> Answer:
    """SO-18: what the captured Archbishop pays."""
    field = ask.options[0].fields[0]
    assert isinstance(field, PickOne)
    wish = order.some("toll_order")

    def rank(holding: str) -> tuple[int, int]:
        told = parse(holding)
        fief = earl.fief(told.number)
        return wish.index(told.kind or (kind(fief.anchor) if fief is not None else "")), told.number

    return Answer("pay", {field.name: min((c.id for c in field.choices), key=rank)})


def church_asset(ask: Ask, order: Answer) -> Answer:
    """SO-19: spend the Duke's Church only where the count that everybody sees becomes what he wants."""
    mine, most = int(str(ask.about["churches"])) + 1, int(str(ask.about["most"]))
    match order.pick("church_when"):
        case "decider":
            spend = mine > most
        case "tie":
            spend = mine == most
        case _:
            spend = False
    return Answer("spend" if spend else "keep")


def levy(ask: Ask, order: Answer) -> Answer | None:
    """SO-16: which card is given to a King's army."""
    wish = order.pick("levy")
    for option in ask.options:
        for field in option.fields:
            if isinstance(field, PickOne):
                able = [c.id for c in field.choices]
                return Answer(option.id, {field.name: wish if wish in able else able[0]})
    return None
