"""What a family can lose: see `engine.core.consequences`."""

from __future__ import annotations

from engine.core.asks import Seat
from engine.core.consequences import Loss
from engine.fief.rules.realm.table import Person
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.battle import Battle
from engine.fief.rules.war.cavalcade import Cavalcade

FIGHTS = (Battle, Cavalcade)
PERILS = frozenset(("muster", "battle_next", "losses", "side", "go_on", "ride_on", "battles", "movement/move"))


def holds(state: FiefState, seat: Seat) -> dict[str, Loss]:
    """The game, titles, Lords, and fortified villages."""
    table = state.table
    found = {"game": Loss("game")} if table.outcome is None or seat in table.outcome.winners else {}
    for person in table.family(seat):
        found[f"lord {person.id}"] = Loss("lord", {"lord": person.id})
        for office in _offices(person):
            found[f"{office} {person.id}"] = Loss(office, {"lord": person.id}, f"lord {person.id}")
        for fief in person.fiefs:
            found[f"title {fief}"] = Loss("title", {"lord": person.id, "fief": fief})
        if person.free:
            found[f"free {person.id}"] = Loss("free", {"lord": person.id}, f"lord {person.id}")
    for village in table.villages.values():
        if village.controller == seat and village.walls:
            found[f"walls {village.id}"] = Loss("walls", {"village": village.id})
    return found


def _offices(person: Person) -> list[str]:
    held = {"king": person.king, "queen": person.queen, "pope": person.pope, "prince": person.prince}
    held |= {"cardinal": person.cardinal, "bishop": person.bishop}
    return [office for office, has in held.items() if has]
