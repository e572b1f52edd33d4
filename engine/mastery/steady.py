"""The `steady` bot of Medieval Mastery: takes vacant places, attacks at good odds, holds borders."""

from __future__ import annotations

import math

from engine.bots.thinking import Thought, offers, think
from engine.core.asks import Answer, Ask, Seat, Value, picks
from engine.core.chance import Chance
from engine.core.procedure import State
from engine.game import AnyState
from engine.mastery.face.forecast import sinks
from engine.mastery.rules.battle import ENOUGH, Battle, conflict_cards, given, support_cards
from engine.mastery.rules.crowns import effect_of, old_discards, subjects, usable
from engine.mastery.rules.fracture import PASS, Window
from engine.mastery.rules.ids import knights_in, without
from engine.mastery.rules.pieces import CALL_TO_ARMS, FRACTURE, TACTICAL_ADVANCE
from engine.mastery.rules.table import (
    Table,
    capacity,
    held,
    on_border,
    points,
    supplied,
    target,
    targets,
    team,
    value,
    wins_with,
)

GARRISON = 2
"""Knights left on a border when gathering."""
WORTH_IT = 0.25
"""Least value of an advance."""
PATIENCE = 12
"""Rounds until thresholds are lowered, to avoid stalemates."""


def steady(state: AnyState, seat: Seat, chance: Chance) -> Answer:
    return think(THOUGHTS, state, seat, chance)


# --- the own turn -----------------------------------------------------------------------------------------------------


def _early(state: AnyState, ask: Ask, _chance: Chance) -> list[Answer]:
    table: Table = state.table
    seat = ask.seat
    if offers(ask, "call"):
        return [Answer("call")]
    marches = _marches(table, seat, "march")
    crown = _crown(table, ask, marches)
    if crown is not None:
        return [crown]
    fracture = _own_fracture(table, ask, marches)
    if fracture is not None:
        return [fracture]
    more = TACTICAL_ADVANCE in table.lords[seat].hand
    more = more or (usable(table, seat) and effect_of(table, seat) == "EXTRA_REDISTRIBUTION")
    return [*(_going_on(ask, march, more) for march in (*marches, Answer("march", _spread(table, seat)))), Answer("end")]


def _going_on(ask: Ask, march: Answer, more: bool) -> Answer:
    wish = more and "more" in picks(ask, march.option, "then")
    return Answer(march.option, {**march.values, "then": "more"}) if wish else march


def _late(state: AnyState, ask: Ask, _chance: Chance) -> list[Answer]:
    table: Table = state.table
    if offers(ask, "call"):
        return [Answer("call")]
    vitality = offers(ask, "crown") and effect_of(table, ask.seat) == "EXTRA_REDISTRIBUTION"
    if offers(ask, "tactical"):
        marches = _marches(table, ask.seat, "tactical")
        if marches:
            return [_going_on(ask, march, vitality) for march in marches]
    if vitality:
        return [Answer("crown", {"then": "end"} if picks(ask, "crown", "then") else {}), Answer("end")]
    return [Answer("end")]


def _spare(table: Table, seat: Seat) -> dict[str, int]:
    within = supplied(table, seat)
    spare = {}
    for slot in held(table, seat):
        if slot in within:
            keep = GARRISON if on_border(table, seat, slot) else 1
            spare[slot] = max(0, table.lands[slot].knights - keep)
    return dict(sorted(spare.items(), key=lambda item: (on_border(table, seat, item[0]), -item[1], item[0])))


def _gather(table: Table, seat: Seat, wanted: int) -> tuple[int, dict[str, Value]]:
    castle, order = table.lords[seat].knights, dict[str, Value]()
    for slot, spare in _spare(table, seat).items():
        if castle >= wanted:
            break
        moved = min(spare, wanted - castle)
        if moved:
            order[knights_in(slot)] = table.lands[slot].knights - moved
            castle += moved
    return castle, order


def _spread(table: Table, seat: Seat) -> dict[str, Value]:
    within, left, order = supplied(table, seat), table.lords[seat].knights, dict[str, Value]()
    lands = [s for s in held(table, seat) if s in within and on_border(table, seat, s)]
    for slot in sorted(lands, key=lambda s: (-value(table, s), table.lands[s].knights, s)):
        more = min(left, capacity(table, slot) - table.lands[slot].knights)
        if more > 0:
            order[knights_in(slot)] = table.lands[slot].knights + more
            left -= more
    return order


def _marches(table: Table, seat: Seat, option: str) -> list[Answer]:
    found: list[tuple[float, Answer]] = []
    for slot in targets(table, seat):
        room = capacity(table, slot)
        castle, order = _gather(table, seat, room)
        send = min(castle, room)
        if send <= 0:
            continue
        worth = _worth(table, seat, slot, send)
        if worth < WORTH_IT - _impatience(table):
            continue
        for count in (send, min(table.lords[seat].knights, room)):
            if count:
                gathered = order if count == send else {}
                found.append((worth, Answer(option, {**gathered, "target": slot, "knights": count})))
    found.sort(key=lambda pair: (-pair[0], str(pair[1].values["target"])))
    return [answer for _, answer in found]


def _worth(table: Table, seat: Seat, slot: str, send: int) -> float:
    if slot not in table.lands:
        odds = _odds(send - table.data.constants["siege_castle_strength"], table, seat, 5)
        return 12 * odds - 2 * (1 - odds) if odds > 0.3 else 0
    land, gain = table.lands[slot], value(table, slot)
    sinking = sinks(table, seat, slot, send)
    wins = not sinking and wins_with(table, seat, slot)
    if not land.holder:
        return (50 if wins else 0) + (0.1 if sinking else gain + 0.1 * send)
    abilities = table.tile(slot).battle_start
    lead = send - land.knights + ("ATTACKER_PLUS_1" in abilities) - ("DEFENDER_PLUS_1" in abilities)
    lead += _sceptre(table, seat, "attacking", send, land.knights)
    lead -= _sceptre(table, land.holder, "defending", land.knights, send)
    odds = _odds(lead, table, seat, len(table.lords[land.holder].hand))
    if wins:
        return 50 * odds
    danger = points(table, land.holder) / target(table)
    promise = odds * gain * (1.3 + danger) - (1 - odds) * 1.2
    return promise if odds > 0.4 - _impatience(table) else min(0.0, promise)


def _impatience(table: Table) -> float:
    return max(0, table.turn // len(table.order) - PATIENCE) / 10


def _sceptre(table: Table, seat: Seat, role: str, own: int, other: int) -> int:
    sceptre = table.lords[seat].sceptre
    regalia = table.data.regalia[sceptre.name]
    if not sceptre.up or regalia.when != role:
        return 0
    if regalia.effect == "MAY_MATCH_RIVAL_KNIGHTS":
        return max(0, other - own)
    return 1 if regalia.effect == "SCORE_PLUS_1" else 0


def _odds(lead: int, table: Table, seat: Seat, rival_cards: int) -> float:
    cards = table.data.cards
    best = max((cards[c].value or 3.5 for c in conflict_cards(table, seat)), default=0.0)
    support = sum(cards[c].value for c in support_cards(table, seat))
    guess = 3.7 + 0.35 * min(rival_cards, 6) - 1.0
    return 1 / (1 + math.exp(-0.9 * (lead + best + 0.7 * support - guess - 0.5)))


def _crown(table: Table, ask: Ask, marches: list[Answer]) -> Answer | None:
    if not offers(ask, "crown"):
        return None
    seat = ask.seat
    match effect_of(table, seat):
        case "DESTROY_ANY_1_ARTEFACT":
            aim = _best_aim(table, seat, marches)
            return Answer("crown", {"artefact": aim}) if aim else None
        case "LOOK_TOP_4_REORDER" | "MAY_DISCARD_1":
            return Answer("crown")
        case "LOOK_TOP_1_KEEP_OR_DISCARD":
            return Answer("crown", {"lord": seat}) if seat in subjects(table, seat) else None
        case "SHUFFLE_IN_1_OLD_DISCARD":
            old = old_discards(table, seat)
            card = next((c for c in (TACTICAL_ADVANCE, CALL_TO_ARMS, FRACTURE, "Conflict5") if c in old), None)
            return Answer("crown", {"card": card}) if card else None
        case _:
            return None


def _own_fracture(table: Table, ask: Ask, marches: list[Answer]) -> Answer | None:
    if not offers(ask, "fracture") or not marches:
        return None
    holder, slot = _attacked(table, marches), marches[0].pick("target")
    if not holder:
        return None
    # Only a sceptre that is up adds anything.
    adds = _sceptre(table, holder, "defending", table.lands[slot].knights, marches[0].number("knights"))
    return Answer("fracture", {"artefact": table.lords[holder].sceptre.name}) if adds else None


def _attacked(table: Table, marches: list[Answer]) -> Seat:
    slot = marches[0].pick("target") if marches else ""
    return table.lands[slot].holder if slot in table.lands else ""


def _best_aim(table: Table, seat: Seat, marches: list[Answer]) -> str:
    """A rival's most harmful artefact: the target's sceptre, else the leader's."""
    rivals = [s for s in table.clockwise(seat)[1:] if s not in team(table, seat)]
    attacked = _attacked(table, marches)
    rivals.sort(key=lambda s: s != attacked if attacked else -points(table, s))
    for rival in rivals:
        lord = table.lords[rival]
        for artefact in (lord.sceptre, lord.orb, lord.crown):
            when = table.data.regalia[artefact.name].when
            if artefact.up and (rival != attacked or when != "attacking"):
                return artefact.name
    return ""


# --- battles ----------------------------------------------------------------------------------------------------------


def _battle(state: AnyState) -> Battle:
    return next(p for p in reversed(state.stack) if isinstance(p, Battle))


def _fracture(state: State[Table, Window], ask: Ask, _chance: Chance) -> list[Answer]:
    table, window = state.table, state.stack[-1]
    if window.alone(table, ask.seat):
        return [ask.default]
    if window.what == "crown":
        return [Answer("plan", {"first": window.aims[0]})] if window.aimed == ask.seat else [Answer(PASS)]
    battle = _battle(state)
    if ask.seat not in (battle.attacker, battle.defender):
        return [Answer(PASS)]
    aims = [a for a in window.legal(table, ask.seat) if battle.applies(table, table.owner(a), window.what) is not None]
    if not aims:
        return [Answer(PASS)]
    values: dict[str, Value] = {"first": aims[0]}
    values |= {without(gone): aims[0] for gone in window.gone_before(table, ask.seat) if gone != aims[0]}
    return [Answer("plan", values)]


def _conflict(state: AnyState, ask: Ask, _chance: Chance) -> list[Answer]:
    table: Table = state.table
    battle, held_ = _battle(state), conflict_cards(table, ask.seat)
    plan: dict[str, Value] = {"support": ENOUGH} if picks(ask, "play", "support") else {}
    if not held_:
        return [ask.default]
    own, other = (battle.att, battle.dfd) if ask.seat == battle.attacker else (battle.dfd, battle.att)
    lead = own.score - other.score
    return [Answer("play", {"card": held_[-1] if abs(lead) >= 6 else held_[0], **plan})]


def _support(state: AnyState, ask: Ask, _chance: Chance) -> list[Answer]:
    table: Table = state.table
    battle = _battle(state)
    attacking = ask.seat in team(table, battle.attacker)
    cards = given(table, battle.lacks(attacking), support_cards(table, ask.seat), ENOUGH)
    return [Answer("support", {"cards": cards})] if cards else [Answer("pass")]


# --- cards ------------------------------------------------------------------------------------------------------------

WEAK = ("Conflict2", "Support1", "Conflict3")
DEAR = (TACTICAL_ADVANCE, CALL_TO_ARMS, "Conflict5", FRACTURE, "Support2", "Conflict4", "Ambush")


def _discard(state: AnyState, ask: Ask, _chance: Chance) -> list[Answer]:
    """Discard weak cards: each battle draws up to five."""
    hand = state.table.lords[ask.seat].hand
    card = next((c for c in WEAK[:1] if c in hand), None)
    return [Answer("discard", {"card": card})] if card else [Answer("keep")]


def _verdict(state: AnyState, ask: Ask, _chance: Chance) -> list[Answer]:
    own = ask.about["lord"] == ask.seat
    weak = ask.about["card"] in WEAK
    return [Answer("remove" if weak == own else "leave")]


def _arrange(state: AnyState, ask: Ask, _chance: Chance) -> list[Answer]:
    order = {c: i for i, c in enumerate(DEAR)}
    seen = sorted(ask.default.some("cards"), key=lambda c: (order.get(c, len(order)), c))
    return [Answer("arrange", {"cards": list(seen)})]


def _redistribute(state: AnyState, ask: Ask, _chance: Chance) -> list[Answer]:
    return [Answer("redistribute", _spread(state.table, ask.seat)), Answer("keep")]


THOUGHTS: dict[str, Thought] = {
    "early": _early,
    "late": _late,
    "fracture": _fracture,
    "conflict": _conflict,
    "support": _support,
    "discard": _discard,
    "verdict": _verdict,
    "arrange": _arrange,
    "redistribute": _redistribute,
}
