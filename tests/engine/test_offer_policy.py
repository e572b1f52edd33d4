"""What bots say to powers and proposals, one answer at a time: by what they may know, legally, or the safe one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.core import offers, procedure
from engine.core.asks import Answer, Ask, Seat
from engine.core.chance import Chance
from engine.game import Game
from engine.play.policy import haggle, offer_of
from tests.toy_game import FAIR, FairState, setup


def fair(seats: str = "abc") -> FairState:
    state = setup(list(seats), {}, Chance("haggling"))
    procedure.begin(state)
    return state


def game(think: Callable[[FairState, Seat, Ask, Chance], Answer | None]) -> Game:
    return replace(FAIR, bots=replace(FAIR.bots, hagglers={"bold": think}))


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


def test_bots_use_each_power_once_in_the_order_of_the_table_and_then_answer_what_lies_open() -> None:
    state, asked = fair(), list[str]()

    def think(_state: FairState, seat: Seat, ask: Ask, _chance: Chance) -> Answer | None:
        asked.append(f"{seat} {ask.kind}")
        return ask.default if ask.kind in ("accuse", "propose") and seat == "a" else None

    bots = {"a": "bold", "b": "bold", "c": "meek"}
    assert list(haggle(game(think), bots, state, Chance("x"))) == ["a"]
    # While all judge the accused, nobody can do anything else; who has no mind is not asked.
    assert asked == ["a call", "a accuse"] and state.stack[-1].step == "judge"


def test_what_was_proposed_is_answered_by_all_to_whom_it_lies_open() -> None:
    state, asked = fair(), list[str]()

    def think(_state: FairState, seat: Seat, ask: Ask, _chance: Chance) -> Answer | None:
        asked.append(f"{seat} {ask.kind}")
        return ask.default if ask.kind == "propose" else None

    bots = {"a": "bold", "b": "bold", "c": "meek"}
    # A and C to each other's liking: A proposes to B, B to A, and both refuse; C is a human's, and says nothing of itself.
    assert list(haggle(game(think), bots, state, Chance("x"))) == ["a", "b", "a", "b"]
    assert asked == [
        "a call", "a accuse", "a propose", "b call", "b accuse", "b propose", "a trade", "b trade",
    ]  # fmt: skip
    assert offers.on(state.table) == []


def test_where_nothing_is_proposed_in_a_game_there_is_nothing_to_answer() -> None:
    state = fair("ab")
    assert list(haggle(FAIR, {"a": "meek", "b": "meek"}, state, Chance("x"))) == []
    put(state, "a", "b")
    assert list(haggle(FAIR, {"a": "meek", "b": "meek"}, state, Chance("x"))) == ["b"]
