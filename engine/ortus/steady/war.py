"""`steady` bot: attack targets, forces, defence."""

from __future__ import annotations

from dataclasses import dataclass

from engine.bots.thinking import offers
from engine.core.asks import Answer, Ask, Assign
from engine.core.chance import Chance
from engine.game import AnyState
from engine.ortus.rules.combat import Battle, hand_forces, lord_ids, other_force, other_ids
from engine.ortus.rules.orderings import GIVE_UP
from engine.ortus.rules.pieces import SEND, kind, lord_id, of_earl, parse, strength
from engine.ortus.rules.table import Earl, Fief, Table
from engine.ortus.steady import weights as w
from engine.ortus.steady.reckoning import Reckoning, battle_odds, overflow, past, show

SPENT_IN_ATTACK = ("Champion", "Vassal")
"""Hand cards added to turn the odds; a Prince is kept to Bequeath."""


@dataclass(frozen=True, slots=True)
class Force:
    """An attacking force: answer fields, points, cards by vulnerability."""

    lords: list[str]
    reserve: list[str]
    others: list[str]
    points: int
    free: int
    mortal: int
    at_risk: float
    """Value at risk of capture."""
    seizes: int

    @property
    def cards(self) -> int:
        return len(self.lords) + len(self.reserve) + len(self.others)


def standing_force(table: Table, earl: Earl, keep_prince: bool) -> Force:
    """Forces that return after an attack: Lords but Abbots, best Reserve cards, Mercenaries, Royal Army."""
    lords, points, at_risk, kinds = [], 0, 0.0, set()
    for fief in earl.fiefs:
        if fief.lord is None:
            continue
        what = kind(fief.lord)
        if what == "Monk" or (what == "Prince" and keep_prince):
            continue
        lords.append(lord_id(fief.number))
        kinds.add(what)
        points += SEND[what]
        at_risk += w.LORD[what]
    reserve = sorted(earl.reserve, key=lambda t: -SEND[t])[: earl.capacity()]
    others = other_ids(table, earl)
    for troop in reserve:
        points += SEND[troop]
    for id in others:
        points += other_force(earl, id).send
    king = int(table.king == earl.seat)
    mortal = len(reserve) + len(others) - king
    return Force(lords, reserve, others, points, len(lords) + king, mortal, at_risk, len(kinds & {"Prince", "Vassal"}))


# --- attacking --------------------------------------------------------------------------------------------------------


def attacks(r: Reckoning, ask: Ask) -> list[tuple[float, Answer]]:
    if not offers(ask, "attack"):
        return []
    table, own = r.table, r.own
    bequest_near = len(own.deck) <= w.LOW and own.in_hand("Banner") is not None
    force = standing_force(table, own, keep_prince=bequest_near)
    hand = [c for what in SPENT_IN_ATTACK for c in hand_forces(own) if kind(c) == what]
    found: list[tuple[float, Answer]] = []
    for victim in r.rivals:
        best: tuple[float, str, int] | None = None
        odds = battle_odds(table, own.seat, victim.seat)
        points, cost = force.points, 0.0
        for spent in range(len(hand) + 1):
            if spent:
                card = kind(hand[spent - 1])
                points, cost = points + SEND[card], cost + w.HAND_CARD[card]
            if not force.cards + spent:
                continue
            toll = _toll(r, victim, force, spent, odds)
            for prize in _prizes(r, victim, points, force.seizes, odds[1]):
                value = prize.worth - prize.fought * toll - cost
                if best is None or value > best[0]:
                    best = (value, prize.target, spent)
        if best is not None:
            value, target, spent = best
            sent = {"lords": force.lords, "hand": hand[:spent], "reserve": force.reserve, "others": force.others}
            found.append((value, Answer("attack", {"target": target, **{k: v for k, v in sent.items() if v}})))
    return found


def _toll(r: Reckoning, victim: Earl, force: Force, spent: int, odds: tuple[float, float]) -> float:
    """Cost besides Hand cards: troops, captured Lords, the King Card."""
    seen = r.shows[victim.seat]
    if not seen.bodies and not victim.hand:
        return 0.0
    answer = seen.points + w.FACE_ODDS * len(victim.hand)
    killed = min(force.mortal, max(0.0, answer - force.free - spent))
    toll = (1 - odds[0]) * 0.7 * w.TROOP * killed + odds[1] * force.at_risk
    few, share = w.WEARY
    if len(r.own.deck) + len(r.own.discard) <= few:
        toll *= share
    if victim.role == "king" and r.own.loyal:
        toll += w.LOYALTY
    return toll


@dataclass(frozen=True, slots=True)
class Prize:
    worth: float
    target: str
    fought: float = 1.0


def _prizes(r: Reckoning, victim: Earl, points: int, seizes: int, lost: float) -> list[Prize]:
    seen, hand, grudge = r.shows[victim.seat], len(victim.hand), r.grudges[victim.seat]
    won = 1 - lost if seen.bodies or hand else 1.0
    through, found = points - victim.walls, []
    if victim.towers:
        falls = overflow(points, seen.bodies, hand, len(victim.towers))
        if falls > 0:
            found.append(Prize(won * w.TOWER * grudge * falls, of_earl("tower", victim.seat)))
    if r.table.canterbury == victim.seat:
        capture = past(points, seen.bodies, hand, 1)
        found.append(Prize(won * w.CANTERBURY * capture, of_earl("canterbury", victim.seat)))
    for fief in victim.fiefs:
        if through >= strength(fief.anchor):
            found.append(_siege(r, victim, fief, through, seizes, won))
        if fief.properties and through > 0:
            falls = overflow(through, seen.bodies, hand, len(fief.properties))
            worth = won * _raid_worth(r, victim, fief, falls, seizes)
            found.append(Prize(worth, of_earl("raid", victim.seat, fief.number)))
    return found


def _siege(r: Reckoning, victim: Earl, fief: Fief, through: int, seizes: int, won: float) -> Prize:
    seen = r.shows[victim.seat]
    fall = past(through, seen.bodies, len(victim.hand), strength(fief.anchor))
    fought = 1.0 if len(victim.fiefs) == 1 else 1 - w.YIELDS * fall  # a hopeless Fief isn't defended
    gain = r.loss(victim, fief) + _seized([fief.anchor, *fief.properties], seizes) + _unblocked(r, fief)
    # He fields just enough, invulnerable cards first.
    killed = min(seen.mortal, through - strength(fief.anchor) + 1 - (seen.bodies - seen.mortal))
    army = w.ATTRITION * w.TROOP * r.grudges[victim.seat] * max(0, killed)
    return Prize(won * (fall * gain + fought * army), of_earl("siege", victim.seat, fief.number), fought)


def _raid_worth(r: Reckoning, victim: Earl, fief: Fief, falls: float, seizes: int) -> float:
    """Value of a Raid; the victim loses his least valuable first."""
    if falls <= 0:
        return 0.0
    lost = sorted(fief.properties, key=lambda p: GIVE_UP.index(kind(p)))[: max(1, round(falls))]
    share = min(1.0, falls)
    harm = sum(w.HOLDING[kind(p)] for p in lost) * r.grudges[victim.seat]
    freed = _unblocked(r, fief) if len(lost) == len(fief.properties) else 0.0
    return share * (harm + _seized(lost, seizes, r.own.holds("Land") < w.LANDS_WANTED) + freed)


def _seized(fallen: list[str], seizes: int, lands_wanted: bool = False) -> float:
    if not seizes:
        return 0.0
    values = [w.HOLDING[kind(c)] + (w.LAND_WANTED if lands_wanted and kind(c) == "Land" else 0.0) for c in fallen]
    return sum(sorted(values, reverse=True)[:seizes])


def _unblocked(r: Reckoning, fief: Fief) -> float:
    blocked = fief.has("Cathedral") and not r.own.holds("Church")
    return w.UNBLOCKED if blocked and len(r.own.deck) <= 2 * w.LOW else 0.0


# --- the Vikings ------------------------------------------------------------------------------------------------------


def vikings(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    r = Reckoning(state.table, ask.seat)
    points = sum(SEND[c] for c in r.table.force)
    prizes = [p for victim in r.rivals for p in _prizes(r, victim, points, 0, 1 / 8) if parse(p.target).where != "canterbury"]
    best = max(prizes, key=lambda p: p.worth, default=None)
    return Answer("attack", {"target": best.target}) if best is not None and best.worth > 0 else Answer("hold")


# --- defending --------------------------------------------------------------------------------------------------------


def defend(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    """Just enough cards to lose nothing; all for the last Anchor; few if hopeless."""
    battle, table = state.stack[-1], state.table
    assert isinstance(battle, Battle)
    earl: Earl = table.earls[ask.seat]
    if not offers(ask, "field"):
        return Answer("stand_down")
    need, last, stake = battle.sent(battle.attacking) - battle.needs(earl) + 1, False, 1.0
    if battle.what == "siege":
        fief, last = earl.held_fief(battle.number), len(earl.fiefs) == 1
        stake = w.REMOVAL[2] if last else w.HOLDING[kind(fief.anchor)] + sum(w.HOLDING[kind(p)] for p in fief.properties)
    if need <= 0:
        return Answer("stand_down")
    pool = _defenders(table, earl, stake, last)
    if len(pool) < need and battle.what == "siege":
        # Only the Battle Card can save it: worth an invulnerable card, or all for the last Anchor.
        pool = pool if last else [one for one in pool if one[0] == "lords" and not _is_dear(earl, one[1])][:1]
    if not pool:
        return Answer("stand_down")
    chosen: dict[str, list[str]] = {}
    for name, id in pool[:need]:
        chosen.setdefault(name, []).append(id)
    return Answer("field", {**chosen})


def _is_dear(earl: Earl, id: str) -> bool:
    home = earl.prince_home()
    return home is not None and home.number == parse(id).number


def fieldable(table: Table, earl: Earl) -> list[tuple[str, str]]:
    """(field, id) of forces in play, invulnerable first."""
    others = other_ids(table, earl)
    pool = [("others", i) for i in others if i == "king"]
    pool += [("lords", i) for i in lord_ids(earl)]
    pool += [("others", i) for i in others if parse(i).where in ("royal", "garrison")]
    pool += [("reserve", t) for t in sorted(earl.reserve)[: earl.capacity()]]
    return pool + [("others", i) for i in others if parse(i).where == "mercenary"]


def _defenders(table: Table, earl: Earl, stake: float, last: bool) -> list[tuple[str, str]]:
    """Defenders, none worth more than what they save."""
    hand = [c for c in hand_forces(earl) if last or (kind(c) != "Prince" and w.HAND_CARD[kind(c)] < stake)]
    return fieldable(table, earl) + [("hand", c) for c in sorted(hand, key=lambda c: w.HAND_CARD[kind(c)])]


# --- afterwards -------------------------------------------------------------------------------------------------------


def ransom(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    """Ransom Lords worth more than the cheapest Property; never for an Anchor."""
    earl: Earl = state.table.earls[ask.seat]
    field = next((f for f in ask.option("pay").fields if isinstance(f, Assign)), None)
    if field is None:
        return Answer("none")
    coins = sorted(
        (c.id for c in field.targets for _ in range(c.most) if parse(c.id).card), key=lambda i: w.HOLDING[parse(i).kind]
    )
    pairs: dict[str, str] = {}
    lords = sorted((i.id for i in field.items), key=lambda id: -_lord_worth(earl, id))
    for lord in lords:
        if coins and _lord_worth(earl, lord) > 2 * w.HOLDING[parse(coins[0]).kind] - 0.5:
            pairs[lord] = coins.pop(0)
    return Answer("pay", {"payments": pairs}) if pairs else Answer("none")


def _lord_worth(earl: Earl, id: str) -> float:
    fief = earl.fief(parse(id).number)
    return w.LORD[kind(fief.lord)] if fief is not None and fief.lord is not None else 0.0


def spoils(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    fields = {f.name: f for f in ask.option("take").fields}
    answer = dict(ask.default.values)
    attach = fields.get("attach")
    if isinstance(attach, Assign):
        home = best_home(state.table.earls[ask.seat]).id
        answer["attach"] = {i.id: home for i in attach.items}
    return Answer("take", answer)


def attach(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    home = best_home(state.table.earls[ask.seat]).id
    field = ask.option("attach").fields[0]
    assert isinstance(field, Assign)
    return Answer("attach", {"attach": {i.id: home for i in field.items}})


def best_home(earl: Earl) -> Fief:
    return max(earl.fiefs, key=lambda f: (f.capacity(), f.has("MarketTown"), strength(f.anchor), -f.number))


def church(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    """Decide for oneself, else against the stronger side."""
    battle, table = state.stack[-1], state.table
    assert isinstance(battle, Battle)
    if ask.seat in (battle.attacker, battle.defender):
        return Answer("AW" if battle.attacker == ask.seat else "DW")
    if battle.attacker not in table.earls:
        return Answer("AW")
    stronger = show(table, table.earls[battle.attacker]).power > show(table, table.earls[battle.defender]).power
    return Answer("DW" if stronger else "AW")


def church_asset(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    """Spend it only in an own Battle, if it makes one the decider."""
    battle: Battle = state.stack[-1]
    decides = ask.about["churches"] == ask.about["most"]  # with more he decides without it
    return Answer("spend") if decides and ask.seat in (battle.attacker, battle.defender) else Answer("keep")
