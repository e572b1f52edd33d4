"""Every game: standing orders answer legally, and from what their owner may know alone."""

from __future__ import annotations

import random

from engine.core import procedure
from engine.core.asks import Refused, check, read, write
from engine.core.chance import Chance
from engine.game import Game
from engine.play import orders
from engine.ui.forms import describe
from engine.ui.sentences import Fixed, answered, sentence, words_of
from service.web.files import symbol
from tests.contract.walk import fresh, refused, walk


def test_an_order_answers_legally_and_the_same_whatever_its_owner_cannot_know(game: Game) -> None:
    preset, chance = orders.preset(game), Chance("guess")
    for n in game.rules.seats:
        match = fresh(game, n, 60)
        for _ in walk(match, random.Random(60), stop=400):
            for seat in match.state.waiting:
                found = orders.answer(game, match.state, seat, preset, chance)
                other = game.rules.redeal(match.state, seat, chance)
                assert found == orders.answer(game, other, seat, preset, chance), procedure.ask_of(match.state, seat).kind
                assert found is None or not refused(match.state, seat, found)


def test_answering_by_order_changes_nothing_and_needs_no_orders(game: Game) -> None:
    match, chance = fresh(game, game.rules.seats[-1], 61), Chance("guess")
    for _ in walk(match, random.Random(61), stop=150):
        before = game.rules.encode(match.state)
        for seat in match.state.waiting:
            for given in ({}, orders.preset(game), {"NO-99": "on", "SO-05": "no ( setting"}):
                orders.answer(game, match.state, seat, given, chance, late=True)
        assert game.rules.encode(match.state) == before


def test_what_is_offered_as_an_order_is_read_back_as_it_was_set(game: Game) -> None:
    state = fresh(game, game.rules.seats[-1], 62).state
    for seat in state.table.seats:
        for ask in game.orders.asks(state, seat):
            text = orders.check(game, state, seat, ask.rule, ask.default)
            assert write(read(text)) == text


def test_an_own_position_has_one_fingerprint_whatever_others_hold(game: Game) -> None:
    match, chance = fresh(game, game.rules.seats[-1], 63), Chance("guess")
    for _ in walk(match, random.Random(63), stop=100):
        for seat in match.state.table.seats:
            other = game.rules.redeal(match.state, seat, chance)
            assert game.orders.stance(other, seat) == game.orders.stance(match.state, seat)
            assert game.orders.coming(other, seat) == game.orders.coming(match.state, seat)


def test_the_words_of_an_order_say_what_is_set_and_are_read_back_to_it(game: Game) -> None:
    book, state = game.orders, fresh(game, game.rules.seats[-1], 64).state
    if book.sheet.words is None:
        return
    ready = [orders.settings(which) for which in ({}, orders.preset(game), book.sheet.layout.away)]
    for ask in game.orders.asks(state, state.table.seats[0]):
        form = describe(game, ask, {}, 0)
        assert ask.rule in [*book.sheet.layout.common, *book.sheet.layout.sign], ask.rule
        for settings in ready:
            setting = check(ask, settings.get(ask.rule, ask.default))
            said = sentence(book.sheet.words, form, setting, spare=True)
            assert said is not None and said.words.endswith(".") and "{" not in said.words, ask.rule
            assert all(not isinstance(p, Fixed) or p.said for way in said.ways.values() for p in way)
            if setting.option != "off":
                assert check(ask, answered(form, setting, words_of(said))) == setting, (ask.rule, said.words)


def test_an_order_s_picture_is_there_and_what_is_ready_made_can_be_set(game: Game) -> None:
    layout, state = game.orders.sheet.layout, fresh(game, game.rules.seats[-1], 65).state
    known = {ask.rule: ask for ask in game.orders.asks(state, state.table.seats[0])}
    assert set(layout.common) <= set(known)
    assert all(symbol(game.name, id) for id in layout.sign.values()), [
        i for i in layout.sign.values() if not symbol(game.name, i)
    ]
    for id, text in layout.away.items():
        assert not refuses(game, known[id].rule, text), id


def refuses(game: Game, id: str, text: str) -> bool:
    try:
        orders.check(game, fresh(game, game.rules.seats[-1], 65).state, "a", id, read(text))
    except Refused:
        return True
    return False
