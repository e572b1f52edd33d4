"""What lies sealed outside the log, and when it enters it: on the toy game and on Ortus Regni, without a database."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from engine import match as matches
from engine import offers, procedure
from engine.asks import Answer, Ask, NotLegal, Option, Seat, read
from engine.bots.random import answer_at_random, legal_at_random
from engine.chance import commitment
from engine.game import Game
from engine.games import GAMES
from service.games.sealed import Given, run_offers
from service.store.models import Match
from tests.toy_game import FAIR, FairState
from workers.playing import Playing, in_log

SEED = bytes(range(32))


def start(monkeypatch: pytest.MonkeyPatch, game: Game, seats: str = "abc") -> Playing:
    monkeypatch.setitem(GAMES, game.name, game)
    infos = [matches.SeatInfo(s, s.upper(), s * 32) for s in seats]
    header = matches.Header(1, "m", game.name, game.rules, {}, infos, commitment(SEED), "2026-11-21T00:00:00Z")
    live = matches.start(header, SEED)
    row = Match(name="m", game=game.name, host_id="h", seats=len(seats), seed=SEED)
    return Playing(row, {}, live)


def play(playing: Playing, *lines: str) -> None:
    for line in lines:
        seat, _, text = line.partition(": ")
        playing.play(seat, Given(read(text), "page"))


def log(playing: Playing) -> list[tuple[str, str | None]]:
    return [(e.actor, e.move) for e in playing.live.entries]


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_answers_to_one_step_enter_the_log_together_and_in_seat_order(monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    playing = start(monkeypatch, FAIR)
    head, state = playing.live.head, FAIR.encode(playing.live.state)
    for seat in order[:2]:
        play(playing, f"{seat}: bid coins=1")
        assert playing.live.entries == [] and playing.live.head == head and FAIR.encode(playing.live.state) == state
    assert playing.waiting == [order[2]] and playing.secret_so_far
    play(playing, f"{order[2]}: bid coins=2")
    assert log(playing)[:3] == [(s, f"bid coins={2 if s == order[2] else 1}") for s in "abc"]
    assert len({e.at for e in playing.live.entries}) == 1, "their times tell nothing either"
    assert not playing.secret_so_far


def test_the_answers_to_a_window_bear_the_time_at_which_it_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR)
    opened = datetime(2026, 11, 1, 12, tzinfo=UTC)
    playing.since = (playing.live.state.serial, opened)
    play(playing, "b: pass", "a: pass", "c: pass")
    assert {e.at for e in playing.live.entries} == {in_log(opened)}


def test_a_step_that_takes_answers_one_by_one_enters_them_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR)
    play(playing, "a: pass", "b: pass", "c: pass")
    for seat in "abc":
        playing.play(seat, Given(legal_at_random(playing.live.state, seat, random.Random(1)), "page"))
    before = len(playing.live.entries)
    play(playing, "c: none")
    assert len(playing.live.entries) == before + 1 and playing.waiting == ["a", "b"]


def test_an_illegal_answer_is_refused_before_it_is_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR)
    with pytest.raises(NotLegal, match="A bid of five needs a ware"):
        play(playing, "a: bid coins=5")
    assert playing.sealed == {}


def test_an_interruption_leaves_sealed_answers_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR)
    play(playing, "a: bid coins=3")
    playing.take_offer("b", "call", Given(read("call target=c"), "page"))
    assert playing.sealed == {} and playing.parked.keys() == {1} and playing.live.ask_kind() == "dare"
    play(playing, "c: no")
    assert playing.live.ask_kind() == "bid" and playing.waiting == ["b", "c"], "nobody is asked anew"
    play(playing, "c: pass", "b: pass")
    assert [e.actor for e in playing.live.entries] == ["b", "c", "a", "b", "c"]


def test_after_a_chain_answers_that_no_longer_fit_go_back(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR, "abcd")
    play(playing, "a: bid coins=6", "b: bid coins=2")
    playing.take_offer("c", "accuse", Given(read("accuse target=a"), "page"))
    play(playing, "b: guilty")
    assert playing.sealed.keys() == {"b"} and playing.waiting == ["d"], "the judges answer in secret too"
    play(playing, "d: guilty")
    assert (playing.live.ask_kind(), playing.waiting, set(playing.sealed)) == ("bid", ["a", "c", "d"], {"b"})
    told = [e for _, events in playing.told for e in events if e.kind == "table.returned"]
    assert [e.only for e in told] == [("a",)] and playing.bared == {("a", 1)}


# --- proposals --------------------------------------------------------------------------------------------------------------


def propose(playing: Playing, by: Seat, to: Seat, coins: int = 0) -> int:
    ware = playing.known_to(by).table.keepers[by].wares[0]
    playing.take_offer(by, "propose", Given(read(f"propose target={to} ware={ware} coins={coins}"), "page"))
    ((number, _),) = offers.proposals(playing.known_to(to), to)
    return number


def trade(playing: Playing, by: Seat, to: Seat, coins: int = 0) -> None:
    number = propose(playing, by, to, coins)
    ware = playing.known_to(to).table.keepers[to].wares[-1]
    playing.take_offer(to, "trade", Given(read(f"accept ware={ware}"), "page"), number)


def seen_by_others(playing: Playing, circle: str) -> list[object]:
    state = playing.live.state
    entries = len(playing.live.entries)
    return [entries, playing.live.head, [FAIR.view(playing.known_to(s), s) for s in state.table.seats if s not in circle]]


def test_a_trade_between_two_moves_nothing_that_a_third_can_see(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR, "abcd")
    before = seen_by_others(playing, "ab")
    trade(playing, "a", "b")
    assert seen_by_others(playing, "ab") == before and len(playing.offers) == 2
    for seat in "ab":
        assert playing.known_to(seat).table.keepers[seat].wares != playing.live.state.table.keepers[seat].wares
    play(playing, "c: pass", "d: pass")
    assert len(playing.offers) == 2
    got = playing.known_to("a").table.keepers["a"].wares[-1]
    play(playing, f"a: bid coins=1 ware={got}", "b: pass")
    assert [e.actor for e in playing.live.entries] == ["", "", "a", "b", "c", "d"], "it enters before the bid that rests on it"
    assert matches.replay(playing.live.header, SEED, playing.live.entries).state == playing.live.state


def test_a_chain_of_trades_stays_together(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR, "abcd")
    trade(playing, "a", "b")
    got = playing.known_to("b").table.keepers["b"].wares[-1]
    playing.take_offer("b", "propose", Given(read(f"propose target=c ware={got}"), "page"))
    ((number, _),) = offers.proposals(playing.known_to("c"), "c")
    ware = playing.known_to("c").table.keepers["c"].wares[0]
    playing.take_offer("c", "trade", Given(read(f"accept ware={ware}"), "page"), number)
    assert playing.known_to("c").table.keepers["c"].wares[-1] == got and playing.live.entries == []
    play(playing, "a: pass", "b: pass", "d: pass", f"c: bid coins=1 ware={got}")
    assert [e.actor for e in playing.live.entries][:4] == ["", "", "", ""] and playing.offers == []


def test_what_others_can_see_of_a_trade_enters_the_log_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR)
    trade(playing, "a", "b", coins=1)
    assert [(e.actor, e.ask) for e in playing.live.entries] == [("", "offer")] * 2, "coins are counted by all"


def test_a_trade_gives_back_the_sealed_answer_that_it_made_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR)
    number = propose(playing, "a", "b")
    mine = playing.live.state.table.keepers["a"].wares[0]
    play(playing, f"a: bid coins=1 ware={mine}", "c: pass")
    ware = playing.live.state.table.keepers["b"].wares[0]
    before = seen_by_others(playing, "ab")
    playing.take_offer("b", "trade", Given(read(f"accept ware={ware}"), "page"), number)
    assert playing.sealed.keys() == {"c"} and playing.bared == {("a", 1)} and seen_by_others(playing, "ab") == before
    assert [e.only for e in playing.whispered if e.kind == "table.returned"] == [("a",)]
    with pytest.raises(NotLegal):
        play(playing, f"a: bid coins=1 ware={mine}")
    play(playing, f"a: bid coins=1 ware={ware}", "b: pass")
    assert [e.actor for e in playing.live.entries] == ["", "", "a", "b", "c"]


@pytest.mark.parametrize("ending", ["its round ends", "it is refused", "it is withdrawn"])
def test_a_proposal_that_comes_to_nothing_never_enters_the_log(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    playing, alone = start(monkeypatch, FAIR), start(monkeypatch, FAIR)
    number = propose(playing, "a", "b")
    if ending != "its round ends":
        by, word = ("b", "refuse") if ending == "it is refused" else ("a", "withdraw")
        playing.take_offer(by, "trade", Given(read(word), "page"), number)
    for one in (playing, alone):
        while one.live.state.stack[0].round == 1:
            seat = one.waiting[0]
            one.play(seat, Given(procedure.ask_of(one.known_to("a"), seat).default, "page"))
    assert [(e.actor, e.move) for e in playing.live.entries] == [(e.actor, e.move) for e in alone.live.entries]
    assert (
        FAIR.encode(playing.live.state) == FAIR.encode(alone.live.state) and offers.proposals(playing.known_to("b"), "b") == []
    )
    told = [
        e for events in [*(events for _, events in playing.told), playing.whispered] for e in events if e.only == ("a", "b")
    ]
    assert [e.kind for e in told][:2] == ["proposed", {"its round ends": "lapsed"}.get(ending, told[1].kind)]
    known = [e for _, events in playing.told for e in events if e.seen_by("c")]
    assert known == [e for _, events in alone.told for e in events if e.seen_by("c")]


def test_the_numbers_of_proposals_that_came_to_nothing_are_never_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = start(monkeypatch, FAIR)
    numbers = []
    for round in (1, 2, 3):
        numbers.append(propose(playing, "a", "b"))
        if round < 3:
            while playing.live.state.stack[0].round == round:
                seat = playing.waiting[0]
                playing.play(seat, Given(procedure.ask_of(playing.live.state, seat).default, "page"))
    assert len({*numbers}) == 3 and [o.skips for o in playing.offers] == [2, 0], "two are counted, in one place"
    mine, his = (playing.known_to(s).table.keepers[s].wares[0] for s in "ab")
    playing.take_offer("b", "trade", Given(read(f"accept ware={his}"), "page"), numbers[-1])
    play(playing, f"a: bid coins=1 ware={his}", "b: pass", "c: pass")
    shut = [e.move for e in playing.live.entries if e.ask == matches.SHUT_OFFER]
    assert shut == [f"a propose+2 propose target=b ware={mine} coins=0", f"b trade#{numbers[-1]} accept ware={his}"]
    again = matches.replay(playing.live.header, SEED, playing.live.entries)
    assert again.state == playing.live.state and not playing.offers
    fewer = [msgspec.structs.replace(e, move=(e.move or "").replace("+2", "")) for e in playing.live.entries]
    with pytest.raises(NotLegal, match="no longer open"):
        matches.replay(playing.live.header, SEED, fewer)


@pytest.mark.parametrize("seed", range(12))
def test_random_games_with_sealed_trades_replay_to_what_was_played(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    playing, rng = start(monkeypatch, FAIR, "abcd"), random.Random(seed)
    for _ in range(400):
        if playing.live.outcome is not None:
            break
        state = playing.live.state
        if rng.random() < 0.3:
            seat = rng.choice(state.table.seats)
            known = playing.known_to(seat)
            listed = [(0, ask) for ask in offers.powers(known, FAIR.offers(known, seat))]
            listed += [*offers.proposals(known, seat), *offers.own(known, seat)]
            if listed:
                number, ask = rng.choice(listed)
                with suppress(NotLegal):
                    playing.take_offer(seat, ask.kind, Given(answer_at_random(ask, rng), "page"), number)
            continue
        seat = rng.choice(playing.waiting)
        playing.play(seat, Given(legal_at_random(playing.known_to(seat), seat, rng), "page"))
        assert FAIR.conserved(playing.live.state)["wares"] == 12
    assert playing.live.outcome is not None
    again = matches.replay(playing.live.header, SEED, playing.live.entries)
    assert again.state == playing.live.state


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

    return replace(FAIR, offers=offers, take_offer=take_offer, audience=audience)


@pytest.mark.parametrize("open_", [True, False])
def test_sealed_answers_that_no_longer_fit_go_back_and_the_others_stay(monkeypatch: pytest.MonkeyPatch, open_: bool) -> None:
    playing = start(monkeypatch, tax(open_))
    coins = playing.live.state.table.keepers["a"].coins
    ware = playing.live.state.table.keepers["a"].wares[0]
    play(playing, f"a: bid coins={coins} ware={ware}", "b: bid coins=1")
    playing.take_offer("c", "tax", Given(read("take"), "page"))
    assert playing.sealed.keys() == {"b"} and playing.bared == {("a", playing.live.state.serial)}
    told = [e for _, events in playing.told for e in events if e.kind == "table.returned"]
    assert [e.only for e in told] == [("a",)] and "why" in told[0].facts, "the seat alone learns of it"
    assert len(playing.live.entries) == 1, "others can see what follows from the offer, so it stands in the log at once"
    play(playing, f"a: bid coins={coins - 1} ware={ware}", "c: pass")
    assert [e.actor for e in playing.live.entries][1:4] == ["a", "b", "c"]


# --- shut offers -------------------------------------------------------------------------------------------------------------


def ortus(monkeypatch: pytest.MonkeyPatch, seats: str = "ab") -> Playing:
    playing = start(monkeypatch, GAMES["ortus"], seats)
    rng = random.Random(5)
    while playing.live.ask_kind() != "turn":
        seat = playing.waiting[0]
        playing.play(seat, Given(legal_at_random(playing.live.state, seat, rng), "page"))
    return playing


def end_turn(playing: Playing) -> None:
    """Defaults until the next Earl's Turn begins."""
    active = playing.live.state.table.active
    for _ in range(60):
        if playing.live.outcome is not None or playing.live.state.table.active != active:
            return
        seat = playing.waiting[0]
        playing.play(seat, Given(procedure.ask_of(playing.live.state, seat).default, "page"))
    raise AssertionError("the Turn never ends")


def test_a_queued_concession_is_nowhere_until_it_takes_effect(monkeypatch: pytest.MonkeyPatch) -> None:  # OR-TURN-6
    playing = ortus(monkeypatch, "abc")
    entries = len(playing.live.entries)
    seats = playing.live.state.table.seats
    other = seats[(seats.index(playing.live.state.table.active) + 1) % 3]
    before = playing.live.game.encode(playing.live.state)
    playing.take_offer(other, "concession", Given(read("queue"), "page"))
    assert len(playing.live.entries) == entries and playing.live.game.encode(playing.live.state) == before
    assert playing.known_to(other).table.earls[other].concede, "its own page shows it"
    told = run_offers(playing.live.game, playing.live.state, playing.offers)[1]
    assert [e.only for e in told] == [(other,)]
    end_turn(playing)
    kinds = [(e.ask, e.actor, e.move) for e in playing.live.entries[entries:]]
    assert (matches.SHUT_OFFER, "", f"{other} concession queue") == kinds[-2], "right before what brings its Turn"
    assert playing.offers == [] and not playing.live.state.table.earls[other].alive
    replayed = matches.replay(playing.live.header, SEED, playing.live.entries)
    assert replayed.head == playing.live.head


def test_a_concession_that_is_withdrawn_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = ortus(monkeypatch)
    entries, seat = len(playing.live.entries), next(s for s in "ab" if s != playing.live.state.table.active)
    for word in ("queue", "withdraw", "queue", "withdraw"):
        playing.take_offer(seat, "concession", Given(read(word), "page"))
    assert playing.offers == [] and len(playing.live.entries) == entries
    with pytest.raises(NotLegal):
        playing.take_offer(seat, "concession", Given(read("withdraw"), "page"))


def test_two_concessions_in_a_row_take_effect_together(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = ortus(monkeypatch, "abcd")
    seats: Sequence[str] = playing.live.state.table.seats
    active = seats.index(playing.live.state.table.active)
    one, two = seats[(active + 1) % 4], seats[(active + 2) % 4]
    for seat in (two, one):
        playing.take_offer(seat, "concession", Given(read("queue"), "page"))
    end_turn(playing)
    shut = [e.move for e in playing.live.entries if e.ask == matches.SHUT_OFFER]
    assert sorted(m or "" for m in shut) == sorted(f"{s} concession queue" for s in (one, two))
    assert matches.replay(playing.live.header, SEED, playing.live.entries).head == playing.live.head
