"""Invariants of movement, with armies of many families in few villages: by the rule of today and by that of before."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from engine.core import procedure
from engine.core.asks import NotUnderstood
from engine.core.cloning import clone
from engine.fief import FIEF, conserved
from engine.fief.rules.realm.table import RIDE
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.battle import Battle
from engine.fief.rules.war.cavalcade import Cavalcade
from engine.fief.rules.war.movement import Movement
from engine.language.words import NOBODY
from tests.fief import crowded, wild

GAMES = 60


def stranded(before: FiefState, state: FiefState) -> list[str]:
    """Villages where Troops that moved this phase stand without a Lord of theirs beside an opponent: not those whose Lords are
    lost, nor Knights whom a Cavalcade has left (FF-MOV-11, FF-CAV-7)."""
    found = []
    for place, village in state.table.villages.items():
        for seat, groups in village.troops.items():
            led = [g for g in groups if g.moves and not g.halted and g.road != RIDE]
            led = [g for g in led if any(p.id in g.escort for p in state.table.free(seat))]
            foes = any(state.table.occupies(s, place) for s in state.table.seats if s != seat)
            if led and foes and not state.table.free(seat, place):
                found.append(f"{place}/{seat}")
    return found


def holds(state: FiefState) -> None:
    """What must hold in every position of a phase of movement."""
    table = state.table
    riding = any(isinstance(frame, Cavalcade) for frame in state.stack)
    for place, village in table.villages.items():
        for seat, groups in village.troops.items():
            for g in groups:
                assert g.count and g.maa >= 0 <= g.knights
                assert riding or (g.road != RIDE and not g.home), "nobody is left on horseback"
                assert riding or village.controller != seat or not g.road, f"{place}: the controller stands in it (FF-MOV-6)"
                assert g.moves <= table.limits["moves_d_arc"]
    for p in table.lords.values():
        assert riding or p.road != RIDE or table.ruled("FF-CAV-9") == "rides"
        assert p.moves <= table.limits["moves_d_arc"]


def play(state: FiefState, rng: random.Random, done: Counter[str]) -> None:
    """The rest of the phase."""
    base = conserved(state)
    for _ in range(120):
        if not state.waiting or not any(isinstance(frame, Movement) for frame in state.stack):
            return
        seat = rng.choice(state.waiting)
        ask = procedure.ask_of(state, seat)
        chosen = wild.answer(state, ask, rng)
        if ask.kind == "movement" and chosen.option == "move" and rng.random() < 0.3:
            FIEF.face.preview(state, seat, chosen, NOBODY)
            FIEF.face.forecast(state, seat, chosen)
        before = clone(state)
        news = procedure.play(state, seat, chosen)
        done.update(event.kind for event in news)
        done[f"{ask.kind}:{chosen.option}"] += 1
        state.table.news = []
        assert conserved(state) == base
        holds(state)
        if state.table.ruled("FF-MOV-3") == "army" and ask.kind in ("movement", "leave", "refused", "ride_on"):
            fresh = [at for at in stranded(before, state) if at not in stranded(before, before)]
            assert not fresh or any(isinstance(frame, Battle | Cavalcade) for frame in state.stack), fresh


@pytest.mark.parametrize("rulings", ["", "FF-MOV-3=road FF-CAV-9=rides FF-BAT-5=kept FF-CAV-4=granted", "FF-AMB-40=presence"])
def test_orders_among_many_armies_keep_what_must_be_kept(rulings: str) -> None:  # FF-MOV-3, FF-MOV-6, FF-MOV-11, FF-CMP-7
    walk(rulings, "crowded", GAMES)


def walk(rulings: str, name: str, games: int) -> Counter[str]:
    done: Counter[str] = Counter()
    for n in range(games):
        rng = random.Random(f"{name}/{rulings}/{n}")
        try:
            state = crowded.position(rng, rulings)
        except NotUnderstood:  # more engines or cards than there are
            done["none"] += 1
            continue
        procedure.begin(state)
        assert FIEF.rules.notation.read(FIEF.rules.notation.whole(state)) == state
        play(state, rng, done)
    assert done["moved"] > games and done["leave:no"] + done["leave_refused"] and done["none"] < games / 20, done
    return done
