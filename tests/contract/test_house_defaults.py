"""An answer by a default of the house is told from one by an order, whatever else the seat has set."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.core.asks import Answer, Seat, read, write
from engine.core.chance import Chance
from engine.game import AnyState, Game
from engine.games import GAMES
from engine.play import match as matches
from engine.play import orders
from tests.tables import complete, recorded


def answered_by_the_house(game: Game) -> Iterator[tuple[AnyState, Seat, Answer]]:
    """Positions of recorded games in which the house answers somebody who has set nothing."""
    for seats in game.rules.seats:
        file = recorded(game.name, seats)
        assert file is not None
        lines = file.read_text("utf-8").splitlines()
        entries = [matches.read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
        seed = bytes.fromhex(read(entries[-1].move or "").pick("seed"))
        match = matches.start(matches.read_header(lines[0]), seed)
        for entry in matches.standing(entries[:-1]):
            for seat in match.state.waiting:
                found = orders.answer(game, match.state, seat, {}, Chance("x"))
                if found is not None:
                    yield match.state, seat, found
            matches.apply(match, entry, trusted=True)


@pytest.mark.parametrize("name", complete())
def test_a_default_of_the_house_is_its_own_beside_other_orders(name: str) -> None:
    game, own, theirs = GAMES[name], 0, 0
    for at, (state, seat, found) in enumerate(answered_by_the_house(game)):
        if at == 40:
            break
        assert orders.of_house(game, state, seat, {}, found, "x")
        standing = [ask for ask in game.orders.asks(state, seat) if ask.default.option != "off"]
        kept = {ask.rule for ask in standing}
        others = {id: text for id, text in orders.preset(game, state).items() if id not in kept}
        if orders.answer(game, state, seat, others, Chance("x")) == found:
            assert others and orders.of_house(game, state, seat, others, found, "x")
            own += 1
        # Who sets an order to what the house has anyway has set it: one of these is what answers.
        set_so = {ask.rule: write(ask.default) for ask in standing}
        if orders.answer(game, state, seat, set_so, Chance("x")) == found:
            theirs += not orders.of_house(game, state, seat, {**others, **set_so}, found, "x")
    assert own > 1 and theirs > 1, (own, theirs)
