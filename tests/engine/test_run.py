"""A run: what lies hidden outside the log, and when it enters it, on the toy game and on Ortus Regni."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from engine.bots.random import answer_at_random, legal_at_random
from engine.core import offers, procedure
from engine.core.asks import Answer, Ask, NotLegal, Option, Seat, read
from engine.core.chance import Chance, commitment
from engine.core.cloning import clone
from engine.core.views import Event
from engine.game import Game
from engine.games import GAMES
from engine.play import match as matches
from engine.play import taking_back
from engine.play.effects import Asked, Effect, Logged, Owed, Rejected, TakenBack, Told
from engine.play.hidden import Given, run_offers
from engine.play.policy import Clock, Sitter
from engine.play.run import Run, in_log, take
from engine.play.taking_back import Step, Trail
from engine.text.address import Question, stored
from engine.tools import skeleton
from engine.tools.simulated_table import BEGAN, SimulatedTable, answered
from tests.ortus.test_decisions import scene
from tests.toy_game import FAIR, FairState

SEED = bytes(range(32))


def start(monkeypatch: pytest.MonkeyPatch, game: Game, seats: str = "abc") -> Run:
    monkeypatch.setitem(GAMES, game.name, game)
    infos = [matches.SeatInfo(s, s.upper(), s * 32) for s in seats]
    header = matches.Header(1, "m", game.name, game.rules.version, {}, infos, commitment(SEED), "2026-11-21T00:00:00Z")
    return Run(matches.start(header, SEED))


def told(run: Run) -> list[Event]:
    """All events, with and without an entry of their own."""
    return [event for effect in run.effects if isinstance(effect, Logged | Told) for event in effect.events]


def asked_again(run: Run) -> set[tuple[Seat, int]]:
    return {(effect.key[0], stored(effect.key[1])) for effect in run.effects if isinstance(effect, Asked)}


def play(run: Run, *lines: str) -> None:
    for line in lines:
        seat, _, text = line.partition(": ")
        run.play(seat, Given(read(text), "page"))


def log(run: Run) -> list[tuple[str, str | None]]:
    return [(e.actor, e.move) for e in run.match.entries]


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_answers_to_one_step_enter_the_log_together_and_in_seat_order(monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    run = start(monkeypatch, FAIR)
    head, state = run.match.head, FAIR.rules.encode(run.match.state)
    for seat in order[:2]:
        play(run, f"{seat}: bid coins=1")
        assert run.match.entries == [] and run.match.head == head and FAIR.rules.encode(run.match.state) == state
    assert run.waiting == [order[2]] and run.secret_so_far
    play(run, f"{order[2]}: bid coins=2")
    assert log(run)[:3] == [(s, f"bid coins={2 if s == order[2] else 1}") for s in "abc"]
    assert len({e.at for e in run.match.entries}) == 1, "their times tell nothing either"
    assert not run.secret_so_far


def test_the_answers_to_a_window_bear_the_time_at_which_it_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR)
    opened = datetime(2026, 11, 1, 12, tzinfo=UTC)
    run.clock = Clock(since=(run.match.state.serial, opened))
    play(run, "b: pass", "a: pass", "c: pass")
    assert {e.at for e in run.match.entries} == {in_log(opened)}


def test_a_step_that_takes_answers_one_by_one_enters_them_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR)
    play(run, "a: pass", "b: pass", "c: pass")
    for seat in "abc":
        run.play(seat, Given(legal_at_random(run.match.state, seat, random.Random(1)), "page"))
    before = len(run.match.entries)
    play(run, "c: none")
    assert len(run.match.entries) == before + 1 and run.waiting == ["a", "b"]


def test_an_illegal_answer_is_refused_before_it_is_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR)
    with pytest.raises(NotLegal, match="A bid of five needs a ware"):
        play(run, "a: bid coins=5")
    assert run.hidden == {}


def test_an_interruption_leaves_sealed_answers_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR)
    play(run, "a: bid coins=3")
    run.take_offer("b", "call", Given(read("call target=c"), "page"))
    assert run.hidden == {} and run.parked.keys() == {1} and run.match.ask_kind() == "dare"
    play(run, "c: no")
    assert run.match.ask_kind() == "bid" and run.waiting == ["b", "c"], "nobody is asked again"
    play(run, "c: pass", "b: pass")
    assert [e.actor for e in run.match.entries] == ["b", "c", "a", "b", "c"]


def test_after_a_chain_answers_that_no_longer_fit_go_back(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR, "abcd")
    play(run, "a: bid coins=6", "b: bid coins=2")
    run.take_offer("c", "accuse", Given(read("accuse target=a"), "page"))
    play(run, "b: guilty")
    assert run.hidden.keys() == {"b"} and run.waiting == ["d"], "the judges answer in secret too"
    play(run, "d: guilty")
    assert (run.match.ask_kind(), run.waiting, set(run.hidden)) == ("bid", ["a", "c", "d"], {"b"})
    back = [e for e in told(run) if e.kind == "table.returned"]
    assert [e.only for e in back] == [("a",)] and asked_again(run) == {("a", 1)}


# --- proposals --------------------------------------------------------------------------------------------------------------


def propose(run: Run, by: Seat, to: Seat, coins: int = 0) -> int:
    ware = run.known_to(by).table.keepers[by].wares[0]
    run.take_offer(by, "propose", Given(read(f"propose target={to} ware={ware} coins={coins}"), "page"))
    ((number, _),) = offers.proposals(run.known_to(to), to)
    return number


def trade(run: Run, by: Seat, to: Seat, coins: int = 0) -> None:
    number = propose(run, by, to, coins)
    ware = run.known_to(to).table.keepers[to].wares[-1]
    run.take_offer(to, "trade", Given(read(f"accept ware={ware}"), "page"), number)


def seen_by_others(run: Run, circle: str) -> list[object]:
    state = run.match.state
    entries = len(run.match.entries)
    return [entries, run.match.head, [FAIR.rules.view(run.known_to(s), s) for s in state.table.seats if s not in circle]]


def test_a_trade_between_two_moves_nothing_that_a_third_can_see(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR, "abcd")
    before = seen_by_others(run, "ab")
    trade(run, "a", "b")
    assert seen_by_others(run, "ab") == before and len(run.offers) == 2
    for seat in "ab":
        assert run.known_to(seat).table.keepers[seat].wares != run.match.state.table.keepers[seat].wares
    play(run, "c: pass", "d: pass")
    assert len(run.offers) == 2
    got = run.known_to("a").table.keepers["a"].wares[-1]
    play(run, f"a: bid coins=1 ware={got}", "b: pass")
    assert [e.actor for e in run.match.entries] == ["", "", "a", "b", "c", "d"], "it enters before the bid that rests on it"
    assert matches.replay(run.match.header, SEED, run.match.entries).state == run.match.state


def test_a_chain_of_trades_stays_together(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR, "abcd")
    trade(run, "a", "b")
    got = run.known_to("b").table.keepers["b"].wares[-1]
    run.take_offer("b", "propose", Given(read(f"propose target=c ware={got}"), "page"))
    ((number, _),) = offers.proposals(run.known_to("c"), "c")
    ware = run.known_to("c").table.keepers["c"].wares[0]
    run.take_offer("c", "trade", Given(read(f"accept ware={ware}"), "page"), number)
    assert run.known_to("c").table.keepers["c"].wares[-1] == got and run.match.entries == []
    play(run, "a: pass", "b: pass", "d: pass", f"c: bid coins=1 ware={got}")
    assert [e.actor for e in run.match.entries][:4] == ["", "", "", ""] and run.offers == []


def test_what_others_can_see_of_a_trade_enters_the_log_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR)
    trade(run, "a", "b", coins=1)
    assert [(e.actor, e.ask) for e in run.match.entries] == [("", "offer")] * 2, "coins are counted by all"


def test_a_trade_gives_back_the_sealed_answer_that_it_made_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR)
    number = propose(run, "a", "b")
    mine = run.match.state.table.keepers["a"].wares[0]
    play(run, f"a: bid coins=1 ware={mine}", "c: pass")
    ware = run.match.state.table.keepers["b"].wares[0]
    before = seen_by_others(run, "ab")
    run.take_offer("b", "trade", Given(read(f"accept ware={ware}"), "page"), number)
    assert run.hidden.keys() == {"c"} and asked_again(run) == {("a", 1)} and seen_by_others(run, "ab") == before
    assert [e.only for e in told(run) if e.kind == "table.returned"] == [("a",)]
    with pytest.raises(NotLegal):
        play(run, f"a: bid coins=1 ware={mine}")
    play(run, f"a: bid coins=1 ware={ware}", "b: pass")
    assert [e.actor for e in run.match.entries] == ["", "", "a", "b", "c"]


def test_a_swap_that_ends_a_logged_proposal_shows_no_more_than_its_withdrawal(monkeypatch: pytest.MonkeyPatch) -> None:
    for ending in ("withdraw", "swap"):
        run = start(monkeypatch, skeleton.GAME, "abcd")
        hand = run.match.state.table.hand
        given = hand["b"][0]
        run.match.play_offer("b", "offer", read(f"offer to=c card={given}"), "now", "page")
        before = run.match.head
        run.trails = {seat: Trail(1, (Step("", taking_back.QUESTION, 1, "", {}),)) for seat in "cd"}
        if ending == "withdraw":
            ((number, _),) = offers.own(run.match.state, "b")
            run.take_offer("b", "swap", Given(read("withdraw"), "page"), number)
        else:
            run.take_offer("a", "offer", Given(read(f"offer to=b card={hand['a'][0]}"), "page"))
            ((number, _),) = offers.proposals(run.known_to("b"), "b")
            run.take_offer("b", "swap", Given(read(f"accept card={given}"), "page"), number)
        assert run.match.head == before and told(run) == [], "no entry tells the others that somebody swapped"
        (_, events) = run_offers(run.match.game, run.match.state, run.offers)
        assert [e.kind for group in events for e in group if e.seen_by("c")] == ["lapsed"]
        assert {seat: trail.why for seat, trail in run.trails.items()} == {"c": taking_back.ACTED, "d": ""}
        assert offers.proposals(run.known_to("c"), "c") == [] and offers.proposals(run.match.state, "c") != []
        with pytest.raises(NotLegal):
            run.take_offer("c", "swap", Given(read(f"accept card={hand['c'][0]}"), "page"), number)
        for seat in "abcd":
            play(run, f"{seat}: lay card={run.known_to(seat).table.hand[seat][-1]}")
        assert matches.replay(run.match.header, SEED, run.match.entries).state == run.match.state


@pytest.mark.parametrize("ending", ["its round ends", "it is refused", "it is withdrawn"])
def test_a_proposal_that_comes_to_nothing_never_enters_the_log(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    run, alone = start(monkeypatch, FAIR), start(monkeypatch, FAIR)
    number = propose(run, "a", "b")
    if ending != "its round ends":
        by, word = ("b", "refuse") if ending == "it is refused" else ("a", "withdraw")
        run.take_offer(by, "trade", Given(read(word), "page"), number)
    for one in (run, alone):
        while one.match.state.stack[0].round == 1:
            seat = one.waiting[0]
            one.play(seat, Given(procedure.ask_of(one.known_to("a"), seat).default, "page"))
    assert [(e.actor, e.move) for e in run.match.entries] == [(e.actor, e.move) for e in alone.match.entries]
    assert (
        FAIR.rules.encode(run.match.state) == FAIR.rules.encode(alone.match.state)
        and offers.proposals(run.known_to("b"), "b") == []
    )
    shown = [e for e in told(run) if e.only == ("a", "b")]
    assert [e.kind for e in shown][:2] == ["proposed", {"its round ends": "lapsed"}.get(ending, shown[1].kind)]
    assert [e for e in told(run) if e.seen_by("c")] == [e for e in told(alone) if e.seen_by("c")]


def test_the_numbers_of_proposals_that_came_to_nothing_are_never_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, FAIR)
    numbers = []
    for round in (1, 2, 3):
        numbers.append(propose(run, "a", "b"))
        if round < 3:
            while run.match.state.stack[0].round == round:
                seat = run.waiting[0]
                run.play(seat, Given(procedure.ask_of(run.match.state, seat).default, "page"))
    assert len({*numbers}) == 3 and [o.skips for o in run.offers] == [2, 0], "two are counted, in one place"
    mine, his = (run.known_to(s).table.keepers[s].wares[0] for s in "ab")
    run.take_offer("b", "trade", Given(read(f"accept ware={his}"), "page"), numbers[-1])
    play(run, f"a: bid coins=1 ware={his}", "b: pass", "c: pass")
    shut = [e.move for e in run.match.entries if e.ask == matches.SHUT_OFFER]
    assert shut == [f"a propose+2 propose target=b ware={mine} coins=0", f"b trade#{numbers[-1]} accept ware={his}"]
    again = matches.replay(run.match.header, SEED, run.match.entries)
    assert again.state == run.match.state and not run.offers
    fewer = [msgspec.structs.replace(e, move=(e.move or "").replace("+2", "")) for e in run.match.entries]
    with pytest.raises(NotLegal, match="no longer open"):
        matches.replay(run.match.header, SEED, fewer)


def test_the_number_of_a_proposal_that_a_take_back_drops_is_never_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """An old page would accept other terms: here those of the proposal behind it, or of the next one."""
    run = start(monkeypatch, FAIR)
    first, mine = propose(run, "b", "c"), run.known_to("b").table.keepers["b"].wares[0]
    his = run.known_to("c").table.keepers["c"].wares[0]
    run.take_offer("c", "propose", Given(read(f"propose target=b ware={his} coins=1"), "page"))
    ((second, ask),) = offers.proposals(run.known_to("b"), "b")
    before = clone(run.match.state)
    before.table.keepers["b"].wares[0], before.table.stock[0] = before.table.stock[0], mine
    run.match.record("host", read("note"), in_log(BEGAN), "host")
    run.trails["a"] = Trail(1, (Step("s", taking_back.ENTRY, 1, ""),))
    run, effects = take(run, TakenBack("t", "a", "s", before, "page", BEGAN))
    gone = [e for effect in effects if isinstance(effect, Told) for e in effect.events]
    assert [(e.kind, e.only) for e in gone] == [("table.undone", ("b",))]
    ((number, left),) = offers.proposals(run.known_to("b"), "b")
    assert (number, left.about) == (second, ask.about) and not offers.proposals(run.known_to("c"), "c")
    assert propose(run, "b", "c") not in (first, second)


@pytest.mark.parametrize("seed", range(12))
def test_random_games_with_sealed_trades_replay_to_what_was_played(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    run, rng = start(monkeypatch, FAIR, "abcd"), random.Random(seed)
    for _ in range(400):
        if run.match.outcome is not None:
            break
        state = run.match.state
        if rng.random() < 0.3:
            seat = rng.choice(state.table.seats)
            known = run.known_to(seat)
            listed = [(0, ask) for ask in offers.powers(known, FAIR.rules.powers.open(known, seat))]
            listed += [*offers.proposals(known, seat), *offers.own(known, seat)]
            if listed:
                number, ask = rng.choice(listed)
                with suppress(NotLegal):
                    run.take_offer(seat, ask.kind, Given(answer_at_random(ask, rng), "page"), number)
            continue
        seat = rng.choice(run.waiting)
        run.play(seat, Given(legal_at_random(run.known_to(seat), seat, rng), "page"))
        assert FAIR.rules.checks.conserved(run.match.state)["wares"] == 12
    assert run.match.outcome is not None
    again = matches.replay(run.match.header, SEED, run.match.entries)
    assert again.state == run.match.state


# --- an offer that changes the table while answers lie sealed -------------------------------------------------------------


def tax(open_: bool = True) -> Game:
    """The toy game with an offer that takes a coin from every other keeper, openly or not."""

    def offers(state: FairState, seat: Seat) -> list[Ask]:
        return [Ask(seat, "tax", (Option("take"),), Answer("take"))] if state.table.outcome is None else []

    def take_offer(state: FairState, seat: Seat, kind: str, answer: Answer) -> None:
        for keeper in state.table.keepers.values():
            if keeper.seat != seat and keeper.coins:
                keeper.coins -= 1
                state.table.bank += 1

    def audience(kind: str, seat: Seat, answer: Answer) -> tuple[Seat, ...] | None:
        return None if kind != "sort" and (open_ or kind != "tax") else (seat,)

    return replace(
        FAIR,
        rules=replace(FAIR.rules, powers=replace(FAIR.rules.powers, open=offers, use=take_offer), audience=audience),
    )


@pytest.mark.parametrize("open_", [True, False])
def test_sealed_answers_that_no_longer_fit_go_back_and_the_others_stay(monkeypatch: pytest.MonkeyPatch, open_: bool) -> None:
    run = start(monkeypatch, tax(open_))
    coins = run.match.state.table.keepers["a"].coins
    ware = run.match.state.table.keepers["a"].wares[0]
    play(run, f"a: bid coins={coins} ware={ware}", "b: bid coins=1")
    run.take_offer("c", "tax", Given(read("take"), "page"))
    assert run.hidden.keys() == {"b"} and asked_again(run) == {("a", run.match.state.serial)}
    back = [e for e in told(run) if e.kind == "table.returned"]
    assert [e.only for e in back] == [("a",)] and "why" in back[0].facts, "the seat alone learns of it"
    assert len(run.match.entries) == 1, "others can see what follows from the offer, so it stands in the log at once"
    play(run, f"a: bid coins={coins - 1} ware={ware}", "c: pass")
    assert [e.actor for e in run.match.entries][1:4] == ["a", "b", "c"]


# --- shut offers -------------------------------------------------------------------------------------------------------------


def ortus(monkeypatch: pytest.MonkeyPatch, seats: str = "ab") -> Run:
    run = start(monkeypatch, GAMES["ortus"], seats)
    rng = random.Random(5)
    while run.match.ask_kind() != "turn":
        seat = run.waiting[0]
        run.play(seat, Given(legal_at_random(run.match.state, seat, rng), "page"))
    return run


def end_turn(run: Run) -> None:
    """Defaults until the next Earl's Turn begins."""
    active = run.match.state.table.active
    for _ in range(60):
        if run.match.outcome is not None or run.match.state.table.active != active:
            return
        seat = run.waiting[0]
        run.play(seat, Given(procedure.ask_of(run.match.state, seat).default, "page"))
    raise AssertionError("the Turn never ends")


def test_a_queued_concession_is_nowhere_until_it_takes_effect(monkeypatch: pytest.MonkeyPatch) -> None:  # OR-TURN-6
    run = ortus(monkeypatch, "abc")
    entries = len(run.match.entries)
    seats = run.match.state.table.seats
    other = seats[(seats.index(run.match.state.table.active) + 1) % 3]
    before = run.match.game.rules.encode(run.match.state)
    run.take_offer(other, "concession", Given(read("queue"), "page"))
    assert len(run.match.entries) == entries and run.match.game.rules.encode(run.match.state) == before
    assert run.known_to(other).table.earls[other].concede, "its own page shows it"
    events = [e for one in run_offers(run.match.game, run.match.state, run.offers)[1] for e in one]
    assert [e.only for e in events] == [(other,)]
    end_turn(run)
    kinds = [(e.ask, e.actor, e.move) for e in run.match.entries[entries:]]
    assert (matches.SHUT_OFFER, "", f"{other} concession queue") == kinds[-2], "right before what brings its Turn"
    assert run.offers == [] and not run.match.state.table.earls[other].alive
    replayed = matches.replay(run.match.header, SEED, run.match.entries)
    assert replayed.head == run.match.head


def test_a_thief_is_told_that_the_armies_were_given_by_default(monkeypatch: pytest.MonkeyPatch) -> None:  # OR-DEC-3, D-36
    run = ortus(monkeypatch, "abc")
    theft = scene("a.hand: Intrigue\nb.reserve: Knight, Infantry, Knight\nc.F1: Palace (-) {}").play("a: intrigue aim=armies:b")
    run.match.state, run.seats = theft.state, {s: Sitter(s) for s in "abc"}
    assert run.waiting == ["b"] and run.match.ask_kind() == "give_armies"
    run.play("b", Given(procedure.ask_of(theft.state, "b").default, "clock", matches.DEFAULT))
    run.note_missed()
    (default,) = [e for e in told(run) if e.kind == "table.default"]
    assert [s for s in "abc" if default.seen_by(s)] == ["a", "b"] and not default.seen_by(None)
    assert run.match.entries[-1].mark == "", "which all would read in the log"


def test_a_concession_that_is_withdrawn_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    run = ortus(monkeypatch)
    entries, seat = len(run.match.entries), next(s for s in "ab" if s != run.match.state.table.active)
    for word in ("queue", "withdraw", "queue", "withdraw"):
        run.take_offer(seat, "concession", Given(read(word), "page"))
    assert run.offers == [] and len(run.match.entries) == entries
    with pytest.raises(NotLegal):
        run.take_offer(seat, "concession", Given(read("withdraw"), "page"))


def test_two_concessions_in_a_row_take_effect_together(monkeypatch: pytest.MonkeyPatch) -> None:
    run = ortus(monkeypatch, "abcd")
    seats: Sequence[str] = run.match.state.table.seats
    active = seats.index(run.match.state.table.active)
    one, two = seats[(active + 1) % 4], seats[(active + 2) % 4]
    for seat in (two, one):
        run.take_offer(seat, "concession", Given(read("queue"), "page"))
    end_turn(run)
    shut = [e.move for e in run.match.entries if e.ask == matches.SHUT_OFFER]
    assert sorted(m or "" for m in shut) == sorted(f"{s} concession queue" for s in (one, two))
    assert matches.replay(run.match.header, SEED, run.match.entries).head == run.match.head


# --- what is taken, and its effects ---------------------------------------------------------------------------------------


def table(monkeypatch: pytest.MonkeyPatch, clock: Clock | None = None, **seats: Sitter) -> SimulatedTable:
    run = start(monkeypatch, FAIR)
    sitters = {seat: seats.get(seat, Sitter(seat.upper())) for seat in run.match.state.table.seats}
    return SimulatedTable.of(run.match, sitters, Chance("policies"), clock)


def kinds(effects: Sequence[Effect]) -> list[str]:
    return [type(effect).__name__ for effect in effects]


def test_a_submission_is_accepted_or_refused_with_the_reason_and_a_late_one_without(monkeypatch: pytest.MonkeyPatch) -> None:
    at = table(monkeypatch)
    assert kinds(at.submit("a", Question(1), "bid", read("pass"))) == ["Closed", "Accepted"]
    (late,) = at.submit("a", Question(1), "bid", read("pass"))
    (wrong,) = at.submit("b", Question(1), "bid", read("bid coins=5"))
    assert isinstance(late, Rejected) and late.why is None
    assert isinstance(wrong, Rejected) and "A bid of five" in str(wrong.why)
    (unread,) = at.submit("b", Question(1), "bid", Answer("no such"))
    assert isinstance(unread, Rejected) and at.run.match.entries == []


def test_taking_leaves_the_run_that_is_given_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    at = table(monkeypatch)
    run, before = at.run, FAIR.rules.encode(at.run.match.state)
    for seat in "abc":
        at.submit(seat, Question(1), "bid", read("pass"))
    assert (FAIR.rules.encode(run.match.state), run.match.entries, run.hidden) == (before, [], {})
    assert len(at.run.match.entries) == 3


@pytest.mark.parametrize("writ", matches.FORMATS)
def test_a_run_that_nobody_needs_any_more_is_changed_to_the_same_effect(monkeypatch: pytest.MonkeyPatch, writ: int) -> None:
    """Where answers can be taken back it stays as it was: positions before and after are compared."""
    one, other = table(monkeypatch).run, table(monkeypatch).run
    for run in (one, other):
        run.match.header = msgspec.structs.replace(run.match.header, writ=writ)
    for seat in "abc":
        what, given = answered(one, seat, read("pass")), other
        one, effects = take(one, what)
        other, same = take(other, what, own=True)
        assert same == effects and (given is other) == (writ == matches.FORMAT)
    assert one.match.entries == other.match.entries != [] and one.trails == other.trails
    assert FAIR.rules.encode(one.match.state) == FAIR.rules.encode(other.match.state)


def test_a_missed_deadline_is_told_once_all_are_in_and_after_several_a_steward_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = table(monkeypatch, Clock(steward_after=2), a=Sitter("Ann", prepared={"bid": "pass"}), b=Sitter("Bob", missed=1))
    assert at.run.hidden.keys() == {"a"} and at.run.seats["a"].prepared == {}
    at.submit("c", Question(1), "bid", read("pass"))
    effects = at.wait()
    logged = [effect for effect in effects if isinstance(effect, Logged)]
    assert [effect.entry.actor for effect in logged][:4] == ["a", "b", "c", "clock"]
    assert (logged[1].events[0].kind, logged[1].events[0].facts) == ("table.default", {"seat": "b", "who": "Bob"})
    assert logged[3].entry.move == "kept seat=b" and [e.kind for e in logged[3].events] == ["table.kept"]
    assert [effect for effect in effects if isinstance(effect, Owed)] == [Owed("kept", "b", {"missed": 2, "waits": False})]
    assert (at.run.seats["b"].bot, at.run.seats["b"].steward) == (FAIR.bots.steward, True)


def test_stewards_answer_only_while_a_player_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    steward = FAIR.bots.steward
    kept = Sitter(bot=steward, steward=True)
    at = table(monkeypatch, a=kept, b=kept, c=Sitter("Cleo"))
    assert at.run.hidden.keys() == {"a", "b"}
    for third in (Sitter(owned=False, bot=steward), Sitter(owned=False, bot=steward, steward=True)):
        at = table(monkeypatch, a=kept, b=kept, c=third)
        assert at.run.hidden.keys() == ({"c"} if not third.steward else set()) and not at.run.match.entries
        assert not at.run.by_bot()


def test_an_answer_in_advance_is_played_or_dropped_with_a_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    stance = ",".join(start(monkeypatch, FAIR).match.state.table.keepers["a"].wares)
    given = {"id": "1", "kind": "bid", "move": "bid coins=1", "ask": "", "stance": stance}
    assert table(monkeypatch, a=Sitter(advance=[given])).run.hidden["a"] == Given(read("bid coins=1"), "advance")
    for wrong, why in (({"stance": "other"}, None), ({"move": "bid coins=5"}, "A bid of five needs a ware")):
        at = table(monkeypatch, a=Sitter(advance=[given | wrong]))
        (owed,) = [effect for effect in at.log if isinstance(effect, Owed)]
        assert (owed.letter, owed.seat, at.run.seats["a"].advance, at.run.waiting) == ("advance_dropped", "a", [], [*"abc"])
        assert owed.facts["why"] is why or str(owed.facts["why"]).startswith(why or "")


def test_answers_to_a_window_are_kept_until_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    at = table(monkeypatch, Clock(late_windows=True))
    for seat, text in (("a", "pass"), ("b", "pass"), ("c", "bid coins=1")):
        effects = at.submit(seat, Question(1), "bid", read(text))
        assert kinds(effects) == ["Kept", "Accepted"], "the last one is treated like the others"
    assert at.run.match.entries == []
    at.submit("c", Question(1), "bid", read("bid coins=2"))
    at.wait()
    assert log(at.run)[2] == ("c", "bid coins=2")


def test_the_end_that_is_commanded_reveals_the_seed_and_refuses_what_comes_after(monkeypatch: pytest.MonkeyPatch) -> None:
    at = table(monkeypatch)
    assert kinds(at.command("table", "end reason=Snow")) == ["Logged", "Logged"]
    assert [e.ask for e in at.run.match.entries] == ["table", "reveal"]
    assert kinds(at.submit("a", Question(1), "bid", read("pass"))) == ["Rejected"]
    with pytest.raises(NotLegal, match="over"):
        at.command("host", "pause until=x")
