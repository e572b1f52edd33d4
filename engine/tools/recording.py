"""Recorded games: verifiable logs of bot games, as regression tests of the rules."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from engine import match as matches
from engine import offers, procedure
from engine.asks import NotLegal, NotUnderstood
from engine.bots.random import answer_at_random
from engine.chance import Chance, commitment
from engine.game import Game, options_of
from engine.match import FORMAT, Header, Match, SeatInfo, to_lines
from engine.rulings import Ruled, chosen
from engine.tools.playout import AIMLESS, LONGEST, player
from engine.words import Plain

NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay")
BEGAN = datetime(2026, 11, 21, tzinfo=UTC)
"""Start time; answers are a second apart."""
OFFERS = 0.05
"""Probability of taking an offer."""


def record(
    game: Game, seats: int, seed: str, bots: Sequence[str] = ("random",), variant: str = "", wanted: Ruled | None = None
) -> Match:
    """Play and reveal a whole game, deterministic by the seed, taking random offers.

    Raises NotUnderstood for a wrong number of seats or an unknown bot, Refused for illegal options, NotLegal for a game without
    end.
    """
    if not game.least <= seats <= game.most:
        raise NotUnderstood(Plain(f"{game.title} is for {game.least} to {game.most} players, not {seats}."))
    secret = hashlib.sha256(f"recorded/{game.name}/{seats}/{seed}".encode()).digest()
    rng, own = random.Random(f"recorded/{seed}"), Chance(f"recorded/{seed}")
    options = options_of(game, seats, variant, aimless=not {*bots}.isdisjoint(AIMLESS))
    match = matches.start(_header(game, seats, seed, secret, options, wanted or {}), secret)
    players = {seat: player(game, bots[i % len(bots)], rng, own) for i, seat in enumerate(match.state.table.seats)}
    for moves in range(LONGEST):
        at = _time(moves)
        if not match.state.waiting:
            match.reveal(at)
            return match
        if rng.random() < OFFERS and _take_offer(match, rng, at):
            continue
        seat = rng.choice(match.state.waiting)
        match.play(seat, players[seat](match.state, procedure.ask_of(match.state, seat)), at, "bot")
    raise NotLegal(Plain(f"There is no end after {LONGEST} moves; choose bots that bring it, or another seed."))


def _header(game: Game, seats: int, seed: str, secret: bytes, options: Mapping[str, Any], wanted: Ruled) -> Header:
    given = [hashlib.sha256(f"recorded/{seed}/{i}".encode()).hexdigest() for i in range(seats)]
    infos = [SeatInfo(s, NAMES[i], given[i]) for i, s in enumerate(matches.SEATS[:seats])]
    ruled = chosen(game.rulings, wanted)
    return Header(FORMAT, f"recorded-{seed}", game.name, game.rules, {**options}, infos, commitment(secret), _time(0), ruled)


def _time(moves: int) -> str:
    return (BEGAN + timedelta(seconds=moves)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _take_offer(match: Match, rng: random.Random, at: str) -> bool:
    state = match.state
    open_ = [(0, ask) for seat in state.table.seats for ask in offers.powers(state, match.game.offers(state, seat))]
    open_ += [found for seat in state.table.seats for found in offers.proposals(state, seat)]
    if not open_:
        return False
    number, ask = rng.choice(open_)
    try:
        match.play_offer(ask.seat, ask.kind, answer_at_random(ask, rng), at, "bot", number)
    except NotLegal:
        return False
    return True


def name_of(match: Match, shows: str = "") -> str:
    """File name: seats, then what it shows or how it ends, `3-seats-coins.jsonl`."""
    assert match.outcome is not None
    return f"{len(match.header.seats)}-seats-{shows or match.outcome.how}.jsonl"


def text(match: Match) -> str:
    return "".join(f"{line}\n" for line in to_lines(match.header, match.entries))
