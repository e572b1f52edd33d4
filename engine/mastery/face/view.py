"""A seat's or spectator's view, and the redeal of hidden cards (MM-HID)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from engine.core.asks import Seat
from engine.core.chance import Chance
from engine.core.cloning import clone
from engine.core.procedure import State, copy_for
from engine.core.visibility import forget
from engine.game import View
from engine.mastery.face.forecast import brutal, clashes, laid, sinks, supported
from engine.mastery.face.narrate import WORDS
from engine.mastery.rules import ids
from engine.mastery.rules.battle import Battle, Side, conflict_cards, support_cards
from engine.mastery.rules.cards import pile
from engine.mastery.rules.conquest import Conquest
from engine.mastery.rules.crowns import CrownUse, top
from engine.mastery.rules.fracture import Window
from engine.mastery.rules.pieces import AUTHORITY, FOREVER, Card
from engine.mastery.rules.reckoning import last_round
from engine.mastery.rules.setup import Campaign
from engine.mastery.rules.table import (
    Artefact,
    Lord,
    Table,
    all_dice,
    held,
    in_dispute,
    need,
    points,
    supplied,
    target,
    targets,
    team,
    team_points,
    value,
)
from engine.mastery.rules.turn import Turn
from engine.mastery.rules.unit import Unit

Procedures = Campaign | Turn | Unit | Battle | Conquest | CrownUse | Window
MasteryState = State[Table, Procedures]


def view(state: MasteryState, seat: Seat | None) -> View:
    table = state.table
    within = {s: supplied(table, s) for s in table.order}
    seen: View = {
        "game": "mastery",
        "seat": seat,
        "turn": table.turn,
        "active": table.active or None,
        "first": table.first or None,
        "phase": _phase(state),
        "crown_used": table.crown_used,
        "n": len(table.seats),
        "order": list(table.order),
        "target": target(table),
        "options": msgspec.to_builtins(table.options),
        "map": [_slot(table, label, within) for label in table.map.slots],
        "lords": [_lord(table, table.lords[s], within[s]) for s in table.order],
        "doing": [d for d in (_doing(table, p) for p in state.stack) if d is not None],
        "outcome": msgspec.to_builtins(table.outcome),
    }
    if last_round(table):
        seen["turns"] = last_round(table) * len(table.order)
    if seat is not None:
        seen["own"] = {
            "hand": sorted(table.lords[seat].hand),
            "known": {s: top(lord, lord.known[seat]) for s, lord in table.lords.items() if lord.known.get(seat)},
        }
        seen["own"] |= _ahead(state, seat)
    return seen


def _ahead(state: MasteryState, seat: Seat) -> dict[str, Any]:
    """Forecasts for a seat that decides: scores at a battle's start and with each card, whatever others have chosen."""
    table, at = state.table, state.stack[-1] if state.stack else None
    if isinstance(at, Battle) and at.step == "conflict" and seat in (at.attacker, at.defender):
        return {"conflict": {card: list(laid(table, at, seat, card)) for card in conflict_cards(table, seat)}}
    if seat not in state.waiting:
        return {}
    if _phase(state):
        sinking = [slot for slot in targets(table, seat) if sinks(table, seat, slot)]
        return {"clashes": msgspec.to_builtins(clashes(table, seat)), "sinking": sinking}
    if isinstance(at, Battle) and at.step == "support":
        cards = {card: supported(table, at, seat, [card])[0] for card in support_cards(table, seat)}
        return {"support": {"for": at.side_for(table, seat).seat, "then": cards}}
    return {}


def _phase(state: MasteryState) -> str | None:
    at = state.stack[-1] if state.stack else None
    return at.step if isinstance(at, Turn) and at.step in ("early", "late") else None


def _slot(table: Table, label: str, within: dict[Seat, set[str]]) -> dict[str, Any]:
    slot = table.map.slots[label]
    shown: dict[str, Any] = {"slot": label, "q": slot.q, "r": slot.r, "kind": slot.kind}
    if slot.kind == "castle":
        lord = next(x for x in table.lords.values() if x.slot == label)
        shown |= {"holder": lord.seat, "knights": lord.knights, "castle": lord.castle}
    elif slot.kind == "territory":
        land, tile = table.lands[label], table.tile(label)
        shown |= {
            "tile": land.tile,
            "value": value(table, label),
            "capacity": tile.capacity,
            "abilities": tile.abilities(),
            "holder": land.holder or None,
            "knights": land.knights,
            "supplied": bool(land.holder) and label in within[land.holder],
        }
    if table.dispute is not None and table.dispute.slot == label:
        shown["dispute"] = {"attacker": table.dispute.attacker, "knights": table.dispute.knights}
    return shown


def _artefact(table: Table, artefact: Artefact) -> dict[str, Any]:
    regalia = table.data.regalia[artefact.name]
    return {
        "name": artefact.name,
        "type": regalia.type,
        "when": regalia.when,
        "effect": regalia.effect,
        "use": ids.use(artefact.name) if WORDS.has("use", artefact.name) else None,
        "up": artefact.up,
        "down": None if artefact.up or artefact.down >= FOREVER else artefact.down,
    }


def _lord(table: Table, lord: Lord, within: set[str]) -> dict[str, Any]:
    lands = held(table, lord.seat)
    # The whole pile or its top card, by ruling (MM-AMB-47).
    shown = lord.discard if table.ruled("MM-AMB-47") == "open" else lord.discard[-1:]
    return {
        "seat": lord.seat,
        "castle": lord.castle,
        "slot": lord.slot,
        "knights": lord.knights,
        "on_map": lord.knights + sum(table.lands[x].knights for x in lands) + in_dispute(table, lord.seat),
        "lands": lands,
        "unsupplied": [x for x in lands if x not in within],
        "points": points(table, lord.seat),
        "team": team(table, lord.seat),
        "team_points": team_points(table, lord.seat),
        "dice": need(table, lord.seat),
        "reserve": all_dice(table) - need(table, lord.seat),
        "hand": len(lord.hand),
        "deck": len(lord.deck),
        "discard": [{"card": d.card, "turn": d.turn} for d in shown],
        "discarded": len(lord.discard),
        "artefacts": [_artefact(table, a) for a in lord.artefacts()],
    }


def _side(table: Table, fight: Battle, side: Side) -> dict[str, Any]:
    return {
        "seat": side.seat,
        "there": fight.knights(table, side.seat),
        "base": side.base,
        "bonus": side.bonus,
        "added": fight.added(table, side),
        "conflict": side.conflict,
        "card": side.card or None,
        "support": side.support,
        "score": side.score,
        "played": list(fight.played.get(side.seat, [])),
    }


STEPS = {
    "begin": 1,
    "draw": 2,
    "match": 3,
    "conflict": 4,
    "rally": 5,
    "muster": 5,
    "support": 5,
    "result": 6,
    "mayhem": 6,
    "stormed": 6,
    "orbs": 7,
    "discard": 7,
    "losses": 8,
    "ground": 9,
    "stopped": 9,
    "cleanup": 9,
}
"""Steps of `Battle` by their number in the rules (MM-BAT)."""


def _doing(table: Table, p: Procedures) -> dict[str, Any] | None:
    match p:
        case Battle():
            return {
                "what": "battle",
                "attacker": p.attacker,
                "defender": p.defender,
                "slot": p.slot,
                "siege": p.siege,
                "sinks": sinks(table, p.attacker, p.slot, p.knights(table, p.attacker)),
                "number": STEPS[p.step],
                "sides": [_side(table, p, side) for side in p.sides()],
                "brutal": brutal(table, p.winner or p.decision(table)[0]),
                "in_play": {s: list(cards) for s, cards in p.played.items() if cards},
                "winner": p.winner or None,
                "margin": 0 if p.reversed else p.margin if p.winner else p.decision(table)[1],  # kills nobody (MM-OPT-14)
            }
        case CrownUse():
            crown = table.lords[p.seat].crown.name
            return {"what": "crown", "seat": p.seat, "artefact": crown, "target": p.artefact, "lord": p.lord, "card": p.card}
        case Window():
            return {"what": "window", "window": p.what, "aims": list(p.aims), "start": p.start}
        case Conquest():
            return {"what": "conquest", "seat": p.seat, "slot": p.slot}
        case _:
            return None


# --- re-dealing -------------------------------------------------------------------------------------------------------


def redeal(state: MasteryState, seat: Seat | None, chance: Chance) -> MasteryState:
    fresh = copy_for(state, seat, chance)
    table = fresh.table
    guess = table.chance
    copies = {k.id: k.copies for k in table.data.cards.values()}
    playing = [p for p in fresh.stack if isinstance(p, Battle | Turn)]
    for lord in table.lords.values():
        known = lord.known.get(seat, 0) if seat is not None else 0
        kept = lord.deck[len(lord.deck) - known :]
        fixed = [*_open_cards(playing, lord), *kept, *(lord.hand if lord.seat == seat else [])]
        left = copies.copy()
        for card in fixed:
            left[card] -= 1
        pool: list[Card] = []
        for card, n in left.items():
            pool += [card] * n
        guess.shuffle(pool, "redeal")
        if lord.seat != seat:
            # Authority is never kept in hand (MM-RES-2).
            apart = pool.count(AUTHORITY)
            for _ in range(apart):
                pool.remove(AUTHORITY)
            lord.hand = [pool.pop() for _ in lord.hand]
            pool += [AUTHORITY] * apart
            guess.shuffle(pool, "redeal")
        lord.deck = [*pool, *kept]
    return forget(fresh, seat)


def stack_for(state: MasteryState, seat: Seat | None) -> list[Procedures]:
    """What is under way, without others' plans."""
    return forget(clone(state), seat).stack


def in_view(state: MasteryState, lord: Lord) -> list[Card]:
    """A lord's open cards: discard pile, and what he has in play."""
    return _open_cards([p for p in state.stack if isinstance(p, Battle | Turn)], lord)


def _open_cards(playing: Sequence[Battle | Turn], lord: Lord) -> list[Card]:
    found = pile(lord)
    for p in playing:
        if isinstance(p, Battle):
            found += p.played.get(lord.seat, ())
        elif p.seat == lord.seat and p.lying:
            found.append(p.lying)
    return found
