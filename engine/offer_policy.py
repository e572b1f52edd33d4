"""Bots' answers to proposals, and their use of powers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine import offers
from engine.asks import Answer, Ask, Refused, Seat
from engine.chance import Chance
from engine.game import AnyState, Game
from engine.match import check_offer, run_offer

MOST = 6
"""Most powers used per open question by a bot or a standing order, so that mutual reactions end."""


def said(game: Game, bot: str, state: AnyState, seat: Seat, ask: Ask, number: int, chance: Chance) -> Answer | None:
    """A bot's answer to a proposal, or its use of a power (number 0): None to pass."""
    think = game.hagglers.get(bot)
    found = think(game.redeal(state, seat, chance), seat, ask, chance) if think is not None else None
    if found is not None:
        try:
            return check_offer(game, state, seat, ask.kind, found, number)
        except Refused:
            pass
    return ask.default if number else None


def haggle(game: Game, bots: Mapping[Seat, str], state: AnyState, chance: Chance) -> Iterator[Seat]:
    """Let bots use each power once and answer all proposals; yields a seat after each answer."""
    for seat in [s for s in state.table.seats if bots[s] in game.hagglers]:
        for kind in [ask.kind for ask in offers.powers(state, game.offers(state, seat))]:
            ask = next((a for a in offers.powers(state, game.offers(state, seat)) if a.kind == kind), None)
            answer = said(game, bots[seat], state, seat, ask, 0, chance) if ask is not None else None
            if answer is not None:
                run_offer(game, state, seat, kind, answer)
                yield seat
    while offers.on(state.table):
        open_ = [(seat, *one) for seat in state.table.seats for one in offers.proposals(state, seat)]
        if not open_:
            return
        seat, number, ask = open_[0]
        answer = said(game, bots[seat], state, seat, ask, number, chance)
        assert answer is not None
        run_offer(game, state, seat, ask.kind, answer, number)
        yield seat
