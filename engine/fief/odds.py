"""Odds of a battle (FF-BAT) fought to the end: no surrender, truce or stop at the walls. Others join their ally only."""

from __future__ import annotations

from functools import partial

import msgspec

from engine.core import odds, procedure
from engine.core.asks import Answer, NotLegal, Seat
from engine.core.chance import Chance
from engine.core.consequences import Loss
from engine.core.odds import Fight, Stake, Trial
from engine.core.views import Event
from engine.fief.face.preview import sides_of, walked
from engine.fief.rules.realm.table import Place, Table, strength
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.battle import Battle
from engine.fief.rules.war.cavalcade import Cavalcade
from engine.fief.rules.war.movement import Movement
from engine.fief.rules.war.siege import Battles
from engine.fief.steady import steady

COUNTS = frozenset(("battles/attack", "movement/move", "muster/ready", "muster/out", "battle_next/continue", "battle_next/out"))
WON = {"won": 1, "lost": -1}
"""How a battle ends -> its result for the attackers; 0 for other ways."""
BEGINS = frozenset(("battles/attack",))


def verdict(event: Event, _seat: Seat) -> int | None:
    return WON.get(event.facts["how"], 0) if event.kind == "battle_over" else None


def stakes(state: FiefState, seat: Seat, answer: Answer) -> list[Stake]:
    """Battles an answer begins, continues or may cause; losses in strength."""
    at = state.stack[-1]
    if f"{at.step}/{answer.option}" not in COUNTS:
        return []
    match at:
        case Battles():
            return [attack(state, seat, answer.pick("at"), answer.some("against"))]
        case Movement():
            try:
                table, fields = walked(state.table, at, seat, answer)
            except NotLegal:
                return []
            there = msgspec.structs.replace(state, table=table)
            return [attack(there, seat, place, [foe]) for place, foe in fields]
        case Battle():
            sides = at.attackers, at.defenders
            fight = _fight(state.table, at.at, *(sides if seat in at.attackers else sides[::-1]))
            return [Stake(fight, state, partial(_goes_on, seat=seat, answer=answer))]
    return []


def attack(state: FiefState, seat: Seat, place: Place, foes: list[Seat]) -> Stake:
    def fought(world: FiefState) -> Trial:
        battle = Battle(at=place, declarer=seat, defenders=[*foes])
        before = strength(world.table, seat, place)
        odds.alone(world, battle)
        return _ended(world, battle, seat, before)

    return Stake(_fight(state.table, place, [seat], foes), state, fought)


def _fight(table: Table, place: Place, own: list[Seat], against: list[Seat]) -> Fight:
    told = sides_of(table, place, own, against)
    numbers = (told["strength"], told["foe"], told["dice"], told["against"])
    return Fight(place, tuple(own), tuple(against), *numbers, walls=told["walls"])


def _goes_on(world: FiefState, seat: Seat, answer: Answer) -> Trial:
    battle = odds.cut(world, Battle)
    before = strength(world.table, seat, battle.at)
    attacking = seat in battle.attackers
    procedure.play(world, seat, answer, trusted=True)
    return _ended(world, battle, seat, before, attacking)


def _ended(world: FiefState, battle: Battle, seat: Seat, before: int, attacking: bool = True) -> Trial:
    odds.finish(world, fights_on)
    result = WON.get(battle.ended, 0)
    return Trial(result if attacking else -result, before - strength(world.table, seat, battle.at))


def fights_on(world: FiefState, seat: Seat, chance: Chance) -> Answer:
    """The bot's answer, never ending a battle early."""
    answer = steady(world, seat, chance)
    ends = world.stack[-1].step == "battle_next" and answer.option != "continue"
    return Answer("continue") if ends else answer


# --- what can be lost -------------------------------------------------------------------------------------------------


FIGHTS = (Battle, Cavalcade)
OFFICES = ("king", "queen", "pope", "prince", "cardinal", "bishop")
PERILS = frozenset(("muster", "battle_next", "losses", "side", "go_on", "ride_on", "battles", "movement/move"))


def holds(state: FiefState, seat: Seat) -> dict[str, Loss]:
    """The game, titles, Lords, fortified villages."""
    table = state.table
    found = {"game": Loss("game")} if table.outcome is None or seat in table.outcome.winners else {}
    for person in table.family(seat):
        found[f"lord {person.id}"] = Loss("lord", {"lord": person.id})
        for office in OFFICES:
            if getattr(person, office):
                found[f"{office} {person.id}"] = Loss(office, {"lord": person.id}, f"lord {person.id}")
        for fief in person.fiefs:
            found[f"title {fief}"] = Loss("title", {"lord": person.id, "fief": fief})
        if person.free:
            found[f"free {person.id}"] = Loss("free", {"lord": person.id}, f"lord {person.id}")
    for village in table.villages.values():
        if village.controller == seat and village.walls:
            found[f"walls {village.id}"] = Loss("walls", {"village": village.id})
    return found
