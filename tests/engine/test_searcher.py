"""Players that search: answers listed and sampled, copies played on, games played out."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections import Counter

import pytest

from engine.bots.random import answer_at_random
from engine.core import procedure
from engine.core.asks import (
    Answer,
    Ask,
    Assign,
    Choice,
    NotLegal,
    Number,
    Option,
    Order,
    PickOne,
    PickSome,
    Row,
    Rows,
    Shared,
    Total,
    check,
    write,
)
from engine.core.chance import Chance
from engine.core.views import UNHEARD, Event
from engine.game import Game, options_of
from engine.games import GAMES
from engine.play.searcher import Searcher, listed


def middle(game: Game, seats: int, moves: int, seed: int) -> Searcher:
    """A position of a random game after so many moves."""
    state = game.rules.setup("abcdef"[:seats], options_of(game, seats, "", aimless=True), Chance(f"{seed:064}"))
    procedure.begin(state)
    search = Searcher(game, state)
    search.play_out(random.Random(seed), moves)
    return search if search.waiting else middle(game, seats, moves // 4, seed)


def test_what_happens_after_a_game_was_played_on_at_random_is_told_again() -> None:
    for game in GAMES.values():
        search = middle(game, 4, 40, 5)
        other = search.copy()
        told: list[list[list[Event]]] = []
        for one in (search, other):
            rng = random.Random(6)
            told.append([one.play(one.waiting[0], one.sample(one.waiting[0], rng)) for _ in range(20) if one.waiting])
        assert told[0] == told[1] and any(told[0])


def test_nobody_is_told_of_what_is_only_played_out() -> None:
    for game in GAMES.values():
        search = middle(game, 4, 40, 5)
        assert search.state.table.news == [] and type(search.state.table.news) is list
        search.state.table.news = UNHEARD
        other = search.copy()
        assert search.play(search.waiting[0], search.ask(search.waiting[0]).default) == []
        assert search.state.table.news is UNHEARD and UNHEARD == []
        other.play(other.waiting[0], other.ask(other.waiting[0]).default)
        assert type(other.state.table.news) is list, "a copy has news of its own"
        assert game.rules.encode(search.state) == game.rules.encode(other.state)


def test_everything_that_a_form_allows_is_listed_once() -> None:
    form = (
        PickOne("card", (Choice("Land"), Choice("Church")), optional=True),
        PickSome("some", (Choice("x", 2), Choice("y", 1), Choice("z", 2, 1)), 2, 3),
        Number("n", 0, 2, 1),
        Order("order", (Choice("p", 2), Choice("q"))),
        Assign("pairs", (Choice("i"), Choice("j")), (Choice("F1"), Choice("F2")), optional=True, distinct=True),
    )
    ask = Ask("a", "test", (Option("go", form), Option("stay"), Option("leave", grave=True)), Answer("stay"))
    found = list(listed(ask))
    texts = Counter(map(write, found))
    assert max(texts.values()) == 1
    assert all(check(ask, answer) == answer for answer in found)
    rng = random.Random(3)
    drawn = {write(check(ask, answer_at_random(ask, rng))) for _ in range(6000)}
    assert drawn <= texts.keys(), "nothing that a random player answers is missing"
    left_open = {"card=" not in text for text in drawn if text.startswith("go ")}
    assert left_open == {True, False}, "a random player leaves open what may be, at times"
    some = len({"zx", "zy", "zz", "zxx", "zxy", "zzx", "zzy"})
    assert len(found) == 1 + 3 * some * 3 * 3 * (1 + 4 + 2)
    assert [a.option for a in listed(ask, grave=True)][-1] == "leave"


def test_rows_are_listed_as_far_as_they_go_together() -> None:
    cells = (PickOne("group", (Choice("F1"), Choice("F2"))), Number("men", 1, 2))
    rows = Rows("moves", cells, 0, 2, (Total("men", 3),), (Shared(("group",), cells[0].choices),))
    ask = Ask("a", "test", (Option("go", (rows,)),), Answer("go"))
    found = [write(a) for a in listed(ask)]
    assert found[:3] == ["go", "go moves=[(group=F1,men=1)]", "go moves=[(group=F1,men=2)]"]
    assert len(found) == len(set(found)) == 1 + 4 + 2 * 3


def test_rows_are_listed_without_trying_what_can_not_go_together() -> None:
    groups = tuple(Choice(f"F{n}") for n in range(1, 13))
    cells = (PickOne("group", groups), Number("men", 0, 9), PickSome("to", (Choice("x"), Choice("y")), 0, 1))
    rows = Rows("moves", cells, 12, 12, (Total("men", 3),), (Shared(("group",), groups), Shared(("to",), (Choice("x"),))))
    ask = Ask("a", "test", (Option("go", (rows,)),), Answer("go"))
    found = list(itertools.islice(listed(ask), 500))
    assert len({write(answer) for answer in found}) == 500 and all(check(ask, answer) == answer for answer in found)


def test_what_is_listed_of_rows_is_what_the_check_allows() -> None:
    cells = (PickOne("one", (Choice("a"), Choice("b")), optional=True), PickSome("some", (Choice("a"), Choice("c")), 0, 2))
    shared = Shared(("one", "some"), (Choice("a", 2, 1), Choice("b"), Choice("c")))
    rows = Rows("r", (*cells, Number("n", 0, 2)), 1, 2, (Total("n", 2, 1),), (shared,))
    ask = Ask("a", "test", (Option("go", (rows,)),), Answer("go"))
    ones: list[str] = ["", "a", "b"]
    somes: list[list[str]] = [[], ["a"], ["c"], ["a", "c"]]
    one_row: list[Row] = [{"one": one, "some": some, "n": n} for one in ones for some in somes for n in range(3)]
    allowed = set()
    for n in (1, 2):
        for given in itertools.product(one_row, repeat=n):
            with contextlib.suppress(NotLegal):
                allowed.add(write(check(ask, Answer("go", {"r": list(given)}))))
    assert sorted(map(write, listed(ask))) == sorted(allowed)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_answers_that_are_listed_are_legal_and_whole_lists_leave_none_out(game: Game) -> None:
    rng = random.Random(8)
    search, wholes, asked = middle(game, game.rules.seats[0], 0, 8), 0, 0
    for _ in range(150):
        if not search.waiting:
            break
        asked += 1
        seat = rng.choice(search.waiting)
        told = search.answers(seat, 60)
        assert len(told.found) <= 60
        for answer in rng.sample(told.found, min(3, len(told.found))):
            procedure.vet(search.state, seat, answer)
        if told.whole:
            wholes += 1
            texts = {write(a) for a in told.found}
            for _ in range(5):
                assert write(check(search.ask(seat), search.sample(seat, rng))) in texts
        search.play(seat, search.sample(seat, rng))
    assert wholes > 20 or wholes == asked, "few are listed whole, and the game isn't a short one"


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_copy_is_played_out_and_the_position_stays(game: Game) -> None:
    search = middle(game, game.rules.seats[-1], 60, 2)
    before = game.rules.encode(search.state)
    for seed in range(3):
        outcome = search.copy().play_out(random.Random(seed))
        assert outcome is not None and set(outcome.winners) <= set("abcdef")
    dealt = Searcher.dealt(game, search.state, "a", Chance("a's own"))
    assert game.rules.view(dealt.state, "a") == game.rules.view(search.state, "a")
    dealt.play_out(random.Random(1), 5)
    assert game.rules.encode(search.state) == before


def test_what_is_not_legal_is_refused_and_changes_nothing() -> None:
    search = middle(GAMES["ortus"], 3, 30, 4)
    before = search.game.rules.encode(search.state)
    (seat,) = search.waiting
    with pytest.raises(NotLegal):
        search.play(seat, Answer("dance"))
    with pytest.raises(NotLegal):
        search.play(next(s for s in "abc" if s != seat), Answer("end"))
    assert search.game.rules.encode(search.state) == before


def test_offers_are_taken_like_answers_are_played() -> None:
    search = middle(GAMES["ortus"], 3, 30, 4)
    seat = next(s for s in "abc" if s not in search.waiting)
    ((number, offer),) = search.offers(seat)
    search.take(seat, offer.kind, Answer("queue"), number)
    assert [o.id for o in search.offers(seat)[0][1].options] == ["withdraw"]
    with pytest.raises(NotLegal):
        search.take(seat, offer.kind, Answer("queue"))
    search.play_out(random.Random(5))
    assert search.outcome is not None and seat not in search.outcome.winners
