"""Every game: private offers, bots, orders, kept answers and safe defaults in the same round halt nothing, and leak nothing.

What the workers do with a table is run here without a database: offers lie sealed, and every policy answers from the position
that its seat knows.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from sqlmodel import Session

from engine import orders
from engine.asks import Answer, Ask, NotLegal, Option, PickOne, Refused, Seat, choices
from engine.bots.random import answer_at_random, legal_at_random
from engine.chance import Chance
from engine.game import AnyState, Game
from engine.games import GAMES
from engine.match import Match, replay, start
from engine.procedure import State
from engine.rulings import Ruled
from engine.words import Plain
from service.games import sealed
from service.games.sealed import Given, Taken
from service.store.models import Match as MatchRow
from service.store.models import SeatRow
from tests.contract.walk import header_for, readers, standing
from tests.toy_game import FAIR, Dice, Fair, FairTable, Jury
from workers import adjudication, sources
from workers.playing import Playing

STEPS = {"fair": 260, "court": 120}
"""Answers and offers at one table; of the great games, which have fewer private things, less is played."""
PATIENCE = 60


def seated(match: Match, rng: random.Random) -> Playing:
    """A table at which bots sit beside people with and without standing orders."""
    game, seats = match.game, dict[Seat, SeatRow]()
    for seat in match.state.table.seats:
        bot = rng.choice(sorted(game.bots)) if rng.random() < 0.25 else ""
        seats[seat] = SeatRow(match_id="m", seat=seat, colour="", bot=bot, orders={})
        if not bot and rng.random() < 0.5:
            seats[seat].orders = settings_at_random(game, match.state, seat, rng)
    playing = Playing(MatchRow(id="m", game=game.name, name="m", host_id="h", seats=len(seats), seed=b""), seats, match)
    playing.until = float("inf")
    return playing


def settings_at_random(game: Game, state: AnyState, seat: Seat, rng: random.Random) -> dict[str, str]:
    found = {}
    for ask in orders.asks(game, state, seat):
        try:
            found[ask.rule] = orders.check(game, state, seat, ask.rule, answer_at_random(ask, rng))
        except Refused:
            continue
    return found


def people(playing: Playing) -> list[Seat]:
    return [seat for seat in playing.waiting if not playing.seats[seat].bot]


def offer_at_random(playing: Playing, rng: random.Random) -> None:
    """Use a power, or say something to a proposal, by what its seat knows; others must not see it while it lies sealed."""
    game, table = playing.live.game, playing.live.state.table
    seat = rng.choice([s for s in table.seats if not playing.seats[s].bot] or table.seats)
    open_ = standing(game, playing.known_to(seat), seat)
    if not open_:
        return
    ask, number = rng.choice(open_)
    answer, entries = answer_at_random(ask, rng), len(playing.live.entries)
    circle = sealed.circle(game, table.seats, Taken(seat, ask.kind, Given(answer, "page"), number))
    before = {r: game.view(seen_by(playing, r), r) for r in readers(playing.live.state) if r not in circle}
    try:
        playing.take_offer(seat, ask.kind, Given(answer, "page"), number)
    except Refused:
        assert len(playing.live.entries) == entries, "what is refused changes nothing"
        return
    if len(playing.live.entries) == entries:
        for reader, seen in before.items():
            assert game.view(seen_by(playing, reader), reader) == seen, f"{reader or 'a spectator'} sees what was done unseen"


def seen_by(playing: Playing, reader: Seat | None) -> AnyState:
    return playing.known_to(reader) if reader is not None else playing.live.state


NO_DATABASE = Session()
"""Bound to no engine: a policy that asked the database would raise UnboundExecutionError."""


def answer_one(playing: Playing, rng: random.Random) -> None:
    """One answer: by hand, by the clock, or kept back and played when its time comes."""
    seat = rng.choice(people(playing))
    known, how = playing.known_to(seat), rng.random()
    if how < 0.3:
        given = sources.default(playing, seat)
    elif how < 0.5:
        bot = rng.choice(sorted(playing.live.game.bots))
        playing.seats[seat].steward = bot
        stewards = sources.unasked(NO_DATABASE, playing, seat)
        assert stewards is not None
        given = stewards
        playing.seats[seat].steward = ""
    else:
        given = Given(legal_at_random(known, seat, rng), "page")
    adjudication._play_given(NO_DATABASE, playing, seat, given)


def play_through(game: Game, n: int, number: int, steps: int, taken: float = 0.4) -> Playing:
    """A table at random, whose log is then checked entry by entry."""
    rng = random.Random(f"{game.name}/{n}/{number}")
    header, seed = header_for(game, n, number)
    playing = seated(start(header, seed), rng)
    adjudication._play_unasked(NO_DATABASE, playing)
    for _ in range(steps):
        if playing.live.outcome is not None:
            break
        if not people(playing) or rng.random() < taken:
            offer_at_random(playing, rng)
        else:
            answer_one(playing, rng)
        adjudication._play_unasked(NO_DATABASE, playing)
        for seat in playing.live.state.table.seats:
            playing.known_to(seat)
    again = replay(header, seed, playing.live.entries)
    assert game.encode(again.state) == game.encode(playing.live.state)
    return playing


def test_nothing_halts_and_nothing_leaks_when_private_offers_meet_every_policy(game: Game) -> None:
    for n in range(game.least, game.most + 1):
        for number in range(8 if game.name in STEPS else 1):
            play_through(game, n, 700 + number, STEPS.get(game.name, PATIENCE))


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
        FAIR.take_offer(state, seat, kind, answer)


def robbers(state: AnyState, seat: Seat) -> list[Ask]:
    """The powers of Fair, an open one that takes what others hide, and one that nobody else learns of."""
    found, keepers = FAIR.offers(state, seat), state.table.keepers
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
    return (seat,) if kind == "swap" else FAIR.audience(kind, seat, answer)


def vetted(state: AnyState, seat: Seat, kind: str, answer: Answer) -> None:
    if kind == "propose":
        FAIR.vet_offer(state, seat, kind, answer)


ROBBERS = replace(FAIR, name="robbers", offers=robbers, take_offer=rob, vet_offer=vetted, audience=unseen)


class Nosy(Fair):
    """Fair, but what one may bid hangs on what another holds, which the bidder can't know."""

    def vet_bid(self, table: FairTable, seat: Seat, answer: Answer) -> None:
        held = {ware for other in table.seats if other != seat for ware in table.keepers[other].wares[:1]}
        if answer.option == "bid" and (answer.number("coins") % 2 == 0) == ("ale" in held or "eels" in held):
            raise NotLegal(Plain("Bid another sum."))


NosyState = State[FairTable, Nosy | Dice | Jury]


def nosy(seats: Sequence[Seat], options: Mapping[str, Any], chance: Chance, ruled: Ruled | None = None, /) -> AnyState:
    return NosyState(FAIR.setup(seats, options, chance, ruled).table, [Nosy()])


NOSY = replace(FAIR, name="nosy", state=NosyState, setup=nosy, decode=msgspec.msgpack.Decoder(NosyState).decode)
VARIANTS: Mapping[str, Any] = {"robbers": ROBBERS, "nosy": NOSY}


@pytest.mark.parametrize("name", VARIANTS)
def test_private_things_of_other_kinds_halt_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, name, VARIANTS[name])
    for n in (2, 3, 4):
        for number in range(12):
            play_through(VARIANTS[name], n, number, 200, taken=0.5)


@pytest.mark.soak
def test_many_tables_halt_at_nothing(game: Game) -> None:
    for n in range(game.least, game.most + 1):
        for number in range(150 if game.name in STEPS else 8):
            play_through(game, n, 900 + number, 400)
