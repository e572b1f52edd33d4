"""Standing orders of a small game: what they answer, use and leave alone, and what they would have answered in a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from engine.core.asks import Answer, Ask, NotUnderstood, Number, Option, PickOne, Seat, choices, read
from engine.core.chance import Chance
from engine.core.offers import proposals
from engine.core.procedure import ask_of
from engine.games import GAMES
from engine.play import match as matches
from engine.play import orders
from engine.play.match import Match
from engine.play.orders import DryRun, Tried
from tests.contract.walk import header_for
from tests.toy_game import FAIR, FairState

SEEN: list[tuple[str, tuple[str, ...], bool]] = []
"""The step, what the owner's neighbour holds, and whether it was the deadline, each time orders were asked to answer."""


def bids_little(state: FairState, seat: Seat, settings: Mapping[str, Answer], late: bool) -> Answer | None:
    """By T-10 it bids two coins for no ware, and gives alms of a coin that nobody has; it leaves the rest to its owner."""
    step = state.stack[-1].step
    SEEN.append((step, tuple(sorted(state.table.keepers["b"].wares)), late))
    if "T-10" not in settings:
        return None
    return {"bid": Answer("bid", {"coins": 2}), "alms": Answer("give", {"coins": ["own9"]})}.get(step)


ORDERED = replace(FAIR, orders=replace(FAIR.orders, answer=bids_little))
ON = {"T-10": "accept", "T-11": "nonsense in (("}
"""One order that can be read, and one that can't any more."""


def at(minutes: str) -> str:
    return f"1429-07-17T{minutes}Z"


def start() -> Match:
    return matches.start(*header_for(ORDERED, 2, 5))


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Match:
    """A bids, by himself; shares by an order; sorts in advance; and B accuses nobody, but calls him to a game of dice."""
    monkeypatch.setitem(GAMES, "fair", ORDERED)
    SEEN.clear()
    match = start()
    match.play("b", read("pass"), at("09:01:00"), "page")
    match.play("a", read("bid coins=2"), at("09:02:30"), "page")
    match.play("a", read("share to={coin1>b}"), at("09:02:40"), matches.ORDER)
    for seat, when in (("b", "09:05:00"), ("a", "08:00:00")):
        wares = ",".join(match.state.table.keepers[seat].wares)
        match.play(seat, read(f"sort order=[{wares}]"), at(when), "advance" if seat == "a" else "page")
    match.play_offer("b", "call", read("call target=a"), at("10:00:00"), "page")
    match.play("a", read("yes"), "at dusk", "page")
    match.play("a", read("none"), at("12:00:00"), "reply")
    match.play("b", read("none"), at("12:30:00"), "reply")
    match.play("a", read("pass"), at("12:31:01"), "page")
    return match


def tried_of(match: Match, **more: int) -> list[tuple[int, str, str, str, bool, int]]:
    found = orders.dry_run(match.header, match.seed, match.entries, "a", ON, **more)
    return [(t.n, t.ask.kind, t.given.option, t.ordered.option if t.ordered else "", t.asked, t.seconds) for t in found.tried]


def test_each_answer_of_the_seat_is_tried_with_who_gave_it_and_how_long_it_took(played: Match) -> None:
    assert tried_of(played) == [
        # From the beginning of the match, though B had answered meanwhile: both were asked at once.
        (2, "bid", "bid", "bid", True, 150),
        (3, "share", "share", "", False, 10),
        # A clock that went back makes no negative time.
        (5, "sort", "sort", "", False, 0),
        # Nobody knows how long it was to dusk, nor since then.
        (7, "dare", "yes", "", True, 0),
        (8, "alms", "none", "", True, 0),
        # From the last answer of the round before, B's.
        (10, "bid", "pass", "bid", True, 61),
    ]


def test_a_dry_run_sums_up_who_was_asked_and_who_would_have_been(played: Match) -> None:
    found = orders.dry_run(played.header, played.seed, played.entries, "a", ON)
    assert (found.asked, found.left, found.waited, found.left_waiting) == (4, 4, 211, 10)
    assert [t.same for t in found.tried] == [True, False, False, False, False, False]
    assert found.tried[0] == Tried(2, found.tried[0].ask, Answer("bid", {"coins": 2}), Answer("bid", {"coins": 2}), True, 150)
    assert orders.dry_run(played.header, played.seed, played.entries, "a", {}).left == 6
    assert orders.dry_run(played.header, played.seed, [], "a", ON) == DryRun(0, 0, 0, 0, ())
    assert DryRun() == DryRun(0, 0, 0, 0, ())


def test_a_dry_run_begins_with_the_entry_that_it_is_told(played: Match) -> None:
    assert [t[0] for t in tried_of(played, since=7)] == [7, 8, 10]
    assert [t[0] for t in tried_of(played, since=8)] == [8, 10]


def test_a_dry_run_knows_no_more_than_its_seat_knew_then(played: Match) -> None:
    true = tuple(sorted(played.state.table.keepers["b"].wares))
    tried_of(played)
    assert [step for step, _, _ in SEEN] == ["bid", "share", "sort", "dare", "alms", "bid"]
    assert true not in {wares for _, wares, _ in SEEN} and not any(late for _, _, late in SEEN)


def test_the_questions_of_a_dry_run_can_be_read_when_it_is_over(played: Match) -> None:
    ask = orders.dry_run(played.header, played.seed, played.entries, "a", ON).tried[0].ask
    coins, _ = ask.option("bid").fields
    assert (ask.kind, ask.about, coins) == ("bid", {"round": 1}, ask_of(start().state, "a").option("bid").fields[0])


def test_a_dry_run_is_of_its_own_seat_alone(played: Match) -> None:
    found = orders.dry_run(played.header, played.seed, played.entries, "b", {})
    assert [(t.n, t.ask.kind, t.asked) for t in found.tried] == [
        (1, "bid", True), (4, "sort", True), (9, "alms", True),
    ]  # fmt: skip


# --- one answer at a time ---------------------------------------------------------------------------------------------


def test_orders_answer_by_what_can_be_read_of_them_at_the_deadline_or_before(played: Match) -> None:
    state = start().state
    SEEN.clear()
    assert orders.answer(ORDERED, state, "a", ON, Chance("x")) == Answer("bid", {"coins": 2})
    assert orders.answer(ORDERED, state, "a", {}, Chance("x"), late=True) is None
    assert [late for _, _, late in SEEN] == [False, True]
    state.table.keepers["a"].coins = 1
    assert orders.answer(ORDERED, state, "a", ON, Chance("x")) is None, "nobody bids two coins of one"
    assert orders.settings({"T-11": ON["T-11"], "T-10": "accept"}) == {"T-10": Answer("accept")}


def test_an_order_uses_a_power_when_it_is_time_and_legal(played: Match) -> None:
    state = start().state
    (accuse,) = (ask for ask in ORDERED.rules.powers.open(state, "a") if ask.kind == "accuse")
    (call,) = (ask for ask in ORDERED.rules.powers.open(state, "a") if ask.kind == "call")
    envious = {"T-11": "accuse target=b", "T-99": "nonsense in (("}
    assert orders.use(ORDERED, state, "a", accuse, envious, Chance("x")) is None, "nobody is richer"
    state.table.keepers["b"].coins += 1
    assert orders.use(ORDERED, state, "a", accuse, envious, Chance("x")) == Answer("accuse", {"target": "b"})
    assert orders.use(ORDERED, state, "a", call, envious, Chance("x")) is None
    assert orders.use(ORDERED, state, "a", accuse, {"T-11": "off"}, Chance("x")) is None
    unable = replace(ORDERED, orders=replace(ORDERED.orders, use=None))
    assert orders.use(unable, state, "a", accuse, envious, Chance("x")) is None
    wild = replace(ORDERED, orders=replace(ORDERED.orders, use=lambda *_: Answer("accuse", {"target": "a"})))
    assert orders.use(wild, state, "a", accuse, envious, Chance("x")) is None, "who accuses himself is not heard"
    state.table.keepers["a"].accused = True
    assert orders.use(ORDERED, state, "a", accuse, envious, Chance("x")) is None, "once a round"


def test_who_uses_a_power_by_order_knows_no_more_than_its_seat(played: Match) -> None:
    state, told = start().state, list[tuple[list[bool], Seat, str, list[str]]]()

    def use(seen: FairState, seat: Seat, ask: Ask, settings: Mapping[str, Answer]) -> None:
        true = [keeper.wares == state.table.keepers[s].wares for s, keeper in seen.table.keepers.items()]
        told.append((true, seat, ask.kind, list(settings)))

    watched = replace(ORDERED, orders=replace(ORDERED.orders, use=use))
    (ask, *_) = ORDERED.rules.powers.open(state, "a")
    assert orders.use(watched, state, "a", ask, ON, Chance("x")) is None
    assert told == [([True, False], "a", "call", ["T-10"])]


def test_an_order_answers_the_proposal_of_that_number(played: Match) -> None:
    match = start()
    match.play_offer(
        "b", "propose", read(f"propose target=a ware={match.state.table.keepers['b'].wares[0]} coins=1"), "", "page"
    )
    ((number, ask),) = proposals(match.state, "a")
    last = match.state.table.keepers["a"].wares[-1]
    assert orders.answer_offer(ORDERED, match.state, "a", ask, number, ON, Chance("x")) == Answer("accept", {"ware": last})
    assert orders.answer_offer(ORDERED, match.state, "a", ask, number, {"T-10": "refuse"}, Chance("x")) == Answer("refuse")
    assert orders.answer_offer(ORDERED, match.state, "a", ask, number, {}, Chance("x")) is None
    assert orders.answer_offer(ORDERED, match.state, "a", ask, number + 1, ON, Chance("x")) is None, "it is open no more"
    seen = list[bool]()
    late = replace(ORDERED, orders=replace(ORDERED.orders, answer_offer=lambda *given: seen.append(given[-1])))
    for deadline in ({"late": False}, {"late": True}, {}):
        assert orders.answer_offer(late, match.state, "a", ask, number, ON, Chance("x"), **deadline) is None
    assert seen == [False, True, False]


def test_what_may_come_and_how_one_stands_are_the_games_to_say(played: Match) -> None:
    state = start().state
    assert [(ask.seat, ask.kind) for ask in ORDERED.orders.coming(state, "a")] == [("a", "trade")]
    assert ORDERED.orders.stance(state, "a") == ",".join(state.table.keepers["a"].wares)
    assert [(ask.seat, ask.rule) for ask in ORDERED.orders.asks(state, "b")] == [("b", "T-10"), ("b", "T-11")]
    assert orders.check(ORDERED, state, "a", "T-11", read("accuse target=b")) == "accuse target=b"
    with pytest.raises(NotUnderstood, match=r"“T-123456789012345678”"):
        orders.check(ORDERED, state, "a", "T-1234567890123456789", Answer("on"))
    assert ORDERED.orders.after(state, "a", ["bid:pass"], ON) == ON


def test_the_orders_that_go_on_are_the_games_to_say_too(played: Match) -> None:
    def after(state: FairState, seat: Seat, answered: Sequence[str], orders: Mapping[str, str]) -> dict[str, str]:
        return {id: text for id, text in orders.items() if f"{seat} {id}" not in answered}

    said = replace(ORDERED, orders=replace(ORDERED.orders, after=after))
    assert said.orders.after(start().state, "a", ["a T-10", "b T-11"], ON) == {"T-11": ON["T-11"]}


def test_new_players_are_offered_the_preset_and_what_belongs_to_the_matchs_own_rules(played: Match) -> None:
    book = replace(ORDERED.orders, preset={"T-10": "refuse"}, preset_too=lambda state: {"T-11": state.table.seats[1]})
    game = replace(ORDERED, orders=book)
    assert orders.preset(game) == {"T-10": "refuse"}
    assert orders.preset(game, start().state) == {"T-10": "refuse", "T-11": "b"}


def housed(state: FairState, seat: Seat) -> list[Ask]:
    """Two orders: one that the house has set to `low`, and one that is off until somebody sets it."""
    assert seat == "a"
    ways = (Option("off"), Option("low"), Option("high", (Number("by", 0, 3), PickOne("coins", choices(["one", "two"])))))
    return [
        Ask(seat, "order_bid", ways, Answer("low"), "T-20"),
        Ask(seat, "order_alms", (Option("off"), Option("on")), Answer("off"), "T-21"),
    ]


def of_house(answers: dict[str, Answer | None], kept: dict[str, str], given: Answer, **late: bool) -> bool:
    """Whether an answer is the house's, where the orders answer so by how T-20 is set: `late` for all at the deadline."""

    def answer(state: FairState, seat: Seat, settings: Mapping[str, Answer], deadline: bool) -> Answer | None:
        assert seat == "a"
        if "alms" in answers and settings.get("T-21") == Answer("on"):
            return answers["alms"]
        said = settings.get("T-20", Answer("low"))
        return answers["late"] if deadline else answers.get(f"{said.option} {said.pick('coins')}".strip(), answers["low"])

    game = replace(ORDERED, orders=replace(ORDERED.orders, asks=housed, answer=answer))
    return orders.of_house(game, start().state, "a", kept, given, "seed", **late)


ONE, TWO, PASS = Answer("bid", {"coins": 1}), Answer("bid", {"coins": 2}), Answer("pass")


def test_what_no_setting_would_change_is_the_houses_whoever_has_set_it(played: Match) -> None:
    alike: dict[str, Answer | None] = {"low": ONE, "late": PASS}
    for kept in ({}, {"T-20": "low"}, {"T-20": "off"}, {"T-21": "on"}):
        assert of_house(alike, kept, ONE) and of_house(alike, kept, PASS, late=True)
        assert not of_house(alike, kept, TWO) and not of_house(alike, kept, ONE, late=True)


def test_what_another_setting_would_change_is_its_owners_once_he_has_set_the_order(played: Match) -> None:
    ways: list[dict[str, Answer | None]] = [
        {"off": None}, {"high two": TWO}, {"high one": PASS},
    ]  # fmt: skip
    for way in ways:
        answers = {"low": ONE, "late": PASS, **way}
        assert of_house(answers, {}, ONE) and of_house(answers, {"T-21": "on"}, ONE)
        assert not of_house(answers, {"T-20": "low"}, ONE)
        assert of_house(answers, {"T-20": "low"}, PASS, late=True), "at the deadline all answer alike"


def test_an_order_that_the_house_leaves_off_makes_no_answer_its_owners(played: Match) -> None:
    answers: dict[str, Answer | None] = {"low": ONE, "late": PASS, "alms": TWO}
    assert of_house(answers, {"T-21": "off"}, ONE) and not of_house(answers, {}, TWO)
