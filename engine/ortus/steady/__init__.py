"""The `steady` bot of Ortus: builds little, strikes at good odds, hurts the leader first. Stateless: scores all plans with
`weights` and does the best.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.bots.thinking import Thought, offers, think
from engine.core.asks import Answer, Ask, Seat
from engine.core.chance import Chance
from engine.game import AnyState
from engine.ortus.steady import building, court, war
from engine.ortus.steady.reckoning import Reckoning
from engine.ortus.steady.weights import WORTH_DOING


def steady(state: AnyState, seat: Seat, chance: Chance) -> Answer:
    return think(THOUGHTS, state, seat, chance)


def _turn(state: AnyState, ask: Ask, chance: Chance) -> Iterable[Answer]:
    r = Reckoning(state.table, ask.seat)
    if offers(ask, "garrison"):
        yield building.garrison(r.table, r.own)
    plans = [] if r.table.action_used else _plans(r, ask)
    waste = building.towers(r, plans[0] if plans else Answer("end"))
    if waste and offers(ask, "tower"):
        yield Answer("tower", {"cards": waste})
    walk = building.canterbury(r, ask)
    if walk is not None:
        yield walk
    yield from plans
    yield Answer("end")


def _plans(r: Reckoning, ask: Ask) -> list[Answer]:
    found = [*building.bequests(r, ask), *war.attacks(r, ask), *court.plots(r, ask), *court.claims(r, ask)]
    found += building.works(r, ask)
    found = [plan for plan in found if plan[0] > WORTH_DOING]
    found.sort(key=lambda plan: -plan[0])
    return [answer for _, answer in found]


THOUGHTS: dict[str, Thought] = {
    "role": court.role,
    "bid": court.bid,
    "deck": building.deck,
    "turn": _turn,
    "defend": war.defend,
    "ransom": war.ransom,
    "spoils": war.spoils,
    "attach": war.attach,
    "church_asset": war.church_asset,
    "church": war.church,
    "vikings": war.vikings,
    "allies": court.allies,
    "commit": court.commit,
    "counter": court.commit,
    "levy": court.levy,
    "enter": court.enter,
}
"""Ask kind -> function; others get the safe default."""
