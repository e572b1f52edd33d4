"""Odds of a battle (MM-BAT), played by `steady` on both sides."""

from __future__ import annotations

import math
from functools import partial

from engine.core import odds, procedure
from engine.core.asks import Answer, Seat
from engine.core.chance import GUESSES, Chance
from engine.core.consequences import Loss
from engine.core.odds import Fight, Stake, Trial
from engine.core.views import Event
from engine.mastery.face.forecast import clash, passed
from engine.mastery.face.view import MasteryState, redeal
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.fracture import PASS
from engine.mastery.rules.pieces import AUTHORITY
from engine.mastery.rules.reckoning import on_map
from engine.mastery.rules.table import Table, held, in_dispute, team
from engine.mastery.rules.turn import UNITS, Turn
from engine.mastery.rules.unit import Unit
from engine.mastery.steady import steady

DECIDES = ("match", "conflict", "support")
"""Steps with answers that decide it; in a window the step is the one after."""
BEGINS = frozenset(("early/march", "early/tactical", "late/tactical"))
COUNTS = BEGINS | frozenset((
    "match/yes", "match/no", "fracture/pass", "fracture/yes", "fracture/no", "fracture/plan", "conflict/play", "conflict/none",
    "conflict/withhold", "support/support", "support/pass",
))  # fmt: skip


def stakes(state: MasteryState, seat: Seat, answer: Answer) -> list[Stake]:
    """Battles an answer begins or continues; losses in knights."""
    fight = _fight(state, seat, answer)
    if fight is None:
        return []
    return [Stake(fight, state, partial(fought, seat=seat, answer=answer), dealt, int(not _decided(state, seat, answer)))]


def _decided(state: MasteryState, seat: Seat, answer: Answer) -> bool:
    at = state.stack[-1]
    if not isinstance(at, Battle) or at.step != "support" or answer.option != PASS or state.table.options.mayhem:
        return False
    return not passed(state.table, at, seat)["next"]


def verdict(event: Event, seat: Seat) -> int | None:
    if event.kind == "battle_stopped":
        return 0
    if event.kind == "result":
        return 1 if event.facts["winner"] == event.facts["attacker"] == seat else -1
    return None


KEPT = {
    "CallToArms": 0.28, "TacticalAdvance": 0.26, "Fracture": 0.47, "Conflict5": 0.43, "Conflict2": 1.24, "Conflict3": 2.25,
    "Ambush": 1.66, "Support1": 1.17,
}  # fmt: skip
"""Sampling weight of a card in a hand between battles; 1 where none is named. Strong cards are played, weak ones stay.

Fitted to 4,600 battles between bots, like the other two numbers; `bench/odds.py` checks the odds that follow from them.
"""
DRAWN = {
    "CallToArms": 0.45, "TacticalAdvance": 0.54, "Fracture": 0.43, "Conflict5": 0.72, "Conflict3": 1.6, "Ambush": 1.3,
    "Support2": 0.94,
}  # fmt: skip
"""The same in a battle, after both sides have drawn."""
HOARD = 1.7
"""Factor of support's weight, up or down at random for each lord: some save it, some spend it. With one weight for all, too few
hands have no support or much, and odds come too near to 0 and 100.
"""


def dealt(state: MasteryState, seat: Seat, chance: Chance) -> MasteryState:
    """A world in which the others hold what players do at this point of a battle (`KEPT`, `DRAWN`)."""
    world = redeal(state, seat, chance)
    guess, held = world.table.chance, KEPT if _battle(state) is None else DRAWN
    support = world.table.data.of_kind("support")
    for lord in world.table.lords.values():
        if lord.seat == seat or not lord.hand:
            continue
        known = len(lord.deck) - lord.known.get(seat, 0)
        apart = [card for card in lord.deck[:known] if card == AUTHORITY]  # never kept in hand (MM-RES-2)
        pool = [*lord.hand, *(card for card in lord.deck[:known] if card != AUTHORITY)]
        hoard = HOARD if guess.below(2, "hoard") else 1 / HOARD
        weight = {card: held.get(card, 1.0) * (hoard if card in support else 1.0) for card in pool}
        # Weighted sampling without replacement (Efraimidis and Spirakis).
        pool.sort(key=lambda card: math.log((1 + guess.below(GUESSES, "kept")) / GUESSES) / weight[card])
        lord.hand = [pool.pop() for _ in lord.hand]
        pool += apart
        guess.shuffle(pool, "kept")
        lord.deck = [*pool, *lord.deck[known:]]
    return world


def _battle(state: MasteryState) -> Battle | None:
    return next((p for p in reversed(state.stack) if isinstance(p, Battle)), None)


def _fight(state: MasteryState, seat: Seat, answer: Answer) -> Fight | None:
    table, at, battle = state.table, state.stack[-1], _battle(state)
    if battle is not None:
        if not {seat} & {*team(table, battle.attacker), *team(table, battle.defender)} or battle.step not in DECIDES:
            return None
        own, other = battle.side_for(table, seat), battle.side_against(table, seat)
        return Fight(battle.slot, (own.seat,), (other.seat,), own.score, other.score)
    if not isinstance(at, Turn) or answer.option not in UNITS or not answer.pick("target"):
        return None
    found = clash(table, seat, answer.pick("target"))
    if found is None:
        return None
    return Fight(answer.pick("target"), (seat,), (found.defender,), *found.scores(answer.number("knights")))


def fought(world: MasteryState, seat: Seat, answer: Answer) -> Trial:
    table = world.table
    battle = _battle(world)
    before = _knights(table, seat)
    if battle is None:
        unit = odds.called(world, seat, answer)
        assert isinstance(unit, Unit)
        odds.alone(world, unit)
        attacking = True
    else:
        odds.cut(world, Battle)
        attacking = battle.attacker in team(table, seat)
        procedure.play(world, seat, answer, trusted=True)
        unit = None
    odds.finish(world, steady)
    how = unit.came if unit is not None else _came(battle)
    if table.outcome is not None:
        result = 1 if seat in table.outcome.winners else -1
    else:
        result = {"won": 1, "lost": -1}.get(how, 0) * (1 if attacking else -1)
    return Trial(result, before - _knights(table, seat))


def _came(battle: Battle | None) -> str:
    assert battle is not None
    return "won" if battle.winner == battle.attacker else "lost" if battle.winner else "stopped"


def _knights(table: Table, seat: Seat) -> int:
    return on_map(table, seat) + in_dispute(table, seat)


# --- what can be lost -------------------------------------------------------------------------------------------------


FIGHTS = (Battle,)
PERILS = frozenset(("match", "conflict", "support", "fracture"))


def holds(state: MasteryState, seat: Seat) -> dict[str, Loss]:
    """The game, and territories."""
    table = state.table
    found = {"game": Loss("game")} if table.outcome is None or seat in table.outcome.winners else {}
    return found | {slot: Loss("land", {"slot": slot, "tile": table.lands[slot].tile}) for slot in held(table, seat)}
