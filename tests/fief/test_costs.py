"""What Moves, powers and accepted proposals cost a family for good, said before they count."""

from __future__ import annotations

import itertools

from engine.core import offers
from engine.core.asks import Answer, read
from engine.fief.rules.types import FiefState
from engine.games import game_called
from engine.language.words import NOBODY
from engine.play.match import check_offer, run_offer
from service.seat import costs
from tests.fief.test_lapsed_parts import scene

FIEF = game_called("fief")
MARKS = itertools.count()
HOUSE = "blaye: a stronghold\nblaye.a: 1 maa\n"


def of_answer(state: FiefState, line: str) -> costs.Losses:
    return costs.told(FIEF, NOBODY, state, "a", read(line), f"answer {next(MARKS)}")


def of_offer(state: FiefState, seat: str, kind: str, number: int, answer: Answer) -> costs.Losses:
    answer = check_offer(FIEF, state, seat, kind, answer, number)
    return costs.of_offer(FIEF, NOBODY, state, seat, kind, number, answer, f"offer {next(MARKS)}")


def proposed(text: str, exchange: str) -> tuple[FiefState, int]:
    """A proposal of b to a."""
    state = scene(f"phase: 5\n{text}")
    order = check_offer(FIEF, state, "b", "exchange", read(f"propose to=a {exchange}"))
    run_offer(FIEF, state, "b", "exchange", order)
    ((number, _),) = offers.proposals(state, "a")
    return state, number


def test_leaving_a_stronghold_empty_loses_it_and_a_garrison_keeps_it() -> None:
    # FF-MOV-2, FF-CTL-1
    state = scene("phase: 5\nArthur: a bourg\nHenri: b sigy\nbourg: a stronghold\nbourg.a: 1 maa\n")
    found = of_answer(state, "move moves=[(lords=[Arthur],maa=1,to=villeneuve)]")
    assert found.certain == ["You lose Bourg with its walls."] and not found.ends
    assert not of_answer(state, "move moves=[(lords=[Arthur],to=villeneuve)]")


def test_an_exchange_says_what_its_acceptance_loses_and_a_refusal_loses_nothing() -> None:
    # FF-DIP-9
    text = f"Arthur: a blaye\nHenri: b blaye\nblaye.b: 1 maa\n{HOUSE}a.deniers: 5\nb.deniers: 5\n"
    state, number = proposed(text, "want_villages=[blaye]")
    before = FIEF.rules.encode(state)
    assert of_offer(state, "a", "exchange", number, Answer("accept")).certain == ["You lose Blaye with its walls."]
    assert not of_offer(state, "a", "exchange", number, Answer("refuse"))
    assert FIEF.rules.encode(state) == before
    state, number = proposed(text, "give_deniers=2")
    assert not of_offer(state, "a", "exchange", number, Answer("accept"))


def test_a_power_that_offers_something_says_that_it_may_be_lost_and_one_that_offers_nothing_does_not() -> None:
    # FF-CTL-4
    state = scene(f"phase: 5\nArthur: a blaye\nHenri: b blaye\nblaye.b: 1 maa\n{HOUSE}b.deniers: 5\n")
    powers = {ask.kind: ask for ask in FIEF.rules.powers.open(state, "a")}
    found = of_offer(state, "a", "cede", 0, Answer("cede", {"village": "blaye/b"}))
    assert (found.certain, found.risked) == ([], ["You may lose Blaye with its walls."])
    found = of_offer(state, "a", "exchange", 0, read("propose to=b give_villages=[blaye] want_deniers=2"))
    assert (found.certain, found.risked) == ([], ["You may lose Blaye with its walls."]), "if b accepts"
    assert not of_offer(state, "a", "parley", 0, powers["parley"].default)
