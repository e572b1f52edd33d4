"""Recorded games: logs of bot games, as regression tests of the rules."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from engine.bots.random import answer_at_random
from engine.core import offers, procedure
from engine.core.asks import SEATS, Answer, NotLegal, NotUnderstood, read, write
from engine.core.chance import Chance, commitment
from engine.core.rulings import Ruled, begun, defaults
from engine.core.views import Event
from engine.game import Game, choice_of
from engine.language.words import plain
from engine.play import match as matches
from engine.play import taking_back
from engine.play.match import DEFAULT, FORMAT, WITH_TAKE_BACKS, Header, Match, SeatInfo, to_lines
from engine.tools.playout import AIMLESS, LONGEST, Player, player

NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay")
BEGAN = datetime(2026, 11, 21, tzinfo=UTC)
"""Start time; answers are a second apart."""
OFFERS = 0.05
"""Probability of taking an offer."""
KEPT, BACK = ("keep", "kept"), "back"
"""Words about the table that put a steward in, or the player back."""


@dataclass(frozen=True)
class Plan:
    seats: int
    seed: str
    bots: Sequence[str] = ("random",)
    """Names, round the table; `default` gives the safe defaults, logged as at a deadline."""
    variant: str = ""
    """Optional rules, as an answer."""
    rulings: Ruled = field(default_factory=dict)
    """Of any kind; the others have their default."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Header options besides, such as those of a rematch."""
    file: str = ""
    """Text of the host's own data file."""
    undo: float = 0.0
    """Probability with which an answer is taken back that may be."""
    table: Sequence[str] = ()
    """Entries about the table, in order, each `N ACTOR WORDS`: put in after N entries. From `kept seat=b` to `back seat=b` the
    steward plays for the seat.
    """


def play(game: Game, plan: Plan) -> Match:
    """Play a whole game with random offers, determined by the seed.

    Raises NotUnderstood for a wrong number of seats or an unknown bot, Refused for illegal options, NotLegal for an endless
    game or an entry about the table after its end.
    """
    seats, seed = plan.seats, plan.seed
    if not game.rules.seats[0] <= seats <= game.rules.seats[-1]:
        raise NotUnderstood(plain(f"{game.title} is for {game.rules.seats[0]} to {game.rules.seats[-1]} players, not {seats}."))
    secret = hashlib.sha256(f"recorded/{game.name}/{seats}/{seed}".encode()).digest()
    rng, own = random.Random(f"recorded/{seed}"), Chance(f"recorded/{seed}")
    match = matches.start(_header(game, plan, secret), secret)
    first = {s: _hand(game, plan.bots[i % len(plan.bots)], rng, own) for i, s in enumerate(match.state.table.seats)}
    steward = Hand(player(game, game.bots.steward, rng, own), "bot", "steward")
    hands, table = {**first}, [_about_table(line) for line in plan.table]
    for moves in range(LONGEST):
        at = _time(moves)
        while table and match.state.waiting and table[0][0] <= len(match.entries):
            _, actor, words = table.pop(0)
            match.record(actor, words, at, actor)
            if words.option in (*KEPT, BACK):
                seat = words.pick("seat")
                hands[seat] = first[seat] if words.option == BACK else steward
        if not match.state.waiting:
            if table:
                raise NotLegal(plain(f"It ends after {len(match.entries)} entries, before “{write(table[0][2])}”."))
            match.reveal(at)
            return match
        if rng.random() < OFFERS and _take_offer(match, rng, at):
            continue
        seat = rng.choice(match.state.waiting)
        hand = hands[seat]
        before = game.rules.encode(match.state) if plan.undo and rng.random() < plan.undo else b""
        events = match.play(seat, hand.answers(match.state, procedure.ask_of(match.state, seat)), at, hand.via, hand.mark)
        if before:
            _undo(match, before, events, at, hand.via)
    raise NotLegal(plain(f"There is no end after {LONGEST} moves; choose bots that bring it, or another seed."))


def _undo(match: Match, before: bytes, events: Sequence[Event], at: str, via: str) -> None:
    game, entry, state = match.game, match.entries[-1], match.game.rules.decode(before)
    again = partial(matches.play_again, game, entry)
    if not taking_back.why_final(game, state, match.state, entry.actor, events, again):
        match.take_back(entry.actor, entry.n - 1, game.rules.decode(before), at, via)


class Hand(NamedTuple):
    answers: Player
    via: str
    mark: str


def _hand(game: Game, bot: str, rng: random.Random, own: Chance) -> Hand:
    return Hand(player(game, bot, rng, own), *(("clock", DEFAULT) if bot == DEFAULT else ("bot", "")))


def _about_table(line: str) -> tuple[int, str, Answer]:
    n, actor, words = line.split(" ", 2)
    return int(n), actor, read(words)


def _header(game: Game, plan: Plan, secret: bytes) -> Header:
    seats, seed = plan.seats, plan.seed
    given = [hashlib.sha256(f"recorded/{seed}/{i}".encode()).hexdigest() for i in range(seats)]
    infos = [SeatInfo(s, NAMES[i], given[i]) for i, s in enumerate(SEATS[:seats])]
    choice = choice_of(game, seats, plan.variant, aimless=not {*plan.bots}.isdisjoint(AIMLESS))
    options = {**game.rules.variants.read(seats, choice, plan.file), **plan.options}
    ruled = defaults(game.rules.rulings) | begun(game.rules.rulings, plan.rulings)
    writ = WITH_TAKE_BACKS if plan.undo else FORMAT
    return Header(writ, f"recorded-{seed}", game.name, game.rules.version, options, infos, commitment(secret), _time(0), ruled)


def _time(moves: int) -> str:
    return (BEGAN + timedelta(seconds=moves)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _take_offer(match: Match, rng: random.Random, at: str) -> bool:
    state = match.state
    open_ = [(0, ask) for seat in state.table.seats for ask in offers.powers(state, match.game.rules.powers.open(state, seat))]
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
    """File name `3-seats-coins.jsonl`: seats, then what it shows or how it ends."""
    assert match.outcome is not None
    return f"{len(match.header.seats)}-seats-{shows or match.outcome.how}.jsonl"


def text(match: Match) -> str:
    return "".join(f"{line}\n" for line in to_lines(match.header, match.entries))
