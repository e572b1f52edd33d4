"""Every game: odds and costs of an answer rest on what its seat knows, change nothing, and are the same once more."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.bots.random import answer_at_random
from engine.core import consequences, odds, procedure
from engine.core.asks import Answer, Ask, Refused
from engine.core.chance import Chance
from engine.core.consequences import Looked
from engine.game import AnyState, Game
from engine.play.match import check_offer, run_offer
from service.seat import costs
from tests.contract.walk import fresh, standing, walk_with

WORLDS = 2
MOST = 6


def tried(state: AnyState, ask: Ask, rng: random.Random) -> Iterator[Answer]:
    for option in ask.options:
        answer = answer_at_random(Ask(ask.seat, ask.kind, (option,), ask.default, ask.rule, ask.about), rng)
        try:
            yield procedure.vet(state, ask.seat, answer, ask)
        except Refused:
            continue


def counted(game: Game, state: AnyState, answer: Answer, seat: str) -> tuple[object, ...]:
    rules = game.rules
    looked = Looked(game.face.holds, game.face.fights, rules.redeal, rules.view, game.bots.players[game.bots.steward])
    found = [odds.count(stake, seat, rules.redeal, rules.view, WORLDS) for stake in game.face.stakes(state, seat, answer)]
    if not costs.perilous(game, procedure.ask_of(state, seat).kind, answer):
        return found, None
    return found, consequences.cost(looked, state, seat, consequences.answering(seat, answer))


def test_odds_and_costs_tell_a_seat_nothing_that_it_cannot_know(game: Game) -> None:
    rng, chance, met = random.Random(70), Chance("odds"), 0
    match = fresh(game, game.rules.seats[-1], 70)
    for _ in walk_with(match, game.bots.steward, random.Random(70), stop=400):
        state = match.state
        for seat in state.waiting:
            ask = procedure.ask_of(state, seat)
            if met >= MOST or ask.kind not in {kind.split("/")[0] for kind in (*game.face.perils, *game.face.counts)}:
                continue
            other, before = game.rules.redeal(state, seat, chance), game.rules.encode(state)
            for answer in tried(state, ask, rng):
                told = counted(game, state, answer, seat)
                assert told == counted(game, other, answer, seat), f"{game.name}: {seat} learns something from {answer}"
                if told[0]:
                    met += 1
                    assert f"{ask.kind}/{answer.option}" in game.face.counts, "no button counts them"
            assert game.rules.encode(state) == before
    assert met > 2 or not game.face.counts


def test_the_costs_of_offers_tell_a_seat_nothing_that_it_cannot_know(game: Game) -> None:
    rng, chance, met = random.Random(71), Chance("offers"), 0
    rules, policy = game.rules, game.bots.players[game.bots.steward]
    looked = Looked(game.face.holds, (), rules.redeal, rules.view, policy)
    for n, _ in enumerate(walk_with(match := fresh(game, rules.seats[-1], 71), game.bots.steward, random.Random(71), stop=200)):
        state = match.state
        for seat in state.table.seats if n % 20 == 0 else ():
            for ask, number in standing(game, state, seat):
                try:
                    answer = check_offer(game, state, seat, ask.kind, answer_at_random(ask, rng), number)
                except Refused:
                    continue
                other, before, met = rules.redeal(state, seat, chance), rules.encode(state), met + 1

                def played(world: AnyState, offer: tuple[str, str, Answer, int] = (seat, ask.kind, answer, number)) -> None:
                    run_offer(game, world, *offer)

                costs_ = [consequences.cost(looked, known, seat, played) for known in (state, other)]
                assert costs_[0] == costs_[1], f"{game.name}: {seat} learns something from {answer}"
                assert rules.encode(state) == before
    assert met > 2 or rules.offerless
