"""Every game: what its host chooses before the start, and what its players may bring."""

from __future__ import annotations

import random
import re

import msgspec
import pytest

from engine.bots.random import answer_at_random
from engine.core.asks import NotLegal, Refused, check, read, write
from engine.core.chance import Chance
from engine.core.procedure import ask_of, begin
from engine.game import Build, Game
from engine.ui.forms import describe
from tests.contract.conftest import ALL


def test_the_plain_rules_are_what_a_host_who_chooses_nothing_gets(game: Game) -> None:
    for n in game.rules.seats:
        ask = game.rules.variants.ask(n)
        assert (ask.kind, [option.id for option in ask.options]) == ("variant", ["play"])
        assert check(ask, ask.default) == ask.default
        options = game.rules.variants.read(n, ask.default, "")
        assert game.rules.setup("abcdef"[:n], options, Chance("ab")) == game.rules.setup("abcdef"[:n], {}, Chance("ab"))
        assert check(ask, game.rules.variants.write(n, options)) == check(ask, game.rules.variants.write(n, {})) == ask.default
        assert game.rules.variants.tell(options) == []
    assert game.rules.variants.tell({}) == []


def test_every_choice_of_optional_rules_is_read_and_written_back(game: Game) -> None:
    rng = random.Random(5)
    for n in game.rules.seats:
        ask = game.rules.variants.ask(n)
        if not ask.options[0].fields:
            continue
        form = describe(game, ask, {}, 0)
        assert form.title and all(field.label for field in form.options[0].fields)
        for _ in range(40):
            try:
                options = game.rules.variants.read(n, check(ask, answer_at_random(ask, rng)), "")
                game.rules.setup("abcdef"[:n], options, Chance("ab"))
            except Refused:
                continue
            assert msgspec.json.decode(msgspec.json.encode(options)) == options
            again = read(write(game.rules.variants.write(n, options)))
            assert game.rules.variants.read(n, check(ask, again), "") == options
            plain = options == game.rules.variants.read(n, ask.default, "")
            assert bool(game.rules.variants.tell(options)) is not plain


BUILDERS = [g for g in ALL.values() if g.rules.build is not None]
"""The games for which players put a deck together."""


@pytest.fixture(params=BUILDERS, ids=[g.name for g in BUILDERS])
def builder(request: pytest.FixtureRequest) -> Game:
    chosen: Game = request.param
    return chosen


def build_of(game: Game) -> Build:
    assert game.rules.build is not None
    return game.rules.build


def test_every_card_that_a_player_may_bring_has_words(builder: Game) -> None:
    build = build_of(builder)
    assert len(set(build.kinds)) == len(build.kinds)
    assert set(build.names) == set(build.uses) == set(build.kinds)
    assert all(build.names.values()) and all(build.uses.values()) and build.about
    assert all(re.fullmatch("[A-Za-z]+", kind) and kind not in ("name", "game", "key", "serial") for kind in build.kinds)


def test_the_decks_of_the_house_are_decks_and_others_are_refused(builder: Game) -> None:
    build = build_of(builder)
    assert len({ready.id for ready in build.ready}) == len(build.ready) > 0
    for ready in build.ready:
        build.check(ready.cards)
        assert ready.name and ready.words
        some = next(kind for kind, n in ready.cards.items() if n)
        for wrong in ({**ready.cards, some: ready.cards[some] - 1}, {**ready.cards, some: build.copies + 1}):
            with pytest.raises(NotLegal):
                build.check(wrong)


def test_a_deck_answers_the_question_for_it(builder: Game) -> None:
    build = build_of(builder)
    state = builder.rules.setup("ab", {}, Chance("ab"))
    begin(state)
    ask = ask_of(state, "a")
    assert ask.kind == build.kind
    for ready in build.ready:
        answer = build.answer(ready.cards)
        assert check(ask, answer).some(build.field) == answer.some(build.field)
