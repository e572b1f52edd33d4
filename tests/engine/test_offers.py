"""What stands open beside the questions, shown on the toy game: proposals, powers, exchanges, chains, answers that go back."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from engine.core import exchange, offers, procedure
from engine.core.asks import Answer, Ask, NotLegal, Number, Option, Refused, Seat, read
from engine.core.chance import Chance
from engine.core.exchange import Line
from engine.core.procedure import State, Unfinished
from engine.core.reaction_chain import Chain
from engine.core.views import Event
from engine.games import GAMES
from engine.play import cases, match, orders
from engine.play.policy import Sitter
from engine.play.run import Run
from engine.tools import playout
from engine.tools.simulated_table import answer_offers, unsealed
from tests.toy_game import FAIR, Dice, FairState, Trade, setup


def fair(n: int = 3, seed: str = "fair") -> FairState:
    state = setup(list("abcd"[:n]), {}, Chance(seed))
    procedure.begin(state)
    return state


def use(state: FairState, seat: Seat, kind: str, text: str, number: int = 0) -> list[Event]:
    answer = match.check_offer(FAIR, state, seat, kind, read(text), number)
    return match.run_offer(FAIR, state, seat, kind, answer, number)


def propose(state: FairState, by: Seat, to: Seat, coins: int = 0) -> int:
    ware = state.table.keepers[by].wares[0]
    (event,) = use(state, by, "propose", f"propose target={to} ware={ware} coins={coins}")
    return int(event.facts["number"])


def refused(state: FairState, seat: Seat, kind: str, text: str, number: int = 0) -> str:
    before = FAIR.rules.encode(state)
    with pytest.raises(Refused) as refusal:
        use(state, seat, kind, text, number)
    assert FAIR.rules.encode(state) == before
    return str(refusal.value)


# --- proposals --------------------------------------------------------------------------------------------------------


def test_a_proposal_reaches_its_addressee_and_nobody_else() -> None:
    state = fair()
    number = propose(state, "a", "b")
    ((n, ask),) = offers.proposals(state, "b")
    assert n == number and (ask.seat, ask.kind, ask.about["by"]) == ("b", "trade", "a")
    assert [o.id for o in ask.options] == ["accept", "refuse", "counter"] and ask.default == Answer("refuse")
    assert offers.proposals(state, "a") == offers.proposals(state, "c") == []
    assert [(n, a.default.option) for n, a in offers.own(state, "a")] == [(number, "withdraw")]
    assert "no longer open" in refused(state, "c", "trade", "refuse", number)
    assert state.waiting == ["a", "b", "c"] and state.serial == 1, "it holds nothing up"


def test_who_accepts_after_a_withdrawal_means_the_one_he_saw() -> None:
    state = fair()
    first = propose(state, "a", "b")
    assert [e.kind for e in use(state, "a", "trade", "withdraw", first)] == ["withdrawn"]
    state.table.keepers["a"].proposed = False
    second = propose(state, "a", "b", coins=2)
    ware = state.table.keepers["b"].wares[0]
    assert first != second and "no longer open" in refused(state, "b", "trade", f"accept ware={ware}", first)
    use(state, "b", "trade", f"accept ware={ware}", second)
    assert state.table.keepers["a"].coins == 8 and offers.on(state.table) == []


def test_two_proposals_of_one_kind_are_told_apart() -> None:
    state = fair()
    one, two = propose(state, "a", "c"), propose(state, "b", "c", coins=1)
    assert [n for n, _ in offers.proposals(state, "c")] == [one, two]
    use(state, "c", "trade", "refuse", two)
    assert [n for n, _ in offers.proposals(state, "c")] == [one]


def test_numbers_tell_nobody_of_proposals_behind_his_back() -> None:
    quiet, busy = fair(4), fair(4)
    for to in "cd":
        busy.table.keepers["a"].proposed = False
        propose(busy, "a", to)
    busy.table.keepers["a"].proposed = False
    assert propose(busy, "a", "b") == propose(quiet, "a", "b")
    assert offers.circle_of(offers.on(quiet.table)[0].number, "abcd") == ("a", "b")
    assert offers.circle_of(3 * offers.CIRCLE, "abcd") is None


def test_a_proposal_ends_with_its_moment() -> None:
    state = fair(2)
    number = propose(state, "a", "b")
    events: list[Event] = []
    while state.stack[0].round == 1:  # type: ignore[union-attr]  # a round lies at the bottom
        seat = state.waiting[0]
        events += procedure.play(state, seat, procedure.ask_of(state, seat).default)
    assert [(e.only, e.facts["number"]) for e in events if e.kind == "lapsed"] == [(("a", "b"), number)]
    assert offers.proposals(state, "b") == []


def test_a_proposal_to_all_is_taken_by_the_first_or_answered_by_each() -> None:
    class Round(Trade):
        def take(self, table: object, seat: Seat, answer: Answer) -> None:
            if answer.option == "accept":
                self.to = []

    state = fair()
    number = offers.put(state.table, Round(by="a", to=["b", "c"], ware="ale"))
    assert number % offers.CIRCLE == 0
    offers.take(state, "b", number, Answer("refuse"))
    assert [len(offers.proposals(state, s)) for s in "bc"] == [0, 1]
    offers.take(state, "c", number, Answer("accept"))
    assert offers.on(state.table) == []
    again = offers.put(state.table, Round(by="a", to=["b", "c"], ware="ale"))
    offers.take(state, "c", again, Answer("accept"))
    assert offers.on(state.table) == [] and again == 2 * offers.CIRCLE


@pytest.mark.parametrize(
    ("to", "only", "told"),
    [
        ([], None, "a proposal of a to [] is put to nobody who could answer it"),
        (["a"], None, "a proposal of a to ['a'] is put to nobody who could answer it"),
        (["x"], None, "a proposal of a to ['x'] is put to nobody who could answer it"),
        (["b"], ["a", "b", "x"], "a proposal of a to ['b'] is put to nobody who could answer it"),
        (["b"], ["a"], "a proposal of a to ['b'] has to be known to them all, not to ['a']"),
        (["b"], ["b"], "a proposal of a to ['b'] has to be known to them all, not to ['b']"),
    ],
)
def test_a_proposal_that_nobody_could_answer_is_a_mistake(to: list[str], only: list[str] | None, told: str) -> None:
    table = fair().table
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        offers.put(table, Trade(by="a", to=to, only=only, ware="ale"))
    assert (table.proposals.open, table.proposals.counted) == ([], {})


def test_what_is_answered_to_a_proposal_is_checked_by_whom_it_is_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trade, "terms", lambda _self, table: (Number("coins", 0, len(table.keepers) - 1),))
    state = fair()
    number = propose(state, "a", "b", coins=1)
    own = state.table.keepers["b"].wares[0]
    for seat, text, checked in (
        ("b", f"accept ware=[{own}]", Answer("accept", {"ware": own})),
        ("b", f"counter mine={own} coins=2", Answer("counter", {"mine": own, "coins": 2})),
        ("a", "withdraw", Answer("withdraw")),
        ("a", "amend coins=2", Answer("amend", {"coins": 2})),
    ):
        assert offers.checked(state, seat, number, read(text)) == checked
    gone = "That proposal is no longer open: it was answered or withdrawn, or its time is over."
    for seat, text, n, told in (
        ("c", "refuse", number, gone),
        ("b", "refuse", number + offers.CIRCLE, gone),
        ("b", "withdraw", number, "“withdraw” is not open to you here. You can: accept, refuse, counter."),
        ("a", "accept", number, "“accept” is not open to you here. You can: withdraw, amend."),
        ("a", "amend coins=1", number, "It is put for as many coins already; amend it to another number."),
        ("a", "amend coins=3", number, "“coins” is 3; it must be from 0 to 2."),
    ):
        assert refused(state, seat, "trade", text, n) == told
    state.table.keepers["b"].coins = 0
    assert refused(state, "b", "trade", f"accept ware={own}", number).startswith("B can't give 1 coin, having 0 before")


def test_what_changes_the_table_drops_weeds_and_ends_what_lies_on_it() -> None:
    class Fickle(Trade):
        def stands(self, table: Any) -> bool:
            return self.ware != "ale"

        def lapse(self, table: Any, how: str) -> None:
            table.news.append(Event("lapsed", {"number": self.number, "how": how}))

    table = fair().table
    one, two, three, four = (
        offers.put(table, Fickle(by="a", to=["b", "c"], until=until, ware=ware))
        for ware, until in (("ale", ""), ("ink", "noon"), ("ink", ""), ("ale", ""))
    )
    assert offers.addressed(table) == offers.addressed(table, "trade") == ["b", "c"] and offers.addressed(table, "x") == []
    table.proposals.open[3].to = []  # it is being taken just now
    offers.weed(table)
    offers.end(table, "noon")
    offers.drop(table, three, "rain")
    offers.drop(table, three, "rain")
    assert [(e.facts["number"], e.facts["how"]) for e in table.news] == [(one, "void"), (two, "noon"), (three, "rain")]
    assert [p.number for p in offers.on(table)] == [four]
    assert [offers.found(table, n) for n in (one, four)] == [None, table.proposals.open[0]]


def test_a_power_can_refuse_what_fields_cannot_say() -> None:
    state = fair()
    state.table.keepers["b"].coins = 1
    ware = state.table.keepers["a"].wares[0]
    assert "more coins than he has" in refused(state, "a", "propose", f"propose target=b ware={ware} coins=2")


# --- an exchange ------------------------------------------------------------------------------------------------------


def test_an_exchange_is_done_whole_or_not_at_all() -> None:
    state = fair()
    number = propose(state, "a", "b", coins=2)
    state.table.keepers["b"].coins = 1
    ware = state.table.keepers["b"].wares[0]
    assert "B can't give 2 coin, having 1" in refused(state, "b", "trade", f"accept ware={ware}", number)
    assert [n for n, _ in offers.proposals(state, "b")] == [number], "it stands still"


def test_an_exchange_is_judged_on_the_position_before() -> None:
    purse = {"a": 1, "b": 0}

    def hand(line: Line) -> None:
        purse[line.giver] -= line.amount
        purse[line.taker] += line.amount

    with pytest.raises(NotLegal, match="B can't give 1 coin"):
        exchange.execute([Line("a", "b", "coin"), Line("b", "a", "coin")], lambda seat, _: purse[seat], hand)
    with pytest.raises(NotLegal, match="A can't give 2 coin, having 1"):
        exchange.execute([Line("a", "b", "coin"), Line("a", "b", "coin")], lambda seat, _: purse[seat], hand)
    for line in (Line("a", "a", "coin"), Line("a", "b", "coin", 0)):
        with pytest.raises(NotLegal, match="isn't a line of an exchange"):
            exchange.execute([line], lambda seat, _: purse[seat], hand)
    assert purse == {"a": 1, "b": 0}
    exchange.execute([Line("a", "b", "coin")], lambda seat, _: purse[seat], hand)
    assert purse == {"a": 0, "b": 1}


# --- sealed answers when the table changes ----------------------------------------------------------------------------


def test_a_sealed_answer_that_a_trade_made_impossible_goes_back_and_the_rest_stay() -> None:
    state = fair()
    number = propose(state, "a", "b")
    ware, his = (state.table.keepers[s].wares[0] for s in "ab")
    procedure.play(state, "a", read(f"bid coins=2 ware={ware}"))
    procedure.play(state, "c", read("bid coins=1"))
    use(state, "b", "trade", f"accept ware={his}", number)
    assert (state.waiting, set(state.sealed), state.serial) == (["a", "b"], {"c"}, 1)
    assert state.returned == [(1, "a")]
    procedure.play(state, "a", read(f"bid coins=2 ware={his}"))
    events = procedure.play(state, "b", Answer("pass"))
    assert events[0] == Event("bids", {"bids": {"a": 2, "c": 1}})


def test_a_step_goes_on_when_a_change_leaves_nobody_to_ask() -> None:
    state = fair(2)
    state.table.keepers["a"].coins = 2
    number = propose(state, "b", "a", coins=2)
    procedure.play(state, "b", Answer("pass"))
    ware = state.table.keepers["a"].wares[0]
    events = use(state, "a", "trade", f"accept ware={ware}", number)
    assert [e.kind for e in events] == ["traded", "bids"], "who has no coins bids nothing, and the other's answer was in"
    assert state.stack[-1].step == "sort"


# --- chains -----------------------------------------------------------------------------------------------------------


def test_a_chain_freezes_everything_else_and_the_question_beneath_goes_on() -> None:
    state = fair(4)
    number = propose(state, "c", "d")
    procedure.play(state, "b", read("bid coins=6"))
    procedure.play(state, "c", read("bid coins=1"))
    events = use(state, "a", "accuse", "accuse target=b")
    assert [e.kind for e in events] == ["accused"]
    assert (state.stack[-1].step, state.waiting, state.serial) == ("judge", ["c", "d"], 2)
    assert procedure.waits(state, "a", "trade") and all(offers.proposals(state, s) == [] for s in "abcd")
    assert "Something else comes first" in refused(state, "d", "trade", "refuse", number)
    assert "Something else comes first" in refused(state, "b", "accuse", "accuse target=a")
    assert procedure.play(state, "d", Answer("guilty")) == [] and set(state.sealed) == {"d"}
    events = procedure.play(state, "c", Answer("guilty"))
    assert events == [Event("judged", {"seat": "b", "fine": 1})]
    assert (state.stack[-1].step, state.serial, state.waiting, set(state.sealed)) == ("bid", 1, ["a", "b", "d"], {"c"})
    assert state.stack[-1].came == "guilty" and state.returned == [(1, "b")]
    assert [n for n, _ in offers.proposals(state, "d")] == [number]
    for seat in "abd":
        procedure.play(state, seat, Answer("pass"))
    assert state.serial == 3, "a number is given once"


def test_a_chain_in_order_asks_one_after_the_other_until_one_closes_it() -> None:
    class Toll(Chain):
        kind = "pay"
        in_order = True

        def _announce(self, table: object) -> list[Seat]:
            return ["c", "a", "b"]

        def _ask(self, table: object, seat: Seat) -> Ask:
            return procedure.yes_no(seat, "pay", "T-09", about={"so_far": list(self.said)})

        def _closes(self, table: object, seat: Seat, answer: Answer) -> bool:
            return answer.option == "yes"

    state = fair()
    state.stack.append(Toll())  # type: ignore[arg-type]  # not one of the toy's steps
    procedure.disturbed(state, 1)
    assert state.waiting == ["c"]
    procedure.play(state, "c", Answer("no"))
    assert state.waiting == ["a"] and procedure.ask_of(state, "a").about == {"so_far": ["c"]}
    procedure.play(state, "a", Answer("yes"))
    assert (state.stack[-1].step, state.serial, state.waiting) == ("bid", 1, ["a", "b", "c"])


def test_a_chain_needs_a_name_for_its_question() -> None:
    with pytest.raises(Unfinished, match="no name for the question"):

        class Nameless(Chain):
            kind = "resolve"


def test_a_chain_that_lists_somebody_and_asks_nothing_is_unfinished() -> None:
    class Mute(Chain):
        kind = "mute"

        def _announce(self, table: Any) -> list[str]:
            return list(table.seats)

    state: State[Any, Any] = State(fair(2).table, [Mute()])
    procedure.begin(state)
    with pytest.raises(Unfinished, match=r"^Mute: a chain that lists somebody has to ask something\.$"):
        procedure.ask_of(state, "a")


def test_a_chain_of_nobody_is_resolved_at_once() -> None:
    state = fair(2)
    assert [e.kind for e in use(state, "a", "accuse", "accuse target=b")] == ["accused", "judged"]
    assert (state.stack[-1].step, state.serial, state.waiting) == ("bid", 1, ["a", "b"])


# --- one by one, once more --------------------------------------------------------------------------------------------


def test_an_each_step_asks_one_seat_again_without_a_new_number() -> None:
    state = fair()
    while state.stack[-1].step != "alms":
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    serial = state.serial
    procedure.play(state, "b", read("give coins=[own1]"))
    assert (state.waiting, state.serial) == (["a", "b", "c"], serial), "one coin: he is asked for another"
    procedure.play(state, "b", read("give coins=[own1]"))
    assert state.waiting == ["a", "c"] and state.table.bank == 2


def test_an_interruption_of_an_each_step_leaves_the_others_their_question() -> None:
    state = fair()
    while state.stack[-1].step != "alms":
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    serial = state.serial
    procedure.play(state, "a", Answer("none"))
    use(state, "b", "call", "call target=c")
    procedure.play(state, "c", Answer("no"))
    assert (state.stack[-1].step, state.serial, state.waiting) == ("alms", serial, ["b", "c"])


# --- bots, orders, cases ----------------------------------------------------------------------------------------------


def test_bots_propose_and_answer_in_games_on_the_bare_engine() -> None:
    tally = playout.run(FAIR, 4, 12, "haggle")
    assert (tally.errors, tally.stalls, tally.faults) == (0, 0, [])
    traded = 0
    for number in range(30):
        state = fair(4, f"haggle/{number}")
        before = {s: sorted(k.wares) for s, k in state.table.keepers.items()}
        run = between_bots(state, "random", str(number))
        answer_offers(run)
        traded += any(sorted(run.known_to(s).table.keepers[s].wares) != wares for s, wares in before.items())
        assert not run.proposals(), "a bot lets no proposal lie"
    assert traded


def between_bots(state: FairState, bot: str, seed: str = "x") -> Run:
    return Run(unsealed(FAIR, state), seats={seat: Sitter(bot=bot) for seat in state.table.seats}, chance=Chance(seed))


def test_a_bot_without_a_mind_of_its_own_answers_safely_and_uses_nothing() -> None:
    state = fair()
    propose(state, "a", "b")
    run = between_bots(state, "plain")
    assert answer_offers(run) == 1
    assert not run.proposals() and state.table.keepers["b"].wares == fair().table.keepers["b"].wares


def test_a_standing_order_answers_a_proposal_and_nothing_illegal() -> None:
    def obey(state: FairState, seat: Seat, ask: Ask, set_: object, late: bool) -> Answer | None:
        return Answer("accept", {"ware": "moon"}) if late else Answer("refuse")

    game = replace(FAIR, orders=replace(FAIR.orders, answer_offer=obey))
    state = fair()
    propose(state, "a", "b")
    ((number, ask),) = offers.proposals(state, "b")
    assert orders.answer_offer(game, state, "b", ask, number, {}, Chance("x")) == Answer("refuse")
    assert orders.answer_offer(game, state, "b", ask, number, {}, Chance("x"), late=True) is None
    assert orders.answer_offer(FAIR, state, "b", ask, number, {}, Chance("x")) is None


CASE = """case: T-07
game: fair
rules: T-07
shows: a trade
given
  fresh: a b c
  chance stock: ale, bread, cloth
moves
  offer a propose: propose target=b ware=ale
  refused offer c trade: accept ware=ale | not open to you
  refused offer b trade: accept ware=moon | moon
  offer b trade: refuse
  offer b accuse: accuse target=a
expect
  event: proposed
  event: accused
  open a: nothing
  told a refused: refused
"""


def test_a_case_tells_an_offers_news_and_tests_its_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)
    assert cases.run_text(CASE) == []
    (fault,) = cases.run_text(CASE.replace("| not open to you", "| too dear"))
    assert "is refused with other words" in fault and "not open" in fault
    (fault,) = cases.run_text(CASE.replace("refused offer c trade", "offer c trade").replace(" | not open to you", ""))
    assert "is refused" in fault


def test_a_case_names_a_proposal_by_its_number_where_several_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)
    twice = CASE.replace("  refused offer b", "  offer c propose: propose target=b ware=ink\n  refused offer b")
    told = " ".join(cases.run_text(twice))
    first, second = re.findall(r"trade#\d+", told.partition("several of that kind are open; write one of")[2])[:2]
    assert first != second
    assert cases.run_text(twice.replace("offer b trade:", f"offer b {first}:")) == []
    (fault,) = cases.run_text(twice.replace("offer b trade:", f"offer b {second}:"))
    assert "a is not told “refused”" in fault, "it was c's"


def test_what_may_be_amended_is_asked_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    state = fair()
    propose(state, "a", "b")
    monkeypatch.setattr(Trade, "terms", lambda _self, table: (Number("coins", 0, len(table.keepers)),))
    ((_, ask),) = offers.own(state, "a")
    assert [o.id for o in ask.options] == ["withdraw", "amend"]
    assert ask.option("amend").fields == (Number("coins", 0, 3),)


def test_a_proposal_that_waits_for_a_safe_point_is_answered_ahead_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    state = fair()
    number = propose(state, "a", "b")
    monkeypatch.setattr(offers, "waits", lambda _state, seat, kind: (seat, kind) in (("a", "trade"), ("b", "trade")))
    for seat, answer in (("b", Answer("refuse")), ("a", Answer("withdraw"))):
        with pytest.raises(NotLegal, match="Something else comes first"):
            match.check_offer(FAIR, state, seat, "trade", answer, number)
        with pytest.raises(NotLegal, match="Something else comes first"):
            offers.checked(state, seat, number, answer)
        assert match.check_offer(FAIR, state, seat, "trade", answer, number, ahead=True) == answer
    assert offers.proposals(state, "b") == offers.own(state, "a") == []
    assert [n for n, _ in (*offers.proposals(state, "b", ahead=True), *offers.own(state, "a", ahead=True))] == [number, number]


def test_its_proposer_sees_what_he_has_put_and_to_whom() -> None:
    state = fair()
    propose(state, "a", "b", coins=1)
    ((_, ask),) = offers.own(state, "a")
    ware = state.table.keepers["a"].wares[0]
    assert (ask.seat, ask.kind, ask.rule, ask.default) == ("a", "trade", "T-07", Answer("withdraw"))
    assert ask.about == {"by": "a", "ware": ware, "coins": 1, "to": ["b"]}
    assert [o.id for o in ask.options] == ["withdraw", "amend"]


def test_a_plain_proposal_is_accepted_or_refused_and_refused_when_time_is_up() -> None:
    class Plea(offers.Proposal):
        kind: ClassVar[str] = "plea"
        rule: ClassVar[str] = "T-99"

    plea, table = Plea(by="a", to=["b"]), fair().table
    assert plea.stands(table) and plea.terms(table) == () and plea.amended(table, Answer("amend")) is plea
    ask = plea.ask(table, "b")
    state = fair()
    offers.put(state.table, plea)
    assert [[option.id for option in own.options] for _, own in offers.own(state, "a")] == [["withdraw"]]
    assert (ask.seat, ask.kind, ask.rule, ask.default) == ("b", "plea", "T-99", Answer("refuse"))
    assert [o.id for o in ask.options] == ["accept", "refuse"] and ask.about == {"by": "a"}


class Dare(offers.Proposal):
    """Whoever accepts it plays at dice with its proposer."""

    kind: ClassVar[str] = "daring"

    def take(self, table: Any, seat: Seat, answer: Answer) -> Dice | None:
        return Dice(caller=self.by, called=seat) if answer.option == "accept" else None


def test_what_an_accepted_proposal_opens_lies_on_the_stack_and_runs_first() -> None:
    state = fair()
    under = state.stack[-1]
    number = offers.put(state.table, Dare(by="a", to=["b", "c"]))
    offers.take(state, "b", number, Answer("refuse"))
    (left,) = offers.on(state.table)
    assert state.stack == [under] and left.to == ["c"]
    offers.take(state, "c", number, Answer("accept"))
    assert state.stack == [under, Dice(caller="a", called="c")] and offers.found(state.table, number) is None


def test_proposals_that_left_nothing_but_their_numbers_are_counted() -> None:
    state = fair()
    offers.skip(state.table, ("b", "a"), 2)
    assert state.table.proposals.counted == {0b011: 2}
    offers.skip(state.table, ("a", "b"), 1)
    offers.skip(state.table, ("a", "c"), 4)
    assert state.table.proposals.counted == {0b011: 3, 0b101: 4}
    assert propose(state, "a", "b") == 4 * offers.CIRCLE + 0b011


def test_what_went_back_is_kept_from_every_step() -> None:
    state = fair()
    state.returned = [(0, "c")]
    number = propose(state, "a", "b")
    ware, his = (state.table.keepers[s].wares[0] for s in "ab")
    procedure.play(state, "a", read(f"bid coins=2 ware={ware}"))
    use(state, "b", "trade", f"accept ware={his}", number)
    assert state.returned == [(0, "c"), (1, "a")]


def test_who_is_asked_again_is_not_asked_beside_one_who_was_done() -> None:
    state = fair(4)
    while state.stack[-1].step != "alms":
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    procedure.play(state, "a", Answer("none"))
    procedure.play(state, "c", read("give coins=[own1]"))
    assert state.waiting == ["b", "c", "d"]


def test_a_parked_step_keeps_whom_it_waits_for_and_what_is_sealed() -> None:
    state = fair()
    procedure.play(state, "c", Answer("pass"))
    use(state, "a", "call", "call target=b")
    (parked,) = state.parked
    assert (parked.depth, parked.serial, parked.waiting, parked.sealed) == (1, 1, ["a", "b"], {"c": Answer("pass")})


def test_a_power_waits_for_its_own_seat_alone() -> None:
    """Whether a power has to wait is asked for the seat that has it."""
    state = fair()
    asked = []

    class Watched(type(state.stack[-1])):  # type: ignore[misc]  # it is the class of whatever lies on top
        def waits(self, table: Any, seat: Seat, kind: str) -> bool:
            asked.append((seat, kind))
            return bool(seat == "b")

    state.stack[-1] = Watched(step=state.stack[-1].step)
    listed = [*FAIR.rules.powers.open(state, "a"), *FAIR.rules.powers.open(state, "b")]
    assert {ask.seat for ask in listed} == {"a", "b"}
    assert {ask.seat for ask in offers.powers(state, listed)} == {"a"} and {seat for seat, _ in asked} == {"a", "b"}


def test_of_proposals_and_their_numbers_a_seat_keeps_those_of_its_circles() -> None:
    state = fair()
    propose(state, "a", "b")
    propose(state, "b", "c", coins=1)
    offers.put(state.table, Trade(by="c", to=["a"], ware="ale"))  # before all
    desk = state.table.proposals
    assert desk.counted == {0b011: 1, 0b110: 1, 0: 1}
    for seat, masks in (("a", {0, 0b011}), ("b", {0, 0b011, 0b110}), ("c", {0, 0b110}), (None, {0})):
        seen = copy.deepcopy(desk)
        seen.hide(state.table.seats, seat)
        assert seen.counted.keys() == masks and len(seen.open) == len(masks)


class Counsel(Chain):
    """Two are asked in order, and nothing that either says ends it."""

    kind: ClassVar[str] = "counsel"
    in_order: ClassVar[bool] = True

    def _announce(self, table: Any) -> list[Seat]:
        return ["c", "a"]

    def _ask(self, table: Any, seat: Seat) -> Ask:
        return Ask(seat, "counsel", (Option("speak"),), Answer("speak"), "T-11")


def test_a_chain_in_order_asks_all_who_are_listed_where_nothing_ends_it_before() -> None:
    state: procedure.State[Any, Any] = procedure.State(fair().table, [Counsel()])
    procedure.begin(state)
    assert state.waiting == ["c"]
    procedure.play(state, "c", Answer("speak"))
    assert state.waiting == ["a"]
    procedure.play(state, "a", Answer("speak"))
    assert state.stack == []


def test_what_takes_the_place_of_a_proposal_is_made_at_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    state, true, seen = fair(), Trade.amended, list[bool]()

    def amended(self: Trade, table: Any, answer: Answer) -> Trade:
        seen.append(table is state.table)
        return true(self, table, answer)

    monkeypatch.setattr(Trade, "amended", amended)
    use(state, "a", "trade", "amend coins=2", propose(state, "a", "b"))
    assert seen == [True, True] and [p.coins for p in offers.on(state.table)] == [2]
