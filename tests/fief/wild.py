"""Whole games of Fief by players who do as much as they can: moves, purchases, fights, cards and bargains at random.

The kernel's random player rarely finds a legal march; these players put one together, so that every chapter is walked.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from engine.bots.random import answer_at_random, legal_at_random
from engine.core import offers, procedure
from engine.core.asks import Answer, Ask, Refused, Row, check
from engine.core.chance import Chance
from engine.core.rulings import Ruled
from engine.core.views import Event
from engine.fief import FIEF, setup, take_offer, vet_offer
from engine.fief import offers as powers
from engine.fief.rules.realm.table import Table
from engine.fief.rules.types import FiefState

Watch = Callable[[FiefState], None]


def fresh(seats: int, seed: str, **options: object) -> FiefState:
    """A fresh game, run to its first ask."""
    return ruled_by(None, seats, seed, **options)


def ruled_by(ruled: Ruled | None, seats: int, seed: str, **options: object) -> FiefState:
    """The same by some rulings; None: by those of new games."""
    state = setup("abcdef"[:seats], {"rounds": 12, **options}, Chance(f"table/{seed}"), ruled)
    procedure.begin(state)
    while state.waiting and procedure.ask_of(state, state.waiting[0]).kind == "purses":
        procedure.play(state, state.waiting[0], Answer("yes"))
    return state


def marching(table: Table, seat: str, rng: random.Random) -> Answer:
    """An order for one Lord, or all who stand in his village, with all or some of the Troops there, along a road or two."""
    lord = rng.choice([p for p in table.free(seat) if not p.halted])
    whole = rng.random() < 0.5
    groups = [g for g in table.villages[lord.at].troops.get(seat, []) if whole or g.road == lord.road]
    others = [p.id for p in table.free(seat, lord.at) if p is not lord and not p.halted]
    maa, knights = sum(g.maa for g in groups), sum(g.knights for g in groups)
    all_of_them = rng.random() < 0.6
    to = rng.choice(table.roads(lord.at))
    row: Row = {
        "lords": [lord.id, *others] if rng.random() < 0.3 else [lord.id],
        "maa": maa if all_of_them else rng.randint(0, maa),
        "knights": knights if all_of_them else rng.randint(0, knights),
        "to": to,
    }
    if rng.random() < 0.6:
        row["then"] = rng.choice(table.roads(to))
    captives = [p.id for p in table.captives(seat, lord.at)]
    if captives and rng.random() < 0.5:
        row["captives"] = captives
    if rng.random() < 0.7:
        row["refused"] = rng.choice(["ask", "stay", "back", "ride", "charge"])
    if rng.random() < 0.3:
        row["guest"] = rng.choice(["guest", "control"])
    return Answer("move", {"moves": [row]})


def answer(state: FiefState, ask: Ask, rng: random.Random) -> Answer:
    """A legal answer, rather a lively one."""
    wanted: Answer | None = None
    if ask.kind == "movement" and rng.random() < 0.7:
        wanted = marching(state.table, ask.seat, rng)
    elif ask.kind == "battles" and ask.options[0].id == "attack" and rng.random() < 0.6:
        wanted = answer_at_random(Ask(ask.seat, ask.kind, ask.options[:1], ask.default), rng)
    if wanted is not None:
        try:
            return procedure.vet(state, ask.seat, wanted)
        except Refused:
            pass
    return legal_at_random(state, ask.seat, rng, ask)


def use_power(state: FiefState, seat: str, rng: random.Random) -> str:
    """Use one of a seat's powers at random, if one can be used; its kind."""
    listed = offers.powers(state, powers(state, seat))
    if not listed:
        return ""
    ask = rng.choice(listed)
    wanted = answer_at_random(ask, rng)
    try:
        wanted = check(ask, wanted)
        vet_offer(state, seat, ask.kind, wanted)
    except Refused:
        return ""
    depth = len(state.stack)
    take_offer(state, seat, ask.kind, wanted)
    procedure.disturbed(state, depth)
    return ask.kind


def answer_proposal(state: FiefState, rng: random.Random) -> str:
    """Answer one of the proposals that lie open; its kind."""
    found = [(seat, number, ask) for seat in state.table.seats for number, ask in offers.proposals(state, seat)]
    if not found:
        return ""
    seat, number, ask = rng.choice(found)
    wanted = Answer(rng.choice(["accept", "accept", "refuse"]))
    try:
        wanted = offers.checked(state, seat, number, wanted)
    except Refused:
        wanted = ask.default
    depth = len(state.stack)
    offers.take(state, seat, number, wanted)
    procedure.disturbed(state, depth)
    return f"{ask.kind}/{wanted.option}"


NAMES = {seat: f"Family {seat.upper()}" for seat in "abcdef"}


def _count(event: Event, done: Counter[str]) -> None:
    """Every event has words."""
    FIEF.words.tell(event, NAMES, None)
    done[f"event {event.kind}"] += 1


def play(state: FiefState, seed: str, watch: Watch | None = None, most: int = 6000) -> Counter[str]:
    """Play to the end; what was done, counted. `watch` looks at every position."""
    rng, done = random.Random(seed), Counter[str]()
    for _ in range(most):
        if state.table.outcome is not None:
            break
        if rng.random() < 0.06:
            done[use_power(state, rng.choice(state.table.seats), rng)] += 1
        elif rng.random() < 0.3:
            done[answer_proposal(state, rng)] += 1
        else:
            seat = rng.choice(state.waiting)
            ask = procedure.ask_of(state, seat)
            chosen = answer(state, ask, rng)
            done[f"{ask.kind}:{chosen.option}"] += 1
            for event in procedure.play(state, seat, chosen):
                _count(event, done)
        for event in state.table.news:
            _count(event, done)
        state.table.news = []
        if watch is not None:
            watch(state)
    return done
