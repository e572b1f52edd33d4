"""Every game: what is said of an answer before it is given, and why it is refused, tells nobody what he can't know."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.bots.random import answer_at_random
from engine.core import procedure
from engine.core.asks import Answer, Ask, Refused
from engine.core.chance import Chance
from engine.game import AnyState, Game
from tests.contract.walk import NAMES, fresh, walk, walk_with


def tried(state: AnyState, ask: Ask, rng: random.Random) -> Iterator[Answer]:
    """Answers that a seat may try: of every option one, whole and with a field left out, and verbs that aren't open now."""
    for option in ask.options:
        answer = answer_at_random(Ask(ask.seat, ask.kind, (option,), ask.default, ask.rule, ask.about), rng)
        yield answer
        if answer.values:
            left_out = rng.choice(list(answer.values))
            yield Answer(option.id, {name: value for name, value in answer.values.items() if name != left_out})
    step = procedure.open_step(state)
    if step.verbs is not None:
        yield from (Answer(verb) for verb in step.verbs(state.stack[-1], state.table, ask.seat))


def said(game: Game, state: AnyState, seat: str, answer: Answer) -> object:
    """All that is said of an answer: what it surely does, or why it is refused."""
    try:
        answer = procedure.vet(state, seat, answer)
    except Refused as refusal:
        return type(refusal), str(refusal)
    return (
        game.face.preview(state, seat, answer, NAMES),
        game.face.forecast(state, seat, answer),
        game.face.fate(state, seat, answer),
    )


def check(game: Game, state: AnyState, rng: random.Random, chance: Chance) -> None:
    for seat in state.waiting:
        ask, other = procedure.ask_of(state, seat), game.rules.redeal(state, seat, chance)
        for answer in tried(state, ask, rng):
            told = f"{game.name}: {seat} can tell by what is said of {answer} what he can't know; look at his view alone"
            assert said(game, other, seat, answer) == said(game, state, seat, answer), told


def walks(game: Game) -> Iterator[AnyState]:
    for n, number in ((game.rules.seats[0], 90), (game.rules.seats[-1], 91)):
        match = fresh(game, n, number)
        yield from (match.state for _ in walk(match, random.Random(number), stop=250))
    match = fresh(game, game.rules.seats[-1], 92)
    yield from (match.state for _ in walk_with(match, game.bots.steward, random.Random(92), stop=250))


def test_what_is_said_of_an_answer_is_the_same_when_all_that_its_seat_cannot_know_is_dealt_anew(game: Game) -> None:
    rng, chance = random.Random(90), Chance("ahead")
    for state in walks(game):
        check(game, state, rng, chance)
