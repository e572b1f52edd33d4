"""What greater games need of what stands open beside the questions, played on a small court."""

from __future__ import annotations

import pytest

from engine.core import offers, procedure
from engine.core.asks import Answer, NotLegal, Seat, read
from engine.core.chance import Chance
from engine.core.views import Event
from engine.play import match
from tests.engine.test_offers import fair, propose, refused
from tests.engine.test_offers import use as use_at_the_fair
from tests.toy_court import COURT, MOST, CourtState, setup


def court(n: int = 3) -> CourtState:
    state = setup(list("abcd"[:n]), {}, Chance("court"))
    procedure.begin(state)
    return state


def use(state: CourtState, seat: Seat, kind: str, text: str, number: int = 0) -> list[Event]:
    answer = match.check_offer(COURT, state, seat, kind, read(text), number)
    return match.run_offer(COURT, state, seat, kind, answer, number)


def woo(state: CourtState, by: Seat, to: str) -> int:
    (event,) = use(state, by, "woo_for", f"propose to=[{','.join(to)}]")
    return int(event.facts["number"])


def done(state: CourtState, *seats: Seat) -> None:
    for seat in seats:
        procedure.play(state, seat, Answer("pass"))


# --- a step that stays open while something lies before somebody ------------------------------------------------------------


def test_a_step_stays_open_until_what_lies_before_somebody_is_answered() -> None:
    state = court()
    done(state, "b", "c")
    number = woo(state, "a", "b")
    assert state.waiting == ["a", "b"] and state.serial == 1, "to have done bars nobody from answering"
    done(state, "a")
    assert state.waiting == ["b"]
    use(state, "b", "suit", "refuse", number)
    assert state.stack[-1].step == "draw"


def test_who_has_done_may_propose_and_leaves_what_lies_before_him() -> None:
    state = court()
    done(state, "a")
    woo(state, "a", "b")
    assert state.waiting == ["b", "c"]
    procedure.play(state, "b", Answer("pass"))
    assert state.table.proposals.open == [] and state.waiting == ["c"], "his safe default ends it at the deadline too"


def test_a_proposal_to_several_is_taken_by_the_first_and_what_cannot_be_any_more_is_void() -> None:
    state = court(4)
    one, two = woo(state, "a", "bc"), woo(state, "d", "c")
    assert [n for n, _ in offers.proposals(state, "c")] == [one, two] and offers.addressed(state.table) == ["b", "c"]
    events = use(state, "c", "suit", "accept", one)
    assert [(e.kind, e.facts.get("how", "")) for e in events] == [("accept", ""), ("lapsed", "void")]
    assert state.table.married == {"a": "c", "c": "a"} and offers.on(state.table) == [] and state.waiting == ["b", "d"]


# --- a checkpoint -----------------------------------------------------------------------------------------------------------


def at_the_checkpoint() -> CourtState:
    state = court()
    done(state, *"abc")
    for seat in "abc":
        procedure.play(state, seat, Answer("draw"))
    assert state.stack[-1].step == "check"
    return state


def test_a_checkpoint_is_put_to_all_anew_after_a_power_was_used_in_it() -> None:
    state = at_the_checkpoint()
    serial = state.serial
    done(state, "a", "b")
    use(state, "c", "levy", "levy")
    assert (state.waiting, state.sealed, state.serial) == (["a", "b", "c"], {}, serial + 1)
    assert state.returned == [(serial, "a"), (serial, "b")], "what had been given to the first stays shut"
    done(state, *"abc")
    assert state.table.round == 2


def test_a_checkpoint_is_not_put_anew_for_ever() -> None:
    state = at_the_checkpoint()
    state.table.purses["c"] = 20
    for _ in range(MOST):
        serial = state.serial
        use(state, "c", "levy", "levy")
        assert state.serial == serial + 1
    done(state, "a")
    use(state, "c", "levy", "levy")
    assert state.serial == serial + 1 and set(state.sealed) == {"a"} and state.waiting == ["b", "c"]


# --- safe points ------------------------------------------------------------------------------------------------------------


def test_a_procedure_says_of_some_powers_that_they_wait_for_a_safe_point() -> None:
    state = court()
    done(state, *"abc")
    assert state.stack[-1].step == "draw" and offers.powers(state, COURT.rules.powers.open(state, "b")) == []
    with pytest.raises(NotLegal, match="Something else comes first"):
        use(state, "b", "levy", "levy")
    assert match.check_offer(COURT, state, "b", "levy", Answer("levy"), ahead=True) == Answer("levy")


# --- other terms --------------------------------------------------------------------------------------------------------------


def test_an_amended_proposal_is_a_new_one_and_nobody_accepts_what_he_has_not_seen() -> None:
    state = fair()
    number = propose(state, "a", "b")
    assert "as many coins already" in refused(state, "a", "trade", "amend coins=0", number)
    events = use_at_the_fair(state, "a", "trade", "amend coins=2", number)
    assert [e.kind for e in events] == ["amended"]
    ((fresh, ask),) = offers.proposals(state, "b")
    assert fresh != number and ask.about["coins"] == 2
    ware = state.table.keepers["b"].wares[0]
    assert "no longer open" in refused(state, "b", "trade", f"accept ware={ware}", number)
    use_at_the_fair(state, "b", "trade", f"accept ware={ware}", fresh)
    assert state.table.keepers["a"].coins == 8


def test_a_counter_proposal_goes_to_who_proposed_first_and_is_known_to_the_same_two() -> None:
    state = fair()
    number = propose(state, "a", "b")
    his = state.table.keepers["b"].wares[0]
    use_at_the_fair(state, "b", "trade", f"counter mine={his} coins=1", number)
    ((fresh, ask),) = offers.proposals(state, "a")
    assert offers.proposals(state, "b") == [] and ask.about == {"by": "b", "ware": his, "coins": 1}
    assert offers.circle_of(fresh, "abc") == ("a", "b") and offers.on(state.table)[0].until == "round 1"
    mine = state.table.keepers["a"].wares[0]
    use_at_the_fair(state, "a", "trade", f"accept ware={mine}", fresh)
    assert his in state.table.keepers["a"].wares and state.table.keepers["b"].coins == 7
