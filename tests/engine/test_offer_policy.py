"""What bots say to powers and proposals, one answer at a time: by what they may know, legally, or the safe one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.core import offers, procedure
from engine.core.asks import Answer, Ask, Seat
from engine.core.chance import Chance
from engine.game import Game
from engine.play.policy import offer_of
from tests.toy_game import FAIR, FairState, setup


def fair(seats: str = "abc") -> FairState:
    state = setup(list(seats), {}, Chance("haggling"))
    procedure.begin(state)
    return state


def game(think: Callable[[FairState, Seat, Ask, Chance], Answer | None]) -> Game:
    return replace(FAIR, bots=replace(FAIR.bots, offer_policies={"bold": think}))


def power(state: FairState, seat: Seat, kind: str) -> Ask:
    return next(ask for ask in FAIR.rules.powers.open(state, seat) if ask.kind == kind)


def put(state: FairState, by: Seat, to: Seat) -> tuple[int, Ask]:
    ware = state.table.keepers[by].wares[0]
    FAIR.rules.powers.use(state, by, "propose", Answer("propose", {"target": to, "ware": ware, "coins": 1}))
    return offers.proposals(state, to)[-1]


def test_a_bot_thinks_of_a_position_that_is_dealt_anew_for_its_seat() -> None:
    state, chance, thought = fair(), Chance("x"), list[tuple[bool, bool, Seat, str, bool]]()

    def think(seen: FairState, seat: Seat, ask: Ask, own: Chance) -> None:
        same = [seen.table.keepers[s].wares == state.table.keepers[s].wares for s in "ab"]
        thought.append((*same, seat, ask.kind, own is chance))  # type: ignore[arg-type]  # how many of `same`, mypy can't count

    assert offer_of(game(think), "bold", state, "a", power(state, "a", "call"), 0, chance) is None
    assert thought == [(True, False, "a", "call", True)]


def test_what_a_bot_says_is_taken_if_it_is_legal_and_is_safe_or_nothing_otherwise() -> None:
    state = fair()
    number, trade = put(state, "a", "b")
    call, own = power(state, "b", "call"), state.table.keepers["b"].wares[2]
    good, bad = Answer("accept", {"ware": own}), Answer("accept", {"ware": "moon"})
    for answer, expected in ((good, good), (bad, Answer("refuse")), (None, Answer("refuse"))):
        assert offer_of(game(lambda *_, a=answer: a), "bold", state, "b", trade, number, Chance("x")) == expected
    dice = Answer("call", {"target": "c"})
    for answer, used in ((dice, dice), (Answer("call", {"target": "b"}), None), (None, None)):
        assert offer_of(game(lambda *_, a=answer: a), "bold", state, "b", call, 0, Chance("x")) == used
    assert offer_of(FAIR, "meek", state, "b", trade, number, Chance("x")) == Answer("refuse"), "a bot without a mind"
    assert offer_of(FAIR, "meek", state, "b", call, 0, Chance("x")) is None
