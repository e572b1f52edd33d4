"""`steady` bot: Treachery, Intrigue, Allies, Struggles, Jousts, crown, roles."""

from __future__ import annotations

from math import pow

from engine.bots.thinking import offers
from engine.core.asks import Answer, Ask, picks
from engine.core.chance import Chance
from engine.game import AnyState
from engine.ortus.rules.joust import Joust, is_exempt
from engine.ortus.rules.orderings import GIVE_UP, holding_to_give, troops_to_give
from engine.ortus.rules.pieces import at, kind, lord_id, parse
from engine.ortus.rules.politics import Politics
from engine.ortus.rules.roles import CONTESTS, LEGACY
from engine.ortus.rules.table import Earl, holdings, kind_of
from engine.ortus.steady import weights as w
from engine.ortus.steady.reckoning import Reckoning, worth

Scored = list[tuple[float, Answer]]


# --- Treachery and Intrigue -------------------------------------------------------------------------------------------


def plots(r: Reckoning, ask: Ask) -> Scored:
    found: Scored = []
    for option, value in (("treachery", _treachery), ("intrigue", _intrigue)):
        if not offers(ask, option):
            continue
        scored = [(value(r, id) * _success(r, id), id) for id in picks(ask, option, "aim")]
        gain, aim = max(scored)
        toll = w.LOYALTY if r.own.loyal and r.table.earls[parse(aim).seat].role == "king" else 0.0
        found.append((gain - toll - w.PLOT_CARD, Answer(option, {"aim": aim})))
    return found


def _success(r: Reckoning, aim: str) -> float:
    victim = r.table.earls[parse(aim).seat]
    unanswered = (1 - w.ALLIES_ODDS) ** len(victim.hand) * (0.5 if "Allies" in victim.assets else 1.0)
    vassals = sum(kind(c) == "Vassal" for c in r.own.hand)
    return unanswered + (1 - unanswered) * min(0.6, 0.3 * vassals)


def _treachery(r: Reckoning, aim: str) -> float:
    told = parse(aim)
    victim = r.table.earls[told.seat]
    grudge = r.grudges[told.seat]
    if told.where == "hand":
        return grudge * w.HIDDEN_CARD * min(2, len(victim.hand))
    if told.where == "mercenary":
        mercenary = victim.mercenary(told.number)
        return grudge * w.TROOP * (2 + (mercenary is not None and mercenary.garrison is not None))
    fief = victim.fief(told.number)
    assert fief is not None and fief.lord is not None
    if kind(fief.lord) != "Prince":
        return r.loss(victim, fief)
    # Without a Prince a short deck can't be Bequeathed in time.
    starved = w.STARVED.get(len(victim.deck), 0.0) * r.removal(victim)
    return grudge * w.LORD["Prince"] + starved


def _intrigue(r: Reckoning, aim: str) -> float:
    told = parse(aim)
    victim = r.table.earls[told.seat]
    gain = 1 + r.grudges[told.seat]
    if told.where == "armies":
        return gain * w.TROOP * min(2, len(victim.reserve)) * (1.0 if r.own.capacity() else 0.4)
    if told.where == "mercenary":
        mercenary = victim.mercenary(told.number)
        return gain * w.TROOP * (2 + (mercenary is not None and mercenary.garrison is not None))
    lost = sorted(victim.held_fief(told.number).properties, key=lambda p: GIVE_UP.index(kind(p)))[:2]
    return gain * sum(w.HOLDING[kind(p)] for p in lost)


# --- Allies and Struggles ---------------------------------------------------------------------------------------------


def _stake(earl: Earl, attempt: Politics) -> float:
    if attempt.aim == "lord":
        fief = earl.held_fief(attempt.number)
        if fief.lord is not None and kind(fief.lord) == "Prince":
            return w.REMOVAL[3] if len(earl.deck) <= w.LOW else w.LORD["Prince"]
        return w.REMOVAL[2] if len(earl.fiefs) == 1 else worth(fief)
    if attempt.aim == "properties":
        return 2 * sum(sorted(w.HOLDING[kind(p)] for p in earl.held_fief(attempt.number).properties)[:2])
    return {"mercenary": 2.5, "armies": 2.0}.get(attempt.aim, 1.4)


def allies(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    """Allies if the stake exceeds their value; lower with a spare."""
    earl: Earl = state.table.earls[ask.seat]
    attempt: Politics = state.stack[-1]
    option = "allies" if offers(ask, "allies") else "asset"
    if not offers(ask, option):
        return Answer("decline")
    spare = sum(kind(c) == "Allies" for c in earl.hand) - 1
    return Answer(option) if _stake(earl, attempt) > (w.ALLIES if spare <= 0 else w.SPARE_ALLIES) else Answer("decline")


def commit(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    """Hand Vassals while worthwhile; Vassal Lords for a Fief's worth."""
    if not offers(ask, "commit"):
        return Answer("pass")
    attempt: Politics = state.stack[-2]
    stake = _stake(state.table.earls[attempt.target], attempt)
    ids = sorted(picks(ask, "commit", "vassal"), key=lambda id: parse(id).where != "hand")
    mine = ask.about["attackers" if ask.kind == "commit" else "defenders"]
    assert isinstance(mine, int)
    most = 1 + int(stake / w.VASSAL)
    if mine >= most or (parse(ids[0]).where == "lord" and stake < w.WORTH_A_LORD):
        return Answer("pass")
    return Answer("commit", {"vassal": ids[0]})


# --- the crown, Emissaries --------------------------------------------------------------------------------------------


def claims(r: Reckoning, ask: Ask) -> Scored:
    """Banners for the crown or a likely Joust win; Emissaries."""
    found: Scored = []
    banners = sum(kind(c) == "Banner" for c in r.own.hand)
    spare = banners - (len(r.own.deck) <= 2 * w.LOW)
    if offers(ask, "display"):
        rival = max((len(e.banners) for e in r.rivals), default=0)
        lacking = max(2, rival + 2) - len(r.own.banners)
        if 0 < lacking <= spare:
            levy = sum(bool(e.reserve) for e in r.rivals)
            found.append(((w.CROWN + w.LEVIED * levy) / lacking, Answer("display")))
    if offers(ask, "joust") and spare > 0:
        found.append((_joust_worth(r), Answer("joust")))
    if offers(ask, "emissary"):
        for card in picks(ask, "emissary", "card"):
            cubes = 2 if kind(card) == "Monk" else 1
            found.append((_emissary_worth(r, cubes) - w.HAND_CARD[kind(card)], Answer("emissary", {"card": card})))
    return found


def _emissary_worth(r: Reckoning, cubes: int) -> float:
    bag = r.own.cubes + sum(e.cubes for e in r.rivals)
    more = (r.own.cubes + cubes) / (bag + cubes) - r.own.cubes / max(1, bag)
    near = 1.0 if r.table.arrived else 0.3 + 0.06 * r.table.black
    return w.VIKINGS * more * near


# --- Jousts -----------------------------------------------------------------------------------------------------------


def _joust_worth(r: Reckoning) -> float:
    tilter = _tilter(r.own)
    if tilter is None or is_exempt(r.own):
        return 0.0
    prize = 0.0
    entrants = [e for e in r.rivals if not is_exempt(e)]
    for e in entrants:
        prize += w.HOLDING[kind_of(e, holding_to_give(e))] * (1 + r.grudges[e.seat])
    if len(entrants) < w.JOUSTERS:
        return 0.0
    odds = w.TILT[tilter[1]] * pow(2 / (1 + len(entrants)), w.CROWD)
    own = w.HOLDING[kind_of(r.own, holding_to_give(r.own))]
    return odds * prize - (1 - odds) * own - w.BANNER - (1 - odds) * tilter[2]


def _tilter(earl: Earl) -> tuple[str, str, float] | None:
    for what in ("Champion", "Vassal", "Prince"):
        card = earl.in_hand(what)
        if card is not None and (what != "Prince" or earl.prince_home() is not None):
            return at("hand", card), what, w.HAND_CARD[what]
    for fief in earl.fiefs:
        if fief.lord is not None and kind(fief.lord) == "Champion":
            return lord_id(fief.number), "Champion", w.LORD["Champion"]
    return None


def enter(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    earl: Earl = state.table.earls[ask.seat]
    joust: Joust = state.stack[-1]
    if offers(ask, "stand_aside"):
        return Answer("stand_aside")
    ante = ask.default.pick("ante") or holdings(earl)[0]
    own = w.HOLDING[kind_of(earl, ante)]
    tilting = sum(e.tilts for e in joust.entries.values())
    antes = sum(bool(e.ante) for e in joust.entries.values())
    if offers(ask, "opt_out") and own > w.BANNER and sum(kind(c) == "Banner" for c in earl.hand) > 1:
        return Answer("opt_out")
    found = _tilter(earl) if offers(ask, "tilt") else None
    if found is not None:
        odds = w.TILT[found[1]] * pow(2 / (1 + max(1, tilting)), w.CROWD)
        if odds * (antes * 1.2 + own) > (1 - odds) * found[2] or ask.seat == joust.starter:
            return Answer("tilt", {"ante": ante, "tilter": found[0]})
    idle = _idle_card(earl)
    if offers(ask, "tilt") and idle is not None:
        return Answer("tilt", {"ante": ante, "tilter": at("hand", idle)})
    return Answer("ante", {"ante": ante})


def _idle_card(earl: Earl) -> str | None:
    for what in ("Monk", "Cathedral", "Banquet", "Church"):
        card = earl.in_hand(what)
        if card is not None:
            return card
    return None


# --- levy, roles ------------------------------------------------------------------------------------------------------


def levy(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    return Answer("give", {"card": troops_to_give(state.table.earls[ask.seat].reserve, 1)[0]})


def role(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    spare = 2 * state.table.earls[ask.seat].legacy >= LEGACY["usual"]
    able = [option.id for option in ask.options if spare or option.id not in CONTESTS]
    return Answer(able[chance.below(len(able), "role")])


def bid(state: AnyState, ask: Ask, chance: Chance) -> Answer:
    """A random bid, so that nobody can just outbid it."""
    return Answer("bid", {"points": 1 + chance.below(state.table.earls[ask.seat].legacy, "bid")})
