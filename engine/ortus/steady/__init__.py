"""The `steady` bot of Ortus Regni: it builds as little as it must, strikes when the odds are good, and hurts the leader first.

In every Turn all that it could do is put down with what it promises, by the weights of `weights`; it does what promises most.

- `reckoning`: what a seat can count: what others can field, how strong each stands, how likely an attack gets through;
- `war`: attacks, the Vikings, defence, ransom and spoils;
- `court`: Treachery and Intrigue, Allies, Struggles, Jousts, the crown, roles;
- `building`: the deck, Fiefs, Lords, armies, Towers, the Bequest.

It remembers nothing and knows only what its seat may: the state that it is given was dealt anew for that seat.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.asks import Answer, Ask, Seat
from engine.bots.thinking import Thought, offers, think
from engine.chance import Chance
from engine.game import AnyState
from engine.ortus.steady import building, court, war
from engine.ortus.steady.reckoning import Reckoning
from engine.ortus.steady.weights import WORTH_DOING


def steady(state: AnyState, seat: Seat, chance: Chance) -> Answer:
    """Play for the seat, knowing only what the re-dealt state tells."""
    return think(THOUGHTS, state, seat, chance)


def _turn(state: AnyState, ask: Ask, chance: Chance) -> Iterable[Answer]:
    """Garrisons and Towers first, and what else is free, so that the Turn may end with its Action; then what promises most."""
    r = Reckoning(state.table, ask.seat)
    if offers(ask, "garrison"):
        yield building.garrison(r)
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
    """All that is worth doing, what promises most first."""
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
"""What it thinks about; to every other ask it gives the safe default."""
