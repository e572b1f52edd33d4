"""The kernel's stack of procedures, shown on the toy game."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from engine.core import procedure
from engine.core.asks import Answer, Ask, NotLegal, NotUnderstood, Option
from engine.core.chance import Chance
from engine.core.procedure import Asking, Automatic, Call, Done, Next, Procedure, Shut, State, Unfinished, yes_no
from engine.core.views import Event
from engine.games import game_called, game_of_position
from engine.language.words import plain
from tests.toy_game import FAIR, Dice, FairState, setup


def fair(n: int = 3, seed: str = "fair") -> FairState:
    state = setup(list("abcd"[:n]), {}, Chance(seed))
    procedure.begin(state)
    return state


def passes(state: FairState) -> list[Event]:
    events: list[Event] = []
    for seat in list(state.waiting):
        events = procedure.play(state, seat, Answer("pass"))
    return events


def test_beginning_runs_to_the_first_ask_and_tells_what_happened() -> None:
    state = setup(list("ab"), {}, Chance("x"))
    events = procedure.begin(state)
    assert [e.kind for e in events] == ["dealt", "dealt_own", "dealt", "dealt_own", "round"]
    assert (state.waiting, state.serial, state.table.news) == (["a", "b"], 1, [])


def test_answers_of_several_seats_are_sealed_until_the_last_is_in() -> None:
    state = fair()
    assert procedure.play(state, "b", Answer("bid", {"coins": 2})) == []
    assert state.waiting == ["a", "c"] and state.table.keepers["b"].coins == 6
    assert procedure.play(state, "a", Answer("pass")) == []
    events = procedure.play(state, "c", Answer("bid", {"coins": 1}))
    assert events[0] == Event("bids", {"bids": {"b": 2, "c": 1}})
    assert state.waiting == ["b"] and state.sealed == {} and state.serial == 2


def test_answers_come_in_seat_order_whoever_was_first() -> None:
    one, two = fair(), fair()
    for seat in "abc":
        procedure.play(one, seat, Answer("bid", {"coins": 3}))
    for seat in "cba":
        procedure.play(two, seat, Answer("bid", {"coins": 3}))
    assert one == two


def test_an_each_step_takes_answers_one_by_one_and_stays_one_ask() -> None:
    state = fair()
    passes(state)
    while procedure.asks(state) and state.stack[-1].step != "alms":
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    serial = state.serial
    assert procedure.play(state, "c", Answer("give", {"coins": ["own1", "own2"]})) == [Event("alms", {"seat": "c", "coins": 2})]
    assert (state.table.bank, state.waiting, state.serial, state.sealed) == (2, ["a", "b"], serial, {})
    assert procedure.ask_of(state, "a").about == {"given": ["c"]}
    procedure.play(state, "a", Answer("none"))
    procedure.play(state, "b", Answer("none"))
    assert state.stack[-1].step == "bid" and state.serial == serial + 1


def test_an_each_step_can_be_left_before_all_have_answered() -> None:
    state = fair()
    passes(state)
    for seat in "abc":
        procedure.play(state, seat, Answer("sort", {"order": state.table.keepers[seat].wares[::-1]}))
    procedure.play(state, "b", Answer("refuse"))
    assert state.stack[-1].step == "bid" and state.waiting == ["a", "b", "c"]


def test_a_step_that_asks_nobody_is_taken_with_no_answers() -> None:
    state = fair(2)
    for keeper in state.table.keepers.values():
        keeper.coins = 0
    state.stack[-1].step = "next"
    events = procedure.begin(state)
    assert [e.kind for e in events] == ["round", "bids"] and state.stack[-1].step == "sort"


def test_a_power_interrupts_and_the_step_goes_on_afterwards() -> None:
    state = fair()
    procedure.play(state, "c", Answer("bid", {"coins": 4}))
    FAIR.rules.powers.use(state, "b", "call", Answer("call", {"target": "a"}))
    procedure.disturbed(state, 1)
    assert isinstance(state.stack[-1], Dice) and (state.waiting, state.sealed, state.serial) == (["a"], {}, 2)
    procedure.play(state, "a", Answer("yes"))
    assert state.stack[-1].step == "bid" and (state.waiting, set(state.sealed), state.serial) == (["a", "b"], {"c"}, 1)
    assert state.stack[-1].came == "played"


def test_refusals_are_sentences_and_change_nothing() -> None:
    state = fair()
    before = FAIR.rules.encode(state)
    for seat, answer, words in (
        ("d", Answer("pass"), "no question for you right now"),
        ("a", Answer("fly"), "You can: pass, bid"),
        ("a", Answer("bid", {"coins": 7}), "from 1 to 6"),
        ("a", Answer("bid", {"coins": 5}), "a ware shown"),
    ):
        with pytest.raises(NotLegal, match=words):
            procedure.play(state, seat, answer)
    with pytest.raises(NotLegal, match="Seat d is not asked here"):
        procedure.play(state, "d", Answer("pass"), trusted=True)
    assert FAIR.rules.encode(state) == before
    procedure.play(state, "a", Answer("pass"))
    with pytest.raises(NotLegal, match="no question for you right now"):
        procedure.play(state, "a", Answer("pass"))


def test_the_game_is_over_with_a_team_or_a_draw() -> None:
    state = fair(4)
    state.table.keepers["b"].coins += 1
    while state.waiting:
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    assert state.table.outcome == procedure.Outcome(("b", "d"), "purse")
    state = fair(2)
    while state.waiting:
        procedure.play(state, state.waiting[0], procedure.ask_of(state, state.waiting[0]).default)
    assert state.table.outcome == procedure.Outcome((), "draw")
    assert state.waiting == [] and procedure.asks(state) == {}


def test_yes_or_no_is_an_ask() -> None:
    ask = procedure.yes_no("a", "dare", "T-05")
    assert [o.id for o in ask.options] == ["yes", "no"] and ask.default == Answer("no")
    assert (ask.seat, ask.kind, ask.rule, ask.about) == ("a", "dare", "T-05", {})
    assert procedure.yes_no("a", "dare", "T-05", "yes", {"by": "b"}).about == {"by": "b"}


def test_an_event_is_told_to_everyone_or_only_or_but() -> None:
    assert [Event("x").seen_by(s) for s in ("a", "b", None)] == [True, True, True]
    assert [Event("x", {}, ("a",)).seen_by(s) for s in ("a", "b", None)] == [True, False, False]
    assert [Event("x", {}, None, ("a",)).seen_by(s) for s in ("a", "b", None)] == [False, True, True]


def test_games_are_called_by_name_and_rules_version() -> None:
    assert game_called("ortus", 1).title == "Ortus Regni"
    with pytest.raises(NotUnderstood, match="no game called “chess”; there is: ortus"):
        game_called("chess")
    with pytest.raises(NotUnderstood, match="has no rules version 9 here; this program plays all up to 1"):
        game_called("ortus", 9)
    assert game_of_position("# a note\n\nortus: 1\n").name == "ortus"
    with pytest.raises(NotUnderstood, match="empty"):
        game_of_position("# nothing\n")


# --- the steps of a procedure, found as its class is made -------------------------------------------------------------


def made() -> tuple[type[Procedure], type[Procedure]]:  # noqa: C901  (the methods of two classes)
    """Two procedures, made anew: the second has what the first has, and more."""

    class Base(Procedure):
        each: ClassVar[frozenset[str]] = frozenset({"asked"})

        def begin(self, table: Any) -> Next:
            return "asked"

        def who_asked(self, table: Any) -> list[str]:
            return ["a"]

        def ask_asked(self, table: Any, seat: str) -> Ask:
            return yes_no(seat, "asked", "T-00")

        def take_asked(self, table: Any, answers: dict[str, Answer]) -> Next:
            return Done()

        def vet_asked(self, table: Any, seat: str, answer: Answer) -> None:
            """Nothing to say."""

        def explain_asked(self, table: Any, seat: str, answer: Answer) -> None:
            """Nothing either."""

        def again_asked(self, table: Any) -> list[str]:
            return ["a"]

        def go_on(self, table: Any) -> Next:
            return Done()

        def who(self, table: Any) -> Next:
            return Done()

        def helper(self, table: Any) -> int:
            return 1

        def _begin(self, table: Any) -> Next:
            return "begin"

        ask_who: ClassVar[int] = 3

    class Plainer(Base):
        each: ClassVar[frozenset[str]] = frozenset()

        def begin(self, table: Any) -> Next:
            return Done("plain")

        def who_other(self, table: Any) -> list[str]:
            return []

        def ask_other(self, table: Any, seat: str) -> Ask:
            return yes_no(seat, "other", "T-00")

        def take_other(self, table: Any, answers: dict[str, Answer]) -> Next:
            return Done()

    return Base, Plainer


def test_a_procedure_has_the_steps_that_its_methods_make() -> None:
    base, plainer = made()
    first, second = vars(base), vars(plainer)
    who, ask, take, vet, explain = (first[f"{part}_asked"] for part in ("who", "ask", "take", "vet", "explain"))
    assert base.steps.keys() == {"begin", "asked", "go_on", "who"}
    assert base.steps["begin"] == Automatic("begin", first["begin"])
    assert base.steps["asked"] == Asking("asked", who, ask, take, vet, explain, True, first["again_asked"])
    assert plainer.steps.keys() == {"begin", "asked", "go_on", "who", "other"}
    assert plainer.steps["begin"] == Automatic("begin", second["begin"])
    assert plainer.steps["asked"] == Asking("asked", who, ask, take, vet, explain, False, first["again_asked"])
    who, ask, take = (second[f"{part}_other"] for part in ("who", "ask", "take"))
    assert plainer.steps["other"] == Asking("other", who, ask, take, None, None, False, None)


def begin(self: Any, table: Any) -> Next:
    return Done()


def seats_of(self: Any, table: Any) -> list[str]:
    return []


def ask(self: Any, table: Any, seat: str) -> Ask:
    return yes_no(seat, "asked", "T-00")


def take(self: Any, table: Any, answers: dict[str, Answer]) -> Next:
    return Done()


def without_table(self: Any) -> Next:
    return Done()


WHOLE = {"who_asked": seats_of, "ask_asked": ask, "take_asked": take}


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ({**WHOLE}, "Wrong, step “begin”: it is missing; every procedure starts with it."),
        (
            {"begin": begin, "who_asked": seats_of},
            "Wrong, step “asked”: it has who_asked, but no ask_asked and take_asked.",
        ),
        (
            {"begin": begin, "who_asked": seats_of, "take_asked": take},
            "Wrong, step “asked”: it has who_asked and take_asked, but no ask_asked.",
        ),
        (
            {"begin": begin, "vet_asked": seats_of},
            "Wrong, step “vet_asked”: it takes other arguments than a step is given: self, table, seat or answers, answer.",
        ),
        (
            {"begin": begin, **WHOLE, "ask_asked": seats_of},
            "Wrong, step “ask_asked”: it takes other arguments than a step is given: self, table, seat or answers.",
        ),
        ({"begin": without_table}, "Wrong, step “begin”: it takes other arguments than a step is given: self, table."),
        ({"begin": begin, **WHOLE, "asked": begin}, "Wrong, step “asked”: it can't ask and be automatic too."),
        (
            {"begin": begin, **WHOLE, "each": frozenset({"zeal", "asked", "strange"})},
            "Wrong, step “strange”: `each` lists it, but there is no such asking step.",
        ),
    ],
)
def test_a_procedure_that_can_not_be_run_says_what_is_wrong(methods: dict[str, Any], words: str) -> None:
    with pytest.raises(Unfinished) as refusal:
        type("Wrong", (Procedure,), {**methods, "__module__": __name__})
    assert str(refusal.value) == words


class Toll(Procedure):
    """A step that each answers as he comes, and which calls another procedure before it goes on with those who are left."""

    each: ClassVar[frozenset[str]] = frozenset({"pay"})
    paid: list[str] = []

    def begin(self, table: Any) -> Next:
        return "pay"

    def who_pay(self, table: Any) -> list[str]:
        return [s for s in table.seats if s not in self.paid]

    def ask_pay(self, table: Any, seat: str) -> Ask:
        return Ask(seat, "pay", (Option("pay"),), Answer("pay"), "T-09")

    def take_pay(self, table: Any, answers: dict[str, Answer]) -> Next:
        self.paid += answers
        return Call(Receipt(to=next(iter(answers))), "pay")


class Receipt(Procedure):
    """What it calls: it asks whoever has paid."""

    to: str = ""

    def begin(self, table: Any) -> Next:
        return "sign"

    def who_sign(self, table: Any) -> list[str]:
        return [self.to]

    def ask_sign(self, table: Any, seat: str) -> Ask:
        return Ask(seat, "sign", (Option("sign"),), Answer("sign"), "T-10")

    def take_sign(self, table: Any, answers: dict[str, Answer]) -> Next:
        return Done()


def test_a_step_that_calls_another_and_goes_on_is_put_by_with_those_who_are_left() -> None:
    state: procedure.State[Any, Any] = procedure.State(fair().table, [Toll()])
    procedure.begin(state)
    assert state.waiting == ["a", "b", "c"]
    number = state.serial
    procedure.play(state, "b", Answer("pay"))
    assert (state.waiting, state.stack[-1].step) == (["b"], "sign")
    assert [(parked.serial, parked.waiting) for parked in state.parked] == [(number, ["a", "c"])]
    procedure.play(state, "b", Answer("sign"))
    assert (state.waiting, state.stack[-1].step, state.serial, state.parked) == (["a", "c"], "pay", number, [])
    procedure.play(state, "c", Answer("pay"))
    assert (state.waiting, state.serial, state.opened) == (["c"], number + 2, 0), "one more was opened in between"


def test_a_step_that_was_put_by_and_is_gone_from_the_stack_is_dropped() -> None:
    state = fair()
    state.waiting, state.parked = [], [procedure.Parked(len(state.stack) + 1, 7, ["a"], {"b": Answer("pass")})]
    procedure.advance(state)
    assert (state.waiting, state.sealed, state.parked, state.serial) == (["a", "b", "c"], {}, [], 2)


class Vigil(Procedure):
    """A step that is asked anew once its abbot has paid for it, and of which each watch may be kept by its own seat alone."""

    def begin(self, table: Any) -> Next:
        return "keep"

    def who_keep(self, table: Any) -> list[str]:
        return list(table.seats)

    def ask_keep(self, table: Any, seat: str) -> Ask:
        return Ask(seat, "keep", tuple(Option(f"watch_{s}") for s in table.seats), Answer(f"watch_{seat}"), "T-09")

    def take_keep(self, table: Any, answers: dict[str, Answer]) -> Next:
        return Done()

    def vet_keep(self, table: Any, seat: str, answer: Answer) -> None:
        if answer.option != f"watch_{seat}" and table.bank:
            raise NotLegal(plain(f"{seat} doesn't keep {answer.option}."))

    def again_keep(self, table: Any) -> bool:
        return bool(table.pot)


def vigil() -> procedure.State[Any, Any]:
    state: procedure.State[Any, Any] = procedure.State(fair(4).table, [Vigil()])
    procedure.begin(state)
    state.returned = [(0, "d")]
    return state


def test_each_sealed_answer_is_looked_at_again_for_its_own_seat() -> None:
    state = vigil()
    for seat, watch in (("a", "a"), ("b", "c"), ("c", "c")):
        procedure.play(state, seat, Answer(f"watch_{watch}"))
    state.table.bank = 1
    procedure.disturbed(state, 1)
    assert (state.waiting, list(state.sealed), state.returned) == (["b", "d"], ["a", "c"], [(0, "d"), (1, "b")])


def test_a_step_that_is_asked_anew_gives_all_its_answers_back() -> None:
    state = vigil()
    for seat in "ca":
        procedure.play(state, seat, Answer(f"watch_{seat}"))
    state.table.pot = 1
    procedure.disturbed(state, 1)
    assert (state.waiting, state.sealed, state.serial) == (["a", "b", "c", "d"], {}, 2)
    assert state.returned == [(0, "d"), (1, "a"), (1, "c")]


class Market(Procedure):
    """A step with verbs that are not open at all times, nor to everybody."""

    def begin(self, table: Any) -> Next:
        return "stall"

    def who_stall(self, table: Any) -> list[str]:
        return list(table.seats)

    def ask_stall(self, table: Any, seat: str) -> Ask:
        return Ask(seat, "stall", (Option("sell"), Option("leave")), Answer("leave"), "T-20")

    def take_stall(self, table: Any, answers: dict[str, Answer]) -> Next:
        return Done()

    def verbs_stall(self, table: Any, seat: str) -> list[str]:
        return ["haggle", "sell", f"{seat}_barters", "fly", "sleep", "leave", "pray"]

    def explain_stall(self, table: Any, seat: str, answer: Answer) -> None:
        if answer.option != "fly":
            raise NotLegal(plain(f"{seat} has no {answer.option} among {len(table.seats)}."))


def test_a_verb_that_is_not_open_now_stands_behind_the_one_before_it_with_what_hinders_it() -> None:
    state: State[Any, Any] = State(setup(["a", "b"], {}, Chance("x")).table, [Market()])
    procedure.begin(state)
    told = [
        Shut("haggle", "", plain("b has no haggle among 2.")),
        Shut("b_barters", "sell", plain("b has no b_barters among 2.")),
        # What nothing hinders is nothing that the step has: it is left out, and so is never before another.
        Shut("sleep", "b_barters", plain("b has no sleep among 2.")),
        Shut("pray", "leave", plain("b has no pray among 2.")),
    ]
    assert procedure.shut(state, "b", procedure.ask_of(state, "b")) == told
    simple = fair()
    assert procedure.shut(simple, "b", procedure.ask_of(simple, "b")) == [], "a step that names none has none"


def test_a_step_is_bound_to_all_that_is_written_for_it() -> None:
    class Stand(Procedure):
        each: ClassVar[frozenset[str]] = frozenset({"fish_stall"})

        def begin(self, table: Any) -> procedure.Next:
            return "fish_stall"

        def who_fish_stall(self, table: Any) -> list[str]:
            return list(table.seats)

        def ask_fish_stall(self, table: Any, seat: str) -> Ask:
            return Ask(seat, "fish_stall", (Option("leave"),), Answer("leave"), "T-20")

        def take_fish_stall(self, table: Any, answers: dict[str, Answer]) -> Next:
            return Done()

        def vet_fish_stall(self, table: Any, seat: str, answer: Answer) -> None: ...

        def explain_fish_stall(self, table: Any, seat: str, answer: Answer) -> None: ...

        def again_fish_stall(self, table: Any) -> bool:
            return False

        def verbs_fish_stall(self, table: Any, seat: str) -> list[str]:
            return ["leave"]

    assert set(Stand.steps) == {"begin", "fish_stall"} and Stand.steps["begin"] == Automatic("begin", Stand.begin)
    own = vars(Stand)
    parts = {part: own[f"{part}_fish_stall"] for part in ("who", "ask", "take", "vet", "explain", "again", "verbs")}
    assert Stand.steps["fish_stall"] == Asking("fish_stall", each=True, **parts)
