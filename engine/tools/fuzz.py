"""Fuzzer: random games with random optional rules and rulings; invariants are checked after every answer.

Players often copy the last seat's answer, since agreements rarely succeed at random. Some games go through `engine.play.run`.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.bots.random import answer_at_random
from engine.core import offers, procedure, rulings
from engine.core.asks import SEATS, Answer, Ask, PickOne, PickSome, Refused, Seat, write
from engine.core.chance import Chance, guess
from engine.core.views import Event
from engine.game import AnyState, Game, choice_of, copy
from engine.play import orders
from engine.play.effects import Effect, Logged, Told
from engine.play.match import TABLE, legal_offer, run_offer
from engine.play.policy import Clock, Sitter, offer_of
from engine.text import address
from engine.text.address import Power
from engine.tools.playout import LONGEST
from engine.tools.simulated_table import SimulatedTable, unsealed

TRIES = 30
"""Draws until the safe default is played, where answers are refused."""
POWERS = 0.05
"""Probability of using a power; low, because refused ones cost time."""
PROPOSALS = 0.3
POLICIES = 0.05
"""Probability that a bot answers instead; low, because bots think. It answers from the position that its seat knows."""
HERD = 0.5
"""Probability of copying another seat's answer to the same question."""
RUNS = 0.1
"""Probability that a game is played through runs; low, because they play ahead."""
MISSED = 0.1
"""Probability that the deadline answers there."""
EVERYTHING = 4
"""One game in this many has every optional rule."""
LOOK = 40
"""Answers between checks of the position's round trip, of copies and of redeals."""
MOST_FAULTS = 50


class Fault(AssertionError):
    """A broken invariant."""


@dataclass
class Found:
    seats: int
    games: int = 0
    moves: int = 0
    errors: int = 0
    stalls: int = 0
    faults: list[str] = field(default_factory=list)
    """Each with its seed and rules, to be repeated with `once`."""
    options: dict[str, int] = field(default_factory=dict)
    """Optional rule -> games finished with it; `none`: base game, `all`: every rule."""
    ends: dict[str, int] = field(default_factory=dict)


# --- optional rules ---------------------------------------------------------------------------------------------------


def drawn(game: Game, seats: int, rng: random.Random) -> Answer:
    """Draw optional rules, bounded as for bots; sometimes all compatible ones."""
    ask, bound = game.rules.variants.ask(seats), choice_of(game, seats, "", aimless=True)
    kept = {name: value for name, value in bound.values.items() if ask.default.values.get(name) != value}
    everything = rng.randrange(EVERYTHING) == 0
    for _ in range(TRIES):
        choice = answer_at_random(ask, rng)
        every = {f.name: [c.id for c in f.choices] for f in _groups(ask)} if everything else {}
        choice = Answer(choice.option, {**choice.values, **every, **kept})
        try:
            game.rules.variants.read(seats, choice, "")
        except Refused:
            everything = False
            continue
        return choice
    return bound


def _groups(ask: Ask) -> list[PickSome]:
    return [f for f in ask.options[0].fields if isinstance(f, PickSome) and f.most >= len(f.choices)]


def named(game: Game, seats: int, choice: Answer) -> list[str]:
    """Names of chosen rules: `mayhem`, `battle_die=book`; `all` or `none`."""
    ask = game.rules.variants.ask(seats)
    groups = _groups(ask)
    found = [id for f in ask.options[0].fields if isinstance(f, PickSome) for id in dict.fromkeys(choice.some(f.name))]
    listed = found + [f"{f.name}={choice.pick(f.name)}" for f in ask.options[0].fields if isinstance(f, PickOne)]
    if groups and all(len(choice.some(f.name)) == len(f.choices) for f in groups):
        listed.append("all")
    return listed if found else [*listed, "none"]


# --- a game -----------------------------------------------------------------------------------------------------------


def once(game: Game, seats: int, seed: str, found: Found) -> None:
    """Play and count one game. Raises Fault or any other error."""
    rng = random.Random(f"fuzz/{game.name}/{seats}/{seed}")
    choice = drawn(game, seats, rng)
    options = game.rules.variants.read(seats, choice, "")
    chance = Chance(hashlib.sha256(f"table/{seed}".encode()).hexdigest())
    # New games, games from before all rulings, and games by a host's choice.
    ruled = rng.choice((None, {}, rulings.drawn(game.rules.rulings, rng)))
    first = state = game.rules.setup(list(SEATS[:seats]), options, chance, ruled)
    names = {seat: seat.upper() for seat in state.table.seats}
    moves, base = 0, None
    playing = _played_by_runs if rng.random() < RUNS else played
    for state, news in playing(game, first, rng):
        moves += 1
        for event in news:
            game.words.tell(event, names, None)
        if _brings_cards(game, state):
            base = None  # cards that players bring become the new baseline
            continue
        base, before = game.rules.checks.conserved(state), base
        if before not in (None, base):
            raise Fault(f"not conserved: {_differences(before or {}, base)}")
        if moves % LOOK == 0:
            look(game, state)
        if moves > LONGEST:
            break
    found.moves += moves
    outcome = state.table.outcome
    if outcome is None:
        found.stalls += 1
        _note(found, f"seats {seats}, seed {seed}, {write(choice)}: no end after {moves} moves")
        return
    for seat in state.table.seats:
        game.rules.view(state, seat)
    for name in named(game, seats, choice):
        found.options[name] = found.options.get(name, 0) + 1
    found.ends[outcome.how] = found.ends.get(outcome.how, 0) + 1


Played = Iterator[tuple[AnyState, list[Event]]]
"""After every answer: the position, and the events."""


def played(game: Game, state: AnyState, rng: random.Random) -> Played:
    yield state, procedure.begin(state)
    last: tuple[int, Answer] | None = None
    while state.table.outcome is None and state.waiting:
        if not game.rules.offerless and rng.random() < POWERS:
            used = _power(game, state, rng)
            if used is not None:
                yield state, used
                continue
        if offers.on(state.table) and rng.random() < PROPOSALS:
            answered = _proposal(game, state, rng)
            if answered is not None:
                yield state, answered
                continue
        seat = state.waiting[int(rng.random() * len(state.waiting))]
        ask = procedure.ask_of(state, seat)
        procedure.vet(state, seat, ask.default, ask)
        if rng.random() < POLICIES:
            answer = _by_bot(game, state, seat, ask, rng)
        else:
            answer = _answer(state, seat, ask, rng, last[1] if last and last[0] == state.serial else None)
        last = state.serial, answer
        yield state, procedure.play(state, seat, answer, ask=ask)


def _played_by_runs(game: Game, state: AnyState, rng: random.Random) -> Played:
    """The same by `engine.play.run.take`, with and without standing orders and bots."""
    yield state, procedure.begin(state)
    seats = {seat: _sitter(game, state, seat, rng) for seat in state.table.seats}
    clock = Clock(decent=rng.random() < 0.5, late_windows=rng.random() < 0.5)
    table = SimulatedTable.of(unsealed(game, state), seats, guess(rng.getrandbits(32)), clock)
    yield table.run.match.state, []  # bots alone have played to the end by now
    while table.run.match.outcome is None and table.run.match.state.waiting:
        effects = _step(table, rng)
        told = [event for effect in effects if isinstance(effect, Logged | Told) for event in effect.events]
        # The service has the words for those about the table.
        yield table.run.match.state, [event for event in told if not event.kind.startswith(f"{TABLE}.")]


def _sitter(game: Game, state: AnyState, seat: Seat, rng: random.Random) -> Sitter:
    if "random" in game.bots.players and rng.random() < 0.25:
        return Sitter(owned=False, bot="random")
    set_ = dict[str, str]()
    for ask in game.orders.asks(state, seat) if rng.random() < 0.5 else ():
        try:
            set_[ask.rule] = orders.check(game, state, seat, ask.rule, answer_at_random(ask, rng))
        except Refused:
            continue
    return Sitter(orders=set_)


def _step(table: SimulatedTable, rng: random.Random) -> list[Effect]:
    run = table.run
    seats = [seat for seat in run.match.state.table.seats if not run.seats[seat].bot]
    if rng.random() < PROPOSALS and (seats and (offers.on(run.match.state.table) or run.offers or rng.random() < POWERS)):
        seat = rng.choice(seats)
        known = run.known_to(seat)
        open_ = [(0, ask) for ask in offers.powers(known, run.match.game.rules.powers.open(known, seat))]
        open_ += [*offers.proposals(known, seat), *offers.own(known, seat)]
        if open_:
            number, ask = rng.choice(open_)
            to = address.proposal(number) if number else Power(ask.kind)
            return table.submit(seat, to, ask.kind, answer_at_random(ask, rng))
    asked = [seat for seat in run.waiting if seat in seats]
    if not asked or rng.random() < MISSED:
        return table.wait()
    seat = rng.choice(asked)
    known = run.known_to(seat)
    answer = _answer(known, seat, procedure.ask_of(known, seat), rng, None)
    return table.submit(seat, run.key(seat)[1], run.match.ask_kind(), answer)


def _answer(state: AnyState, seat: Seat, ask: Ask, rng: random.Random, other: Answer | None) -> Answer:
    wanted = other if other is not None and rng.random() < HERD else None
    for _ in range(TRIES):
        found = procedure.legal(state, seat, wanted or answer_at_random(ask, rng), ask)
        if found is not None:
            return found
        wanted = None
    return ask.default


def _by_bot(game: Game, state: AnyState, seat: Seat, ask: Ask, rng: random.Random) -> Answer:
    """A bot's answer, or the default if that conflicts with hidden facts."""
    chance = guess(rng.getrandbits(32))
    bot = game.bots.players[rng.choice(sorted(game.bots.players))]
    try:
        return procedure.vet(state, seat, bot(game.rules.redeal(state, seat, chance), seat, chance), ask)
    except Refused:
        return ask.default


def _power(game: Game, state: AnyState, rng: random.Random) -> list[Event] | None:
    seat: Seat = rng.choice(state.table.seats)
    listed = offers.powers(state, game.rules.powers.open(state, seat))
    if not listed:
        return None
    ask = rng.choice(listed)
    answer = legal_offer(game, state, seat, ask.kind, answer_at_random(ask, rng))
    return run_offer(game, state, seat, ask.kind, answer) if answer is not None else None


def _proposal(game: Game, state: AnyState, rng: random.Random) -> list[Event] | None:
    found = [(seat, *one) for seat in state.table.seats for one in offers.proposals(state, seat)]
    found += [(seat, *one) for seat in state.table.seats for one in offers.own(state, seat)]
    if not found:
        return None
    seat, number, ask = rng.choice(found)
    if game.bots.offer_policies and number in {n for n, _ in offers.proposals(state, seat)} and rng.random() < POLICIES:
        reply = offer_of(
            game, rng.choice(sorted(game.bots.offer_policies)), state, seat, ask, number, guess(rng.getrandbits(32))
        )
        return run_offer(game, state, seat, ask.kind, reply or ask.default, number)
    answer = legal_offer(game, state, seat, ask.kind, answer_at_random(ask, rng), number)
    return run_offer(game, state, seat, ask.kind, answer, number) if answer is not None else None


def _brings_cards(game: Game, state: AnyState) -> bool:
    kinds = {build.kind for build in (game.rules.build, *game.rules.build.others)} if game.rules.build is not None else set()
    return bool(state.waiting) and procedure.ask_of(state, state.waiting[0]).kind in kinds


def look(game: Game, state: AnyState) -> None:
    """Check text, copies and redeals of a position. Raises Fault."""
    text = game.rules.notation.whole(state)
    if game.rules.notation.whole(game.rules.notation.read(text)) != text:
        raise Fault("the position isn't read back as it was written")
    if copy(game, state) != state:
        raise Fault("a copy isn't what it was copied from")
    for seat in (*state.table.seats, None):
        if game.rules.view(game.rules.redeal(state, seat, guess(1)), seat) != game.rules.view(state, seat):
            raise Fault(f"{seat or 'a spectator'} sees what a new deal changes")


def _differences(base: dict[str, int], now: dict[str, int]) -> str:
    return ", ".join(
        f"{k} {base.get(k, 0)} -> {now.get(k, 0)}" for k in sorted({*base, *now}) if base.get(k, 0) != now.get(k, 0)
    )


# --- many -------------------------------------------------------------------------------------------------------------


def run(game: Game, seats: Sequence[int], games: int, seed: str, every: int) -> Iterator[Found]:
    """Play `games` games per number of seats, yielding a result every `every`; errors are recorded."""
    for first in range(0, games, every):
        for n in seats:
            yield _turn(game, n, range(first, min(games, first + every)), seed)


def _turn(game: Game, seats: int, numbers: range, seed: str) -> Found:
    found = Found(seats)
    for number in numbers:
        found.games += 1
        try:
            once(game, seats, f"{seed}/{number}", found)
        except Exception as error:  # any error is a finding
            found.errors += 1
            choice = write(drawn(game, seats, random.Random(f"fuzz/{game.name}/{seats}/{seed}/{number}")))
            _note(found, f"seats {seats}, seed {seed}/{number}, {choice}: {type(error).__name__}: {error}")
    return found


def _note(found: Found, fault: str) -> None:
    if len(found.faults) < MOST_FAULTS:
        found.faults.append(fault)


def together(all_found: Sequence[Found]) -> dict[str, Any]:
    options, ends = Counter[str](), Counter[str]()
    for found in all_found:
        options.update(found.options)
        ends.update(found.ends)
    return {
        "games": sum(found.games for found in all_found),
        "moves": sum(found.moves for found in all_found),
        "errors": sum(found.errors for found in all_found),
        "stalls": sum(found.stalls for found in all_found),
        "options": dict(sorted(options.items())),
        "ends": dict(sorted(ends.items())),
    }
