"""Every game: private offers, bots, stewards, orders, kept answers and defaults in one round halt nothing and leak nothing.

Games are played through `engine.play.run.take`, without a database, by players who use whatever stands open to their seats.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.bots.random import answer_at_random, legal_at_random
from engine.core import procedure
from engine.core.asks import Answer, Ask, NotLegal, Option, PickOne, Refused, Seat, choices, write
from engine.core.chance import Chance
from engine.core.procedure import State
from engine.core.rulings import Ruled
from engine.game import AnyState, Game
from engine.games import GAMES
from engine.language.words import plain
from engine.play import hidden, orders
from engine.play.effects import Accepted, Closed, Effect, Held, Logged, Rejected, Submitted, Told
from engine.play.hidden import Given, Taken
from engine.play.match import Match, replay, start
from engine.play.policy import Clock, Sitter
from engine.play.run import Run, take
from engine.text import address
from engine.text.address import Power
from engine.tools.simulated_table import SimulatedTable
from tests.contract.walk import header_for, readers, standing
from tests.toy_game import FAIR, Dice, Fair, FairTable, Jury

STEPS = {"fair": 260, "court": 120}
"""Answers and offers at one table; of the great games, which have fewer private things, less is played."""
PATIENCE = 60


def seated(match: Match, rng: random.Random) -> SimulatedTable:
    """A table at which bots sit beside people with and without standing orders."""
    game, seats = match.game, dict[Seat, Sitter]()
    for seat in match.state.table.seats:
        bot = rng.choice(sorted(game.bots.players)) if rng.random() < 0.25 else ""
        set_ = settings_at_random(game, match.state, seat, rng) if not bot and rng.random() < 0.5 else {}
        seats[seat] = Sitter(seat.upper(), not bot, bot, orders=set_)
    clock = Clock(decent=rng.random() < 0.3, late_windows=rng.random() < 0.3, steward_after=rng.choice((2, 99)))
    return SimulatedTable.of(match, seats, Chance(str(rng.random())), clock)


def settings_at_random(game: Game, state: AnyState, seat: Seat, rng: random.Random) -> dict[str, str]:
    found = {}
    for ask in game.orders.asks(state, seat):
        try:
            found[ask.rule] = orders.check(game, state, seat, ask.rule, answer_at_random(ask, rng))
        except Refused:
            continue
    return found


def people(run: Run, seats: Iterable[Seat]) -> list[Seat]:
    return [seat for seat in seats if not run.seats[seat].bot]


def seen(run: Run, reader: Seat | None) -> object:
    return run.match.game.rules.view(run.known_to(reader) if reader is not None else run.match.state, reader)


def offer_at_random(table: SimulatedTable, rng: random.Random) -> None:
    """Use a power, or say something to a proposal, by what its seat knows; others must not see it while it lies hidden."""
    run = table.run
    game, seats = run.match.game, run.match.state.table.seats
    present = people(run, seats)
    if not present:
        return  # stewards wait for somebody to come back
    seat = rng.choice(present)
    open_ = standing(game, run.known_to(seat), seat)
    if not open_:
        return
    ask, number = rng.choice(open_)
    answer, to = answer_at_random(ask, rng), address.proposal(number) if number else Power(ask.kind)
    circle = hidden.circle(game, seats, Taken(seat, ask.kind, Given(answer, "page"), number))
    after, effects = take(run, Submitted("probe", seat, to, ask.kind, write(answer), "page", table.at))
    if any(isinstance(effect, Rejected) for effect in effects):
        assert not any(isinstance(effect, Logged) for effect in effects), "what is refused changes nothing"
    if not any(isinstance(effect, Logged) for effect in effects):
        for reader in (r for r in readers(run.match.state) if r not in circle):
            assert seen(after, reader) == seen(run, reader), f"{reader or 'a spectator'} sees what was done unseen"
            assert not shown(effects, reader)
    table.submit(seat, to, ask.kind, answer)


def shown(effects: Sequence[Effect], reader: Seat | None) -> list[object]:
    """What a seat can tell of effects, while nothing is logged: its own answers, and what it is told."""
    found: list[object] = []
    for effect in effects:
        match effect:
            case Told(events) | Logged(_, events):
                found += [event for event in events if event.seen_by(reader)]
            case Closed((seat, to), via) if seat == reader:
                found.append((to, via))
    return found


def answer_one(table: SimulatedTable, rng: random.Random, twins: bool) -> None:
    """One answer: by hand, or by the clock."""
    run = table.run
    asked = people(run, run.waiting)
    if not asked or rng.random() < 0.4:
        table.wait()
        return
    seat = rng.choice(asked)
    answer = legal_at_random(run.known_to(seat), seat, rng)
    if twins:
        check_twins(table, seat, answer, rng)
    table.submit(seat, run.key(seat)[1], run.match.ask_kind(), answer)


def check_twins(table: SimulatedTable, seat: Seat, answer: Answer, rng: random.Random) -> None:
    """An answer has the same effects for its seat in a run where everything unknown to it is dealt again: others' hands, and
    their hidden answers and offers."""
    run, game = table.run, table.run.match.game
    if run.waiting == [seat] or procedure.open_step(run.match.state).each:
        return  # others may see what follows
    submitted = Submitted("probe", seat, run.key(seat)[1], run.match.ask_kind(), write(answer), "page", table.at)
    _, effects = take(run, submitted)
    twin = run.copied()
    known, _ = hidden.linked(game, run.match.state, run.offers, (seat,))
    twin.match.state = game.rules.redeal(hidden.with_offers(game, run.match.state, known), seat, Chance(str(rng.random())))
    twin.hidden, twin.offers = {}, []
    assert seen(twin, seat) == seen(run, seat)
    _, others = take(twin, submitted)
    kinds = (Accepted, Held, Rejected)
    assert [e for e in effects if isinstance(e, kinds)] == [e for e in others if isinstance(e, kinds)]
    assert shown(effects, seat) == shown(others, seat)


def play_through(game: Game, n: int, number: int, steps: int, taken: float = 0.4, twins: bool = True) -> SimulatedTable:
    """A table at random, whose log is then checked entry by entry."""
    rng = random.Random(f"{game.name}/{n}/{number}")
    header, seed = header_for(game, n, number)
    table = seated(start(header, seed), rng)
    for _ in range(steps):
        if table.run.match.outcome is not None:
            break
        if rng.random() < taken:
            offer_at_random(table, rng)
        else:
            answer_one(table, rng, twins)
    match = table.run.match
    again = replay(header, seed, match.entries)
    assert game.rules.encode(again.state) == game.rules.encode(match.state)
    assert [effect.entry for effect in table.log if isinstance(effect, Logged)] == match.entries
    return table


def test_nothing_halts_and_nothing_leaks_when_private_offers_meet_every_policy(game: Game) -> None:
    for n in game.rules.seats:
        for number in range(8 if game.name in STEPS else 1):
            play_through(game, n, 700 + number, STEPS.get(game.name, PATIENCE))


def test_a_run_that_is_played_on_stays_as_it_was(game: Game) -> None:
    table = play_through(game, game.rules.seats[0], 640, 20)
    run = table.run
    before, entries = game.rules.encode(run.match.state), len(run.match.entries)
    table.wait()
    assert (game.rules.encode(run.match.state), len(run.match.entries)) == (before, entries)


# --- other private things than the toys have --------------------------------------------------------------------------------


def rob(state: AnyState, seat: Seat, kind: str, answer: Answer) -> None:
    """All can see that a ware of the target goes under the stock; which one it is, nobody learns."""
    if kind == "rob":
        target = answer.pick("target")
        state.table.stock.insert(0, state.table.keepers[target].wares.pop())
        state.table.tell("robbed", seat=seat, target=target)
    elif kind == "swap":
        keeper = state.table.keepers[seat]
        state.table.stock.insert(0, keeper.wares[0])
        keeper.wares[0] = state.table.stock.pop()
    else:
        FAIR.rules.powers.use(state, seat, kind, answer)


def robbers(state: AnyState, seat: Seat) -> list[Ask]:
    """The powers of Fair, an open one that takes what others hide, and one that nobody else learns of."""
    found, keepers = FAIR.rules.powers.open(state, seat), state.table.keepers
    if not found:
        return []
    rich = [s for s in state.table.seats if s != seat and len(keepers[s].wares) > 1]
    if rich:
        target = PickOne("target", choices(rich))
        found.append(Ask(seat, "rob", (Option("rob", (target,)),), Answer("rob", {"target": rich[0]}), "T-06"))
    if keepers[seat].wares and len(state.table.stock) > 2:
        found.append(Ask(seat, "swap", (Option("swap"),), Answer("swap"), "T-06"))
    return found


def unseen(kind: str, seat: Seat, answer: Answer) -> tuple[Seat, ...] | None:
    return (seat,) if kind == "swap" else FAIR.rules.audience(kind, seat, answer)


def vetted(state: AnyState, seat: Seat, kind: str, answer: Answer) -> None:
    if kind == "propose":
        FAIR.rules.powers.vet(state, seat, kind, answer)


ROBBERS = replace(
    FAIR,
    name="robbers",
    rules=replace(FAIR.rules, powers=replace(FAIR.rules.powers, open=robbers, use=rob, vet=vetted), audience=unseen),
)


class Nosy(Fair):
    """Fair, but what one may bid hangs on what another holds, which the bidder can't know."""

    def vet_bid(self, table: FairTable, seat: Seat, answer: Answer) -> None:
        held = {ware for other in table.seats if other != seat for ware in table.keepers[other].wares[:1]}
        if answer.option == "bid" and (answer.number("coins") % 2 == 0) == ("ale" in held or "eels" in held):
            raise NotLegal(plain("Bid another sum."))


NosyState = State[FairTable, Nosy | Dice | Jury]


def nosy(seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, ruled: Ruled | None = None, /) -> AnyState:
    return NosyState(FAIR.rules.setup(seats, options, chance, ruled).table, [Nosy()])


NOSY = replace(
    FAIR,
    name="nosy",
    rules=replace(FAIR.rules, state=NosyState, setup=nosy),
)
VARIANTS: Mapping[str, Any] = {"robbers": ROBBERS, "nosy": NOSY}


@pytest.mark.parametrize("name", VARIANTS)
def test_private_things_of_other_kinds_halt_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, name, VARIANTS[name])
    for n in (2, 3, 4):
        for number in range(12):
            play_through(VARIANTS[name], n, number, 200, taken=0.5, twins=name != "nosy")


@pytest.mark.soak
def test_many_tables_halt_at_nothing(game: Game) -> None:
    for n in game.rules.seats:
        for number in range(150 if game.name in STEPS else 8):
            play_through(game, n, 900 + number, 400)
