"""Every game: the card that a seat's row keeps says what the position says, and nothing that the seat can't know."""

from __future__ import annotations

import random

import msgspec

from engine.core import procedure
from engine.core.chance import Chance
from engine.game import Game, labels_of
from engine.play.ranking import place
from service.games import cards
from service.store.models import Match
from tests.contract.walk import NAMES, fresh, walk


def test_a_card_says_what_the_position_says_and_is_the_same_when_all_hidden_is_dealt_anew(game: Game) -> None:
    match, chance, row = (
        fresh(game, game.rules.seats[-1], 91),
        Chance("cards"),
        Match(id="m", name="m", game=game.name, host_id="h", seats=game.rules.seats[-1], seed=b""),
    )
    for i, _ in enumerate(walk(match, random.Random(91), stop=250)):
        state = match.state
        if i % 4 or not state.stack:
            continue
        for seat in state.table.seats:
            card = cards.made(row, game, state, seat)
            assert cards.kept(row, msgspec.to_builtins(card)) == card, "as a row holds it"
            assert cards.made(row, game, game.rules.redeal(state, seat, chance), seat) == card, (
                f"{game.name}: it tells {seat} a secret"
            )
            asked = seat in state.waiting
            ask = procedure.ask_of(state, seat) if asked else None
            assert card.question(game, NAMES) == (labels_of(game, ask).heading(ask, NAMES) if ask is not None else "")
            assert (card.points, card.place) == (game.rules.score(state, seat), place(game, state, seat))
            assert (game.words.catalogue.amount(*card.held) if card.held is not None else "") == game.holding(state, seat)
        seen = game.rules.view(state, None)
        assert [seen.get(name, 0) for name in cards.COUNTED] == [card.round, card.turn]


def test_a_card_of_another_position_is_not_shown() -> None:
    row = Match(id="m", name="m", game="ortus", host_id="h", seats=2, seed=b"", serial=3, snapshot_n=2, head="ab")
    card = {"at": cards.mark(row), "waiting": ["a"]}
    assert cards.kept(row, card) is not None
    for other in ({"serial": 4}, {"snapshot_n": 3}, {"head": "cd"}):
        changed = Match(**{**row.model_dump(), **other})
        assert cards.kept(changed, card) is None
    assert cards.kept(row, {}) is None and cards.kept(row, {"at": 1}) is None
